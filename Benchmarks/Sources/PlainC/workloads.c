#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#include "PlainC.h"

static uint64_t mix(uint64_t x) { /* splitmix64 */
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void plain_name(int64_t id, char name[17]) {
  memcpy(name, "person ", 7);
  for (int digit = 16; digit >= 7; digit--, id /= 10) name[digit] = (char)('0' + id % 10);
}
int64_t plain_age(int64_t id) { return (int64_t)(mix((uint64_t)id) % 100); }
double plain_weight(int64_t id) { return (double)(mix((uint64_t)id ^ 0x5555) % 1000000) / 7919.0; }
int64_t plain_owner(int64_t id) { return id % 3 == 0 ? 0 : (int64_t)(mix((uint64_t)id ^ 77) % 100000) + 1; }
int64_t plain_random_key(int64_t step, int64_t rows) {
  return (int64_t)(mix((uint64_t)step ^ 0xABCDEF) % (uint64_t)rows) + 1;
}

static sqlite3 *open_file(const char *path, int flags) {
  sqlite3 *db = NULL;
  if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
    sqlite3_close(db);
    return NULL;
  }
  return db;
}

static int64_t insert_rows(const char *path, int64_t rows, int owned) {
  sqlite3 *db = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!db) return -1;
  sqlite3_stmt *insert = NULL;
  int64_t sum = 0;
  /* Into the table of a type's records as Kura declares it: REAL columns do not keep -0.0. */
  const char *setup = owned
      ? "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,"
        " weight ANY NOT NULL CHECK (typeof(weight) IN ('real', 'null')), owner INTEGER) STRICT;"
        "BEGIN IMMEDIATE;"
      : "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,"
        " weight REAL NOT NULL, owner INTEGER) STRICT; BEGIN IMMEDIATE;";
  if (sqlite3_exec(db, setup, NULL, NULL, NULL) != SQLITE_OK) goto failed;
  if (sqlite3_prepare_v2(db, "INSERT INTO person VALUES(?,?,?,?,?)", -1, &insert, NULL)) goto failed;
  for (int64_t id = 1; id <= rows; id++) {
    char place[17], *name = owned ? malloc(18) : place;
    plain_name(id, name);
    int64_t owner = plain_owner(id);
    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_text(insert, 2, name, 17, owned ? SQLITE_STATIC : SQLITE_TRANSIENT);
    sqlite3_bind_int64(insert, 3, plain_age(id));
    sqlite3_bind_double(insert, 4, plain_weight(id));
    if (owner) sqlite3_bind_int64(insert, 5, owner); else sqlite3_bind_null(insert, 5);
    if (sqlite3_step(insert) != SQLITE_DONE) goto failed;
    sqlite3_reset(insert);
    if (owned) free(name);
    sum += id;
  }
  if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) goto failed;
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return sum;
failed:
  sqlite3_finalize(insert);
  sqlite3_close(db);
  return -1;
}

int64_t plain_insert(const char *path, int64_t rows) { return insert_rows(path, rows, 0); }

int64_t plain_insert_structs(const char *path, int64_t rows) { return insert_rows(path, rows, 1); }

int64_t plain_open(const char *path) {
  sqlite3 *db = open_file(path, SQLITE_OPEN_READWRITE);
  if (!db) return -1;
  sqlite3_stmt *read = NULL;
  int64_t id = -1;
  if (sqlite3_prepare_v2(db, "SELECT * FROM person ORDER BY id LIMIT 1", -1, &read, NULL) == SQLITE_OK
      && sqlite3_step(read) == SQLITE_ROW)
    id = sqlite3_column_int64(read, 0);
  sqlite3_finalize(read);
  sqlite3_close(db);
  return id;
}

static int64_t sum_row(sqlite3_stmt *row) {
  const unsigned char *name = sqlite3_column_text(row, 1);
  int bytes = sqlite3_column_bytes(row, 1);
  int64_t sum = sqlite3_column_int64(row, 0) + sqlite3_column_int64(row, 2) + bytes + name[bytes - 1];
  sum += (int64_t)sqlite3_column_double(row, 3);
  if (sqlite3_column_type(row, 4) != SQLITE_NULL) sum += sqlite3_column_int64(row, 4);
  return sum;
}

int64_t plain_scan(const char *path) {
  sqlite3 *db = open_file(path, SQLITE_OPEN_READWRITE);
  if (!db) return -1;
  sqlite3_stmt *read = NULL;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(
      db, "SELECT id,name,age,weight,owner FROM person ORDER BY id", -1, &read, NULL);
  if (code == SQLITE_OK)
    while ((code = sqlite3_step(read)) == SQLITE_ROW) sum += sum_row(read);
  sqlite3_finalize(read);
  sqlite3_close(db);
  return code == SQLITE_DONE ? sum : -1;
}

struct person {
  int64_t id, age, owner;
  double weight;
  char *name;
  int name_bytes, has_owner;
};

