//! Functions of libraries, with the headers that are there. The expectations were written from the manuals.

use threadwise_front_c::{Options, load};
use threadwise_memory::print;
use threadwise_source::{Severity, SourceFile};

/// What `main` does, up to its end; the headers are all that a program needs.
#[track_caller]
fn becomes(globals: &str, statements: &str, expected: &[&str]) {
    let headers =
        ["pthread.h", "semaphore.h", "threads.h", "stdatomic.h", "assert.h", "stdlib.h", "stdio.h", "string.h"];
    let more = ["stdbool.h", "stdint.h", "errno.h", "unistd.h", "sched.h", "time.h"];
    let includes: String = headers.iter().chain(&more).map(|header| format!("#include <{header}>\n")).collect();
    let nondet = "extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);
        extern void __VERIFIER_assume(int); extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
        void reach_error(void) { }";
    let text = format!("#define _GNU_SOURCE\n{includes}{nondet}\n{globals}\nint main(void) {{ {statements} }}\n");
    let loaded = load(vec![SourceFile::new("test.c", text)], &Options::default());
    let errors = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    assert_eq!(errors, 0, "{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false));
    let code = loaded.code.expect("there are no errors");
    let function = code.functions.iter().find(|function| &*function.name == "main").expect("there is a main");
    let lines: Vec<String> =
        print::function(&code, function).lines().skip(1).map(|line| line.trim().to_string()).collect();
    let expected: Vec<&str> = std::iter::once("b0:").chain(expected.iter().copied()).collect();
    assert_eq!(lines, expected, "{statements}");
}

#[test]
fn threads_are_created_and_joined() {
    let globals =
        "void *f(void *a) { return a; } int g(void *a) { return 0; } pthread_t t[2]; thrd_t c; void *r; int x;";
    becomes(
        globals,
        "x = pthread_create(&t[x], NULL, f, &x); pthread_join(t[1], &r); pthread_join(t[0], 0);",
        &["t[x] = create f(&x)", "x = 0", "r = join t[1]", "join t[0]", "return 0"],
    );
    becomes(globals, "thrd_create(&c, g, NULL); thrd_join(c, &x);", &["c = create g(null)", "x = join c", "return 0"]);
    becomes(globals, "pthread_exit(NULL);", &["thread exit null", "unreachable"]);
    becomes(
        globals,
        "x = pthread_equal(pthread_self(), t[0]); pthread_detach(t[0]);",
        &["$1 = self", "x = ($1 == t[0])", "$2 = t[0]", "return 0"],
    );
    becomes(
        "pthread_once_t o = PTHREAD_ONCE_INIT; void h(void) { }",
        "pthread_once(&o, h);",
        &["once o h", "return 0"],
    );
    // A key is the next number, which nobody else gets; its values are an array of which each thread has its own.
    becomes(
        "pthread_key_t k; void *p;",
        "pthread_key_create(&k, NULL); pthread_setspecific(k, p);",
        &[
            "atomic {",
            "$1 = keys.used",
            "assert ($1 < 8) Beyond",
            "keys.used = ($1 + 1)",
            "} atomic",
            "k = $1",
            "$2 = k",
            "assert ($2 < 8) Beyond",
            "key.value[$2] = p",
            "return 0",
        ],
    );
}

#[test]
fn locks_are_taken_and_released() {
    let globals = "struct s { pthread_mutex_t m; } *p; pthread_mutex_t m, a[3]; mtx_t c; pthread_spinlock_t l; int x;";
    becomes(
        globals,
        "pthread_mutex_init(&m, NULL); pthread_mutex_lock(&p->m); pthread_mutex_unlock(&a[x]); pthread_mutex_destroy(&m);",
        &["init m Normal", "lock (*p: s).m", "unlock a[x]", "destroy m", "return 0"],
    );
    becomes(
        globals,
        "if (pthread_mutex_trylock(&m) == EBUSY) x = 1;",
        &["$1 = try lock m else 16", "if ($1 == 16) goto b1 else b2", "b1:", "x = 1", "goto b2", "b2:", "return 0"],
    );
    becomes(
        globals,
        "pthread_mutexattr_t t; pthread_mutexattr_init(&t); pthread_mutexattr_settype(&t, PTHREAD_MUTEX_RECURSIVE);
         pthread_mutex_init(&m, &t);",
        &["declare t", "kind of t is Normal", "kind of t is Recursive", "init m Normal by t", "return 0"],
    );
    becomes(
        globals,
        "mtx_init(&c, mtx_plain | mtx_recursive); mtx_lock(&c);",
        &["init c Recursive", "lock c", "return 0"],
    );
    becomes(globals, "pthread_spin_init(&l, 0); pthread_spin_lock(&l);", &["init l Normal", "lock l", "return 0"]);
    becomes(
        "pthread_rwlock_t l;",
        "pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l);",
        &["read lock l", "rw unlock l", "return 0"],
    );
}

#[test]
fn mutexes_that_are_initialised_where_they_are_declared_have_a_kind() {
    let text = "#define _GNU_SOURCE\n#include <pthread.h>\npthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
        c = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, d;
        int main(void) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_lock(&c); pthread_mutex_lock(&d); }";
    let code = load(vec![SourceFile::new("test.c", text)], &Options::default()).code.expect("it is right");
    let globals: Vec<String> = print::program(&code).lines().take(4).map(str::to_string).collect();
    assert_eq!(
        globals,
        ["global a: Mutex", "global b: Mutex; b = Recursive", "global c: Mutex; c = ErrorCheck", "global d: Mutex"]
    );
}

