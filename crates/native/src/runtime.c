/* What a program under control is linked with. The compiler calls the functions below before each access of memory, as it
   would call a race detector's; the functions of the thread library are wrapped. Each of these places is an event: the
   thread tells what it is about to do, and goes on when it is told to. One thread runs at a time.

   Messages go out on what was standard output and commands come in on what was standard input. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The names of all that is kept here, so that none is one of the program's. */
#define threads __threadwise_threads
#define count __threadwise_count
#define input __threadwise_input
#define output __threadwise_output
#define self __threadwise_self
#define inside __threadwise_inside
#define scratch __threadwise_scratch
#define held __threadwise_held
#define meetings __threadwise_meetings
#define stop __threadwise_stop
#define put __threadwise_put
#define get __threadwise_get
#define wait_for_turn __threadwise_wait_for_turn
#define give_turn __threadwise_give_turn
#define obey __threadwise_obey
#define say __threadwise_say
#define fail __threadwise_fail
#define leave __threadwise_leave
#define allocate __threadwise_allocate
#define fresh __threadwise_fresh
#define new_object __threadwise_new_object
#define run __threadwise_run
#define entry_of __threadwise_entry_of
#define taken __threadwise_taken
#define take __threadwise_take
#define try_to __threadwise_try_to
#define mutex_attempt __threadwise_mutex_attempt
#define give_mutex __threadwise_give_mutex
#define spin_attempt __threadwise_spin_attempt
#define read_attempt __threadwise_read_attempt
#define write_attempt __threadwise_write_attempt
#define wait_for_condition __threadwise_wait_for_condition
#define semaphore_attempt __threadwise_semaphore_attempt
#define meeting_of __threadwise_meeting_of
#define crashed __threadwise_crashed
#define at_exit __threadwise_at_exit
#define begin __threadwise_begin

/* The numbers are those of `event.rs`. */
enum kind {
  READ = 1, WRITE, ATOMIC, CREATE, END, JOIN, TAKE, TRY, GIVE, TOUCH, ARRIVE, PASS, ALLOCATE, FREE, ANY, FAIL, ASSUME,
  CRASH, EXIT, BLOCKED, MISUSE, OVERFLOWS, DATA
};

enum command { GO = 1, PEEK, POKE, QUIT };

struct message { uint64_t thread, kind, address, size, place, value; };
struct order { uint64_t command, thread, address, value; };

#define MAX_THREADS 1024
struct thread {
  uint64_t id, value;
  uint32_t go;
  pthread_t handle;
  void *(*function)(void *);
  void *argument, *result;
};

static struct thread threads[MAX_THREADS];
static uint64_t count = 1;
static int input = -1, output = -1;
static __thread struct thread *self;
static __thread int inside;

/* Nobody's `exit` is called for that: those of the program are events. */
static void stop(void) {
  for (;;) syscall(SYS_exit_group, 0);
}

void *__real_memset(void *, int, size_t);
void *__real_memmove(void *, const void *, size_t);

static void put(const void *from, size_t size) {
  const char *at = from;
  while (size > 0) {
    ssize_t done = write(output, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) stop();
    at += done, size -= (size_t)done;
  }
}

static void get(void *to, size_t size) {
  char *at = to;
  while (size > 0) {
    ssize_t done = read(input, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) stop();
    at += done, size -= (size_t)done;
  }
}

static void wait_for_turn(struct thread *me) {
  while (__atomic_load_n(&me->go, __ATOMIC_ACQUIRE) == 0) syscall(SYS_futex, &me->go, FUTEX_WAIT, 0, NULL, NULL, 0);
  __atomic_store_n(&me->go, 0, __ATOMIC_RELEASE);
}

