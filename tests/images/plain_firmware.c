/* A firmware of somebody else's: one conventional track after the other, in plain C, against the registers alone. It shares no line with
 * the drive's own firmware, so that it shows what the registers promise.
 *
 * Logical sector s lies at place s of the tracks in order, of one zone. A command whose data lies on two tracks takes two steps. */
#include <stddef.h>
#include <stdint.h>

#ifndef VERSION
#define VERSION "4"
#endif
const char tessera_image_layer[] = "cmr";
const char tessera_image_version[] = VERSION; /* of the registers */
#ifdef DURABILITY
const char tessera_image_durability[] = DURABILITY;
#endif

/* ---- what the machine looks like (docs/reference/registers.md) ---- */

enum registers {
  IDENT_MAGIC = 0x0000,
  IDENT_BOOT_DATA = 0x0010,
  IDENT_CAPACITY = 0x0028,
  IDENT_REQUEST = 0x0030,
  IDENT_ANSWER = 0x0040,
  IDENT_IDLE = 0x0048,
  IDENT_PANIC = 0x0050,
  HOST_RING = 0x1000,
  HOST_ENTRIES = 0x1008,
  HOST_COMPLETE = 0x1010,
  DISK_SUBMIT = 0x2000,
  DISK_COMPLETIONS = 0x2008,
  DISK_ENTRIES = 0x2010,
  DISK_CONSUMED = 0x2018,
  INTERRUPTS_PENDING = 0x7000,
  INTERRUPTS_ENABLE = 0x7008,
  INTERRUPTS_CLEAR = 0x7010,
  UART_DATA = 0x8000,
  PROBE_NAME = 0x9000,
  PROBE_UNIT = 0x9020,
  PROBE_WHAT = 0x9028,
  PROBE_BITS = 0x9048,
  PROBE_FIGURE = 0x9050
};

/* A core of 32 bits reads the lower half first, and writes it last. */
static uint64_t get(enum registers which) {
  volatile uint32_t* const half = (volatile uint32_t*)(uintptr_t)(0x40000000u + which);
  if (sizeof(uintptr_t) == 8) return *(volatile uint64_t*)half;
  const uint32_t lower = half[0];
  return (uint64_t)half[1] << 32 | lower;
}

/* What was written to memory before is there before the register is. */
static void set(enum registers which, uint64_t value) {
  __asm__ volatile("fence" ::: "memory");
  volatile uint32_t* const half = (volatile uint32_t*)(uintptr_t)(0x40000000u + which);
  if (sizeof(uintptr_t) == 8) {
    *(volatile uint64_t*)half = value;
    return;
  }
  half[1] = (uint32_t)(value >> 32);
  half[0] = (uint32_t)value;
}

enum { LINE_REQUEST = 1, LINE_HOST = 2, LINE_DISK = 4 };
enum { FIGURE_DEFINED = 1, FIGURE_ACCUMULATES = 2 };
enum { HOST_READ, HOST_WRITE, HOST_FLUSH, HOST_TRIM };
enum { STATUS_OK = 0, STATUS_RULE_VIOLATION = 6 };
enum { ENTRY_COMMAND = 0 };

struct boot_data {
  uint64_t bytes, tags, sector_bytes, surfaces, reserved_sectors, exported_sectors, spare_radii, zones, zone_table;
};
struct boot_zone {
  uint64_t first_radius, radii, sectors_per_track, spare_sectors;
};
struct host_entry {
  uint32_t kind, tag, op, flags;
  uint64_t first_block, blocks, data, sectors;
  uint32_t status, half;
  volatile uint64_t turn;
};
struct completion {
  uint64_t cookie;
  uint32_t status, steps_done, any_lost, held;
  volatile uint64_t turn;
};
struct chain {
  uint64_t cookie;
  uint32_t steps, priority, carry_lost, tag, supervised, reserved;
  struct step {
    uint32_t op, hint, surface, radius, first, count;
    uint64_t data, system, headers;
    uint32_t header_count, each_header;
  } step[16];
};

/* ---- the firmware ---- */

#define TAGS 256
static struct host_entry commands[TAGS] __attribute__((aligned(64)));
static struct completion completions[TAGS] __attribute__((aligned(64)));
static struct chain chains[TAGS];
static uint64_t commands_taken, completions_taken;
static uint64_t lines; /* of interrupts, that are being looked after */
static uint64_t surfaces, per_track, sectors;
static uint64_t blocks_per_sector;

static void say(const char* text) {
  while (*text) set(UART_DATA, (uint8_t)*text++);
  set(UART_DATA, '\n');
}

static void end(uint64_t tag, uint64_t status) { set(HOST_COMPLETE, tag | status << 32); }

static void begin(const struct host_entry* command) {
  if (command->op == HOST_FLUSH || command->op == HOST_TRIM) return end(command->tag, STATUS_OK);
  if (command->first_block % blocks_per_sector || command->blocks % blocks_per_sector) return end(command->tag, STATUS_RULE_VIOLATION);
  uint64_t at = command->first_block / blocks_per_sector;
  uint64_t left = command->blocks / blocks_per_sector;
  uint64_t data = command->data;
  struct chain* chain = &chains[command->tag];
  chain->cookie = chain->tag = command->tag;
  chain->steps = 0;
  while (left != 0) {
    if (chain->steps == 16) return end(command->tag, STATUS_RULE_VIOLATION);
    const uint64_t track = at / per_track, first = at % per_track;
    const uint64_t count = per_track - first < left ? per_track - first : left;
    chain->step[chain->steps++] = (struct step){.op = command->op == HOST_WRITE,
                                                .surface = (uint32_t)(track % surfaces),
                                                .radius = (uint32_t)(track / surfaces),
                                                .first = (uint32_t)first,
                                                .count = (uint32_t)count,
                                                .data = data};
    at += count;
    left -= count;
    data += count * blocks_per_sector * 512;
  }
  set(DISK_SUBMIT, (uint64_t)(uintptr_t)chain);
}

