//! Random C programs with threads, whose behaviour is defined under each schedule if threads take turns: what the compiled
//! program does under a schedule, the lowered one has to do too.

use crate::dice::Dice;
use std::fmt::Write;

const TYPES: [&str; 9] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "_Bool",
];

/// What all programs have in common.
const PRELUDE: &str = "\
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
struct inner { short a; unsigned char b; };
struct item { int a; struct inner in; long c[3]; struct item *next; unsigned short d; };
struct item s0 = { 1, { 2, 3 }, { 4, 5 }, 0, 6 }, s1;
struct item *p = &s0, *q = &s1;
int arr[4] = { 1, 2, 3 }; short grid[2][2];
atomic_int at0; _Atomic unsigned char at1 = 250; long at2;
pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
sem_t sem; __thread int own;
struct item **pp = &p, **const qq = &q;
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); }
static int total(int n, ...) {
  int sum = 0; va_list list; va_start(list, n);
  while (n-- > 0) sum += va_arg(list, int);
  va_end(list); return sum;
}
int (*op)(int, int) = plus; int (*const ops[2])(int, int) = { plus, minus };
";

/// Stands at the end of lines in which a struct is copied: a machine does that at once, and the lowered program part by
/// part, so that nobody should come between.
pub const COPY: &str = "// copy";

/// The shared scalars that are there beside the variables.
const PLACES: [&str; 16] = [
    "s0.a",
    "s0.in.b",
    "s1.in.a",
    "s1.c[1]",
    "s0.d",
    "p->a",
    "p->in.b",
    "q->c[2]",
    "q->d",
    "arr[1]",
    "(*(arr + 2))",
    "grid[1][0]",
    "at2",
    "q->in.a",
    "arr[0]",
    "s1.a",
];

/// A program with two or three threads beside the first one.
pub fn random_threads(seed: u64) -> String {
    let mut writer =
        Writer { dice: Dice::new(seed), out: String::from(PRELUDE), depth: 0, loops: 0, locals: 0, nested: 0 };
    writer.program();
    writer.out
}

