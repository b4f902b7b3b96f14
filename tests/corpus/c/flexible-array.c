// A struct that ends with an array as long as there is memory for, filled by a thread under the lock in it.
// assertions: SAFE
// memory: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct buffer {
  int count;
  pthread_mutex_t lock;
  int data[];
};

void *fill(void *argument) {
  struct buffer *buffer = argument;
  pthread_mutex_lock(&buffer->lock);
  for (int i = 0; i < buffer->count; i++)
    buffer->data[i] = i;
  pthread_mutex_unlock(&buffer->lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  struct buffer *buffer = malloc(sizeof *buffer + 3 * sizeof buffer->data[0]);
  if (!buffer)
    return 1;
  buffer->count = 3;
  pthread_mutex_init(&buffer->lock, 0);
  pthread_create(&thread, 0, fill, buffer);
  pthread_join(thread, 0);
  assert(buffer->data[2] == 2);
  free(buffer);
  return 0;
}