static int64_t fetch(const char *path, const char *sql, int64_t low, int64_t high) {
  sqlite3 *db = open_file(path, SQLITE_OPEN_READWRITE);
  if (!db) return -1;
  sqlite3_stmt *read = NULL;
  struct person *people = NULL;
  size_t count = 0, capacity = 0;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(db, sql, -1, &read, NULL);
  if (code == SQLITE_OK && sqlite3_bind_parameter_count(read) == 2) {
    sqlite3_bind_int64(read, 1, low);
    sqlite3_bind_int64(read, 2, high);
  }
  if (code == SQLITE_OK)
    while ((code = sqlite3_step(read)) == SQLITE_ROW) {
      if (count == capacity) {
        capacity = capacity ? capacity * 2 : 64;
        people = realloc(people, capacity * sizeof *people);
      }
      struct person *p = &people[count++];
      const unsigned char *name = sqlite3_column_text(read, 1);
      p->name_bytes = sqlite3_column_bytes(read, 1);
      p->name = malloc((size_t)p->name_bytes + 1);
      memcpy(p->name, name, (size_t)p->name_bytes + 1);
      p->id = sqlite3_column_int64(read, 0);
      p->age = sqlite3_column_int64(read, 2);
      p->weight = sqlite3_column_double(read, 3);
      p->has_owner = sqlite3_column_type(read, 4) != SQLITE_NULL;
      p->owner = sqlite3_column_int64(read, 4);
    }
  for (size_t i = 0; i < count; i++) {
    struct person *p = &people[i];
    sum += p->id + p->age + p->name_bytes + (unsigned char)p->name[p->name_bytes - 1] + (int64_t)p->weight;
    if (p->has_owner) sum += p->owner;
    free(p->name);
  }
  free(people);
  sqlite3_finalize(read);
  sqlite3_close(db);
  return code == SQLITE_DONE ? sum : -1;
}

int64_t plain_fetch(const char *path) {
  return fetch(path, "SELECT id,name,age,weight,owner FROM person ORDER BY id", 0, 0);
}

int64_t plain_fetch_ages(const char *path, int64_t low, int64_t high) {
  return fetch(
      path,
      "SELECT id,name,age,weight,owner FROM person WHERE age BETWEEN ? AND ? ORDER BY age, id",
      low, high);
}

struct numbers {
  int64_t of[10];
};

int64_t plain_fetch_numbers(const char *path) {
  sqlite3 *db = open_file(path, SQLITE_OPEN_READWRITE);
  if (!db) return -1;
  sqlite3_stmt *read = NULL;
  struct numbers *all = NULL;
  size_t count = 0, capacity = 0;
  int64_t sum = 0;
  int code = sqlite3_prepare_v2(
      db, "SELECT id,n1,n2,n3,n4,n5,n6,n7,n8,n9 FROM numbers ORDER BY id", -1, &read, NULL);
  if (code == SQLITE_OK)
    while ((code = sqlite3_step(read)) == SQLITE_ROW) {
      if (count == capacity) {
        capacity = capacity ? capacity * 2 : 64;
        all = realloc(all, capacity * sizeof *all);
      }
      struct numbers *row = &all[count++];
      for (int i = 0; i < 10; i++) row->of[i] = sqlite3_column_int64(read, i);
    }
  for (size_t i = 0; i < count; i++)
    for (int j = 0; j < 10; j++) sum += all[i].of[j];
  free(all);
  sqlite3_finalize(read);
  sqlite3_close(db);
  return code == SQLITE_DONE ? sum : -1;
}

static int64_t point_reads(const char *path, int64_t rows, int64_t count, int owned) {
  sqlite3 *db = open_file(path, SQLITE_OPEN_READWRITE);
  if (!db) return -1;
  sqlite3_stmt *read = NULL;
  int64_t sum = 0;
  sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
  if (sqlite3_prepare_v2(
          db, "SELECT id,name,age,weight,owner FROM person WHERE id=?", -1, &read, NULL)) sum = -1;
  for (int64_t step = 0; sum >= 0 && step < count; step++) {
    sqlite3_bind_int64(read, 1, plain_random_key(step, rows));
    if (sqlite3_step(read) != SQLITE_ROW) { sum = -1; break; }
    if (owned) {
      int bytes = sqlite3_column_bytes(read, 1);
      char *name = malloc((size_t)bytes + 1);
      memcpy(name, sqlite3_column_text(read, 1), (size_t)bytes + 1);
      sum += sum_row(read) + (unsigned char)name[bytes];
      free(name);
    } else {
      sum += sum_row(read);
    }
    sqlite3_reset(read);
  }
  sqlite3_finalize(read);
  sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
  sqlite3_close(db);
  return sum;
}

int64_t plain_point_reads(const char *path, int64_t rows, int64_t count) {
  return point_reads(path, rows, count, 0);
}

int64_t plain_point_structs(const char *path, int64_t rows, int64_t count) {
  return point_reads(path, rows, count, 1);
}

const char *plain_sqlite_version(void) { return sqlite3_libversion(); }
