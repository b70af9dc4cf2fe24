/* What test_gdb.py debugs: sums squares, counts, and goes astray or waits for the debugger where it was compiled for that. */
struct sample {
  int number;
  long square;
};

static volatile char *const console = (volatile char *)0x10000008;
static volatile int *const exit_register = (volatile int *)0x10000000;

struct sample latest = {0, 0};
volatile int rounds;
volatile int released;

__attribute__((noinline)) long square(int number) {
  latest.number = number;
  latest.square = (long)number * number;
  return latest.square;
}

__attribute__((noinline)) long sum_of_squares(int count) {
  long sum = 0;
  for (int i = 1; i <= count; ++i) {
    sum += square(i);
    rounds = rounds + 1;
  }
  return sum;
}

__attribute__((noinline)) void wait_for_the_debugger(void) {
  *console = 'w';
  *console = '\n';
  while (!released) continue;
}

__attribute__((noinline)) long go_astray(long sum) {
  __asm__ volatile(".word 0");
  return sum + 1;
}

int main(void) {
  long sum = sum_of_squares(5);
#ifdef WAITS
  wait_for_the_debugger();
#endif
#ifdef GOES_ASTRAY
  sum = go_astray(sum) + 1;
#endif
  return (int)sum;
}

__attribute__((noreturn, used)) void leave(int status) {
  *exit_register = status;
  for (;;) continue;
}

static char stack[4096] __attribute__((used, aligned(16)));

__attribute__((naked, used, section(".text.start"))) void _start(void) {
  __asm__ volatile(
      "la sp, stack + 4096\n"
      "call main\n"
      "j leave\n");
}
