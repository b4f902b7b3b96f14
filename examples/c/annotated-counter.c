// What threads rely on says that the counter only grows, up to a limit; engine `contracts` proves the invariants from that, each
// thread on its own. Other engines ignore what is said of steps and loops, and not the rest.
// assertions: SAFE
// races: SAFE
#include <assert.h>
#include <pthread.h>

int counter;
int limit = 1000;

//@ invariant counter >= 0 && counter <= limit;
//@ invariant limit == 1000;
//@ rely worker :: counter' >= counter && limit' == limit && counter' <= limit';
//@ guarantee worker :: counter' >= counter && limit' == limit && counter' <= limit';
//@ rely main :: counter' >= counter && limit' == limit && counter' <= limit';
//@ guarantee main :: counter' >= counter && limit' == limit && counter' <= limit';
//@ norace limit;

void *worker(void *unused) {
  int rounds = 0;
  //@ loop invariant rounds >= 0 && rounds <= 3;
  while (rounds < 3) {
    //@ atomic
    {
      if (counter < limit)
        counter = counter + 1;
    }
    rounds++;
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  return 0;
}
