// expect: SAFE
// A lock with two users and a third who only looks.

shared free taken

thread P
  free out -> taken in
  * in -> free out

thread Q
  free out -> taken in
  * in -> free out

thread Watch
  * a -> * b
  * b -> * a

init free out out a
error * in in *
