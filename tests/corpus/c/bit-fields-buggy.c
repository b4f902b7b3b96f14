// Neighbouring bit-fields are one location: whoever changes one races with whoever changes the other.
//
// assertions: SAFE
// races: UNSAFE
#include <pthread.h>
#include <assert.h>
struct { unsigned a : 1, b : 1; int c; } f;
void *g(void *p) {
  f.a = 1;
  return 0;
}

int main(void) {
  pthread_t t;
  pthread_create(&t,0,g,0);
  f.b = 1;
  pthread_join(t,0);
  return 0;
}
