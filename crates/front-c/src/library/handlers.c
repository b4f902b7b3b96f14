/* atexit of <stdlib.h>: what it is told is called when main returns or somebody calls exit, the last one first. It has room for as many as
   each implementation must have. */
static void (*__handlers[32])(void);
static int __handler_count;

inline int atexit(void (*handler)(void)) {
    int is_full = 1;
    __VERIFIER_atomic_begin();
    if (__handler_count < 32) {
        __handlers[__handler_count] = handler;
        __handler_count++;
        is_full = 0;
    }
    __VERIFIER_atomic_end();
    return is_full;
}

inline void __run_handlers(void) {
    for (;;) {
        void (*handler)(void) = 0;
        __VERIFIER_atomic_begin();
        if (__handler_count > 0) {
            __handler_count--;
            handler = __handlers[__handler_count];
        }
        __VERIFIER_atomic_end();
        if (!handler)
            return;
        handler();
    }
}
