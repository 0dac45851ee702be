// The C loop that a dump is measured against: step, format into one buffer, write. C++ only for
// std::to_chars, the fastest shortest-round-trip formatter that a C programmer finds installed.
#include <sqlite3.h>

#include <charconv>
#include <cstdio>
#include <cstring>

#include "PlainC.h"

namespace {

struct Writer {
  FILE *file;
  char *at, *end;
  char buffer[1 << 16];
  int64_t total = 0;

  explicit Writer(FILE *file) : file(file), at(buffer), end(buffer + sizeof buffer) {}
  void flush() {
    total += at - buffer;
    fwrite(buffer, 1, static_cast<size_t>(at - buffer), file);
    at = buffer;
  }
  void room(size_t bytes) {
    if (static_cast<size_t>(end - at) < bytes) flush();
  }
  void put(const char *text, size_t bytes) {
    room(bytes);
    memcpy(at, text, bytes);
    at += bytes;
  }
  template <size_t N> void put(const char (&text)[N]) { put(text, N - 1); }
  void integer(int64_t value) {
    room(24);
    at = std::to_chars(at, end, value).ptr;
  }
  void real(double value) {
    room(40);
    char *start = at;
    at = std::to_chars(at, end, value).ptr;
    // A whole number keeps its ".0", so that it stays a real when it is read again.
    for (char *c = start; c < at; c++)
      if (*c == '.' || *c == 'e' || *c == 'n') return;
    *at++ = '.';
    *at++ = '0';
  }
  // Text with the quote of the format doubled or escaped; the check is one pass over the bytes.
  void text(const char *value, size_t bytes, int format) {
    room(bytes * 6 + 2);
    if (format == 0) {
      if (bytes && !memchr(value, '"', bytes) && !memchr(value, ',', bytes) && !memchr(value, '\n', bytes)
          && !memchr(value, '\r', bytes)) {
        memcpy(at, value, bytes);
        at += bytes;
        return;
      }
      *at++ = '"';
      for (size_t i = 0; i < bytes; i++) {
        if (value[i] == '"') *at++ = '"';
        *at++ = value[i];
      }
      *at++ = '"';
    } else if (format == 1) {
      *at++ = '"';
      for (size_t i = 0; i < bytes; i++) {
        unsigned char c = static_cast<unsigned char>(value[i]);
        if (c == '"' || c == '\\') {
          *at++ = '\\';
          *at++ = static_cast<char>(c);
        } else if (c < 0x20) {
          at += snprintf(at, 7, "\\u%04x", c);
        } else {
          *at++ = static_cast<char>(c);
        }
      }
      *at++ = '"';
    } else {
      *at++ = '\'';
      for (size_t i = 0; i < bytes; i++) {
        if (value[i] == '\'') *at++ = '\'';
        *at++ = value[i];
      }
      *at++ = '\'';
    }
  }
};

}  // namespace

int64_t plain_dump(const char *path, const char *output, int format) {
  sqlite3 *db = nullptr;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
    sqlite3_close(db);
    return -1;
  }
  FILE *file = fopen(output, "wb");
  sqlite3_stmt *read = nullptr;
  int code = file ? sqlite3_prepare_v2(
                        db, "SELECT id,name,age,weight,owner FROM person ORDER BY id", -1, &read, nullptr)
                  : SQLITE_ERROR;
  int64_t total = -1;
  if (code == SQLITE_OK) {
    Writer writer(file);
    if (format == 0) writer.put("id,name,age,weight,owner\n");
    while ((code = sqlite3_step(read)) == SQLITE_ROW) {
      const char *name = reinterpret_cast<const char *>(sqlite3_column_text(read, 1));
      size_t bytes = static_cast<size_t>(sqlite3_column_bytes(read, 1));
      bool has_owner = sqlite3_column_type(read, 4) != SQLITE_NULL;
      if (format == 1) writer.put("{\"id\":");
      if (format == 2) writer.put("INSERT INTO person VALUES(");
      writer.integer(sqlite3_column_int64(read, 0));
      if (format == 1) writer.put(",\"name\":"); else writer.put(",");
      writer.text(name, bytes, format);
      if (format == 1) writer.put(",\"age\":"); else writer.put(",");
      writer.integer(sqlite3_column_int64(read, 2));
      if (format == 1) writer.put(",\"weight\":"); else writer.put(",");
      writer.real(sqlite3_column_double(read, 3));
      if (format == 1) writer.put(",\"owner\":"); else writer.put(",");
      if (has_owner) writer.integer(sqlite3_column_int64(read, 4));
      else if (format == 1) writer.put("null");
      else if (format == 2) writer.put("NULL");
      if (format == 1) writer.put("}\n");
      else if (format == 2) writer.put(");\n");
      else writer.put("\n");
    }
    writer.flush();
    if (code == SQLITE_DONE) total = writer.total;
  }
  sqlite3_finalize(read);
  sqlite3_close(db);
  if (file && fclose(file) != 0) total = -1;
  return total;
}