static void give_turn(struct thread *other) {
  __atomic_store_n(&other->go, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &other->go, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static char scratch[1 << 16];

/* Obeys until a thread is told to go on. A thread that leaves does not wait for its turn again. */
static uint64_t obey(struct thread *me, int leaves) {
  for (;;) {
    struct order order;
    get(&order, sizeof order);
    switch (order.command) {
      case PEEK: {
        uint64_t size = order.value < sizeof scratch ? order.value : sizeof scratch;
        struct message message = { me->id, DATA, order.address, size, 0, 0 };
        __real_memmove(scratch, (const void *)order.address, size);
        put(&message, sizeof message);
        put(scratch, size);
        break;
      }
      case POKE: {
        uint64_t size = order.thread < 8 ? order.thread : 8;
        __real_memmove((void *)order.address, &order.value, size);
        break;
      }
      case GO:
        if (order.thread >= MAX_THREADS) stop();
        if (order.thread == me->id) return order.value;
        threads[order.thread].value = order.value;
        give_turn(&threads[order.thread]);
        if (leaves) return 0;
        wait_for_turn(me);
        return me->value;
      default:
        stop();
    }
  }
}

static uint64_t say(uint64_t kind, const volatile void *address, uint64_t size, const void *place, uint64_t value) {
  struct thread *me = self;
  if (me == NULL || inside) return 0;
  struct message message = { me->id, kind, (uint64_t)address, size, (uint64_t)place, value };
  inside = 1;
  put(&message, sizeof message);
  uint64_t answer = obey(me, kind == END);
  inside = 0;
  return answer;
}

#define HERE __builtin_return_address(0)

/* Accesses of memory. */

#define ACCESSES(size) \
  void __tsan_read##size(void *a) { say(READ, a, size, HERE, 0); } \
  void __tsan_write##size(void *a) { say(WRITE, a, size, HERE, 0); } \
  void __tsan_unaligned_read##size(void *a) { say(READ, a, size, HERE, 0); } \
  void __tsan_unaligned_write##size(void *a) { say(WRITE, a, size, HERE, 0); } \
  void __tsan_volatile_read##size(void *a) { say(READ, a, size, HERE, 0); } \
  void __tsan_volatile_write##size(void *a) { say(WRITE, a, size, HERE, 0); } \
  void __tsan_read_write##size(void *a) { say(READ, a, size, HERE, 0); say(WRITE, a, size, HERE, 0); }
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)

void __tsan_read_range(void *a, unsigned long size) { say(READ, a, size, HERE, 1); }
void __tsan_write_range(void *a, unsigned long size) { say(WRITE, a, size, HERE, 1); }
void __tsan_init(void) {}
void __tsan_func_entry(void *at) { (void)at; }
void __tsan_func_exit(void) {}
void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }

void *__tsan_memset(void *to, int byte, unsigned long size) {
  say(WRITE, to, size, HERE, 1);
  return __real_memset(to, byte, size);
}
void *__tsan_memcpy(void *to, const void *from, unsigned long size) {
  say(READ, from, size, HERE, 1);
  say(WRITE, to, size, HERE, 1);
  return __real_memmove(to, from, size);
}
void *__tsan_memmove(void *to, const void *from, unsigned long size) {
  say(READ, from, size, HERE, 1);
  say(WRITE, to, size, HERE, 1);
  return __real_memmove(to, from, size);
}
void *__wrap_memset(void *to, int byte, size_t size) {
  say(WRITE, to, size, HERE, 1);
  return __real_memset(to, byte, size);
}
void *__wrap_memcpy(void *to, const void *from, size_t size) {
  say(READ, from, size, HERE, 1);
  say(WRITE, to, size, HERE, 1);
  return __real_memmove(to, from, size);
}
void *__wrap_memmove(void *to, const void *from, size_t size) {
  say(READ, from, size, HERE, 1);
  say(WRITE, to, size, HERE, 1);
  return __real_memmove(to, from, size);
}

