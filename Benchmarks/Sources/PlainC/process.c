#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "PlainC.h"

extern char **environ;

double plain_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

double plain_cpu_ms(void) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

int plain_run(char *const argv[], const char *output, struct plain_usage *usage) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  pid_t child;
  double start = plain_now_ms();
  int code = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return code;
  int status;
  struct rusage used;
  if (wait4(child, &status, 0, &used) < 0) return -1;
  usage->wall_ms = plain_now_ms() - start;
  usage->cpu_ms = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3
      + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
#ifdef __APPLE__
  usage->resident_mb = (double)used.ru_maxrss / (1 << 20);
#else
  usage->resident_mb = (double)used.ru_maxrss / (1 << 10);
#endif
  usage->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return 0;
}

/* The next line that begins with `only` (any line when that is empty); its length, 0 at the end. */
static size_t next_line(FILE *file, char *line, size_t size, const char *only) {
  while (fgets(line, (int)size, file))
    if (strncmp(line, only, strlen(only)) == 0) return strlen(line);
  return 0;
}

int64_t plain_differences(const char *left, const char *right, const char *only) {
  FILE *a = fopen(left, "rb"), *b = fopen(right, "rb");
  int64_t result = a && b ? 0 : -1;
  char first[4096], second[4096];
  while (result >= 0) {
    size_t m = next_line(a, first, sizeof first, only), n = next_line(b, second, sizeof second, only);
    if (m == 0 && n == 0) break;
    if (m == 0 || n == 0) result = -1;
    else if (m != n || memcmp(first, second, m) != 0) result++;
  }
  if (a) fclose(a);
  if (b) fclose(b);
  return result;
}

int plain_write(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  if (!file) return 1;
  size_t written = fwrite(text, 1, strlen(text), file);
  return fclose(file) != 0 || written != strlen(text);
}

int plain_copy(const char *from, const char *to) {
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  static char block[1 << 16];
  size_t count;
  int failed = !in || !out;
  while (!failed && (count = fread(block, 1, sizeof block, in)) > 0)
    failed = fwrite(block, 1, count, out) != count;
  if (in) fclose(in);
  if (out && fclose(out)) failed = 1;
  return failed;
}

const char *plain_machine(void) {
  static char text[512];
  struct utsname system;
  char model[256] = "unknown processor";
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (file) {
    char line[256];
    while (fgets(line, sizeof line, file)) {
      char *colon = strchr(line, ':');
      if (strncmp(line, "model name", 10) == 0 && colon) {
        snprintf(model, sizeof model, "%s", colon + 2);
        model[strcspn(model, "\n")] = 0;
        break;
      }
    }
    fclose(file);
  }
  uname(&system);
  snprintf(text, sizeof text, "%s, %s %s", model, system.sysname, system.machine);
  return text;
}

void plain_say(const char *text) { fputs(text, stderr); }
