/* A translation layer in C: interlaced tracks, updated in place. Sectors lie where they lie, track by track. Under each top track (odd radius
 * of the region) are two bottom tracks; writing a bottom destroys what lies at the same angles of the tops beside it. So a write to a bottom
 *
 *   reads these sectors of the tops,
 *   saves them in the backup track, with a record in the header of the last sector,
 *   writes the bottom, then the tops again, and voids the record.
 *
 * A power cut in between leaves the record in force, and the next boot writes the tops again. One operation at a time: others wait their turn.
 *
 *   cc -std=c11 -shared -fPIC -I platforms/plugin examples/firmware/interlaced_in_place.c -o libinterlaced.so
 *   build/release/tessera-sim run common --firmware ./libinterlaced.so --workload web-server --fold --limit 5000 --check --out /tmp/mine */
#include <stdlib.h>
#include <string.h>

#include "tessera_firmware.h"

#define RECORD 0x3152575241535345ull
#define NONE 0xffffffffu

struct run { uint32_t radius, surface, first, count; };
struct record { uint64_t magic; struct run bottom; }; /* the header's first bytes */
enum stage { LOOKS, LOADS, SAVES, WRITES, RESTORES, TURN };

struct operation {
  tessera_command command;
  tessera_operation number;
  enum stage stage;
  uint32_t done, piece; /* sectors */
  struct run bottom;    /* whose tops are saved */
  tessera_status status;
  uint32_t next; /* in the queue of those that wait their turn */
};

struct layer {
  tessera_machine *machine;
  uint32_t sector_bytes, surfaces, first, radii; /* the latter of the data region */
  uint64_t *start;                 /* of each track: its first logical sector */
  uint32_t tracks, backup_length, spares; /* of a track */
  tessera_data saved; /* tops, on their way to the backup track and back */
  uint8_t header[TESSERA_HEADER_BYTES];
  tessera_media_step steps[5];
  struct operation operations[65536]; /* by TESSERA_SLOT */
  uint32_t busy, head, tail;          /* who has its turn, who waits for it */
  uint64_t rmws;
};

static const tessera_parameter parameters[] = {
    {"top_ratio", "sectors of a top track over sectors of a bottom track", TESSERA_REAL, 0, NULL, 0.1, 1.0, {0, 0.9}}};

static void plan(const tessera_layer *code, const tessera_geometry *geometry, const tessera_value *values, const tessera_planner *planner) {
  (void)code;
  const tessera_zone *last = &geometry->zones[geometry->zone_count - 1];
  const uint32_t radii = last->first_radius + last->radii;
  if (radii < 3) {
    planner->refuse(planner->context, "two data tracks and a backup track take three radii");
    return;
  }
  const tessera_region backup = {"backup", 0, 1, TESSERA_CONVENTIONAL, 2, 1, 0, 0, 1.0, 0};
  const tessera_region data = {"data", 1, radii - 1, TESSERA_INTERLACED, 2, 1, 0, 0, values[0].real, 0}; /* tracks align in angle */
  planner->region(planner->context, &backup);
  planner->region(planner->context, &data);
}

static struct run place(const struct layer *l, uint64_t sector, uint32_t most) {
  uint32_t low = 0, high = l->tracks;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (l->start[middle] <= sector) low = middle; else high = middle;
  }
  l->machine->charge(l->machine, TESSERA_CPU_TREE_LEVEL, 16);
  const uint64_t left = l->start[low + 1] - sector;
  const struct run run = {l->first + low / l->surfaces, low % l->surfaces, (uint32_t)(sector - l->start[low]), left < most ? (uint32_t)left : most};
  return run;
}

static int is_bottom(const struct layer *l, const struct run *run) { return (run->radius - l->first) % 2 == 0; }

/* The sectors of the tops that a write to `bottom` destroys. */
static uint32_t tops_of(const struct layer *l, const struct run *bottom, struct run tops[2]) {
  const uint64_t from = l->machine->sectors_on(l->machine, bottom->surface, bottom->radius) + l->spares; /* places of a turn */
  uint32_t count = 0;
  for (int side = -1; side <= 1; side += 2) {
    const uint32_t radius = bottom->radius + (uint32_t)side;
    if (radius < l->first || radius >= l->first + l->radii) continue;
    const uint64_t sectors = l->machine->sectors_on(l->machine, bottom->surface, radius), to = sectors + l->spares;
    uint64_t first = bottom->first * to / from, end = ((uint64_t)(bottom->first + bottom->count) * to + from - 1) / from;
    if (first >= sectors) first = sectors - 1; /* after the last sector are spares */
    if (end > sectors) end = sectors;
    const struct run top = {radius, bottom->surface, (uint32_t)first, (uint32_t)(end - first)};
    tops[count++] = top;
  }
  return count;
}

