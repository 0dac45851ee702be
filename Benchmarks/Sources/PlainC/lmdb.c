/* What a C programmer writes against liblmdb for files of the layout in docs/file-formats.md, "LMDB":
   the same bytes, addressed by their known order, without looking whether they contradict themselves.
   Text is checked to be UTF-8 where Kura checks it, with the same short cut for ASCII. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PlainC.h"

#define MAP_SIZE ((size_t)4 << 30)
#define SIGN ((uint64_t)1 << 63)

struct plain_lmdb {
  MDB_env *env;
  MDB_dbi people, ages; /* ages is 0 where there is no index */
};

struct plain_lmdb *plain_lmdb_open(const char *path) {
  struct plain_lmdb *db = calloc(1, sizeof *db);
  MDB_txn *txn = NULL;
  if (!db) return NULL;
  if (mdb_env_create(&db->env) || mdb_env_set_maxdbs(db->env, 16)
      || mdb_env_set_mapsize(db->env, MAP_SIZE)
      || mdb_env_open(db->env, path, MDB_NOSUBDIR | MDB_NOTLS, 0644)
      || mdb_txn_begin(db->env, NULL, 0, &txn)
      || mdb_dbi_open(txn, "m1", MDB_CREATE, &db->people)) {
    if (txn) mdb_txn_abort(txn);
    plain_lmdb_close(db);
    return NULL;
  }
  if (mdb_dbi_open(txn, "i1", 0, &db->ages)) db->ages = 0;
  if (mdb_txn_commit(txn)) {
    plain_lmdb_close(db);
    return NULL;
  }
  return db;
}

void plain_lmdb_close(struct plain_lmdb *db) {
  if (!db) return;
  if (db->env) mdb_env_close(db->env);
  free(db);
}

/* MARK: Writing */

static void put_key(int64_t id, uint64_t *key) {
  *key = __builtin_bswap64((uint64_t)id ^ SIGN);
}

static unsigned put_integer(int64_t value, char *to) {
  uint64_t size = (uint64_t)(value ^ (value >> 63));
  if (value == 0) return 0;
  memcpy(to, &value, 8);
  return (72 - (size ? (unsigned)__builtin_clzll(size) : 64)) / 8;
}

static unsigned put_double(double value, char *to) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  if (bits == 0) return 0;
  unsigned bytes = 8 - (unsigned)__builtin_ctzll(bits) / 8;
  bits = __builtin_bswap64(bits);
  memcpy(to, &bits, 8);
  return bytes;
}

static int64_t insert(const char *path, int64_t rows, unsigned flags, int owned) {
  struct plain_lmdb *db = plain_lmdb_open(path);
  MDB_txn *txn = NULL;
  MDB_cursor *cursor = NULL;
  int64_t sum = 0;
  if (!db) return -1;
  if (mdb_txn_begin(db->env, NULL, 0, &txn)) goto failed;
  if (mdb_cursor_open(txn, db->people, &cursor)) goto failed;
  for (int64_t id = 1; id <= rows; id++) {
    uint64_t key;
    char record[64], place[17], *name = owned ? malloc(18) : place;
    unsigned at = 5, used;
    int64_t owner = plain_owner(id);
    put_key(id, &key);
    record[0] = 0; /* shape 0 */
    plain_name(id, name);
    record[1] = 17;
    memcpy(record + at, name, 17);
    at += 17;
    record[2] = (char)(used = put_integer(plain_age(id), record + at));
    at += used;
    record[3] = (char)(used = put_double(plain_weight(id), record + at));
    at += used;
    if (owner) {
      record[4] = (char)(used = put_integer(owner, record + at));
      at += used;
    } else {
      record[4] = (char)0xFF;
    }
    if (owned) free(name);
    MDB_val k = {sizeof key, &key}, v = {at, record};
    if (flags ? mdb_cursor_put(cursor, &k, &v, flags) : mdb_put(txn, db->people, &k, &v, 0)) goto failed;
    sum += id;
  }
  mdb_cursor_close(cursor);
  if (mdb_txn_commit(txn)) sum = -1;
  plain_lmdb_close(db);
  return sum;
failed:
  if (cursor) mdb_cursor_close(cursor);
  if (txn) mdb_txn_abort(txn);
  plain_lmdb_close(db);
  return -1;
}

int64_t plain_lmdb_insert(const char *path, int64_t rows) { return insert(path, rows, MDB_APPEND, 0); }

int64_t plain_lmdb_insert_anywhere(const char *path, int64_t rows) { return insert(path, rows, 0, 0); }

int64_t plain_lmdb_insert_structs(const char *path, int64_t rows) { return insert(path, rows, 0, 1); }

