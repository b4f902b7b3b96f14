// A logger: threads write records into a ring without waiting for the file, and one thread writes them out.
//
// Levels and categories say what is kept. When the ring is full the record is dropped and counted, unless it is an error: for these
// the writer waits. Here whoever asks how many were dropped does not take the lock, and asks too early. The flusher takes records in batches, formats them and gives them to a sink. A sink is a table of functions;
// there is one that counts and one that keeps the last line.
//
// races: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define RING 1
#define BATCH 1
#define LINE 8
#define CATEGORIES 2
#define LEVELS 4

enum level { DEBUG, INFO, WARNING, ERROR };

enum category { NETWORK, STORAGE };

struct record {
  unsigned number;
  enum level level;
  enum category category;
  int value;
};

// Where lines go.
struct sink {
  bool (*open)(struct sink *);
  void (*write)(struct sink *, const char *, unsigned);
  void (*close)(struct sink *);
  bool is_open;
  unsigned lines;
  unsigned bytes;
  char last[LINE];
};

struct ring {
  pthread_mutex_t lock;
  pthread_cond_t not_empty;
  pthread_cond_t not_full;
  struct record records[RING];
  unsigned head;
  unsigned count;
  unsigned next_number;
  unsigned dropped;
  bool closing;
};

struct settings {
  pthread_rwlock_t lock;
  enum level least[CATEGORIES];
};

static struct ring ring = {
  .lock = PTHREAD_MUTEX_INITIALIZER,
  .not_empty = PTHREAD_COND_INITIALIZER,
  .not_full = PTHREAD_COND_INITIALIZER,
};

static struct settings settings = {
  .lock = PTHREAD_RWLOCK_INITIALIZER,
  .least = {INFO, WARNING},
};

static pthread_t flusher_thread;

// How many records of each level and category were written. Only the flusher counts; others look when it has ended.
static unsigned written[LEVELS][CATEGORIES];

// Sinks. Only the flusher uses one.

static bool counting_open(struct sink *sink) {
  sink->lines = 0;
  sink->bytes = 0;
  sink->is_open = true;
  return true;
}

static void counting_write(struct sink *sink, const char *text, unsigned length) {
  (void)text;
  sink->lines++;
  sink->bytes += length;
}

static void keeping_write(struct sink *sink, const char *text, unsigned length) {
  for (unsigned i = 0; i < length && i < LINE; i++)
    sink->last[i] = text[i];
  counting_write(sink, text, length);
}

static void counting_close(struct sink *sink) {
  sink->is_open = false;
}

static struct sink counting = {counting_open, counting_write, counting_close, false, 0, 0, {0}};
static struct sink keeping = {counting_open, keeping_write, counting_close, false, 0, 0, {0}};

// Lines: a letter for the level, one for the category, and the value.

static char letter(enum level level) {
  switch (level) {
  case DEBUG:
    return 'D';
  case INFO:
    return 'I';
  case WARNING:
    return 'W';
  default:
    return 'E';
  }
}

static unsigned put_number(char *line, unsigned at, int value) {
  if (value < 0 && at < LINE) {
    line[at++] = '-';
    value = -value;
  }
  int scale = 1;
  while (value / scale >= 10)
    scale *= 10;
  for (; scale > 0 && at < LINE; scale /= 10)
    line[at++] = (char)('0' + value / scale % 10);
  return at;
}

static unsigned format(const struct record *record, char *line) {
  unsigned at = 0;
  line[at++] = letter(record->level);
  line[at++] = record->category == NETWORK ? 'n' : 's';
  line[at++] = ' ';
  at = put_number(line, at, record->value);
  if (at < LINE)
    line[at++] = '\n';
  return at;
}

// Settings.

static bool is_kept(enum level level, enum category category) {
  pthread_rwlock_rdlock(&settings.lock);
  bool kept = level >= settings.least[category];
  pthread_rwlock_unlock(&settings.lock);
  return kept;
}

static void set_least(enum category category, enum level level) {
  pthread_rwlock_wrlock(&settings.lock);
  settings.least[category] = level;
  pthread_rwlock_unlock(&settings.lock);
}

