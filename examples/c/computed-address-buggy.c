// A thread finds the whole by computing with the address of a part as with an integer. That is not followed, and not
// overlooked either.
// races: UNKNOWN
#include <pthread.h>

struct pair {
  int a;
  int b;
} pair;

int *part = &pair.b;

void *work(void *unused) {
  struct pair *whole = (struct pair *)((unsigned long)part - sizeof(int));
  whole->a = 1;
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pair.a = 2;
  pthread_join(thread, 0);
  return 0;
}