#define ORDER __ATOMIC_SEQ_CST
#define ATOMICS(bits, type) \
  type __tsan_atomic##bits##_load(const volatile type *a, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 0); return __atomic_load_n(a, ORDER); } \
  void __tsan_atomic##bits##_store(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); __atomic_store_n(a, v, ORDER); } \
  type __tsan_atomic##bits##_exchange(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); return __atomic_exchange_n(a, v, ORDER); } \
  type __tsan_atomic##bits##_fetch_add(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); return __atomic_fetch_add(a, v, ORDER); } \
  type __tsan_atomic##bits##_fetch_sub(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); return __atomic_fetch_sub(a, v, ORDER); } \
  type __tsan_atomic##bits##_fetch_and(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); return __atomic_fetch_and(a, v, ORDER); } \
  type __tsan_atomic##bits##_fetch_or(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); return __atomic_fetch_or(a, v, ORDER); } \
  type __tsan_atomic##bits##_fetch_xor(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); return __atomic_fetch_xor(a, v, ORDER); } \
  type __tsan_atomic##bits##_fetch_nand(volatile type *a, type v, int o) { \
    (void)o; say(ATOMIC, a, bits / 8, HERE, 1); return __atomic_fetch_nand(a, v, ORDER); } \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *c, type v, int o, int f) { \
    (void)o; (void)f; say(ATOMIC, a, bits / 8, HERE, 1); \
    return __atomic_compare_exchange_n(a, c, v, 0, ORDER, ORDER); } \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *c, type v, int o, int f) { \
    (void)o; (void)f; say(ATOMIC, a, bits / 8, HERE, 1); \
    return __atomic_compare_exchange_n(a, c, v, 0, ORDER, ORDER); } \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type c, type v, int o, int f) { \
    (void)o; (void)f; say(ATOMIC, a, bits / 8, HERE, 1); \
    __atomic_compare_exchange_n(a, &c, v, 0, ORDER, ORDER); return c; }
ATOMICS(8, uint8_t) ATOMICS(16, uint16_t) ATOMICS(32, uint32_t) ATOMICS(64, uint64_t)

/* Errors, ends, and values that nobody knows. */

extern void reach_error(void) __attribute__((weak));
extern void __VERIFIER_error(void) __attribute__((weak));

void __cyg_profile_func_enter(void *function, void *site) {
  if (function == (void *)reach_error || function == (void *)__VERIFIER_error) say(FAIL, NULL, 0, site, 0);
}
void __cyg_profile_func_exit(void *function, void *site) { (void)function; (void)site; }

__attribute__((noreturn)) static void fail(const void *place) {
  say(FAIL, NULL, 0, place, 0);
  stop();
  __builtin_unreachable();
}
void __wrap___assert_fail(const char *e, const char *file, unsigned line, const char *function) {
  (void)e; (void)file; (void)line; (void)function;
  fail(HERE);
}
void __wrap___assert(const char *e, const char *file, int line) { (void)e; (void)file; (void)line; fail(HERE); }
/* Stubs for functions that stand for errors call this. */
void __threadwise_error(void) { fail(HERE); }

static void leave(const void *place) { say(EXIT, NULL, 0, place, 0); stop(); }
void __wrap_exit(int code) { (void)code; leave(HERE); }
void __wrap__exit(int code) { (void)code; leave(HERE); }
void __wrap__Exit(int code) { (void)code; leave(HERE); }
void __wrap_quick_exit(int code) { (void)code; leave(HERE); }
void __wrap_abort(void) { leave(HERE); }

__attribute__((weak)) void __VERIFIER_assume(int condition) {
  if (!condition) { say(ASSUME, NULL, 0, HERE, 0); stop(); }
}
__attribute__((weak)) void assume_abort_if_not(int condition) {
  if (!condition) { say(ASSUME, NULL, 0, HERE, 0); stop(); }
}
__attribute__((weak)) void __VERIFIER_assert(int condition) { if (!condition) fail(HERE); }
__attribute__((weak)) void __VERIFIER_atomic_begin(void) {}
__attribute__((weak)) void __VERIFIER_atomic_end(void) {}

