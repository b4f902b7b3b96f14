// An HTTP-like server: requests come as text, are parsed, routed to a handler by a table of functions, answered from a store of
// documents with versions, and noted in an access log that a thread of its own writes. There is no network: a script plays the clients, and
// what the server says is compared with what it should say.
//
// Threads: main accepts connections and waits for their ends, workers serve them, and one writes the log. Who may touch what:
//
//   connection    its owner: main until it is queued, then the worker that takes it, then main again when it is answered
//   queue         by its lock
//   document      by its lock for readers and writers
//   client        by the lock of the limiter
//   log           by its lock; lines that were taken out belong to the writer
//   statistics    atomic
//
// Locks are leaves, that is, nobody takes one while he holds another one. So nothing can be stuck.
//
// Who waits for a connection looks only once whether there is one: woken up for nothing, a worker goes home, and connections are left.
//
// assertions: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef WORKERS
#define WORKERS 1
#endif
#define CONNECTIONS 2
#define DOCUMENTS 3
#define CLIENTS 2
#define HEADERS 3
#define PARAMETERS 2
#define RESPONSE 48
#define LOG_LINES 2
#define LINE 24
#define QUOTA 3

// --- Pieces of text ------------------------------------------------------------------------------------------------------------

// Characters of somebody else's text; not ended by zero.
struct slice {
  const char *start;
  unsigned length;
};

static struct slice slice_of(const char *text) {
  struct slice slice = {text, 0};
  while (text[slice.length])
    slice.length++;
  return slice;
}

static struct slice slice_between(const char *start, const char *end) {
  struct slice slice = {start, (unsigned)(end - start)};
  return slice;
}

