// expect: SAFE
// A request and its answer: the client is served only after the server has seen the request.

shared quiet asked answered

thread Client
  quiet idle -> asked waiting
  answered waiting -> quiet served
  * served -> * idle

thread Server
  asked ready -> asked busy
  asked busy -> answered ready

init quiet idle ready
error quiet * busy
error * served busy