/* Stubs for functions that nobody defines call this. */
uint64_t __threadwise_any(void *place) { return say(ANY, NULL, 0, place, 0); }
#define NONDET(name, type) __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return (type)say(ANY, NULL, 0, HERE, 0); }
NONDET(bool, _Bool) NONDET(char, char) NONDET(schar, signed char) NONDET(uchar, unsigned char) NONDET(short, short)
NONDET(ushort, unsigned short) NONDET(int, int) NONDET(uint, unsigned) NONDET(unsigned, unsigned) NONDET(long, long)
NONDET(ulong, unsigned long) NONDET(longlong, long long) NONDET(ulonglong, unsigned long long) NONDET(size_t, size_t)
NONDET(u8, uint8_t) NONDET(u16, uint16_t) NONDET(u32, uint32_t) NONDET(u64, uint64_t) NONDET(pointer, void *)
int __wrap_rand(void) { return (int)say(ANY, NULL, 0, HERE, 0); }
long __wrap_random(void) { return (long)say(ANY, NULL, 0, HERE, 0); }
long __wrap_lrand48(void) { return (long)say(ANY, NULL, 0, HERE, 0); }
int __wrap_rand_r(unsigned *seed) { (void)seed; return (int)say(ANY, NULL, 0, HERE, 0); }

/* Signed overflow and the like, where it is asked for. */

#define OVERFLOW(name) void __ubsan_handle_##name(void *data, void *a, void *b) { \
  (void)data; (void)a; (void)b; say(OVERFLOWS, NULL, 0, HERE, 0); }
OVERFLOW(add_overflow) OVERFLOW(sub_overflow) OVERFLOW(mul_overflow) OVERFLOW(divrem_overflow)
OVERFLOW(negate_overflow) OVERFLOW(shift_out_of_bounds)

/* Memory of the heap. What is freed stays as it is, so that nobody else gets it unless that is wanted. */

static void *allocate(size_t size, const void *place) {
  uint64_t wanted = say(ALLOCATE, NULL, size, place, 0);
  return wanted != 0 ? (void *)wanted : NULL;
}
void *__real_malloc(size_t size);
/* Before each object are its size and a mark, around it room that nobody uses. */
#define MARK 0x74687264776973eeull
static void *fresh(size_t size) {
  char *room = __real_malloc(size + 128);
  if (room == NULL) stop();
  __real_memset(room, 0, size + 128);
  *(uint64_t *)(room + 48) = size;
  *(uint64_t *)(room + 56) = MARK;
  return room + 64;
}
static void *new_object(size_t size, int zeroed, const void *place) {
  if (self == NULL || inside) return fresh(size);
  void *object = allocate(size, place);
  if (object == NULL) object = fresh(size);
  else if (zeroed) __real_memset(object, 0, size);
  say(ALLOCATE, object, size, place, 1);
  return object;
}
void *__wrap_malloc(size_t size) { return new_object(size, 0, HERE); }
void *__wrap_calloc(size_t number, size_t size) { return new_object(number * size, 1, HERE); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { (void)alignment; return new_object(size, 0, HERE); }
void __wrap_free(void *object) {
  uint64_t *before = object;
  int is_object = object != NULL && ((uintptr_t)object & 7) == 0 && before[-1] == MARK;
  say(FREE, object, is_object ? before[-2] : 0, HERE, (uint64_t)is_object);
}

/* Threads. */

static void *run(void *argument) {
  struct thread *me = argument;
  self = me;
  wait_for_turn(me);
  me->result = me->function(me->argument);
  say(END, NULL, 0, NULL, 0);
  return me->result;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
  say(CREATE, (void *)function, 0, HERE, (uint64_t)argument);
  if (count >= MAX_THREADS) stop();
  struct thread *other = &threads[count];
  other->id = count++, other->function = function, other->argument = argument;
  (void)attributes;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 20);
  if (__real_pthread_create(&other->handle, &small, run, other) != 0) stop();
  pthread_attr_destroy(&small);
  say(WRITE, handle, sizeof *handle, HERE, 0);
  *handle = other->handle;
  return 0;
}