// The ring, with its lock held.

static void ring_put(struct record record) {
  record.number = ring.next_number++;
  ring.records[(ring.head + ring.count) % RING] = record;
  ring.count++;
  pthread_cond_signal(&ring.not_empty);
}

static unsigned ring_take(struct record *batch, unsigned most) {
  unsigned taken = 0;
  while (taken < most && ring.count > 0) {
    batch[taken++] = ring.records[ring.head];
    ring.head = (ring.head + 1) % RING;
    ring.count--;
  }
  if (taken > 0)
    pthread_cond_broadcast(&ring.not_full);
  return taken;
}

// Waits for room if it is worth it; false if the record is dropped.
static bool ring_has_room(enum level level) {
  while (ring.count == RING) {
    if (level < ERROR || ring.closing) {
      ring.dropped++;
      return false;
    }
    pthread_cond_wait(&ring.not_full, &ring.lock);
  }
  return !ring.closing;
}

// What everybody calls.

static bool log_record(enum level level, enum category category, int value) {
  if (!is_kept(level, category))
    return false;
  struct record record = {0, level, category, value};
  pthread_mutex_lock(&ring.lock);
  bool accepted = ring_has_room(level);
  if (accepted)
    ring_put(record);
  pthread_mutex_unlock(&ring.lock);
  return accepted;
}

static unsigned log_dropped(void) {
  return ring.dropped;
}

// The thread that writes.

static void write_batch(struct sink *sink, const struct record *batch, unsigned count) {
  char line[LINE];
  for (unsigned i = 0; i < count; i++) {
    unsigned length = format(&batch[i], line);
    sink->write(sink, line, length);
    written[batch[i].level][batch[i].category]++;
  }
}

static void *flusher(void *argument) {
  struct sink *sink = argument;
  struct record batch[BATCH];
  if (!sink->open(sink))
    return NULL;
  for (;;) {
    pthread_mutex_lock(&ring.lock);
    while (ring.count == 0 && !ring.closing)
      pthread_cond_wait(&ring.not_empty, &ring.lock);
    unsigned count = ring_take(batch, BATCH);
    bool is_last = count == 0 && ring.closing;
    pthread_mutex_unlock(&ring.lock);
    if (is_last)
      break;
    write_batch(sink, batch, count);
  }
  sink->close(sink);
  return NULL;
}

static void log_start(struct sink *sink) {
  pthread_create(&flusher_thread, NULL, flusher, sink);
}

static void log_stop(void) {
  pthread_mutex_lock(&ring.lock);
  ring.closing = true;
  pthread_cond_broadcast(&ring.not_empty);
  pthread_cond_broadcast(&ring.not_full);
  pthread_mutex_unlock(&ring.lock);
  pthread_join(flusher_thread, NULL);
}

static unsigned log_written(enum level least) {
  unsigned all = 0;
  for (int level = least; level < LEVELS; level++)
    for (int category = 0; category < CATEGORIES; category++)
      all += written[level][category];
  return all;
}

// Clients.

static void *network(void *unused) {
  (void)unused;
  log_record(DEBUG, NETWORK, 1);
  log_record(INFO, NETWORK, 20);
  return NULL;
}

static void *storage(void *unused) {
  (void)unused;
  log_record(INFO, STORAGE, 2);
  log_record(ERROR, STORAGE, -30);
  return NULL;
}

int main(void) {
  pthread_t clients[2];
  struct sink *sink = RING > 8 ? &keeping : &counting;
  log_start(sink);
  pthread_create(&clients[0], NULL, network, NULL);
  pthread_create(&clients[1], NULL, storage, NULL);
  set_least(STORAGE, DEBUG);
  unsigned early = log_dropped();
  pthread_join(clients[0], NULL);
  pthread_join(clients[1], NULL);
  log_stop();
  assert(!sink->is_open);
  assert(log_dropped() >= early);
  assert(sink->lines <= 3);
  assert(log_written(DEBUG) == sink->lines && log_written(INFO) == sink->lines);
  assert(log_written(ERROR) <= 1);
  return 0;
}
