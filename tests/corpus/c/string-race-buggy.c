// A text is copied while another thread compares it.
// races: UNSAFE
// assertions: UNSAFE
#include <assert.h>
#include <pthread.h>
#include <string.h>

char text[3] = "ab";

void *writer(void *unused) {
    strcpy(text, "cd");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    assert(strcmp(text, "cb") != 0);
    pthread_join(thread, 0);
    return 0;
}