int __real_pthread_join(pthread_t, void **);
int __wrap_pthread_join(pthread_t handle, void **result) {
  uint64_t id = 0;
  while (id < count && !(id > 0 && pthread_equal(threads[id].handle, handle))) id++;
  say(JOIN, NULL, 0, HERE, id);
  void *value = NULL;
  int error = __real_pthread_join(handle, &value);
  if (result != NULL) {
    say(WRITE, result, sizeof *result, HERE, 0);
    *result = value;
  }
  return error;
}

void __real_pthread_exit(void *) __attribute__((noreturn));
__attribute__((noreturn)) void __wrap_pthread_exit(void *result) {
  if (self != NULL) {
    self->result = result;
    say(END, NULL, 0, HERE, 0);
  }
  if (self == &threads[0]) {
    /* The process must not end with its first thread: the others do. */
    for (;;) pause();
  }
  __real_pthread_exit(result);
}

/* Locks. Who is told to go on can: nobody waits inside of the library. */

static struct { void *lock; struct thread *holder; uint64_t depth, readers; } held[4096];

static size_t entry_of(void *lock) {
  size_t at = ((uintptr_t)lock >> 3) % 4096;
  while (held[at].lock != NULL && held[at].lock != lock) at = (at + 1) % 4096;
  held[at].lock = lock;
  return at;
}
static void taken(void *lock) { size_t at = entry_of(lock); held[at].holder = self, held[at].depth++; }

static int take(int (*attempt)(void *), void *lock, int failed, const void *place) {
  say(TAKE, lock, 0, place, 0);
  int error = attempt(lock);
  /* There is no going on from here. */
  if (error == failed || (failed == -1 && error != 0)) { say(BLOCKED, lock, 0, place, 0); stop(); }
  return error;
}
static int try_to(int (*attempt)(void *), void *lock, int failure, const void *place) {
  if (say(TRY, lock, 0, place, 0) != 0) return failure;
  return attempt(lock);
}

int __real_pthread_mutex_trylock(pthread_mutex_t *);
int __real_pthread_mutex_unlock(pthread_mutex_t *);
static int mutex_attempt(void *lock) {
  int error = __real_pthread_mutex_trylock(lock);
  if (error == 0) taken(lock);
  return error;
}
int __wrap_pthread_mutex_lock(pthread_mutex_t *lock) {
  size_t at = entry_of(lock);
  if (held[at].depth > 0 && held[at].holder == self) {
    say(TAKE, lock, 0, HERE, 0);
    int error = mutex_attempt(lock);
    if (error == 0) return 0;
    say(MISUSE, lock, 0, HERE, 0);
    return EDEADLK;
  }
  return take(mutex_attempt, lock, EBUSY, HERE);
}
int __wrap_pthread_mutex_trylock(pthread_mutex_t *lock) { return try_to(mutex_attempt, lock, EBUSY, HERE); }
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *lock, const struct timespec *until) {
  (void)until;
  return try_to(mutex_attempt, lock, ETIMEDOUT, HERE);
}
static int give_mutex(pthread_mutex_t *lock, const void *place) {
  say(GIVE, lock, 0, place, 0);
  size_t at = entry_of(lock);
  if (held[at].depth == 0 || held[at].holder != self) say(MISUSE, lock, 0, place, 0);
  else held[at].depth--;
  return __real_pthread_mutex_unlock(lock);
}
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock) { return give_mutex(lock, HERE); }
int __real_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes) {
  say(TOUCH, lock, 0, HERE, 0);
  held[entry_of(lock)].depth = 0;
  return __real_pthread_mutex_init(lock, attributes);
}
int __real_pthread_mutex_destroy(pthread_mutex_t *);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *lock) {
  if (held[entry_of(lock)].depth > 0) say(MISUSE, lock, 0, HERE, 0);
  return __real_pthread_mutex_destroy(lock);
}

