// Either thread may hold the lock in the beginning.
thread P
  0 out -> 1 in
  1 in -> 0 out
thread Q
  0 out -> 1 in
  1 in -> 0 out
init 1 in out
init 1 out in
error * in in
