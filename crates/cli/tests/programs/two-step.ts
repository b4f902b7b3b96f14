// Testing the lock and taking it are two steps.
shared 0 1
thread W[2]
  0 out -> * test    // it is free
  * test -> 1 in     // so take it
  * in -> 0 out
init 0 out^2
error * in^2
