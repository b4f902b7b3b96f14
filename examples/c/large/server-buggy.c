// A small server: an acceptor makes connections of incoming requests, workers parse and answer them, and a reaper closes those that
// are done. Requests are text, "G3" to get a page and "P3=7" to set one. There is no network: a script of requests plays the clients.
//
// Connections are on the heap and go from one list to the next; each list has a lock, and whoever has taken a connection from
// a list owns it. Pages have a lock for readers and writers each; here readers count themselves while they are only readers.
//
// races: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define PAGES 2
#define REQUESTS 2
#define WORKERS 2

enum state { ACCEPTED, PARSED, ANSWERED, FAILED };

enum method { GET, PUT };

struct request {
  enum method method;
  int page;
  int value;
};

struct response {
  int status;
  int value;
};

struct connection {
  struct connection *next;
  const char *text;
  enum state state;
  struct request request;
  struct response response;
};

// A list of connections that threads take from and give to.
struct queue {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct connection *first;
  struct connection **last;
  bool closed;
};

struct page {
  pthread_rwlock_t lock;
  int value;
  unsigned reads;
  unsigned writes;
};

struct counters {
  atomic_uint accepted;
  atomic_uint answered;
  atomic_uint failed;
};

static const char *const script[REQUESTS] = {"G1", "G1"};

static struct queue incoming, finished;
static struct page pages[PAGES];
static struct counters counters;

// Queues.

static void queue_init(struct queue *queue) {
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->changed, NULL);
  queue->first = NULL;
  queue->last = &queue->first;
  queue->closed = false;
}

static void queue_give(struct queue *queue, struct connection *connection) {
  connection->next = NULL;
  pthread_mutex_lock(&queue->lock);
  *queue->last = connection;
  queue->last = &connection->next;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

// Null if the queue is empty and will stay so.
static struct connection *queue_take(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  while (!queue->first && !queue->closed)
    pthread_cond_wait(&queue->changed, &queue->lock);
  struct connection *connection = queue->first;
  if (connection) {
    queue->first = connection->next;
    if (!queue->first)
      queue->last = &queue->first;
  }
  pthread_mutex_unlock(&queue->lock);
  return connection;
}

static void queue_close(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  queue->closed = true;
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

static bool queue_is_empty(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  bool is_empty = !queue->first;
  pthread_mutex_unlock(&queue->lock);
  return is_empty;
}

// Requests.

static bool parse_digit(const char **at, int *value) {
  if (**at < '0' || **at > '9')
    return false;
  *value = **at - '0';
  (*at)++;
  return true;
}

static bool parse(const char *text, struct request *request) {
  const char *at = text;
  switch (*at++) {
  case 'G':
    request->method = GET;
    break;
  case 'P':
    request->method = PUT;
    break;
  default:
    return false;
  }
  if (!parse_digit(&at, &request->page) || request->page >= PAGES)
    return false;
  request->value = 0;
  if (request->method == PUT) {
    if (*at++ != '=')
      return false;
    if (!parse_digit(&at, &request->value))
      return false;
  }
  return *at == 0;
}

// Pages.

static int page_get(struct page *page) {
  pthread_rwlock_rdlock(&page->lock);
  int value = page->value;
  page->reads++;
  pthread_rwlock_unlock(&page->lock);
  return value;
}

static void page_set(struct page *page, int value) {
  pthread_rwlock_wrlock(&page->lock);
  page->value = value;
  page->writes++;
  pthread_rwlock_unlock(&page->lock);
}

static struct response respond(const struct request *request) {
  struct page *page = &pages[request->page];
  struct response response = {200, 0};
  switch (request->method) {
  case GET:
    response.value = page_get(page);
    break;
  case PUT:
    page_set(page, request->value);
    response.status = 201;
    break;
  }
  return response;
}

// What threads do.

static void *acceptor(void *unused) {
  (void)unused;
  for (int i = 0; i < REQUESTS; i++) {
    struct connection *connection = malloc(sizeof *connection);
    if (!connection)
      abort();
    connection->text = script[i];
    connection->state = ACCEPTED;
    atomic_fetch_add(&counters.accepted, 1);
    queue_give(&incoming, connection);
  }
  queue_close(&incoming);
  return NULL;
}

static void serve(struct connection *connection) {
  if (parse(connection->text, &connection->request)) {
    connection->state = PARSED;
    connection->response = respond(&connection->request);
    connection->state = ANSWERED;
  } else {
    connection->response.status = 400;
    connection->state = FAILED;
  }
}

static void *worker(void *unused) {
  struct connection *connection;
  (void)unused;
  while ((connection = queue_take(&incoming))) {
    serve(connection);
    queue_give(&finished, connection);
  }
  return NULL;
}

static void *reaper(void *unused) {
  struct connection *connection;
  (void)unused;
  while ((connection = queue_take(&finished))) {
    if (connection->state == ANSWERED)
      atomic_fetch_add(&counters.answered, 1);
    else
      atomic_fetch_add(&counters.failed, 1);
    free(connection);
  }
  return NULL;
}

static void server_init(void) {
  queue_init(&incoming);
  queue_init(&finished);
  for (int i = 0; i < PAGES; i++) {
    pthread_rwlock_init(&pages[i].lock, NULL);
    pages[i].value = i;
  }
}

static void server_destroy(void) {
  for (int i = 0; i < PAGES; i++)
    pthread_rwlock_destroy(&pages[i].lock);
  pthread_mutex_destroy(&incoming.lock);
  pthread_mutex_destroy(&finished.lock);
}

int main(void) {
  pthread_t accepting, working[WORKERS], reaping;
  server_init();
  pthread_create(&accepting, NULL, acceptor, NULL);
  pthread_create(&reaping, NULL, reaper, NULL);
  for (int i = 0; i < WORKERS; i++)
    pthread_create(&working[i], NULL, worker, NULL);
  pthread_join(accepting, NULL);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(working[i], NULL);
  queue_close(&finished);
  pthread_join(reaping, NULL);
  assert(queue_is_empty(&incoming));
  assert(counters.answered + counters.failed == counters.accepted);
  assert(counters.failed == 0);
  assert(pages[1].value == 1);
  server_destroy();
  return 0;
}
