/* Firmware that does one thing wrong, chosen by -DBAD=NUMBER (tests/python/test_plugins.py); with NONE, a layer without fault: sectors lie
 * where they lie on conventional tracks. */
#include <stdlib.h>

#include "tessera_firmware.h"

enum {
  NONE, WRONG_VERSION, NO_LAYER, LACKS_COMMAND, PLANS_NOTHING, PLANS_NO_TRACKS, PLANS_BEYOND, PLANS_ODD_FORMAT, REFUSES_PLAN, NO_CAPACITY,
  NOT_CREATED, TOO_LARGE, PLAN_LOOPS, COMMAND_LOOPS, UNKNOWN_OPERATION, OTHER_OPERATION, COMPLETES_TWICE, ODD_STATUS, MEDIA_OUT_OF_RANGE,
  TRACK_TOO_SHORT, NO_STEPS, FOREIGN_DATA, TWO_WAITS, NEVER_WAITS, NEVER_READY, READY_NOT_PARKED, NO_FLASH, ODD_CHARGE, ODD_GAUGE, PANICS,
  FAULT_AT_BOOT, ODD_PARAMETER, GAUGE_IN_TWO_COLUMNS, EVENT_IN_TWO_LINES, NEVER_IDLE, FIGURE_TWICE,
  FIGURE_IN_TWO_COLUMNS, NAMELESS_FIGURE, WILD_POINTER, ABORTS, RECURSES, COUNT
};

#ifndef NAME
#define NAME "bad"
#endif
#ifndef REGION
#define REGION "data"
#endif
#ifndef PARAMETER
#define PARAMETER "choice"
#endif

static tessera_machine *machine;
static uint32_t surfaces, radii;
static tessera_operation earlier;
static int spin = 1;

static uint32_t deep(volatile uint32_t n) { return n == 0 ? 0 : 1 + deep(n + 1); }
static void loop(void) {
  while (*(volatile int *)&spin) {
  }
}

static void plan(const tessera_layer *code, const tessera_geometry *geometry, const tessera_value *values, const tessera_planner *planner) {
  (void)code, (void)values;
  const tessera_zone *last = &geometry->zones[geometry->zone_count - 1];
  const tessera_region data = {.name = REGION, .first = BAD == PLANS_BEYOND ? 1 : 0,
                               .count = BAD == PLANS_NO_TRACKS ? 0 : last->first_radius + last->radii,
                               .format = BAD == PLANS_ODD_FORMAT ? 9 : TESSERA_CONVENTIONAL, .top_ratio = 1.0, .skewed = 1};
  if (BAD == PLAN_LOOPS) loop();
  if (BAD == REFUSES_PLAN) planner->refuse(planner->context, "it is Monday");
  if (BAD != PLANS_NOTHING) planner->region(planner->context, &data);
}

static void *create(const tessera_layer *code, tessera_machine *m, const tessera_geometry *g, const tessera_region *regions,
                    uint32_t region_count, const tessera_value *values) {
  (void)code, (void)regions, (void)region_count, (void)values;
  machine = m;
  surfaces = g->surfaces;
  radii = g->zones[g->zone_count - 1].first_radius + g->zones[g->zone_count - 1].radii;
  if (BAD == TOO_LARGE) m->reserve(m, TESSERA_METADATA, 1ull << 50, 0, "a table larger than any memory");
  return BAD == NOT_CREATED ? NULL : &machine;
}

/* As many sectors on every track as the shortest has. */
static uint32_t length(void) { return machine->sectors_on(machine, 0, radii - 1); }
static uint64_t user_sectors(const void *self) {
  (void)self;
  return BAD == NO_CAPACITY ? 0 : (uint64_t)length() * surfaces * radii;
}

static void boot(void *self, tessera_operation number, int after_power_cut) {
  (void)self, (void)after_power_cut;
  if (BAD == FAULT_AT_BOOT) machine->charge(machine, 99, 1);
  machine->complete(machine, number, TESSERA_OK);
}

static void begin(const tessera_command *c) {
  static tessera_media_step step;
  const uint32_t track = (uint32_t)(c->first / length()), index = (uint32_t)(c->first % length());
  const tessera_media_step here = {.write = c->kind == TESSERA_WRITE, .surface = track % surfaces,
                                   .radius = BAD == MEDIA_OUT_OF_RANGE ? radii : track / surfaces, .first = index, .count = c->count,
                                   .data = c->data};
  const tessera_media_chain chain = {0, 0, BAD == NO_STEPS ? 0 : 1, &step};
  step = here;
  if (BAD == TRACK_TOO_SHORT) step.first = machine->sectors_on(machine, step.surface, step.radius);
  if (BAD == FOREIGN_DATA) step.data.address += 1ull << 40;
  machine->media(machine, c->operation, &chain);
}