/* MARK: Reading */

struct row {
  int64_t id, age, owner;
  double weight;
  const char *name;
  int name_bytes, has_owner;
};

static int is_utf8(const unsigned char *text, size_t bytes) {
  size_t i = 0;
  for (uint64_t word; i + 8 <= bytes; i += 8) {
    memcpy(&word, text + i, 8);
    if (word & 0x8080808080808080u) break;
  }
  while (i < bytes) {
    unsigned char c = text[i];
    size_t more;
    if (c < 0x80) { i++; continue; }
    if (c < 0xC2 || c > 0xF4) return 0;
    more = c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
    if (bytes - i <= more) return 0;
    unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (text[i + 1] < low || text[i + 1] > high) return 0;
    for (size_t j = 2; j <= more; j++) if ((text[i + j] & 0xC0) != 0x80) return 0;
    i += more + 1;
  }
  return 1;
}

/* Numbers are read as eight bytes and cut; at the end of a file's last page that reads into the map. */
static int64_t get_integer(const unsigned char *from, unsigned bytes) {
  int64_t word;
  if (bytes == 0) return 0;
  memcpy(&word, from, 8);
  return (int64_t)((uint64_t)word << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static double get_double(const unsigned char *from, unsigned bytes) {
  uint64_t word;
  double value;
  if (bytes == 0) return 0;
  memcpy(&word, from, 8);
  word = __builtin_bswap64(word) & (UINT64_MAX << (64 - 8 * bytes));
  memcpy(&value, &word, 8);
  return value;
}

static int read_row(const MDB_val *key, const MDB_val *value, struct row *row) {
  const unsigned char *record = value->mv_data;
  const unsigned char *at = record + 5;
  uint64_t word;
  memcpy(&word, key->mv_data, 8);
  row->id = (int64_t)(__builtin_bswap64(word) ^ SIGN);
  row->name = (const char *)at;
  row->name_bytes = record[1];
  if (!is_utf8(at, record[1])) return 0;
  at += record[1];
  row->age = get_integer(at, record[2]);
  at += record[2];
  row->weight = get_double(at, record[3]);
  at += record[3];
  row->has_owner = record[4] != 0xFF;
  row->owner = row->has_owner ? get_integer(at, record[4]) : 0;
  return 1;
}

static int64_t sum_row(const struct row *row) {
  int64_t sum = row->id + row->age + row->name_bytes + row->name[row->name_bytes - 1];
  sum += (int64_t)row->weight;
  if (row->has_owner) sum += row->owner;
  return sum;
}

int64_t plain_lmdb_scan(struct plain_lmdb *db) {
  MDB_txn *txn = NULL;
  MDB_cursor *cursor = NULL;
  MDB_val key, value;
  int64_t sum = 0;
  int code = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
  if (code) return -1;
  code = mdb_cursor_open(txn, db->people, &cursor);
  while (!code && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
    struct row row;
    if (!read_row(&key, &value, &row)) break;
    sum += sum_row(&row);
  }
  if (cursor) mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return code == MDB_NOTFOUND ? sum : -1;
}

struct rows {
  struct row *of;
  size_t count, capacity;
};

/* Reads a record into one more struct, which owns its string. */
static int keep(struct rows *rows, const MDB_val *key, const MDB_val *value) {
  if (rows->count == rows->capacity) {
    rows->capacity = rows->capacity ? rows->capacity * 2 : 64;
    rows->of = realloc(rows->of, rows->capacity * sizeof *rows->of);
  }
  struct row *row = &rows->of[rows->count];
  if (!read_row(key, value, row)) return 0;
  char *name = malloc((size_t)row->name_bytes + 1);
  memcpy(name, row->name, (size_t)row->name_bytes);
  name[row->name_bytes] = 0;
  row->name = name;
  rows->count++;
  return 1;
}

static int64_t sum_rows(struct rows *rows) {
  int64_t sum = 0;
  for (size_t i = 0; i < rows->count; i++) {
    sum += sum_row(&rows->of[i]);
    free((char *)rows->of[i].name);
  }
  free(rows->of);
  return sum;
}

int64_t plain_lmdb_fetch(struct plain_lmdb *db) {
  MDB_txn *txn = NULL;
  MDB_cursor *cursor = NULL;
  MDB_val key, value;
  struct rows rows = {0};
  int code = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
  if (code) return -1;
  code = mdb_cursor_open(txn, db->people, &cursor);
  while (!code && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)))
    if (!keep(&rows, &key, &value)) break;
  int64_t sum = sum_rows(&rows);
  if (cursor) mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return code == MDB_NOTFOUND ? sum : -1;
}

