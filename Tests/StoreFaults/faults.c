#define _GNU_SOURCE
#include "faults.h"

#include <stdatomic.h>

static atomic_int kind;
static atomic_long armed_at;
static atomic_long calls;
static atomic_int skips_syncs;
static const char *_Atomic failed_call = "none";

void faults_arm(enum faults_kind what, long at) {
  failed_call = "none";
  calls = 0;
  armed_at = at;
  kind = (int)what + 1;
}

long faults_disarm(void) {
  kind = 0;
  return calls;
}

void faults_skip_syncs(void) { skips_syncs = 1; }

const char *faults_call(void) { return failed_call; }

// The thread sanitizer has its own definitions of these calls.
#if defined(__linux__) && !__has_feature(thread_sanitizer)
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/// Whether the call fails; `half` is set when it is to write half of its bytes.
static int fails(const char *name, int *half) {
  int what = kind - 1;
  if (what < 0) return 0;
  long number = ++calls, at = armed_at;
  if (what == FAULTS_NONE || number < at || (what == FAULTS_ERROR && number > at)) return 0;
  if (number == at) failed_call = name;
  if (what == FAULTS_KILL) kill(getpid(), SIGKILL);
  *half = what == FAULTS_CUT && number == at;
  errno = what == FAULTS_FULL || what == FAULTS_CUT ? ENOSPC : EIO;
  return 1;
}

/// As `fails`, for descriptors of files; pipes and terminals are the program's own business.
static int file_fails(int file, const char *name, int *half) {
  struct stat status;
  if (kind == 0 || file <= 2 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return fails(name, half);
}

// Each call's own definition, found once; a race finds the same.
#define REAL(type, name, ...)                                 \
  static type (*_Atomic found)(__VA_ARGS__);                  \
  type (*real)(__VA_ARGS__) = found;                          \
  if (!real) {                                                \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);     \
    found = real;                                             \
  }                                                           \
  int half = 0

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  if (!file_fails(file, "pwrite", &half)) return real(file, bytes, count, place);
  return half && count > 1 ? real(file, bytes, count / 2, place) : -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  if (!file_fails(file, "pwrite", &half)) return real(file, bytes, count, place);
  return half && count > 1 ? real(file, bytes, count / 2, place) : -1;
}

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, write, int, const void *, size_t);
  if (!file_fails(file, "write", &half)) return real(file, bytes, count);
  return half && count > 1 ? real(file, bytes, count / 2) : -1;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, writev, int, const struct iovec *, int);
  if (!file_fails(file, "writev", &half)) return real(file, parts, count);
  return -1;
}

int ftruncate(int file, off_t size) {
  REAL(int, ftruncate, int, off_t);
  return file_fails(file, "ftruncate", &half) ? -1 : real(file, size);
}

int ftruncate64(int file, off64_t size) {
  REAL(int, ftruncate64, int, off64_t);
  return file_fails(file, "ftruncate", &half) ? -1 : real(file, size);
}

int fsync(int file) {
  REAL(int, fsync, int);
  if (file_fails(file, "fsync", &half)) return -1;
  return skips_syncs ? 0 : real(file);
}

int fdatasync(int file) {
  REAL(int, fdatasync, int);
  if (file_fails(file, "fdatasync", &half)) return -1;
  return skips_syncs ? 0 : real(file);
}

int rename(const char *from, const char *to) {
  REAL(int, rename, const char *, const char *);
  return fails("rename", &half) ? -1 : real(from, to);
}

int link(const char *from, const char *to) {
  REAL(int, link, const char *, const char *);
  return fails("link", &half) ? -1 : real(from, to);
}

int unlink(const char *path) {
  REAL(int, unlink, const char *);
  // A full disk lets files be removed.
  int what = kind - 1;
  if (what == FAULTS_FULL || what == FAULTS_CUT) return real(path);
  return fails("unlink", &half) ? -1 : real(path);
}
#endif
