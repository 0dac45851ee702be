/* Changes of a model as a C programmer writes them by hand, without any proof: what a migration is
   measured against. */
#include <lmdb.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "PlainC.h"


static int64_t run_sql(const char *path, const char *sql) {
  sqlite3 *db = NULL;
  int64_t rows = -1;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
      && sqlite3_exec(db, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=OFF", NULL, NULL, NULL)
          == SQLITE_OK
      && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
    rows = sqlite3_total_changes64(db);
  sqlite3_close(db);
  return rows;
}

int64_t plain_change_type(const char *path) {
  return run_sql(
      path,
      "BEGIN IMMEDIATE;"
      "CREATE TABLE copy(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age TEXT NOT NULL,"
      " weight ANY NOT NULL CHECK (typeof(weight) IN ('real', 'null')), owner INTEGER) STRICT;"
      "INSERT INTO copy(id, name, age, weight, owner)"
      " SELECT id, name, CAST(age AS TEXT), weight, owner FROM person;"
      "DROP TABLE person; ALTER TABLE copy RENAME TO person; COMMIT");
}

int64_t plain_drop_column(const char *path) {
  return run_sql(path, "BEGIN IMMEDIATE; ALTER TABLE person DROP COLUMN owner; COMMIT") < 0 ? -1 : 0;
}

int64_t plain_lmdb_change_type(const char *path) {
  MDB_env *env = NULL;
  MDB_txn *txn = NULL;
  MDB_dbi old, new;
  MDB_cursor *from = NULL, *to = NULL;
  MDB_val key, value;
  int64_t rows = -1;
  if (mdb_env_create(&env) || mdb_env_set_maxdbs(env, 16)
      || mdb_env_set_mapsize(env, (size_t)4 << 30)
      || mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOTLS, 0644) || mdb_txn_begin(env, NULL, 0, &txn)
      || mdb_dbi_open(txn, "m1", 0, &old) || mdb_dbi_open(txn, "copy", MDB_CREATE, &new)
      || mdb_cursor_open(txn, old, &from) || mdb_cursor_open(txn, new, &to))
    goto ended;
  int64_t count = 0;
  while (mdb_cursor_get(from, &key, &value, MDB_NEXT) == 0) {
    /* shape, sizes of name, age, weight and owner, then their bytes; the age becomes text */
    const unsigned char *record = value.mv_data;
    unsigned name = record[1], age = record[2], rest = (unsigned)value.mv_size - 5 - name - age;
    char made[96], digits[24];
    int64_t number = 0;
    if (age) {
      memcpy(&number, record + 5 + name, 8);
      number = (int64_t)((uint64_t)number << (64 - 8 * age)) >> (64 - 8 * age);
    }
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    memcpy(made, record, 5 + name);
    made[2] = (char)length;
    memcpy(made + 5 + name, digits, (size_t)length);
    memcpy(made + 5 + name + length, record + 5 + name + age, rest);
    MDB_val changed = {5 + name + (unsigned)length + rest, made};
    if (mdb_cursor_put(to, &key, &changed, MDB_APPEND)) goto ended;
    count++;
  }
  mdb_cursor_close(from);
  mdb_cursor_close(to);
  from = to = NULL;
  if (mdb_drop(txn, old, 1)) goto ended;
  MDB_txn *last = txn;
  txn = NULL;
  if (mdb_txn_commit(last) == 0) rows = count;
ended:
  if (from) mdb_cursor_close(from);
  if (to) mdb_cursor_close(to);
  if (txn) mdb_txn_abort(txn);
  if (env) mdb_env_close(env);
  return rows;
}