static void command(void *self, const tessera_command *c) {
  (void)self;
  tessera_flash_command erase = {.op = TESSERA_FLASH_ERASE, .next = TESSERA_NO_COMMAND};
  if (c->kind != TESSERA_READ && c->kind != TESSERA_WRITE) {
    machine->complete(machine, c->operation, TESSERA_OK);
    return;
  }
  switch (BAD) {
    case COMMAND_LOOPS: loop(); break;
    case UNKNOWN_OPERATION: machine->complete(machine, c->operation + (1u << 20), TESSERA_OK); break;
    case OTHER_OPERATION:
      if (earlier != 0) machine->complete(machine, earlier, TESSERA_OK);
      earlier = c->operation;
      machine->park(machine, c->operation, TESSERA_WAITS_LOCK);
      break;
    case COMPLETES_TWICE:
      machine->complete(machine, c->operation, TESSERA_OK);
      machine->complete(machine, c->operation, TESSERA_OK);
      break;
    case ODD_STATUS: machine->complete(machine, c->operation, 77); break;
    case TWO_WAITS:
      machine->timer(machine, c->operation, 0);
      begin(c);
      break;
    case NEVER_WAITS: break;
    case NEVER_READY: machine->park(machine, c->operation, TESSERA_WAITS_LOCK); break;
    case READY_NOT_PARKED: machine->ready(machine, c->operation); break;
    case NO_FLASH: machine->flash(machine, c->operation, &erase, 1); break;
    case ODD_CHARGE: machine->charge(machine, 99, 1); break;
    case ODD_GAUGE: machine->gauge(machine, 5, 1); break;
    case GAUGE_IN_TWO_COLUMNS: machine->declare_gauge(machine, "free,blocks", "1", "what is free"); break;
    case EVENT_IN_TWO_LINES: machine->note(machine, "rmw\nmerge", TESSERA_HAPPENS, 0, 0); break;
    case WILD_POINTER: *(volatile int *)8 = 1; break;
    case ABORTS: abort(); break;
    case RECURSES: earlier = deep(1); break;
    case PANICS: machine->panic(machine, "a table contradicts itself"); break;
    default: begin(c); break;
  }
}

static void event(void *self, tessera_operation number, tessera_status status, uint32_t steps_done) {
  (void)self, (void)steps_done;
  machine->complete(machine, number, status);
}

static int idle(const void *self) {
  (void)self;
  return BAD != NEVER_IDLE;
}
static void destroy(void *self) { (void)self; }

#ifdef PLAIN  /* a parameter without fault but for its name */
#define KIND TESSERA_FLAG
#else
#define KIND TESSERA_CHOICE
#endif
static const tessera_parameter odd = {.name = PARAMETER, .what = "a choice of nothing", .kind = KIND};
static void report(const void *self, const tessera_reporter *to) {
  (void)self;
  if (BAD == NAMELESS_FIGURE) to->figure(to->context, NULL, 1, 1, "1", "a figure", 0);
  for (int i = 0; i < (BAD == FIGURE_TWICE ? 2 : 1); ++i) to->figure(to->context, BAD == FIGURE_IN_TWO_COLUMNS ? "a,b" : "own.figure", 1, 1, "1", "a figure", 0);
}

static const tessera_layer layer = {.abi = BAD == WRONG_VERSION ? TESSERA_FIRMWARE_ABI + 1 : TESSERA_FIRMWARE_ABI, .size = sizeof(tessera_layer),
                                    .name = NAME, .summary = "does one thing wrong", .parameters = &odd,
                                    .parameter_count = BAD == ODD_PARAMETER ? 1 : 0, .plan = plan, .create = create,
                                    .user_sectors = user_sectors, .boot = boot, .command = BAD == LACKS_COMMAND ? NULL : command,
                                    .event = event, .idle = idle, .destroy = destroy, .report = report};

#ifdef NO_ENTRY
const int nothing_of_use = 1;
#else
const tessera_layer *tessera_firmware_layer(uint32_t abi, uint32_t index) {
#ifdef UNDEFINED
  extern void no_such_function(void);
  no_such_function();
#endif
  return abi == TESSERA_FIRMWARE_ABI && index == 0 && BAD != NO_LAYER ? &layer : NULL;
}
#endif
