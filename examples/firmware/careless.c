/* A layer that loses data: it writes interlaced tracks in place, as if they did not overlap. `tessera-sim torture` shows what is lost. */
#include <stdlib.h>
#include "tessera_firmware.h"

struct layer { tessera_machine *machine; uint64_t tracks; uint32_t surfaces, length, bytes; tessera_media_step steps[1 << 16][TESSERA_MOST_STEPS]; };

static void plan(const tessera_layer *code, const tessera_geometry *g, const tessera_value *values, const tessera_planner *planner) {
  const tessera_zone *last = &g->zones[g->zone_count - 1];
  planner->region(planner->context, &(tessera_region){"data", 0, last->first_radius + last->radii, TESSERA_INTERLACED, 2, 1, 0, 0, 1.0, 0});
}

static void *create(const tessera_layer *code, tessera_machine *machine, const tessera_geometry *g, const tessera_region *data, uint32_t regions,
                    const tessera_value *values) {
  struct layer *l = calloc(1, sizeof *l);
  l->machine = machine, l->surfaces = g->surfaces, l->bytes = g->sector_bytes, l->tracks = data->count * g->surfaces;
  l->length = machine->sectors_on(machine, 0, (uint32_t)data->count - 1); /* the innermost track's: for all, to be short */
  return l;
}

static uint64_t user_sectors(const void *self) { const struct layer *l = self; return l->tracks * l->length; }
static int idle(const void *self) { return self != NULL; } /* it has no background work */
static void event(void *self, tessera_operation number, tessera_status status, uint32_t steps) {
  struct layer *l = self;
  l->machine->complete(l->machine, number, status);
}
static void boot(void *self, tessera_operation number, int again) { event(self, number, TESSERA_OK, 0); }

static void command(void *self, const tessera_command *c) {
  struct layer *l = self;
  tessera_media_step *step = l->steps[TESSERA_SLOT(c->operation)];
  tessera_media_chain chain = {.priority = TESSERA_CLASS_HOST, .steps = step};
  if (c->kind != TESSERA_READ && c->kind != TESSERA_WRITE) { event(l, c->operation, TESSERA_OK, 0); return; } /* all is on the platters */
  for (uint32_t done = 0; done < c->count; done += step++->count, ++chain.step_count) { /* a run on each track */
    const uint64_t sector = c->first + done, track = sector / l->length, left = l->length - sector % l->length;
    const uint32_t count = left < c->count - done ? (uint32_t)left : c->count - done;
    const tessera_data data = {c->data.address + (uint64_t)done * l->bytes, count};
    *step = (tessera_media_step){.write = c->kind == TESSERA_WRITE, .surface = (uint32_t)(track % l->surfaces), .count = count, .data = data,
                                 .radius = (uint32_t)(track / l->surfaces), .first = (uint32_t)(sector % l->length)};
  }
  l->machine->media(l->machine, c->operation, &chain);
}

static const tessera_layer layer = {
    .abi = TESSERA_FIRMWARE_ABI, .size = sizeof(tessera_layer), .name = "careless",
    .summary = "interlaced tracks written in place as if they did not overlap: an example that loses data",
    .plan = plan, .create = create, .user_sectors = user_sectors, .boot = boot, .command = command, .event = event, .idle = idle, .destroy = free};
const tessera_layer *tessera_firmware_layer(uint32_t abi, uint32_t index) { return abi == TESSERA_FIRMWARE_ABI && index == 0 ? &layer : NULL; }
