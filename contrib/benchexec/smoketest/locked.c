#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int visitors;

static void *guest(void *unused)
{
    pthread_mutex_lock(&gate);
    visitors++;
    pthread_mutex_unlock(&gate);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, guest, 0);
    pthread_create(&second, 0, guest, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return visitors != 2;
}
