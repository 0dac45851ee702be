#ifndef KURA_FAULTS_H
#define KURA_FAULTS_H

// Faults of the operating system, for a test program only: the program's own definitions of the calls
// that write take the place of the C library's for every library of the process, so that SQLite,
// liblmdb and the copies that Kura makes itself all come through here (ELF symbol interposition,
// ld.so(8); Linux only). A virtual file system of SQLite would reach one backend only, and its own
// code instead of the one that is in use.

/// What happens at the armed call.
enum faults_kind {
  /// Calls are counted and do what they always do.
  FAULTS_NONE = 0,
  /// From the call on, nothing more can be written: ENOSPC.
  FAULTS_FULL = 1,
  /// As FAULTS_FULL, but the first call still writes half of its bytes.
  FAULTS_CUT = 2,
  /// The call fails with EIO, the following ones work.
  FAULTS_ERROR = 3,
  /// From the call on, every call fails with EIO.
  FAULTS_BROKEN = 4,
  /// The process is killed before the call.
  FAULTS_KILL = 5,
};

/// Begins to count calls that change a file, from 1; the kind of fault comes at the `at`th of them.
void faults_arm(enum faults_kind kind, long at);

/// Ends it and returns the number of calls.
long faults_disarm(void);

/// From now on files are not synchronised, which takes most of the time and matters for power cuts only.
void faults_skip_syncs(void);

/// The name of the call that the fault came to; `none` when it came to no call.
const char *faults_call(void);

#endif