static void take_commands(void) {
  for (;;) {
    const struct host_entry* entry = &commands[commands_taken % TAGS];
    if (entry->turn != commands_taken / TAGS + 1) return;
    ++commands_taken;
    if (entry->kind == ENTRY_COMMAND) begin(entry);
  }
}

static void take_completions(void) {
  for (;;) {
    const struct completion* entry = &completions[completions_taken % TAGS];
    if (entry->turn != completions_taken / TAGS + 1) return;
    set(DISK_CONSUMED, ++completions_taken);
    end(entry->cookie, entry->status);
  }
}

static void start(void) {
  const struct boot_data* boot = (const struct boot_data*)(uintptr_t)get(IDENT_BOOT_DATA);
  const struct boot_zone* zone = (const struct boot_zone*)((const char*)boot + boot->zone_table);
  if (boot->zones != 1 || boot->tags > TAGS / 4) { /* the host's ring has four entries for each */
    set(IDENT_PANIC, (uint64_t)(uintptr_t) "this firmware knows drives of one zone, and of at most 64 tags");
    return;
  }
  blocks_per_sector = boot->sector_bytes / 512;
  surfaces = boot->surfaces;
  per_track = zone->sectors_per_track;
  sectors = zone->radii * surfaces * per_track;
  set(HOST_RING, (uint64_t)(uintptr_t)commands);
  set(HOST_ENTRIES, TAGS);
  set(DISK_COMPLETIONS, (uint64_t)(uintptr_t)completions);
  set(DISK_ENTRIES, TAGS);
  set(INTERRUPTS_ENABLE, LINE_REQUEST | LINE_HOST | LINE_DISK);
#ifdef WRONG
  WRONG;
#endif
  say("plain firmware: ready");
  set(IDENT_CAPACITY, sectors);
  set(IDENT_IDLE, 1); /* nothing is ever kept back */
}

/* The bits of a number below 2^53 as a double of IEEE 754. */
static uint64_t as_double(uint64_t number) {
  const uint64_t one = 1ull << 52;
  uint64_t exponent = 1023 + 52;
  for (; number != 0 && number < one; number <<= 1) --exponent;
  return number == 0 ? 0 : exponent << 52 | (number & (one - 1));
}

/* For the simulator, which calls it between any two instructions of the others, on another processor: nothing that it stores stays. A
 * figure that needs a heap takes it from `room`. */
void tessera_image_report(void* room, size_t bytes) {
  (void)room, (void)bytes;
#ifdef WRONG_REPORT
  WRONG_REPORT;
#endif
  set(PROBE_NAME, (uint64_t)(uintptr_t) "plain.commands");
  set(PROBE_UNIT, (uint64_t)(uintptr_t) "1");
  set(PROBE_WHAT, (uint64_t)(uintptr_t) "commands that the firmware has taken");
  set(PROBE_BITS, as_double(commands_taken));
  set(PROBE_FIGURE, FIGURE_DEFINED | FIGURE_ACCUMULATES);
}

#ifdef TAKES_INTERRUPTS
/* One interrupt for each WFI: its handler lets no further one in, and the loop looks after what it was for. */
static volatile uint64_t taken;
static __attribute__((interrupt("machine"), aligned(4))) void take(void) {
  uintptr_t cause;
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  if (cause != (((uintptr_t)1 << (8 * sizeof cause - 1)) | 11)) set(IDENT_PANIC, (uint64_t)(uintptr_t) "a trap that is no interrupt");
  __asm__ volatile("csrc mie, %0" ::"r"(0x800));
  ++taken;
}
static void await(void) {
  const uint64_t before = taken;
  __asm__ volatile("csrci mstatus, 8; csrw mtvec, %0; csrs mie, %1; wfi; csrsi mstatus, 8" ::"r"(take), "r"(0x800) : "memory");
  while (taken == before) {
  }
}
#else
static void await(void) { __asm__ volatile("wfi"); }
#endif

void firmware(void) {
  start();
  for (;;) {
    lines = get(INTERRUPTS_PENDING);
    set(INTERRUPTS_CLEAR, lines);
    if (lines & LINE_REQUEST && get(IDENT_REQUEST) != 0) set(IDENT_ANSWER, STATUS_OK);
    if (lines & LINE_DISK) take_completions();
    if (lines & LINE_HOST) take_commands();
    if (lines == 0) await();
  }
}

#ifdef TESSERA_START /* the one of 'tessera firmware build' and of the CMake package calls this */
void firmware_main(void) { firmware(); }
#else
/* Interrupts wake WFI and are taken by the loop: none traps. */
__asm__(
    ".section .text.start\n"
    ".globl _start\n"
    "_start:\n"
    "  la sp, stack_end\n"
    "  li t0, 0x800\n" /* mie.MEIE */
    "  csrw mie, t0\n"
    "  j firmware\n"
    ".section .bss\n"
    ".balign 16\n"
    "  .space 4096\n"
    "stack_end:\n");
#endif
