// Two threads acquire a boolean lock and release it at once.
// From CART, section 3.1, figure 3.1, with the exception set given there.
//
// The paper prints (0, l1, l2) as the initial state where (0, l1, l1) is meant:
// from the former the error states are reachable.
//
// expect: SAFE
// modular: UNKNOWN
// states: 8
// With the lock free each thread is at l1 or l3: 4 states. With the lock held
// one of the two is at l2 and the other at l1 or l3: 4 states.

thread P1
  0 l1 -> 1 l2
  * l2 -> 0 l3

thread P2
  0 l1 -> 1 l2
  * l2 -> 0 l3

init 0 l1 l1
error * l2 l2

exceptions 1 l2 {l1 l3}