static bool slice_is(struct slice slice, const char *text) {
  unsigned at;
  for (at = 0; at < slice.length; at++)
    if (text[at] == 0 || text[at] != slice.start[at])
      return false;
  return text[at] == 0;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Names of headers are the same in large and small letters.
static bool slice_names(struct slice slice, const char *text) {
  unsigned at;
  for (at = 0; at < slice.length; at++)
    if (text[at] == 0 || lower(text[at]) != lower(slice.start[at]))
      return false;
  return text[at] == 0;
}

static bool slice_number(struct slice slice, unsigned *number) {
  unsigned value = 0;
  if (slice.length == 0 || slice.length > 6)
    return false;
  for (unsigned at = 0; at < slice.length; at++) {
    char c = slice.start[at];
    if (c < '0' || c > '9')
      return false;
    value = value * 10 + (unsigned)(c - '0');
  }
  *number = value;
  return true;
}

// Text that is put together; what does not fit is cut off, and that is remembered.
struct buffer {
  char *text;
  unsigned size;
  unsigned length;
  bool is_cut;
};

static void buffer_init(struct buffer *buffer, char *text, unsigned size) {
  buffer->text = text;
  buffer->size = size;
  buffer->length = 0;
  buffer->is_cut = false;
  text[0] = 0;
}

static void put_char(struct buffer *buffer, char c) {
  if (buffer->length + 1 >= buffer->size) {
    buffer->is_cut = true;
    return;
  }
  buffer->text[buffer->length++] = c;
  buffer->text[buffer->length] = 0;
}

static void put_text(struct buffer *buffer, const char *text) {
  for (; *text; text++)
    put_char(buffer, *text);
}

static void put_number(struct buffer *buffer, unsigned number) {
  unsigned scale = 1;
  while (number / scale >= 10)
    scale *= 10;
  for (; scale > 0; scale /= 10)
    put_char(buffer, (char)('0' + number / scale % 10));
}

// --- Requests ------------------------------------------------------------------------------------------------------------------

enum method { METHOD_GET, METHOD_PUT, METHOD_DELETE, METHOD_UNKNOWN };

enum status {
  STATUS_OK = 200,
  STATUS_CREATED = 201,
  STATUS_NOT_CHANGED = 304,
  STATUS_BAD_REQUEST = 400,
  STATUS_NOT_FOUND = 404,
  STATUS_NOT_ALLOWED = 405,
  STATUS_CONFLICT = 412,
  STATUS_TOO_MANY = 429,
  STATUS_FAILED = 500,
};

struct header {
  struct slice name;
  struct slice value;
};

struct parameter {
  struct slice name;
  struct slice value;
};

struct request {
  enum method method;
  struct slice path;
  struct parameter parameters[PARAMETERS];
  unsigned parameter_count;
  struct header headers[HEADERS];
  unsigned header_count;
  struct slice body;
};

struct response {
  enum status status;
  unsigned version;
  bool has_value;
  unsigned value;
};

static enum method method_of(struct slice word) {
  static const struct {
    const char *word;
    enum method method;
  } methods[] = {{"GET", METHOD_GET}, {"PUT", METHOD_PUT}, {"DELETE", METHOD_DELETE}};
  for (unsigned i = 0; i < sizeof methods / sizeof methods[0]; i++)
    if (slice_is(word, methods[i].word))
      return methods[i].method;
  return METHOD_UNKNOWN;
}

// The word before the first of the characters `ends`; `*at` is behind it.
static struct slice take_word(const char **at, const char *ends) {
  const char *start = *at;
  while (**at) {
    for (const char *end = ends; *end; end++)
      if (**at == *end)
        return slice_between(start, *at);
    (*at)++;
  }
  return slice_between(start, *at);
}

static bool take_char(const char **at, char c) {
  if (**at != c)
    return false;
  (*at)++;
  return true;
}

static bool parse_parameters(const char **at, struct request *request) {
  while (**at == '?' || **at == '&') {
    (*at)++;
    if (request->parameter_count == PARAMETERS)
      return false;
    struct parameter *parameter = &request->parameters[request->parameter_count++];
    parameter->name = take_word(at, "=& \n");
    parameter->value = slice_between(*at, *at);
    if (take_char(at, '='))
      parameter->value = take_word(at, "& \n");
  }
  return true;
}

// GET /path?name=value HTTP
static bool parse_first_line(const char **at, struct request *request) {
  request->method = method_of(take_word(at, " "));
  if (request->method == METHOD_UNKNOWN || !take_char(at, ' '))
    return false;
  request->path = take_word(at, "? \n");
  if (request->path.length == 0 || request->path.start[0] != '/')
    return false;
  return parse_parameters(at, request) && take_char(at, '\n');
}

static bool parse_headers(const char **at, struct request *request) {
  while (**at && **at != '\n') {
    if (request->header_count == HEADERS)
      return false;
    struct header *header = &request->headers[request->header_count++];
    header->name = take_word(at, ":\n");
    if (header->name.length == 0 || !take_char(at, ':'))
      return false;
    while (take_char(at, ' '))
      ;
    header->value = take_word(at, "\n");
    if (!take_char(at, '\n'))
      return false;
  }
  return take_char(at, '\n');
}

static bool find_header(const struct request *request, const char *name, struct slice *value) {
  for (unsigned i = 0; i < request->header_count; i++) {
    if (slice_names(request->headers[i].name, name)) {
      *value = request->headers[i].value;
      return true;
    }
  }
  return false;
}

static bool find_parameter(const struct request *request, const char *name, struct slice *value) {
  for (unsigned i = 0; i < request->parameter_count; i++) {
    if (slice_is(request->parameters[i].name, name)) {
      *value = request->parameters[i].value;
      return true;
    }
  }
  return false;
}

// The body is as long as a header says, or the rest.
static bool parse_body(const char *at, struct request *request) {
  struct slice said;
  unsigned length;
  request->body = slice_of(at);
  if (!find_header(request, "content-length", &said))
    return true;
  if (!slice_number(said, &length) || length > request->body.length)
    return false;
  request->body.length = length;
  return true;
}

static bool request_parse(struct request *request, const char *text) {
  const char *at = text;
  request->parameter_count = 0;
  request->header_count = 0;
  return parse_first_line(&at, request) && parse_headers(&at, request) && parse_body(at, request);
}

// --- Statistics ----------------------------------------------------------------------------------------------------------------

struct statistics {
  atomic_uint accepted;
  atomic_uint answered;
  atomic_uint refused;
  atomic_uint lost_lines;
  atomic_uint written_lines;
};

static struct statistics statistics;

static void count(atomic_uint *counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

// --- The store -----------------------------------------------------------------------------------------------------------------

struct document {
  const char *path;
  pthread_rwlock_t lock;
  bool exists;
  unsigned value;
  unsigned version;
};

static struct document store[DOCUMENTS] = {{.path = "/a"}, {.path = "/b"}, {.path = "/c"}};

static void store_init(void) {
  for (unsigned i = 0; i < DOCUMENTS; i++) {
    pthread_rwlock_init(&store[i].lock, NULL);
    store[i].exists = i == 0;
    store[i].value = 10;
    store[i].version = 1;
  }
}

static void store_destroy(void) {
  for (unsigned i = 0; i < DOCUMENTS; i++)
    pthread_rwlock_destroy(&store[i].lock);
}

static struct document *store_find(struct slice path) {
  for (unsigned i = 0; i < DOCUMENTS; i++)
    if (slice_is(path, store[i].path))
      return &store[i];
  return NULL;
}

// What was there at some time.
static bool document_read(struct document *document, unsigned *value, unsigned *version) {
  pthread_rwlock_rdlock(&document->lock);
  bool exists = document->exists;
  *value = document->value;
  *version = document->version;
  pthread_rwlock_unlock(&document->lock);
  return exists;
}

// Where `expected` is not zero, the document has to have that version.
static enum status document_write(struct document *document, unsigned value, unsigned expected, unsigned *version) {
  enum status status;
  pthread_rwlock_wrlock(&document->lock);
  if (expected && (!document->exists || document->version != expected)) {
    status = STATUS_CONFLICT;
  } else {
    status = document->exists ? STATUS_OK : STATUS_CREATED;
    document->exists = true;
    document->value = value;
    document->version++;
  }
  *version = document->version;
  pthread_rwlock_unlock(&document->lock);
  return status;
}

static enum status document_remove(struct document *document) {
  enum status status = STATUS_NOT_FOUND;
  pthread_rwlock_wrlock(&document->lock);
  if (document->exists) {
    document->exists = false;
    document->version++;
    status = STATUS_OK;
  }
  pthread_rwlock_unlock(&document->lock);
  return status;
}

// --- The limiter ---------------------------------------------------------------------------------------------------------------

// How often each client may still ask.
struct limiter {
  pthread_mutex_t lock;
  unsigned left[CLIENTS];
  unsigned refusals;
};

static struct limiter limiter = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void limiter_fill(void) {
  pthread_mutex_lock(&limiter.lock);
  for (unsigned i = 0; i < CLIENTS; i++)
    limiter.left[i] = QUOTA;
  pthread_mutex_unlock(&limiter.lock);
}

static bool limiter_permits(unsigned client) {
  bool permitted = true;
  pthread_mutex_lock(&limiter.lock);
  if (limiter.left[client] == 0) {
    limiter.refusals++;
    permitted = false;
  } else {
    limiter.left[client]--;
  }
  pthread_mutex_unlock(&limiter.lock);
  return permitted;
}

// --- The log -------------------------------------------------------------------------------------------------------------------

struct line {
  unsigned client;
  enum method method;
  enum status status;
};

struct log {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct line lines[LOG_LINES];
  unsigned head;
  unsigned count;
  bool closed;
};

static struct log access_log = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// Nobody waits for the log: where there is no room the line is lost, and counted.
static void log_note(struct line line) {
  pthread_mutex_lock(&access_log.lock);
  bool fits = access_log.count < LOG_LINES;
  if (fits) {
    access_log.lines[(access_log.head + access_log.count) % LOG_LINES] = line;
    access_log.count++;
    pthread_cond_signal(&access_log.changed);
  }
  pthread_mutex_unlock(&access_log.lock);
  if (!fits)
    count(&statistics.lost_lines);
}

// False when the log is closed and empty.
static bool log_take(struct line *line) {
  pthread_mutex_lock(&access_log.lock);
  while (access_log.count == 0 && !access_log.closed)
    pthread_cond_wait(&access_log.changed, &access_log.lock);
  bool found = access_log.count > 0;
  if (found) {
    *line = access_log.lines[access_log.head];
    access_log.head = (access_log.head + 1) % LOG_LINES;
    access_log.count--;
  }
  pthread_mutex_unlock(&access_log.lock);
  return found;
}

static void log_close(void) {
  pthread_mutex_lock(&access_log.lock);
  access_log.closed = true;
  pthread_cond_broadcast(&access_log.changed);
  pthread_mutex_unlock(&access_log.lock);
}

static const char *method_name(enum method method) {
  switch (method) {
  case METHOD_GET:
    return "get";
  case METHOD_PUT:
    return "put";
  case METHOD_DELETE:
    return "delete";
  default:
    return "?";
  }
}

static bool line_format(const struct line *line, struct buffer *out) {
  put_number(out, line->client);
  put_char(out, ' ');
  put_text(out, method_name(line->method));
  put_char(out, ' ');
  put_number(out, line->status);
  put_char(out, '\n');
  return !out->is_cut;
}

// --- Handlers ------------------------------------------------------------------------------------------------------------------

typedef struct response (*handler)(struct document *, const struct request *);

static struct response just(enum status status) {
  struct response response = {status, 0, false, 0};
  return response;
}

// A number that a header or a parameter gives, or zero.
static bool wanted_version(const struct request *request, const char *header, unsigned *version) {
  struct slice said;
  *version = 0;
  if (find_header(request, header, &said) || find_parameter(request, "version", &said))
    return slice_number(said, version);
  return true;
}

static struct response handle_get(struct document *document, const struct request *request) {
  struct response response = {STATUS_OK, 0, true, 0};
  unsigned known;
  if (!wanted_version(request, "if-none-match", &known))
    return just(STATUS_BAD_REQUEST);
  if (!document_read(document, &response.value, &response.version))
    return just(STATUS_NOT_FOUND);
  if (known && known == response.version) {
    response.status = STATUS_NOT_CHANGED;
    response.has_value = false;
  }
  return response;
}

static struct response handle_put(struct document *document, const struct request *request) {
  struct response response = {STATUS_OK, 0, false, 0};
  unsigned expected, value;
  if (!wanted_version(request, "if-match", &expected) || !slice_number(request->body, &value))
    return just(STATUS_BAD_REQUEST);
  response.status = document_write(document, value, expected, &response.version);
  return response;
}

static struct response handle_delete(struct document *document, const struct request *request) {
  (void)request;
  return just(document_remove(document));
}

static struct response handle_lines(struct document *document, const struct request *request) {
  struct response response = {STATUS_OK, 0, true, 0};
  (void)document;
  (void)request;
  response.value = atomic_load(&statistics.written_lines);
  return response;
}

struct route {
  enum method method;
  const char *path;
  handler handle;
};

// A path of null stands for all documents.
static const struct route routes[] = {
  {METHOD_GET, "/lines", handle_lines},
  {METHOD_GET, NULL, handle_get},
  {METHOD_PUT, NULL, handle_put},
  {METHOD_DELETE, NULL, handle_delete},
};

static struct response answer(const struct request *request) {
  for (unsigned i = 0; i < sizeof routes / sizeof routes[0]; i++) {
    const struct route *route = &routes[i];
    if (route->method != request->method)
      continue;
    if (route->path) {
      if (slice_is(request->path, route->path))
        return route->handle(NULL, request);
      continue;
    }
    struct document *document = store_find(request->path);
    return document ? route->handle(document, request) : just(STATUS_NOT_FOUND);
  }
  return just(STATUS_NOT_ALLOWED);
}

static const char *reason(enum status status) {
  switch (status) {
  case STATUS_OK:
    return "ok";
  case STATUS_CREATED:
    return "created";
  case STATUS_NOT_CHANGED:
    return "not changed";
  case STATUS_BAD_REQUEST:
    return "bad request";
  case STATUS_NOT_FOUND:
    return "not found";
  case STATUS_NOT_ALLOWED:
    return "not allowed";
  case STATUS_CONFLICT:
    return "conflict";
  case STATUS_TOO_MANY:
    return "too many";
  default:
    return "failed";
  }
}

// 200 ok
// version: 2
//
// 10
static void response_format(const struct response *response, struct buffer *out) {
  put_number(out, response->status);
  put_char(out, ' ');
  put_text(out, reason(response->status));
  put_char(out, '\n');
  if (response->version) {
    put_text(out, "version: ");
    put_number(out, response->version);
    put_char(out, '\n');
  }
  if (response->has_value) {
    put_char(out, '\n');
    put_number(out, response->value);
  }
}

// --- Connections ---------------------------------------------------------------------------------------------------------------

struct connection {
  struct connection *next;
  unsigned client;
  const char *text;
  enum status status;
  char out[RESPONSE];
  unsigned out_length;
};

// Connections that wait for somebody.
struct queue {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct connection *first;
  struct connection *last;
  unsigned length;
  bool closed;
};

static struct queue waiting = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static struct queue answered = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void queue_give(struct queue *queue, struct connection *connection) {
  connection->next = NULL;
  pthread_mutex_lock(&queue->lock);
  if (queue->last)
    queue->last->next = connection;
  else
    queue->first = connection;
  queue->last = connection;
  queue->length++;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

// Null when the queue is closed and empty.
static struct connection *queue_take(struct queue *queue) {
  pthread_mutex_lock(&queue->lock);
  if (!queue->first && !queue->closed)
    pthread_cond_wait(&queue->changed, &queue->lock);
  struct connection *connection = queue->first;
  if (connection) {
    queue->first = connection->next;
    if (!queue->first)
      queue->last = NULL;
    queue->length--;
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

static struct connection *connection_new(unsigned client, const char *text) {
  struct connection *connection = malloc(sizeof *connection);
  if (!connection)
    abort();
  connection->next = NULL;
  connection->client = client;
  connection->text = text;
  connection->status = STATUS_FAILED;
  connection->out_length = 0;
  return connection;
}

// Everything between a request and its answer. The connection belongs to who calls this.
static void connection_serve(struct connection *connection) {
  struct request request;
  struct response response;
  struct buffer out;
  request.method = METHOD_UNKNOWN;
  if (!limiter_permits(connection->client))
    response = just(STATUS_TOO_MANY);
  else if (!request_parse(&request, connection->text))
    response = just(STATUS_BAD_REQUEST);
  else
    response = answer(&request);
  buffer_init(&out, connection->out, RESPONSE);
  response_format(&response, &out);
  connection->out_length = out.length;
  connection->status = response.status;
  struct line line = {connection->client, request.method, response.status};
  log_note(line);
}

// --- Threads -------------------------------------------------------------------------------------------------------------------

static void *worker(void *unused) {
  struct connection *connection;
  (void)unused;
  while ((connection = queue_take(&waiting))) {
    connection_serve(connection);
    queue_give(&answered, connection);
  }
  return NULL;
}

static void *log_writer(void *unused) {
  struct line line;
  (void)unused;
  while (log_take(&line)) {
    char text[LINE];
    struct buffer out;
    buffer_init(&out, text, LINE);
    if (line_format(&line, &out))
      count(&statistics.written_lines);
  }
  return NULL;
}

// --- The server ----------------------------------------------------------------------------------------------------------------

struct server {
  pthread_t workers[WORKERS];
  pthread_t writer;
};

static void server_start(struct server *server) {
  store_init();
  limiter_fill();
  pthread_create(&server->writer, NULL, log_writer, NULL);
  for (unsigned i = 0; i < WORKERS; i++)
    pthread_create(&server->workers[i], NULL, worker, NULL);
}

static void server_accept(unsigned client, const char *text) {
  struct connection *connection = connection_new(client, text);
  count(&statistics.accepted);
  queue_give(&waiting, connection);
}

// Waits for all who serve; connections that are answered are left.
static void server_stop(struct server *server) {
  queue_close(&waiting);
  for (unsigned i = 0; i < WORKERS; i++)
    pthread_join(server->workers[i], NULL);
  queue_close(&answered);
  log_close();
  pthread_join(server->writer, NULL);
}

// --- Clients -------------------------------------------------------------------------------------------------------------------

struct step {
  unsigned client;
  const char *text;
  enum status expected;
};

static const struct step script[CONNECTIONS] = {
  {0, "GET /a?version=7\n\n", STATUS_OK},
  {1, "PUT /b\nContent-Length: 2\n\n42", STATUS_CREATED},
};

static void check_answer(const struct connection *connection) {
  assert(connection->status == script[connection->client].expected);
  assert(connection->out_length > 0 && connection->out_length < RESPONSE);
  assert(connection->out[0] == '2' && connection->out[1] == '0');
  assert(connection->out[connection->out_length] == 0);
}

int main(void) {
  struct server server;
  struct connection *connection;
  server_start(&server);
  for (unsigned i = 0; i < CONNECTIONS; i++)
    server_accept(script[i].client, script[i].text);
  server_stop(&server);
  while ((connection = queue_take(&answered))) {
    check_answer(connection);
    count(&statistics.answered);
    free(connection);
  }
  assert(statistics.answered == statistics.accepted);
  assert(statistics.written_lines + statistics.lost_lines == CONNECTIONS);
  assert(store[1].exists && store[1].value == 42 && store[1].version == 2);
  assert(store[0].value == 10);
  store_destroy();
  return 0;
}