struct Writer {
    dice: Dice,
    out: String,
    depth: usize,
    loops: usize,
    locals: usize,
    /// How many locks are held by what is being written.
    nested: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.dice.roll(100) < percent
    }

    fn program(&mut self) {
        for index in 0..4 {
            let (ty, value) = (self.dice.pick(&TYPES), self.constant());
            self.line(&format!("{ty} g{index} = {value};"));
        }
        let (ty, other) = (self.dice.pick(&TYPES), self.dice.pick(&TYPES));
        self.line(&format!("static {ty} bump({other} *at, {ty} by) {{ *at = *at + by; return *at; }}"));
        self.line(&format!("static {other} *choose(int n, {other} *a, {other} *b) {{ return n & 1 ? a : b; }}"));
        self.line(&format!("{other} h0 = 3, h1;"));
        let workers = 1 + self.dice.roll(2);
        for number in 0..workers {
            self.worker(number);
        }
        self.main(workers);
    }

    fn worker(&mut self, number: usize) {
        self.line(&format!("void *w{number}(void *argument) {{"));
        self.depth += 1;
        self.line("struct item *given = argument; static int times; times++;");
        self.declare_locals();
        if self.chance(50) {
            self.line("given->a = given->a + 1;");
        }
        let count = 2 + self.dice.roll(4);
        self.statements(count);
        let result = self.local();
        self.line(&format!("if (l0 > 5) pthread_exit((void *)(long){result});"));
        self.line("own++; g0 = own;");
        self.line("return given;");
        self.depth -= 1;
        self.line("}");
    }

    fn main(&mut self, workers: usize) {
        self.line("int main(void) {");
        self.depth += 1;
        self.line("pthread_t t0, t1, t[2]; void *result; int shared_local = 4;");
        self.line("pthread_mutex_init(&m1, 0); sem_init(&sem, 0, 1);");
        self.declare_locals();
        self.statements(1);
        let argument = match self.dice.roll(3) {
            0 => "&s0",
            1 => "q",
            _ => {
                self.line("struct item *fresh = calloc(1, sizeof *fresh); fresh->in.a = 7; fresh->next = p;");
                "fresh"
            }
        };
        match self.dice.roll(2) {
            0 => {
                self.line(&format!("pthread_create(&t0, 0, w0, {argument});"));
                self.line(&format!("pthread_create(&t1, 0, w{}, &s1);", workers - 1));
                self.statements(2);
                self.line("pthread_join(t0, &result); pthread_join(t1, 0);");
            }
            _ => {
                self.line(&format!("for (int n = 0; n < 2; n++) pthread_create(&t[n], 0, w0, {argument});"));
                self.statements(2);
                self.line("for (int n = 0; n < 2; n++) pthread_join(t[n], &result);");
            }
        }
        self.line("g1 = result == &s0; arr[3] = shared_local;");
        self.statements(1);
        self.line("return 0;");
        self.depth -= 1;
        self.line("}");
    }

    fn declare_locals(&mut self) {
        self.locals = 3;
        for index in 0..self.locals {
            let (ty, value) = (self.dice.pick(&TYPES), self.dice.roll(6));
            self.line(&format!("{ty} l{index} = {value};"));
        }
    }

    fn local(&mut self) -> String {
        format!("l{}", self.dice.roll(self.locals))
    }

    fn shared(&mut self) -> String {
        match self.dice.roll(4) {
            0 | 1 => format!("g{}", self.dice.roll(4)),
            2 => self.dice.pick(&PLACES).to_string(),
            _ => {
                let local = self.local();
                self.dice
                    .pick(&["arr[{} & 3]", "s1.c[{} & 1]", "p->c[{} & 1]", "grid[{} & 1][1]"])
                    .replace("{}", &local)
            }
        }
    }

    /// A shared scalar that is found without a pointer: compilers load these more than once where a scalar is changed.
    fn direct(&mut self) -> String {
        loop {
            let shared = self.shared();
            if !shared.contains("->") {
                return shared;
            }
        }
    }

    fn constant(&mut self) -> String {
        let values = ["0", "1", "2", "3", "-1", "7", "100", "255", "-128", "40000", "'x'"];
        self.dice.pick(&values).to_string()
    }

    /// An expression over locals and constants.
    fn own(&mut self) -> String {
        match self.dice.roll(6) {
            0 => self.constant(),
            1 => format!("({} {} {})", self.local(), self.dice.pick(&["+", "-", "&", "|", "^"]), self.constant()),
            2 => format!("({} {} {})", self.local(), self.dice.pick(&["<", "==", ">=", "!="]), self.local()),
            3 => format!("({} ? {} : {})", self.local(), self.constant(), self.local()),
            _ => self.local(),
        }
    }

    /// An expression that loads one shared variable, or two in an order that nobody changes.
    fn loading(&mut self) -> String {
        let shared = self.shared();
        match self.dice.roll(8) {
            0 => shared,
            1 => format!("({shared} + {})", self.own()),
            2 => format!("({shared} {} {})", self.dice.pick(&["<", "==", "!=", ">"]), 1 + self.dice.roll(3)),
            3 => format!("({shared} && {})", self.shared()),
            4 => format!("({shared} || {})", self.shared()),
            5 => format!("({shared} ? {} : {})", self.shared(), self.own()),
            6 => format!("(({}){shared} ^ {})", self.dice.pick(&TYPES), self.local()),
            _ => format!("({} - {shared})", self.own()),
        }
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let is_deep = self.depth > 3;
        match self.dice.roll(if is_deep { 11 } else { 25 }) {
            0 | 1 => {
                let text = format!("{} = {};", self.local(), self.loading());
                self.line(&text);
            }
            2 | 3 => {
                let text = format!("{} = {};", self.shared(), self.own());
                self.line(&text);
            }
            4 => {
                let operator = self.dice.pick(&["+=", "-=", "&=", "|=", "^="]);
                let text = format!("{} {operator} {};", self.direct(), self.local());
                self.line(&text);
            }
            5 => {
                let text = format!("{}{};", self.direct(), self.dice.pick(&["++", "--"]));
                self.line(&text);
            }
            6 => self.atomic(),
            7 => self.pointers(),
            8 => {
                let text = format!("{} = bump(choose({}, &h0, &h1), {});", self.local(), self.own(), self.own());
                self.line(&text);
            }
            9 => {
                let text = format!("own = own + {}; {} = own;", self.own(), self.shared());
                self.line(&text);
            }
            10 => self.heap(),
            11..=13 => self.branch(),
            14 | 15 => self.repeat(),
            16..=18 => self.locked(),
            19 => self.copy(),
            20 => self.choice(),
            21 | 22 => self.indirect(),
            23 => self.again(),
            _ => self.semaphore(),
        }
    }

    fn atomic(&mut self) {
        let (local, own) = (self.local(), self.own());
        let text = match self.dice.roll(10) {
            0 => format!("{local} = atomic_fetch_add(&at0, {own});"),
            1 => "at0++;".to_string(),
            2 => format!("at1 -= {own};"),
            3 => format!("{local} = __sync_fetch_and_add(&at2, {own});"),
            4 => format!("{{ int want = {own}; {local} = atomic_compare_exchange_strong(&at0, &want, {local} & 7); }}"),
            5 => format!("{local} = atomic_exchange(&at1, {own});"),
            6 => format!("atomic_store(&at0, {own});"),
            7 => format!("{local} = __atomic_load_n(&at2, __ATOMIC_SEQ_CST);"),
            8 => format!("{local} = __sync_bool_compare_and_swap(&at2, {own}, 3);"),
            _ => format!("{local} = at1;"),
        };
        self.line(&text);
    }

    fn pointers(&mut self) {
        let text = match self.dice.roll(6) {
            0 => "p = &s1;".to_string(),
            1 => "q = p;".to_string(),
            2 => format!("{} = p == q;", self.local()),
            3 => "p = q == &s0 ? &s1 : &s0;".to_string(),
            4 => format!("{{ int *r = &arr[{} & 3]; *r = {}; }}", self.local(), self.own()),
            _ => format!("if (p->next) {} = p->next->a;", self.local()),
        };
        self.line(&text);
    }

    /// Functions that are pointed to, that call themselves, or take any number of arguments, and pointers to pointers.
    fn indirect(&mut self) {
        let (own, local) = (self.own(), self.local());
        let text = match self.dice.roll(6) {
            0 => format!("{local} = op({own}, {local} & 7);"),
            1 => format!("op = ops[{local} & 1];"),
            2 => format!("{local} = depth({local} & 3);"),
            3 => format!("{local} = total(3, (int){own}, {local} & 7, 'x');"),
            4 => format!("(*pp)->a = {own};"),
            _ => format!("pp = {local} & 1 ? &p : qq;"),
        };
        self.line(&text);
    }

    /// A loop by `goto`.
    fn again(&mut self) {
        self.loops += 1;
        let name = format!("r{}", self.loops);
        self.line(&format!("{{ int {name} = 0; {name}:"));
        self.depth += 1;
        self.statements(1);
        self.line(&format!("if ({name}++ < 1) goto {name}; }}"));
        self.depth -= 1;
    }

    fn heap(&mut self) {
        let (own, local) = (self.own(), self.local());
        let text = match self.dice.roll(3) {
            0 => format!("{{ struct item *h = calloc(1, sizeof *h); h->a = {own}; h->next = p; q = h; }}"),
            1 => format!("{{ int *h = malloc(2 * sizeof *h); h[0] = {own}; h[1] = h[0]; {local} = h[1]; free(h); }}"),
            _ => format!("{{ struct item *h = malloc(sizeof *h); *h = s1; h->d = {own}; p = h; }} {COPY}"),
        };
        self.line(&text);
    }

    fn block(&mut self, head: &str, count: usize) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.statements(count);
        self.depth -= 1;
        self.line("}");
    }

    fn branch(&mut self) {
        let condition = self.loading();
        self.block(&format!("if ({condition})"), 1);
        if self.chance(50) {
            self.block("else", 1);
        }
    }

    fn repeat(&mut self) {
        self.loops += 1;
        let name = format!("i{}", self.loops);
        if self.chance(50) {
            return self.block(&format!("for (int {name} = 0; {name} < 2; {name}++)"), 1);
        }
        let condition = self.loading();
        self.block(&format!("for (int {name} = 0; {name}++ < 2 && {condition};)"), 1);
    }

    /// Locks are taken in their order, and not twice.
    fn locked(&mut self) {
        if self.nested >= 2 {
            return;
        }
        let lock = if self.nested == 1 || self.chance(50) { "m1" } else { "m0" };
        let before = self.nested;
        self.nested = if lock == "m1" { 2 } else { 1 };
        match self.dice.roll(4) {
            0 => {
                self.line(&format!("if (pthread_mutex_trylock(&{lock}) == 0) {{"));
                self.depth += 1;
                self.statements(1);
                self.line(&format!("pthread_mutex_unlock(&{lock});"));
                self.depth -= 1;
                self.line("}");
            }
            1 => {
                self.nested = 2;
                let kind = self.dice.pick(&["rd", "wr"]);
                self.line(&format!("pthread_rwlock_{kind}lock(&rw);"));
                self.statements(1);
                self.line("pthread_rwlock_unlock(&rw);");
            }
            _ => {
                self.line(&format!("pthread_mutex_lock(&{lock});"));
                self.statements(2);
                self.line(&format!("pthread_mutex_unlock(&{lock});"));
            }
        }
        self.nested = before;
    }

    fn copy(&mut self) {
        let copies = ["s0 = s1;", "s1 = *p;", "*q = s0;", "s1.in = s0.in;", "{ struct item c = s0; s1 = c; }"];
        let text = format!("{} {COPY}", self.dice.pick(&copies));
        self.line(&text);
    }

    fn choice(&mut self) {
        let condition = self.loading();
        self.line(&format!("switch ({condition}) {{"));
        self.depth += 1;
        self.line("case 0:;");
        self.statements(1);
        self.line("case 1:;");
        self.statements(1);
        self.line("break;");
        self.line("default:;");
        self.statements(1);
        self.depth -= 1;
        self.line("}");
    }

    fn semaphore(&mut self) {
        let text = match self.dice.roll(3) {
            0 => "sem_post(&sem);".to_string(),
            1 => format!("if (sem_trywait(&sem) == 0) {} = 1;", self.local()),
            _ => "sem_wait(&sem);".to_string(),
        };
        self.line(&text);
    }
}
