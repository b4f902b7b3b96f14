/* The Bluetooth driver of ABSTHR, figure 4, with N workers: spin -DN=3 ...
 *
 * Every line of the figure is one step, the procedures are inlined, and the
 * control points are those of bluetooth.tw. There is one systematic difference:
 * a Promela process that has reached its end dies as soon as no younger process
 * is alive, and SPIN stores the state before and the state after its death. With
 * -DSTAY a process stays at its end for ever, as a thread of bluetooth.tw does,
 * and the numbers of states are equal.
 */
#ifndef N
#define N 3
#endif

byte pendingIO = 1;
bool stoppingFlag, stoppingEvent, stopped;

active proctype Stop()
{
	stoppingFlag = true;
	pendingIO--;
	if
	:: pendingIO == 0 -> stoppingEvent = true
	:: else
	fi;
	stoppingEvent;
	stopped = true
#ifdef STAY
	; false
#endif
}

active [N] proctype Worker()
{
	short status;

	pendingIO++;
	if
	:: stoppingFlag -> status = -1
	:: else -> status = 1
	fi;
	if
	:: status > 0 -> assert(!stopped)
	:: else
	fi;
	pendingIO--;
	if
	:: pendingIO == 0 -> stoppingEvent = true
	:: else
	fi
#ifdef STAY
	; false
#endif
}
