/* tests/corpus/deep/race-after-handshakes-buggy.tw; who is about to write says so in the step that leads there. */
#define ROUNDS 60
bit token;
short data;
byte writing;

active proctype Ping() {
	byte i;
	do
	:: i < ROUNDS ->
		d_step { token == 0 -> writing++; assert(writing < 2) };
		d_step { data = i; writing-- };
		token = 1;
		i++
	:: else -> d_step { writing++; assert(writing < 2) }; break
	od;
	atomic { data = 0; writing-- }
}

active proctype Pong() {
	byte i;
	do
	:: i < ROUNDS ->
		d_step { token == 1 -> writing++; assert(writing < 2) };
		d_step { data = i; writing-- };
		token = 0;
		i++
	:: else -> d_step { writing++; assert(writing < 2) }; break
	od;
	atomic { data = 1; writing-- }
}