static tessera_media_step step(int write, struct run run, tessera_data data) {
  const tessera_media_step s = {.write = (uint32_t)write, .hint = TESSERA_SAME_ANGLE, .surface = run.surface, .radius = run.radius,
                                .first = run.first, .count = run.count, .data = data};
  return s;
}

/* `count` sectors of a buffer from `first` on. */
static tessera_data part(const struct layer *l, tessera_data data, uint32_t first, uint32_t count) {
  const tessera_data sectors = {data.address + (uint64_t)first * l->sector_bytes, count};
  return sectors;
}

/* Steps that move the tops of `bottom` between platters and buffer; gives their sectors. */
static uint32_t add_tops(struct layer *l, int write, const struct run *bottom, uint32_t *steps) {
  struct run tops[2];
  const uint32_t count = tops_of(l, bottom, tops);
  uint32_t sectors = 0;
  for (uint32_t i = 0; i < count; ++i) {
    l->steps[(*steps)++] = step(write, tops[i], part(l, l->saved, sectors, tops[i].count));
    sectors += tops[i].count;
  }
  return sectors;
}

/* The record is on the last sector of the backup track, and what it tells of ends there. */
static void add_record(struct layer *l, int write, uint32_t sectors, uint32_t *steps) {
  const struct run backup = {0, 0, l->backup_length - sectors, sectors};
  tessera_media_step *s = &l->steps[(*steps)++];
  *s = step(write, backup, part(l, l->saved, 0, sectors));
  s->headers = l->header;
  s->header_count = 1;
}

static void run_chain(struct layer *l, struct operation *o, enum stage stage, uint32_t steps, int carry_lost) {
  const tessera_media_chain chain = {o->command.background ? TESSERA_CLASS_BACKGROUND : TESSERA_CLASS_HOST, (uint32_t)carry_lost, steps, l->steps};
  o->stage = stage;
  l->machine->media(l->machine, o->number, &chain);
}

static void restore(struct layer *l, struct operation *o) {
  uint32_t steps = 0;
  add_tops(l, 1, &o->bottom, &steps);
  run_chain(l, o, RESTORES, steps, 0);
}

/* Ends the operation and gives the turn to the next. */
static void finish(struct layer *l, struct operation *o, tessera_status status) {
  l->busy = l->head;
  if (l->head != NONE) {
    struct operation *next = &l->operations[l->head];
    l->head = next->next;
    l->machine->ready(l->machine, next->number);
  }
  l->machine->complete(l->machine, o->number, status);
}

/* Begins with the next piece of the command: at most a run on one track, and no more than the backup track takes tops for. */
static void next_piece(struct layer *l, struct operation *o) {
  if (o->done == o->command.count) {
    finish(l, o, TESSERA_OK);
    return;
  }
  const uint32_t most = l->backup_length / 2 - 2, left = o->command.count - o->done;
  const struct run run = place(l, o->command.first + o->done, left < most ? left : most);
  uint32_t steps = 0;
  o->piece = run.count;
  o->bottom = run;
  if (o->command.kind == TESSERA_WRITE && is_bottom(l, &run)) {
    add_tops(l, 0, &run, &steps);
    run_chain(l, o, SAVES, steps, 1);
  } else {
    l->steps[steps++] = step(o->command.kind == TESSERA_WRITE, run, part(l, o->command.data, o->done, run.count));
    run_chain(l, o, WRITES, steps, 0);
  }
}

/* The tops are in the buffer: saved, bottom, tops, void; all in one chain. */
static void write_bottom(struct layer *l, struct operation *o) {
  static const uint8_t voided[TESSERA_HEADER_BYTES];
  const struct record record = {RECORD, o->bottom};
  struct run tops[2];
  uint32_t steps = 0, sectors = 0;
  for (uint32_t i = 0, n = tops_of(l, &o->bottom, tops); i < n; ++i) sectors += tops[i].count;
  memset(l->header, 0, sizeof l->header);
  memcpy(l->header, &record, sizeof record);
  add_record(l, 1, sectors, &steps);
  l->steps[steps++] = step(1, o->bottom, part(l, o->command.data, o->done, o->piece));
  add_tops(l, 1, &o->bottom, &steps);
  const struct run last = {0, 0, l->backup_length - 1, 1};
  l->steps[steps] = step(1, last, part(l, l->saved, sectors - 1, 1));
  l->steps[steps].headers = (void *)voided;
  l->steps[steps++].header_count = 1;
  ++l->rmws;
  run_chain(l, o, WRITES, steps, 0);
}

static void boot(void *self, tessera_operation number, int after_power_cut) {
  struct layer *l = self;
  struct operation *o = &l->operations[TESSERA_SLOT(number)];
  memset(o, 0, sizeof *o);
  o->number = number;
  if (!after_power_cut) {
    l->machine->complete(l->machine, number, TESSERA_OK);
    return;
  }
  uint32_t steps = 0;
  l->busy = TESSERA_SLOT(number);
  add_record(l, 0, 1, &steps);
  run_chain(l, o, LOOKS, steps, 0);
}

