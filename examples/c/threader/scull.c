// A character driver: open, read, write and release over quantum sets, under a semaphore.
// After Corbet, Rubini and Kroah-Hartman, Linux Device Drivers, 3rd edition, chapters 3 and 5; row Scull of THREADER, table 1.
//
// The device is a list of items; an item is a quantum set, a row of QSET quanta of QUANTUM bytes. A call transfers at most to the
// end of one quantum. Two users open the device, each in a mode of its own, read and write at their own positions, and release it,
// which does nothing. A signal may come before the semaphore is taken, there may be no memory, and the user's memory may be bad.
//
// Nobody else is at the data, nothing beyond the size is read, and no transfer leaves its quantum. How large the device becomes has no
// bound, so that engines which list states do not end; the assertions are proved for the model in `.tw`.
// races: SAFE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define QUANTUM 4
#define QSET 2

bool __VERIFIER_nondet_bool(void);
int __VERIFIER_nondet_int(void);

struct device {
  pthread_mutex_t sem;
  int size;
  int users;
};

struct file {
  int position;
  bool write_only;
};

static struct device device = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

// A signal comes before the semaphore is taken.
static bool is_interrupted(void) {
  return __VERIFIER_nondet_bool();
}

static void down(void) {
  pthread_mutex_lock(&device.sem);
}

static void up(void) {
  pthread_mutex_unlock(&device.sem);
}

// All data go.
static void trim(void) {
  device.size = 0;
}

static bool scull_open(struct file *file) {
  file->position = 0;
  if (file->write_only) {
    if (is_interrupted())
      return false;
    down();
    trim();
    up();
  }
  return true;
}

// As much as there is in the quantum of a position.
static int within_quantum(int position, int count) {
  int rest = position % (QUANTUM * QSET);
  int quantum = rest / QUANTUM, offset = rest % QUANTUM;
  assert(0 <= quantum && quantum < QSET);
  if (count > QUANTUM - offset)
    count = QUANTUM - offset;
  assert(offset + count <= QUANTUM);
  return count;
}

static void scull_read(struct file *file, int count) {
  int position = file->position;
  if (is_interrupted())
    return;
  down();
  device.users++;
  if (position < device.size) {
    if (count > device.size - position)
      count = device.size - position;
    bool is_there = __VERIFIER_nondet_bool();
    if (is_there) {
      count = within_quantum(position, count);
      assert(device.users == 1);
      assert(position + count <= device.size);
      bool is_copied = __VERIFIER_nondet_bool();
      if (is_copied)
        file->position = position + count;
    }
  }
  device.users--;
  up();
}

static void scull_write(struct file *file, int count) {
  int position = file->position;
  if (is_interrupted())
    return;
  down();
  device.users++;
  bool is_there = __VERIFIER_nondet_bool();
  if (is_there) {
    count = within_quantum(position, count);
    assert(device.users == 1);
    bool is_copied = __VERIFIER_nondet_bool();
    if (is_copied) {
      file->position = position + count;
      if (device.size < file->position)
        device.size = file->position;
    }
  }
  device.users--;
  up();
}

static void scull_release(struct file *file) {
  (void)file;
}

static void *user(void *unused) {
  struct file file;
  (void)unused;
  file.write_only = __VERIFIER_nondet_bool();
  if (!scull_open(&file))
    return 0;
  while (__VERIFIER_nondet_bool()) {
    int count = __VERIFIER_nondet_int();
    if (count < 0 || count > 1000 || file.position > 1000)
      break;
    if (file.write_only || __VERIFIER_nondet_bool())
      scull_write(&file, count);
    else
      scull_read(&file, count);
  }
  scull_release(&file);
  return 0;
}

int main(void) {
  pthread_t users[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&users[i], 0, user, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(users[i], 0);
  return 0;
}
