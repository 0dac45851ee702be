#ifndef KURA_CSQLITE_SHIM_H
#define KURA_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Swift cannot call C variadic functions; these wrappers fix the argument types. */

/// Sets or reads one on/off option of a connection (sqlite3_db_config). `value` -1 only reads.
static inline int kura_sqlite3_db_config(sqlite3 *db, int option, int value, int *result) {
  return sqlite3_db_config(db, option, value, result);
}

/// A destructor value that tells SQLite to copy the bytes before the call returns.
static inline sqlite3_destructor_type kura_sqlite3_transient(void) { return SQLITE_TRANSIENT; }

/// A destructor value that tells SQLite that the bytes outlive the statement's use of them.
static inline sqlite3_destructor_type kura_sqlite3_static(void) { return SQLITE_STATIC; }

#endif