static void command(void *self, const tessera_command *c) {
  struct layer *l = self;
  struct operation *o = &l->operations[TESSERA_SLOT(c->operation)];
  memset(o, 0, sizeof *o);
  o->command = *c;
  o->number = c->operation;
  o->next = NONE;
  if (c->kind != TESSERA_READ && c->kind != TESSERA_WRITE) { /* what was acknowledged is on the platters */
    l->machine->complete(l->machine, o->number, TESSERA_OK);
  } else if (l->busy == NONE) {
    l->busy = TESSERA_SLOT(o->number);
    next_piece(l, o);
  } else {
    if (l->head == NONE) l->head = TESSERA_SLOT(o->number); else l->operations[l->tail].next = TESSERA_SLOT(o->number);
    l->tail = TESSERA_SLOT(o->number);
    o->stage = TURN;
    l->machine->park(l->machine, o->number, TESSERA_WAITS_LOCK);
  }
}

static void event(void *self, tessera_operation number, tessera_status status, uint32_t steps_done) {
  struct layer *l = self;
  struct operation *o = &l->operations[TESSERA_SLOT(number)];
  struct record record;
  struct run tops[2];
  uint32_t steps = 0, sectors = 0;
  switch (o->stage) {
    case TURN: next_piece(l, o); return;
    case LOOKS: /* no record that can be read: no write was past its saving, or it ended */
      memcpy(&record, l->header, sizeof record);
      if (status != TESSERA_OK || record.magic != RECORD) {
        finish(l, o, TESSERA_OK);
        return;
      }
      o->bottom = record.bottom;
      for (uint32_t i = 0, n = tops_of(l, &o->bottom, tops); i < n; ++i) sectors += tops[i].count;
      add_record(l, 0, sectors, &steps);
      run_chain(l, o, LOADS, steps, 1);
      return;
    case LOADS: restore(l, o); return;
    case SAVES:
      if (status == TESSERA_OK) write_bottom(l, o); else finish(l, o, status);
      return;
    case WRITES:
      o->status = status;
      if (status != TESSERA_OK && steps_done > 0) {
        restore(l, o); /* the bottom may have been written */
      } else if (status != TESSERA_OK) {
        finish(l, o, status);
      } else {
        o->done += o->piece;
        next_piece(l, o);
      }
      return;
    case RESTORES: finish(l, o, o->status != TESSERA_OK ? o->status : status); return;
  }
}

static void *create(const tessera_layer *code, tessera_machine *m, const tessera_geometry *g, const tessera_region *regions,
                    uint32_t region_count, const tessera_value *values) {
  (void)code, (void)values;
  struct layer *l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  l->machine = m;
  l->surfaces = g->surfaces;
  l->spares = g->track_spares;
  l->first = (uint32_t)regions[region_count - 1].first;
  l->radii = (uint32_t)regions[region_count - 1].count;
  l->busy = l->head = l->tail = NONE;
  l->sector_bytes = g->sector_bytes;
  l->backup_length = m->sectors_on(m, 0, 0);
  l->saved = m->reserve_buffer(m, TESSERA_MERGE_BUFFER, l->backup_length, 0, "tops under way");
  l->tracks = l->radii * l->surfaces;
  l->start = calloc((size_t)l->tracks + 1, sizeof *l->start);
  for (uint32_t t = 0; l->start != NULL && t < l->tracks; ++t)
    l->start[t + 1] = l->start[t] + m->sectors_on(m, t % l->surfaces, l->first + t / l->surfaces);
  return l;
}

static uint64_t user_sectors(const void *self) { return ((const struct layer *)self)->start[((const struct layer *)self)->tracks]; }
static int idle(const void *self) { return ((const struct layer *)self)->busy == NONE; }
static void destroy(void *self) {
  free(((struct layer *)self)->start);
  free(self);
}
static void report(const void *self, const tessera_reporter *to) {
  to->figure(to->context, "rmw.count", (double)((const struct layer *)self)->rmws, 1, "1", "read-modify-writes of bottom tracks", 1);
}

static const tessera_layer layer = {
    .abi = TESSERA_FIRMWARE_ABI, .size = sizeof(tessera_layer), .name = "in-place",
    .summary = "interlaced tracks, bottoms updated in place; an example in C", .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters, .plan = plan, .create = create, .user_sectors = user_sectors, .boot = boot,
    .command = command, .event = event, .idle = idle, .destroy = destroy, .report = report};

const tessera_layer *tessera_firmware_layer(uint32_t abi, uint32_t index) {
  return abi == TESSERA_FIRMWARE_ABI && index == 0 ? &layer : NULL;
}