int __real_pthread_spin_trylock(pthread_spinlock_t *);
int __real_pthread_spin_unlock(pthread_spinlock_t *);
static int spin_attempt(void *lock) {
  int error = __real_pthread_spin_trylock(lock);
  if (error == 0) taken(lock);
  return error;
}
int __wrap_pthread_spin_lock(pthread_spinlock_t *lock) { return take(spin_attempt, (void *)lock, EBUSY, HERE); }
int __wrap_pthread_spin_trylock(pthread_spinlock_t *lock) { return try_to(spin_attempt, (void *)lock, EBUSY, HERE); }
int __wrap_pthread_spin_unlock(pthread_spinlock_t *lock) {
  say(GIVE, lock, 0, HERE, 0);
  size_t at = entry_of((void *)lock);
  if (held[at].depth == 0 || held[at].holder != self) say(MISUSE, lock, 0, HERE, 0);
  else held[at].depth--;
  return __real_pthread_spin_unlock(lock);
}
int __real_pthread_spin_init(pthread_spinlock_t *, int);
int __wrap_pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  say(TOUCH, lock, 0, HERE, 0);
  return __real_pthread_spin_init(lock, shared);
}

int __real_pthread_rwlock_tryrdlock(pthread_rwlock_t *);
int __real_pthread_rwlock_trywrlock(pthread_rwlock_t *);
int __real_pthread_rwlock_unlock(pthread_rwlock_t *);
static int read_attempt(void *lock) {
  int error = __real_pthread_rwlock_tryrdlock(lock);
  if (error == 0) held[entry_of(lock)].readers++;
  return error;
}
static int write_attempt(void *lock) {
  int error = __real_pthread_rwlock_trywrlock(lock);
  if (error == 0) taken(lock);
  return error;
}
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock) { return take(read_attempt, lock, EBUSY, HERE); }
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock) { return take(write_attempt, lock, EBUSY, HERE); }
int __wrap_pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) { return try_to(read_attempt, lock, EBUSY, HERE); }
int __wrap_pthread_rwlock_trywrlock(pthread_rwlock_t *lock) { return try_to(write_attempt, lock, EBUSY, HERE); }
int __wrap_pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  say(GIVE, lock, 0, HERE, 0);
  size_t at = entry_of(lock);
  if (held[at].depth > 0 && held[at].holder == self) held[at].depth--;
  else if (held[at].readers > 0) held[at].readers--;
  else {
    say(MISUSE, lock, 0, HERE, 0);
    return EPERM;
  }
  return __real_pthread_rwlock_unlock(lock);
}

/* Whoever waits for a condition may wake up at any time, so that it gives the mutex back and takes it again. */
static int wait_for_condition(pthread_mutex_t *lock, const void *place) {
  give_mutex(lock, place);
  take(mutex_attempt, lock, EBUSY, place);
  return 0;
}
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock) {
  (void)condition;
  return wait_for_condition(lock, HERE);
}
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *until) {
  (void)condition; (void)until;
  wait_for_condition(lock, HERE);
  return say(ANY, NULL, 0, HERE, 0) != 0 ? ETIMEDOUT : 0;
}
int __wrap_pthread_cond_signal(pthread_cond_t *condition) { (void)condition; return 0; }
int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) { (void)condition; return 0; }

