#ifndef KURA_PLAIN_C_H
#define KURA_PLAIN_C_H

#include <stdint.h>

/* The workloads of the benchmark as plain C calls of sqlite3 and of liblmdb. All of them return a
   checksum of what they read or wrote, so that both sides can be seen to have done the same work; -1 is
   an error. */

#ifdef __cplusplus
extern "C" {
#endif

/* The rows: {id, name of 17 bytes, age, weight, owner or null in a third}, as a function of the id. */
void plain_name(int64_t id, char name[17]);
int64_t plain_age(int64_t id);
double plain_weight(int64_t id);
int64_t plain_owner(int64_t id); /* 0: null */
int64_t plain_random_key(int64_t step, int64_t rows);

/* Makes a file like Kura's (WAL, synchronous FULL, STRICT) with `rows` rows in one transaction. */
int64_t plain_insert(const char *path, int64_t rows);
/* Opens the file, reads the first row, closes it. */
int64_t plain_open(const char *path);
/* Reads every column of every row and keeps a checksum. */
int64_t plain_scan(const char *path);
/* Reads every row into an array of structs that own their strings. */
int64_t plain_fetch(const char *path);
/* Reads `count` rows by random keys with one prepared statement. */
int64_t plain_point_reads(const char *path, int64_t rows, int64_t count);
/* plain_insert and plain_point_reads by way of structs that own their strings. */
int64_t plain_insert_structs(const char *path, int64_t rows);
int64_t plain_point_structs(const char *path, int64_t rows, int64_t count);
/* The same as plain_fetch of the rows with an age in a range, by the index on it, in their order. */
int64_t plain_fetch_ages(const char *path, int64_t low, int64_t high);
/* Reads every row of the table "numbers", ten integers, into an array of structs. */
int64_t plain_fetch_numbers(const char *path);
/* Writes all rows to a file: format 0 CSV, 1 NDJSON, 2 SQL. Returns the number of bytes. */
int64_t plain_dump(const char *path, const char *output, int format);

/* Makes the age of a file that Kura made a text, by INSERT ... SELECT into a new table; the number of
   rows. Drops the column "owner"; 0. */
int64_t plain_change_type(const char *path);
int64_t plain_drop_column(const char *path);
/* The same change of type with liblmdb: the records are appended to a new database. */
int64_t plain_lmdb_change_type(const char *path);

/* The same with liblmdb, in files that have Kura's layout (docs/file-formats.md) in one database, `m1`.
   A file is opened once, as Kura's stores are: mapping it is no part of reading it. */
struct plain_lmdb;
struct plain_lmdb *plain_lmdb_open(const char *path); /* NULL: an error */
void plain_lmdb_close(struct plain_lmdb *db);
/* Makes a file with `rows` records in one transaction, each appended. */
int64_t plain_lmdb_insert(const char *path, int64_t rows);
/* The same with mdb_put, which looks for each key's place. */
int64_t plain_lmdb_insert_anywhere(const char *path, int64_t rows);
int64_t plain_lmdb_scan(struct plain_lmdb *db);
int64_t plain_lmdb_fetch(struct plain_lmdb *db);
int64_t plain_lmdb_point_reads(struct plain_lmdb *db, int64_t rows, int64_t count);
/* The same with mdb_put and mdb_get by way of structs that own their strings. */
int64_t plain_lmdb_insert_structs(const char *path, int64_t rows);
int64_t plain_lmdb_point_structs(struct plain_lmdb *db, int64_t rows, int64_t count);
/* The records with an age in a range by the index `i1`, in the order of its entries. */
int64_t plain_lmdb_fetch_ages(struct plain_lmdb *db, int64_t low, int64_t high);
/* Records of ten integers, the key among them. */
int64_t plain_lmdb_fetch_numbers(struct plain_lmdb *db);
/* The sum of all ages over the stored bytes. */
int64_t plain_lmdb_sum_ages(struct plain_lmdb *db);
int plain_copy(const char *from, const char *to);

/* A finished child process. */
struct plain_usage {
  double wall_ms, cpu_ms, resident_mb;
  int status; /* the exit code, or 128 + the signal */
};
/* Runs a program with its output in a file. Resident memory includes the parent's at the start. */
int plain_run(char *const argv[], const char *output, struct plain_usage *usage);

/* The time of the wall's clock, and the processor time that this process used. */
double plain_now_ms(void);
double plain_cpu_ms(void);
/* The number of lines that differ between two files, -1 when one has more lines; `only` keeps the
   lines that begin with it. */
int64_t plain_differences(const char *left, const char *right, const char *only);
int plain_write(const char *path, const char *text);
/* To standard error, which Swift cannot name without a data race. */
void plain_say(const char *text);
/* The libraries' versions, and the processor's name and the system's, in a buffer that lives on. */
const char *plain_sqlite_version(void);
const char *plain_lmdb_version(void);
const char *plain_machine(void);

#ifdef __cplusplus
}
#endif
#endif
