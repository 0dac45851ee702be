#ifndef KURA_CSQLITE_SHIM_H
#define KURA_CSQLITE_SHIM_H

/* The header declares the pre-update hook for programs that ask for it. Apple's library has none. */
#if !defined(__APPLE__) && !defined(SQLITE_ENABLE_PREUPDATE_HOOK)
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif

#include <sqlite3.h>
#include <string.h>

/* Swift cannot call C variadic functions; these wrappers fix the argument types. */

/// Sets or reads one on/off option of a connection (sqlite3_db_config). `value` -1 only reads.
static inline int kura_sqlite3_db_config(sqlite3 *db, int option, int value, int *result) {
  return sqlite3_db_config(db, option, value, result);
}

/// A destructor value that tells SQLite to copy the bytes before the call returns.
static inline sqlite3_destructor_type kura_sqlite3_transient(void) { return SQLITE_TRANSIENT; }

/// A destructor value that tells SQLite that the bytes outlive the statement's use of them.
static inline sqlite3_destructor_type kura_sqlite3_static(void) { return SQLITE_STATIC; }

/* The pre-update hook is a choice of who builds the library: weak names let programs start without
   it. */

/// What is called before a row of an ordinary table changes.
typedef void (*kura_sqlite3_preupdate)(
    void *context, sqlite3 *db, int operation, const char *database, const char *table,
    sqlite3_int64 old_row, sqlite3_int64 new_row);

#if defined(__APPLE__)

static inline int kura_sqlite3_has_preupdate_hook(void) { return 0; }

static inline void kura_sqlite3_set_preupdate_hook(
    sqlite3 *db, kura_sqlite3_preupdate hook, void *context) {}

static inline sqlite3_value *kura_sqlite3_old_value(sqlite3 *db, int column) { return 0; }

static inline sqlite3_value *kura_sqlite3_new_value(sqlite3 *db, int column) { return 0; }

#else

extern __attribute__((weak)) void *sqlite3_preupdate_hook(
    sqlite3 *db, kura_sqlite3_preupdate hook, void *context);
extern __attribute__((weak)) int sqlite3_preupdate_old(sqlite3 *, int, sqlite3_value **);
extern __attribute__((weak)) int sqlite3_preupdate_new(sqlite3 *, int, sqlite3_value **);

/// Whether the library has the hook.
static inline int kura_sqlite3_has_preupdate_hook(void) {
  return sqlite3_preupdate_hook != 0 && sqlite3_preupdate_old != 0 && sqlite3_preupdate_new != 0;
}

/// Sets the hook of a connection, or removes it.
static inline void kura_sqlite3_set_preupdate_hook(
    sqlite3 *db, kura_sqlite3_preupdate hook, void *context) {
  if (kura_sqlite3_has_preupdate_hook()) sqlite3_preupdate_hook(db, hook, context);
}

/// Inside the hook, a value of the row as it is; null when there is none.
static inline sqlite3_value *kura_sqlite3_old_value(sqlite3 *db, int column) {
  sqlite3_value *value = 0;
  return sqlite3_preupdate_old(db, column, &value) == SQLITE_OK ? value : 0;
}

/// Inside the hook, a value of the row as it will be; null when there is none.
static inline sqlite3_value *kura_sqlite3_new_value(sqlite3 *db, int column) {
  sqlite3_value *value = 0;
  return sqlite3_preupdate_new(db, column, &value) == SQLITE_OK ? value : 0;
}

#endif

/// Copies the header of the index of the write-ahead log (walformat.html, section 2.1), which a
/// connection in WAL mode has mapped: 48 bytes, of which there are two copies that must agree.
///
/// The file of the index is never opened here: to close another descriptor of it would drop the locks
/// that SQLite holds on it in this process. On a connection that has no index mapped this would map
/// one, so callers make sure that it has.
///
/// - Returns: Whether there is one.
static inline int kura_sqlite3_log_header(sqlite3 *db, void *header) {
  sqlite3_file *file = 0;
  volatile void *map = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
      !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap ||
      !file->pMethods->xShmBarrier)
    return 0;
  int result = file->pMethods->xShmMap(file, 0, 32768, 0, &map);
  if ((result != SQLITE_OK && result != SQLITE_READONLY) || !map) return 0;
  for (int attempt = 0; attempt < 100; attempt++) {
    char second[48];
    // As SQLite's own readers do it: writers write the second copy first.
    memcpy(header, (const void *)map, 48);
    file->pMethods->xShmBarrier(file);
    memcpy(second, (const char *)map + 48, 48);
    // Byte 12 says whether the header was written at all.
    if (memcmp(header, second, 48) == 0) return second[12] != 0;
  }
  return 0;
}

/// Copies bytes of the database file as they are on the disk.
///
/// - Returns: Whether all were there.
static inline int kura_sqlite3_read_file(sqlite3 *db, void *bytes, int count, sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
      !file->pMethods || !file->pMethods->xRead)
    return 0;
  return file->pMethods->xRead(file, bytes, count, offset) == SQLITE_OK;
}

#endif
