// Two threads that look at a lock before they take it.
// After CART, section 3.1, figure 3.1.
//
// The bug: testing the lock and taking it are two steps, so both threads can
// find it free.
//
// expect: UNSAFE

thread P1
  0 l1 -> 0 test
  * test -> 1 l2
  * l2 -> 0 l3

thread P2
  0 l1 -> 0 test
  * test -> 1 l2
  * l2 -> 0 l3

init 0 l1 l1
error * l2 l2