static void put_age(int64_t age, unsigned char key[9]) {
  uint64_t word;
  put_key(age, &word);
  key[0] = 2;
  memcpy(key + 1, &word, 8);
}

int64_t plain_lmdb_fetch_ages(struct plain_lmdb *db, int64_t low, int64_t high) {
  MDB_txn *txn = NULL;
  MDB_cursor *cursor = NULL;
  struct rows rows = {0};
  unsigned char first[9], last[9];
  put_age(low, first);
  put_age(high, last);
  MDB_val entry = {9, first}, place;
  int code = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
  if (code) return -1;
  code = mdb_cursor_open(txn, db->ages, &cursor);
  if (!code) code = mdb_cursor_get(cursor, &entry, &place, MDB_SET_RANGE);
  while (!code && entry.mv_size == 17 && memcmp(entry.mv_data, last, 9) <= 0) {
    MDB_val key = {8, (char *)entry.mv_data + 9}, value;
    code = mdb_get(txn, db->people, &key, &value);
    if (code || !keep(&rows, &key, &value)) break;
    code = mdb_cursor_get(cursor, &entry, &place, MDB_NEXT);
  }
  int64_t sum = sum_rows(&rows);
  if (cursor) mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return code == 0 || code == MDB_NOTFOUND ? sum : -1;
}

struct numbers {
  int64_t of[10];
};

int64_t plain_lmdb_fetch_numbers(struct plain_lmdb *db) {
  MDB_txn *txn = NULL;
  MDB_cursor *cursor = NULL;
  MDB_val key, value;
  struct numbers *all = NULL;
  size_t count = 0, capacity = 0;
  int64_t sum = 0;
  int code = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
  if (code) return -1;
  code = mdb_cursor_open(txn, db->people, &cursor);
  while (!code && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
    const unsigned char *record = value.mv_data, *at = record + 10;
    uint64_t word;
    if (count == capacity) {
      capacity = capacity ? capacity * 2 : 64;
      all = realloc(all, capacity * sizeof *all);
    }
    struct numbers *row = &all[count++];
    memcpy(&word, key.mv_data, 8);
    row->of[0] = (int64_t)(__builtin_bswap64(word) ^ SIGN);
    for (int i = 1; i < 10; i++) {
      row->of[i] = get_integer(at, record[i]);
      at += record[i];
    }
  }
  for (size_t i = 0; i < count; i++)
    for (int j = 0; j < 10; j++) sum += all[i].of[j];
  free(all);
  if (cursor) mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return code == MDB_NOTFOUND ? sum : -1;
}

int64_t plain_lmdb_sum_ages(struct plain_lmdb *db) {
  MDB_txn *txn = NULL;
  MDB_cursor *cursor = NULL;
  MDB_val key, value;
  int64_t sum = 0;
  int code = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
  if (code) return -1;
  code = mdb_cursor_open(txn, db->people, &cursor);
  while (!code && !(code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
    const unsigned char *record = value.mv_data;
    sum += get_integer(record + 5 + record[1], record[2]);
  }
  if (cursor) mdb_cursor_close(cursor);
  mdb_txn_abort(txn);
  return code == MDB_NOTFOUND ? sum : -1;
}

static int64_t point_reads(struct plain_lmdb *db, int64_t rows, int64_t count, int owned) {
  MDB_txn *txn = NULL;
  int64_t sum = 0;
  if (mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn)) return -1;
  for (int64_t step = 0; step < count; step++) {
    uint64_t word;
    struct row row;
    put_key(plain_random_key(step, rows), &word);
    MDB_val key = {sizeof word, &word}, value;
    if (mdb_get(txn, db->people, &key, &value) || !read_row(&key, &value, &row)) {
      sum = -1;
      break;
    }
    if (owned) {
      char *name = malloc((size_t)row.name_bytes + 1);
      memcpy(name, row.name, (size_t)row.name_bytes);
      name[row.name_bytes] = 0;
      row.name = name;
      sum += sum_row(&row) + name[row.name_bytes];
      free(name);
    } else {
      sum += sum_row(&row);
    }
  }
  mdb_txn_abort(txn);
  return sum;
}

int64_t plain_lmdb_point_reads(struct plain_lmdb *db, int64_t rows, int64_t count) {
  return point_reads(db, rows, count, 0);
}

int64_t plain_lmdb_point_structs(struct plain_lmdb *db, int64_t rows, int64_t count) {
  return point_reads(db, rows, count, 1);
}

const char *plain_lmdb_version(void) { return mdb_version(NULL, NULL, NULL); }
