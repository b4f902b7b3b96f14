// Another thread uses a pointer to a variable of a call only as long as that is open, call after call.
// memory: SAFE
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int *lent;

void *borrower(void *unused) {
    pthread_mutex_lock(&lock);
    if (lent)
        *lent = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

void lend(void) {
    int x = 0;
    pthread_mutex_lock(&lock);
    lent = &x;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    lent = 0;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, borrower, 0);
    for (int i = 0; i < 2; i++)
        lend();
    pthread_join(thread, 0);
    return 0;
}