#[test]
fn conditions_semaphores_and_barriers() {
    becomes(
        "pthread_cond_t c; pthread_mutex_t m; struct timespec t; int x;",
        "pthread_cond_wait(&c, &m); x = pthread_cond_timedwait(&c, &m, &t); pthread_cond_signal(&c); pthread_cond_broadcast(&c);",
        &["wait c with m", "wait c with m, $1 = 0 or 110", "x = $1", "signal c", "broadcast c", "return 0"],
    );
    becomes(
        "sem_t s; int x;",
        "sem_init(&s, 0, 2); sem_wait(&s); x = sem_trywait(&s); sem_post(&s); sem_getvalue(&s, &x);",
        &["init s = 2", "down s", "$1 = try down s", "x = $1", "up s", "x = value of s", "return 0"],
    );
    becomes(
        "pthread_barrier_t b; int x;",
        "pthread_barrier_init(&b, NULL, 2); x = pthread_barrier_wait(&b);",
        &["init b for 2", "$1 = wait at b or -1", "x = $1", "return 0"],
    );
}

#[test]
fn assertions_assumptions_and_ends() {
    let failing = ["if (x == 1) goto b2 else b1", "b1:", "assert 0 Assertion", "exit", "b2:", "return 0"];
    becomes("int x;", "assert(x == 1);", &failing);
    becomes("int x;", "reach_error(); x = 1;", &["assert 0 Assertion", "exit"]);
    becomes("int x;", "__VERIFIER_assume(x > 0);", &["assume (x > 0)", "return 0"]);
    becomes("int x;", "exit(x);", &["$1 = x", "the process ends", "exit"]);
    becomes(
        "int x; _Bool b;",
        "x = __VERIFIER_nondet_int(); b = __VERIFIER_nondet_bool();",
        &["x = any i32", "b = any u1", "return 0"],
    );
    becomes("int x;", "x = rand();", &["x = i32(any u31)", "return 0"]);
    becomes(
        "int x;",
        "__VERIFIER_atomic_begin(); x = 1; __VERIFIER_atomic_end();",
        &["atomic {", "x = 1", "} atomic", "return 0"],
    );
    becomes("int x;", "printf(\"%d\", x); usleep(10); sched_yield();", &["$1 = x", "return 0"]);
    becomes(
        "int x;",
        "if (errno == 3) x = 1;",
        &["if (errno == 3) goto b1 else b2", "b1:", "x = 1", "goto b2", "b2:", "return 0"],
    );
}

#[test]
fn atomics_are_what_the_header_makes_of_them() {
    let globals = "atomic_int x; atomic_flag f = ATOMIC_FLAG_INIT; int y;";
    let region = ["atomic {", "$1 = atomic x", "atomic x = ($1 + 2)", "} atomic", "y = $1", "return 0"];
    becomes(globals, "y = atomic_fetch_add(&x, 2);", &region);
    becomes(
        globals,
        "y = atomic_load(&x);",
        &[
            "enter block",
            "declare __atomic_load_tmp",
            "__atomic_load_tmp = atomic x",
            "y = __atomic_load_tmp",
            "return 0",
        ],
    );
    becomes(
        globals,
        "atomic_store(&x, y);",
        &["enter block", "__atomic_store_tmp = y", "atomic x = __atomic_store_tmp", "return 0"],
    );
    becomes(
        globals,
        "while (atomic_flag_test_and_set(&f)) ; atomic_flag_clear(&f);",
        &[
            "goto b1",
            "b1:",
            "atomic {",
            "$1 = atomic f.__val",
            "atomic f.__val = 1",
            "} atomic",
            "if $1 goto b1 else b2",
            "b2:",
            "atomic f.__val = 0",
            "return 0",
        ],
    );
}

#[test]
fn functions_without_a_body_are_listed() {
    let text = "int unknown(int *p, const int *q); int main(void) { int a = 1, b = 2; return unknown(&a, &b); }";
    let loaded = load(vec![SourceFile::new("test.i", text)], &Options::default());
    let messages: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["functions without a body give any value: `unknown`"]);
    let code = loaded.code.expect("that is no error");
    let expected =
        "fn main() -> i32\n  b0:\n    a = 1\n    b = 2\n    $1 = unknown(&a, &b)\n    a = any i32\n    return $1\n";
    assert!(print::program(&code).starts_with(expected), "{}", print::program(&code));
    assert!(code.functions[1].body.is_none());
}

#[test]
fn headers_may_be_read_by_several_files() {
    let headers =
        "#include <pthread.h>\n#include <stdlib.h>\n#include <stdio.h>\n#include <semaphore.h>\n#include <signal.h>\n";
    let first = format!(
        "{headers} extern pthread_mutex_t m; extern div_t d; int f(void); int main(void) {{ pthread_mutex_lock(&m); return f() + d.quot; }}"
    );
    let second = format!(
        "{headers} pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; div_t d; int f(void) {{ d.rem = 1; return 2; }}"
    );
    let files = vec![SourceFile::new("a.c", first), SourceFile::new("b.c", second)];
    let loaded = load(files, &Options::default());
    let code = loaded
        .code
        .unwrap_or_else(|| panic!("{}", threadwise_diagnostics::render(&loaded.source, &loaded.diagnostics, false)));
    let names: Vec<&str> = code.globals.iter().map(|global| &*global.name).collect();
    assert_eq!(names, ["m", "d"]);
}
