// A disk block whose protecting lock changes with time.
// After CALVIN, section 6.3; row Time varying mutex of THREADER, table 1.
//
// A block belongs to an inode or is free. While it is free, `busy_lock` protects it, and afterwards `inode_lock`: the thread that
// allocates it holds both for a moment.
// assertions: SAFE
// races: SAFE
// memory: SAFE
// locks: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

pthread_mutex_t inode_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
int block;
bool busy, inode;

void *allocate(void *unused) {
  pthread_mutex_lock(&inode_lock);
  if (!inode) {
    pthread_mutex_lock(&busy_lock);
    busy = true;
    pthread_mutex_unlock(&busy_lock);
    inode = true;
  }
  block = 1;
  assert(block == 1);
  pthread_mutex_unlock(&inode_lock);
  return 0;
}

void *reuse(void *unused) {
  pthread_mutex_lock(&busy_lock);
  if (!busy) {
    block = 0;
    assert(block == 0);
  }
  pthread_mutex_unlock(&busy_lock);
  return 0;
}

int main(void) {
  pthread_t a, r;
  busy = inode = rand() % 2;
  pthread_create(&a, 0, allocate, 0);
  pthread_create(&r, 0, reuse, 0);
  pthread_join(a, 0);
  pthread_join(r, 0);
  return 0;
}