int __real_sem_trywait(sem_t *);
int __real_sem_post(sem_t *);
int __real_sem_init(sem_t *, int, unsigned);
int __real_sem_getvalue(sem_t *, int *);
static int semaphore_attempt(void *semaphore) { return __real_sem_trywait(semaphore); }
int __wrap_sem_wait(sem_t *semaphore) { return take(semaphore_attempt, semaphore, -1, HERE); }
int __wrap_sem_trywait(sem_t *semaphore) {
  int result = try_to(semaphore_attempt, semaphore, -1, HERE);
  if (result != 0) errno = EAGAIN;
  return result;
}
int __wrap_sem_timedwait(sem_t *semaphore, const struct timespec *until) {
  (void)until;
  int result = try_to(semaphore_attempt, semaphore, -1, HERE);
  if (result != 0) errno = ETIMEDOUT;
  return result;
}
int __wrap_sem_post(sem_t *semaphore) { say(GIVE, semaphore, 0, HERE, 0); return __real_sem_post(semaphore); }
int __wrap_sem_init(sem_t *semaphore, int shared, unsigned value) {
  say(TOUCH, semaphore, 0, HERE, 0);
  return __real_sem_init(semaphore, shared, value);
}
int __wrap_sem_getvalue(sem_t *semaphore, int *value) {
  say(TOUCH, semaphore, 0, HERE, 0);
  int now = 0;
  int result = __real_sem_getvalue(semaphore, &now);
  say(WRITE, value, sizeof *value, HERE, 0);
  *value = now;
  return result;
}

/* Barriers and what is done once are kept here, since the library's own would wait. */

static struct { void *object; uint64_t total, arrived, stage; } meetings[256];
static size_t meeting_of(void *object) {
  size_t at = ((uintptr_t)object >> 3) % 256;
  while (meetings[at].object != NULL && meetings[at].object != object) at = (at + 1) % 256;
  meetings[at].object = object;
  return at;
}
int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned total) {
  (void)attributes;
  say(TOUCH, barrier, 0, HERE, 0);
  meetings[meeting_of(barrier)].total = total;
  return 0;
}
int __wrap_pthread_barrier_destroy(pthread_barrier_t *barrier) { (void)barrier; return 0; }
int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier) {
  say(ARRIVE, barrier, 0, HERE, 0);
  size_t at = meeting_of(barrier);
  uint64_t round = meetings[at].stage;
  int is_last = ++meetings[at].arrived >= meetings[at].total;
  if (is_last) meetings[at].arrived = 0, meetings[at].stage++;
  say(PASS, barrier, 0, HERE, 0);
  if (!is_last && meetings[at].stage == round) { say(BLOCKED, barrier, 0, HERE, 0); stop(); }
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
int __wrap_pthread_once(pthread_once_t *once, void (*function)(void)) {
  say(ARRIVE, once, 0, HERE, 0);
  size_t at = meeting_of(once);
  if (meetings[at].stage == 0) {
    meetings[at].stage = 1;
    function();
    say(PASS, once, 0, HERE, 0);
    meetings[at].stage = 2;
  }
  if (meetings[at].stage != 2) { say(BLOCKED, once, 0, HERE, 0); stop(); }
  return 0;
}

/* Nobody's time passes. */
int __wrap_usleep(useconds_t time) { (void)time; return 0; }
unsigned __wrap_sleep(unsigned time) { (void)time; return 0; }
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest) { (void)time; (void)rest; return 0; }
int __wrap_sched_yield(void) { return 0; }

static void crashed(int number, siginfo_t *info, void *context) {
  (void)context;
  inside = 0;
  say(CRASH, info->si_addr, 0, NULL, (uint64_t)number);
  stop();
}

static void at_exit(void) { say(EXIT, NULL, 0, NULL, 0); }

__attribute__((constructor)) static void begin(void) {
  input = fcntl(0, F_DUPFD_CLOEXEC, 900);
  output = fcntl(1, F_DUPFD_CLOEXEC, 900);
  int nothing = open("/dev/null", O_RDWR);
  if (input < 0 || output < 0 || nothing < 0) stop();
  dup2(nothing, 0), dup2(nothing, 1), dup2(nothing, 2);
  struct sigaction action;
  __real_memset(&action, 0, sizeof action);
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
  atexit(at_exit);
  self = &threads[0];
}
