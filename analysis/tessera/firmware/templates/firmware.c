/* @NAME@: firmware of a drive with one conventional track after the other. Logical sector s is place s of the tracks in order.
 *
 * All of it runs in the interrupt: main sleeps. Registers, numbers and structures are those of tessera_registers.h. */
#include <stddef.h>

#include "tessera_registers.h"

const char tessera_image_layer[] = "cmr"; /* for which the platters are formatted */
const char tessera_image_version[] = TESSERA_IMAGE_VERSION;
const char tessera_image_durability[] = "durable"; /* a write ends once it is on the platters */

#define ENTRIES 1024 /* of each ring: TESSERA_HOST_ENTRIES_PER_TAG for each tag */
#define STEPS TESSERA_MAX_STEPS
#define LINES (TESSERA_INTERRUPT_LINES_REQUEST | TESSERA_INTERRUPT_LINES_HOST | TESSERA_INTERRUPT_LINES_DISK)

static struct tessera_host_entry commands[ENTRIES] __attribute__((aligned(64)));
static struct tessera_completion_entry completions[ENTRIES] __attribute__((aligned(64)));
static struct chain {
  struct tessera_media_chain_entry head;
  struct tessera_media_step_entry step[STEPS];
} chains[ENTRIES / TESSERA_HOST_ENTRIES_PER_TAG]; /* by tag */
static uint64_t taken, finished; /* entries of the rings */
static const struct tessera_boot_data* boot;
static const struct tessera_boot_zone* zones;

/* The compiler may call these for structures. */
void* memset(void* to, int value, size_t count) {
  for (volatile unsigned char* byte = to; count != 0; --count) *byte++ = (unsigned char)value;
  return to;
}
void* memcpy(void* to, const void* from, size_t count) {
  const unsigned char* source = from;
  for (volatile unsigned char* byte = to; count != 0; --count) *byte++ = *source++;
  return to;
}

static void panic(const char* why) { tessera_write(TESSERA_IDENT_PANIC, (uintptr_t)why); }
static void end(uint64_t tag, uint64_t status) { tessera_write(TESSERA_HOST_COMPLETE, tag | status << 32); }

/* The step that covers `at` and as many of the `left` sectors from there on as its track holds. */
static struct tessera_media_step_entry step_at(uint64_t at, uint64_t left) {
  const struct tessera_boot_zone* zone = zones;
  for (; at >= zone->radii * boot->surfaces * zone->sectors_per_track; ++zone) at -= zone->radii * boot->surfaces * zone->sectors_per_track;
  const uint64_t track = at / zone->sectors_per_track, first = at % zone->sectors_per_track, room = zone->sectors_per_track - first;
  return (struct tessera_media_step_entry){.surface = (uint32_t)(track % boot->surfaces), .radius = (uint32_t)(zone->first_radius + track / boot->surfaces),
                                           .first = (uint32_t)first, .count = (uint32_t)(left < room ? left : room)};
}

static __attribute__((noinline)) void begin(const struct tessera_host_entry* command) { /* not inlined, so that debugger and profile name it */
  const uint64_t per_sector = boot->sector_bytes / 512;
  if (command->op == TESSERA_HOST_OP_FLUSH || command->op == TESSERA_HOST_OP_TRIM) return end(command->tag, TESSERA_STATUS_OK);
  if (command->op > TESSERA_HOST_OP_TRIM) return end(command->tag, TESSERA_STATUS_UNSUPPORTED);
  if (command->first_block % per_sector || command->blocks % per_sector) return end(command->tag, TESSERA_STATUS_INVALID_FIELD);
  struct chain* chain = &chains[command->tag];
  chain->head = (struct tessera_media_chain_entry){.cookie = command->tag, .tag = command->tag};
  uint64_t at = command->first_block / per_sector, left = command->blocks / per_sector, data = command->data.address;
  while (left != 0) {
    if (chain->head.steps == STEPS) return end(command->tag, TESSERA_STATUS_INVALID_FIELD);
    struct tessera_media_step_entry step = step_at(at, left);
    step.op = command->op == TESSERA_HOST_OP_WRITE ? TESSERA_MEDIA_OP_WRITE : TESSERA_MEDIA_OP_READ;
    step.data = data;
    chain->step[chain->head.steps++] = step;
    at += step.count, left -= step.count, data += step.count * boot->sector_bytes;
  }
  tessera_write(TESSERA_DISK_SUBMIT, (uintptr_t)chain);
}

/* The drive's lines are one external interrupt of the processor. */
static __attribute__((interrupt("machine"), aligned(4))) void on_interrupt(void) {
  uintptr_t cause;
  __asm__ volatile("csrr %0, mcause" : "=r"(cause));
  if ((cause & 0xff) != 11 || cause >> (8 * sizeof cause - 1) == 0) panic("a trap that is no external interrupt");
  for (uint64_t lines; (lines = tessera_read(TESSERA_INTERRUPTS_PENDING)) != 0;) {
    tessera_write(TESSERA_INTERRUPTS_CLEAR, lines);
    if (lines & TESSERA_INTERRUPT_LINES_REQUEST && tessera_read(TESSERA_IDENT_REQUEST) != TESSERA_REQUEST_NONE)
      tessera_write(TESSERA_IDENT_ANSWER, TESSERA_STATUS_OK); /* nothing to prefill, nothing to recover */
    for (struct tessera_completion_entry* entry; (entry = &completions[finished % ENTRIES])->turn == finished / ENTRIES + 1;) {
      tessera_write(TESSERA_DISK_CONSUMED, ++finished);
      end(entry->cookie, entry->status);
    }
    for (struct tessera_host_entry* entry; (entry = &commands[taken % ENTRIES])->turn == taken / ENTRIES + 1; ++taken)
      if (entry->kind == TESSERA_HOST_ENTRY_COMMAND) begin(entry);
  }
}

void firmware_main(void) {
  boot = (const struct tessera_boot_data*)(uintptr_t)tessera_read(TESSERA_IDENT_BOOT_DATA);
  zones = (const struct tessera_boot_zone*)((const char*)boot + boot->zone_table);
  if (boot->tags * TESSERA_HOST_ENTRIES_PER_TAG > ENTRIES) panic("this firmware knows drives of at most 256 tags: raise ENTRIES");
  if (boot->remaps != 0 || boot->surface_values != 0) panic("this firmware knows drives without moved sectors, with surfaces that are alike");
  uint64_t sectors = 0;
  for (uint64_t zone = 0; zone < boot->zones; ++zone) sectors += zones[zone].radii * boot->surfaces * zones[zone].sectors_per_track;
  tessera_write(TESSERA_HOST_RING, (uintptr_t)commands), tessera_write(TESSERA_HOST_ENTRIES, ENTRIES);
  tessera_write(TESSERA_DISK_COMPLETIONS, (uintptr_t)completions), tessera_write(TESSERA_DISK_ENTRIES, ENTRIES);
  tessera_write(TESSERA_INTERRUPTS_ENABLE, LINES);
  for (const char* text = "@NAME@: ready\n"; *text; ++text) tessera_write(TESSERA_UART_DATA, (uint8_t)*text);
  tessera_write(TESSERA_IDENT_CAPACITY, sectors), tessera_write(TESSERA_IDENT_IDLE, 1);
  __asm__ volatile("csrw mtvec, %0; csrw mie, %1; csrsi mstatus, 8" ::"r"(on_interrupt), "r"(0x800) : "memory"); /* mie.MEIE, mstatus.MIE */
  for (;;) __asm__ volatile("wfi");
}
