/* Functions of <string.h> and <stdlib.h> that walk over characters, as the standard says what they do: each character is an access of its own. A
   program that defines one of them itself has its own. */
inline unsigned long strlen(const char *s) {
    unsigned long length = 0;
    while (s[length])
        length++;
    return length;
}

inline unsigned long strnlen(const char *s, unsigned long most) {
    unsigned long length = 0;
    while (length < most && s[length])
        length++;
    return length;
}

inline int strcmp(const char *a, const char *b) {
    for (unsigned long i = 0;; i++) {
        unsigned char of_a = a[i], of_b = b[i];
        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
        if (!of_a)
            return 0;
    }
}

inline int strncmp(const char *a, const char *b, unsigned long most) {
    for (unsigned long i = 0; i < most; i++) {
        unsigned char of_a = a[i], of_b = b[i];
        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
        if (!of_a)
            return 0;
    }
    return 0;
}

inline int memcmp(const void *a, const void *b, unsigned long count) {
    for (unsigned long i = 0; i < count; i++) {
        unsigned char of_a = ((const unsigned char *)a)[i], of_b = ((const unsigned char *)b)[i];
        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
    }
    return 0;
}

inline char *strcpy(char *to, const char *from) {
    unsigned long i = 0;
    while ((to[i] = from[i]))
        i++;
    return to;
}

inline char *stpcpy(char *to, const char *from) {
    while ((*to = *from)) {
        to++;
        from++;
    }
    return to;
}

inline char *strncpy(char *to, const char *from, unsigned long count) {
    unsigned long i = 0;
    for (; i < count && from[i]; i++)
        to[i] = from[i];
    for (; i < count; i++)
        to[i] = 0;
    return to;
}

inline char *strcat(char *to, const char *from) {
    unsigned long end = 0, i = 0;
    while (to[end])
        end++;
    while ((to[end + i] = from[i]))
        i++;
    return to;
}

inline char *strncat(char *to, const char *from, unsigned long most) {
    unsigned long end = 0, i = 0;
    while (to[end])
        end++;
    for (; i < most && from[i]; i++)
        to[end + i] = from[i];
    to[end + i] = 0;
    return to;
}

inline char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return 0;
    }
}

inline char *strrchr(const char *s, int c) {
    const char *last = 0;
    for (;; s++) {
        if (*s == (char)c)
            last = s;
        if (!*s)
            return (char *)last;
    }
}

inline void *memchr(const void *s, int c, unsigned long count) {
    for (unsigned long i = 0; i < count; i++)
        if (((const unsigned char *)s)[i] == (unsigned char)c)
            return (char *)s + i;
    return 0;
}

inline char *strstr(const char *s, const char *part) {
    for (;; s++) {
        unsigned long i = 0;
        while (part[i] && s[i] == part[i])
            i++;
        if (!part[i])
            return (char *)s;
        if (!*s)
            return 0;
    }
}

inline int atoi(const char *s) {
    int value = 0, sign = 1;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+')
        sign = *s++ == '-' ? -1 : 1;
    for (; *s >= '0' && *s <= '9'; s++)
        value = 10 * value + sign * (*s - '0');
    return value;
}

void *malloc(unsigned long size);

inline char *strdup(const char *s) {
    unsigned long size = strlen(s) + 1;
    char *copy = malloc(size);
    if (copy)
        for (unsigned long i = 0; i < size; i++)
            copy[i] = s[i];
    return copy;
}
