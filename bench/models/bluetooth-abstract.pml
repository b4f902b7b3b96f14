/* The Bluetooth driver of ABSTHR with N abstract workers: spin -DN=3 ...
 *
 * The control points are those of bluetooth-abstract.tw. A node's assertion is a
 * branch that is open only where the assertion is false, so it adds no states.
 * -DSTAY is explained in bluetooth.pml.
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
outside:
	if
	:: !(pendingIO <= N) -> assert(false)
	:: pendingIO++
	fi;
counted:
	if
	:: !(pendingIO > 0) -> assert(false)
	:: !stoppingFlag
	:: pendingIO-- -> goto leaving
	fi;
inside:
	if
	:: !(pendingIO > 0 && !stopped) -> assert(false)
	:: pendingIO--
	fi;
leaving:
	pendingIO == 0;
last:
	stoppingEvent = true;
	goto last
}
