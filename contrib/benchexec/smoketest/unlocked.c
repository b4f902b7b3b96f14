#include <pthread.h>

static int visitors;

static void *guest(void *unused)
{
    visitors++;
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
