// What the format asks for is loaded where the call is, without the lock.
// races: UNSAFE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void log_line(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  pthread_mutex_lock(&lock);
  vfprintf(stderr, format, arguments);
  lines++;
  pthread_mutex_unlock(&lock);
  va_end(arguments);
}

static void *work(void *unused) {
  log_line("there are %d lines\n", lines);
  return 0;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, 0, work, 0);
  log_line("main\n");
  pthread_join(worker, 0);
  return 0;
}
