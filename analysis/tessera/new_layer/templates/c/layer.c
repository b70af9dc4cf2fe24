/* @NAME@: @SUMMARY@
 *
 * The drive's sectors are numbered unit by unit. A unit is a run of tracks on one surface, with a free track behind it, so that a write to
 * one unit destroys nothing in the next. No unit is ever updated in place:
 *
 *   1. read the unit into memory, and put the new sectors over it;
 *   2. write it to the zone's spare unit, the tracks in the order in which they destroy nothing;
 *   3. write its record (unit, sequence number) into the headers of its last two sectors, one after the other.
 *
 * With the first record written the new copy counts, and the place of the old one is the spare. Boot after a power cut reads the records: of
 * each unit the copy with the highest number is valid, and one that has no record is where the format put it. A cut in step 2 leaves the old
 * copy; a torn record leaves the old copy or the other record. README.md has what this promises. */
#include <stdlib.h>
#include <string.h>

#include "tessera_firmware.h"

#define RECORD 0x6c617965722d31ull /* "layer-1": of this layout, so that nothing else is taken for one */
#define NONE 0xffffffffu
#define MOST_TRACKS 13u /* of a unit: with two records a chain of at most TESSERA_MOST_STEPS */
#define RECORDS 2u      /* sectors at the end of a unit */
#define AT_A_TIME (TESSERA_MOST_STEPS / RECORDS) /* units of which a boot reads the records in one chain */

enum { TRACKS, UNIT_TRACKS, DURABILITY, BUFFER, PARAMETERS };
enum { SHINGLED, INTERLACED };
enum { NO_BUFFER, VOLATILE, PLP };
static const char *const tracks[] = {"shingled", "interlaced"};
static const char *const durabilities[] = {"none", "volatile", "plp"};
static const tessera_parameter parameters[PARAMETERS] = {
    {"tracks", "recording format", TESSERA_CHOICE, 2, tracks, 0, 0, {@TRACKS@, 0}},
    {"unit_tracks", "tracks that are rewritten together; odd where interlaced", TESSERA_COUNT, 0, NULL, 1, MOST_TRACKS, {@UNIT@, 0}},
    {"durability", "when a write is acknowledged: on the platters; in volatile memory; in memory that is dumped at a power loss",
     TESSERA_CHOICE, 3, durabilities, 0, 0, {@DURABILITY@, 0}},
    {"buffer", "write buffer; without effect with durability none", TESSERA_SIZE, 0, NULL, 4096, 1 << 30, {@BUFFER@, 0}}};

struct record { uint64_t magic, unit, sequence; }; /* the header's first bytes */

/* Units of one size: those of a zone of the drive, one of them the spare. */
struct zone {
  uint32_t radius, places;        /* its first; units, with the spare */
  uint32_t sectors;               /* of a unit, with the records */
  uint64_t first_sector;          /* logical */
  uint32_t first_unit, first_place, spare;
};

enum stage { TURN, READING, LOADING, STORING, SCANNING };
struct operation {
  tessera_command command;
  enum stage stage;
  uint32_t done, piece; /* sectors */
  uint32_t next;        /* in the queue of those that wait their turn */
};

struct layer {
  tessera_machine *machine;
  uint32_t surfaces, sector_bytes, unit_tracks, stride, interlaced;
  struct zone *zones;
  uint32_t zone_count, units, places;
  uint64_t sectors, sequence;

  uint32_t largest; /* sectors of a unit, in whatever zone */
  uint32_t *map;    /* unit -> place */
  uint64_t map_address, *newest; /* unit -> sequence number, while booting */
  tessera_data image; /* the unit that is rewritten */
  uint32_t unit, through; /* it, and the sectors of the running command that it takes */

  uint32_t slots, used, hand; /* the write buffer */
  uint64_t *slot_sector;      /* each one's logical sector and 1, or 0; dumped with plp */
  uint64_t slot_address;
  uint32_t *bucket, *chain;   /* sector -> slot; built again by boot */
  tessera_data buffer;

  uint8_t headers[TESSERA_MOST_STEPS][TESSERA_HEADER_BYTES];
  tessera_media_step steps[TESSERA_MOST_STEPS];
  struct operation operations[65536]; /* by TESSERA_SLOT */
  uint32_t busy, head, tail;          /* who has its turn, who waits for it */
  uint32_t scanned;
  uint64_t rewrites, moved, hits;
};

/* ---- where things are ---- */

static void plan(const tessera_layer *code, const tessera_geometry *g, const tessera_value *values, const tessera_planner *planner) {
  (void)code;
  const uint32_t unit = (uint32_t)values[UNIT_TRACKS].integer, interlaced = values[TRACKS].integer == INTERLACED;
  uint32_t fit = 0;
  if (interlaced && unit % 2 == 0) {
    planner->refuse(planner->context, "unit_tracks is even; interlaced units begin and end with a bottom track, so it has to be odd");
    return;
  }
  for (uint32_t i = 0; i < g->zone_count; ++i) {
    const uint32_t bands = g->zones[i].radii / (unit + 1);
    if (bands * g->surfaces < 2) continue; /* a unit and the spare */
    const tessera_region region = {"units", g->zones[i].first_radius, (uint64_t)bands * (unit + 1),
                                   interlaced ? TESSERA_INTERLACED : TESSERA_SHINGLED, 2, 1, interlaced ? 0 : unit, interlaced ? 0 : 1, 1.0, 1};
    planner->region(planner->context, &region);
    ++fit;
  }
  if (fit == 0) planner->refuse(planner->context, "no zone of the drive holds two units; a smaller unit_tracks would fit");
}

/* The track that is written as the `step`th of a unit: upwards where shingled; bottoms, then tops where interlaced. */
static uint32_t track_at(const struct layer *l, uint32_t step) {
  if (!l->interlaced) return step;
  const uint32_t bottoms = (l->unit_tracks + 1) / 2;
  return step < bottoms ? 2 * step : 2 * (step - bottoms) + 1;
}

/* Up to `most` sectors of a place from `index` on, as far as they are on one track. */
static tessera_media_step run_at(const struct layer *l, const struct zone *zone, uint32_t place, uint32_t index, uint32_t most) {
  const uint32_t number = place - zone->first_place;
  tessera_media_step run = {.surface = number % l->surfaces};
  for (uint32_t step = 0; step < l->unit_tracks; ++step) {
    run.radius = zone->radius + number / l->surfaces * l->stride + track_at(l, step);
    const uint32_t length = l->machine->sectors_on(l->machine, run.surface, run.radius);
    if (index < length) {
      run.first = index;
      run.count = length - index < most ? length - index : most;
      break;
    }
    index -= length;
  }
  return run;
}

static const struct zone *zone_of_sector(const struct layer *l, uint64_t sector) {
  uint32_t z = l->zone_count - 1;
  while (l->zones[z].first_sector > sector) --z;
  return &l->zones[z];
}
static struct zone *zone_of_unit(const struct layer *l, uint32_t unit) {
  uint32_t z = l->zone_count - 1;
  while (l->zones[z].first_unit > unit) --z;
  return &l->zones[z];
}
static struct zone *zone_of_place(const struct layer *l, uint32_t place) {
  uint32_t z = l->zone_count - 1;
  while (l->zones[z].first_place > place) --z;
  return &l->zones[z];
}
static uint32_t unit_of(const struct layer *l, uint64_t sector) {
  const struct zone *zone = zone_of_sector(l, sector);
  return zone->first_unit + (uint32_t)((sector - zone->first_sector) / (zone->sectors - RECORDS));
}
static uint64_t first_of(const struct layer *l, uint32_t unit) {
  const struct zone *zone = zone_of_unit(l, unit);
  return zone->first_sector + (uint64_t)(unit - zone->first_unit) * (zone->sectors - RECORDS);
}

/* `count` sectors of a buffer from `first` on. */
static tessera_data part(const struct layer *l, tessera_data data, uint32_t first, uint32_t count) {
  const tessera_data sectors = {data.address + (uint64_t)first * l->sector_bytes, count};
  return sectors;
}

/* ---- the write buffer ---- */

static uint32_t *bucket_of(const struct layer *l, uint64_t sector) { return &l->bucket[sector * 0x9e3779b97f4a7c15ull >> 32 & (l->slots - 1)]; }

static uint32_t find(const struct layer *l, uint64_t sector) {
  if (l->used == 0) return NONE;
  l->machine->charge(l->machine, TESSERA_CPU_HASH, 1);
  uint32_t slot = *bucket_of(l, sector);
  while (slot != NONE && l->slot_sector[slot] != sector + 1) slot = l->chain[slot];
  return slot;
}

static void enter(struct layer *l, uint32_t slot, uint64_t sector) {
  uint32_t *bucket = bucket_of(l, sector);
  l->chain[slot] = *bucket;
  *bucket = slot;
  l->slot_sector[slot] = sector + 1;
  l->machine->touch(l->machine, l->slot_address + slot * sizeof *l->slot_sector, sizeof *l->slot_sector, 1);
  ++l->used;
}

static void leave(struct layer *l, uint32_t slot) {
  uint32_t *link = bucket_of(l, l->slot_sector[slot] - 1);
  while (*link != slot) link = &l->chain[*link];
  *link = l->chain[slot];
  l->slot_sector[slot] = 0;
  l->machine->touch(l->machine, l->slot_address + slot * sizeof *l->slot_sector, sizeof *l->slot_sector, 1);
  --l->used;
}

/* Takes one sector of a command, if there is room. */
static int take(struct layer *l, uint64_t sector, tessera_data data) {
  uint32_t slot = find(l, sector);
  if (slot != NONE) {
    ++l->hits;
  } else {
    if (l->used == l->slots) return 0;
    for (slot = l->hand; l->slot_sector[slot] != 0;) slot = (slot + 1) & (l->slots - 1);
  }
  l->machine->copy(l->machine, data, part(l, l->buffer, slot, 1)); /* the data first: a slot that counts is whole */
  if (l->slot_sector[slot] == 0) enter(l, slot, sector);
  return 1;
}

/* The unit of the sector that the hand comes to first: whole units leave the buffer, about in the order in which they came. */
static uint32_t victim(struct layer *l) {
  while (l->slot_sector[l->hand] == 0) l->hand = (l->hand + 1) & (l->slots - 1);
  return unit_of(l, l->slot_sector[l->hand] - 1);
}

/* ---- operations ---- */

static void store(struct layer *l, struct operation *o);

static void run_chain(struct layer *l, struct operation *o, enum stage stage, uint32_t steps, int carry_lost) {
  const tessera_media_chain chain = {o->command.background ? TESSERA_CLASS_BACKGROUND : TESSERA_CLASS_HOST, (uint32_t)carry_lost, steps, l->steps};
  o->stage = stage;
  l->machine->media(l->machine, o->command.operation, &chain);
}

/* Ends the operation and gives the turn to the next. */
static void finish(struct layer *l, struct operation *o, tessera_status status) {
  l->busy = l->head;
  if (l->head != NONE) {
    struct operation *next = &l->operations[l->head];
    l->head = next->next;
    l->machine->ready(l->machine, next->command.operation);
  }
  l->machine->complete(l->machine, o->command.operation, status);
}

/* Step 1: the unit as it is, unless the command has all of it. */
static void load(struct layer *l, struct operation *o, uint32_t unit, uint32_t through) {
  const struct zone *zone = zone_of_unit(l, unit);
  const uint32_t sectors = zone->sectors - RECORDS;
  uint32_t steps = 0;
  l->unit = unit;
  l->through = through;
  l->machine->note(l->machine, "rewrite", TESSERA_BEGINS, unit, sectors);
  for (uint32_t index = 0; through < sectors && index < sectors; index += l->steps[steps++].count) {
    l->steps[steps] = run_at(l, zone, l->map[unit], index, sectors - index);
    l->steps[steps].data = part(l, l->image, index, l->steps[steps].count);
  }
  if (steps == 0) store(l, o); else run_chain(l, o, LOADING, steps, 1);
}

/* Steps 2 and 3. */
static void store(struct layer *l, struct operation *o) {
  const struct zone *zone = zone_of_unit(l, l->unit);
  const uint64_t first = first_of(l, l->unit);
  const uint32_t sectors = zone->sectors - RECORDS;
  l->machine->charge(l->machine, TESSERA_CPU_LIST_ELEMENT, l->slots);
  for (uint32_t slot = 0; l->used > 0 && slot < l->slots; ++slot) {
    const uint64_t sector = l->slot_sector[slot] - 1;
    if (l->slot_sector[slot] != 0 && sector >= first && sector < first + sectors)
      l->machine->copy(l->machine, part(l, l->buffer, slot, 1), part(l, l->image, (uint32_t)(sector - first), 1));
  }
  if (l->through > 0)
    l->machine->copy(l->machine, part(l, o->command.data, o->done, l->through),
                     part(l, l->image, (uint32_t)(o->command.first + o->done - first), l->through));
  uint32_t steps = 0;
  for (uint32_t index = 0; index < sectors; index += l->steps[steps++].count) {
    l->steps[steps] = run_at(l, zone, zone->spare, index, sectors - index);
    l->steps[steps].data = part(l, l->image, index, l->steps[steps].count);
  }
  const struct record record = {RECORD, l->unit, l->sequence + 1};
  memset(l->headers[0], 0, sizeof l->headers[0]);
  memcpy(l->headers[0], &record, sizeof record);
  for (uint32_t i = 0; i < RECORDS; ++i) {
    l->steps[steps] = run_at(l, zone, zone->spare, sectors + i, 1);
    l->steps[steps].data = part(l, l->image, sectors + i, 1);
    l->steps[steps].headers = l->headers[0];
    l->steps[steps++].header_count = 1;
  }
  for (uint32_t i = 0; i < steps; ++i) l->steps[i].write = 1;
  run_chain(l, o, STORING, steps, 0);
}

/* The new copy is whole: what the buffer held of the unit is on the platters. */
static void stored(struct layer *l, struct operation *o) {
  struct zone *zone = zone_of_unit(l, l->unit);
  const uint64_t first = first_of(l, l->unit);
  const uint32_t old = l->map[l->unit];
  l->map[l->unit] = zone->spare;
  l->machine->touch(l->machine, l->map_address + l->unit * sizeof *l->map, sizeof *l->map, 1);
  zone->spare = old;
  ++l->sequence;
  ++l->rewrites;
  l->moved += zone->sectors;
  for (uint32_t slot = 0; l->used > 0 && slot < l->slots; ++slot) {
    const uint64_t sector = l->slot_sector[slot] - 1;
    if (l->slot_sector[slot] != 0 && sector >= first && sector < first + zone->sectors - RECORDS) leave(l, slot);
  }
  o->done += l->through;
  l->machine->note(l->machine, "rewrite", TESSERA_ENDS, l->unit, zone->sectors);
}

/* Sectors of the command from `done` on that are in one unit. */
static uint32_t in_unit(const struct layer *l, const struct operation *o, uint32_t unit) {
  const struct zone *zone = zone_of_unit(l, unit);
  const uint64_t left = first_of(l, unit) + zone->sectors - RECORDS - (o->command.first + o->done);
  return left < o->command.count - o->done ? (uint32_t)left : o->command.count - o->done;
}

static void go_on_reading(struct layer *l, struct operation *o) {
  for (; o->done < o->command.count; ++o->done) {
    const uint64_t sector = o->command.first + o->done;
    const uint32_t slot = find(l, sector);
    if (slot == NONE) break;
    ++l->hits;
    l->machine->copy(l->machine, part(l, l->buffer, slot, 1), part(l, o->command.data, o->done, 1));
  }
  if (o->done == o->command.count) {
    finish(l, o, TESSERA_OK);
    return;
  }
  const uint64_t sector = o->command.first + o->done;
  const uint32_t unit = unit_of(l, sector);
  l->machine->touch(l->machine, l->map_address + unit * sizeof *l->map, sizeof *l->map, 0);
  l->steps[0] = run_at(l, zone_of_unit(l, unit), l->map[unit], (uint32_t)(sector - first_of(l, unit)), in_unit(l, o, unit));
  for (o->piece = 1; o->piece < l->steps[0].count && find(l, sector + o->piece) == NONE;) ++o->piece;
  l->steps[0].count = o->piece;
  l->steps[0].data = part(l, o->command.data, o->done, o->piece);
  run_chain(l, o, READING, 1, 0);
}

/* Begins what the command needs next, or ends it. */
static void go_on(struct layer *l, struct operation *o) {
  const tessera_command *c = &o->command;
  if (c->kind == TESSERA_READ) {
    go_on_reading(l, o);
  } else if (c->kind == TESSERA_FLUSH && l->used > 0) {
    load(l, o, victim(l), 0);
  } else if (c->kind == TESSERA_WRITE && (l->slots == 0 || c->durable) && o->done < c->count) {
    const uint32_t unit = unit_of(l, c->first + o->done);
    load(l, o, unit, in_unit(l, o, unit));
  } else {
    while (c->kind == TESSERA_WRITE && o->done < c->count && take(l, c->first + o->done, part(l, c->data, o->done, 1))) ++o->done;
    if (c->kind == TESSERA_WRITE && o->done < c->count) load(l, o, victim(l), 0); else finish(l, o, TESSERA_OK);
  }
}

static void command(void *self, const tessera_command *c) {
  struct layer *l = self;
  const uint32_t slot = TESSERA_SLOT(c->operation);
  struct operation *o = &l->operations[slot];
  memset(o, 0, sizeof *o);
  o->command = *c;
  o->next = NONE;
  if (l->busy == NONE) {
    l->busy = slot;
    go_on(l, o);
    return;
  }
  if (l->head == NONE) l->head = slot; else l->operations[l->tail].next = slot;
  l->tail = slot;
  o->stage = TURN;
  l->machine->park(l->machine, c->operation, TESSERA_WAITS_LOCK);
}

/* ---- boot ---- */

/* Reads the records of the next places, two for each. */
static void scan(struct layer *l, struct operation *o) {
  uint32_t steps = 0;
  memset(l->headers, 0, sizeof l->headers); /* a sector that cannot be read has no record */
  for (uint32_t place = l->scanned; place < l->places && place < l->scanned + AT_A_TIME; ++place) {
    const struct zone *zone = zone_of_place(l, place);
    for (uint32_t i = 0; i < RECORDS; ++i, ++steps) {
      l->steps[steps] = run_at(l, zone, place, zone->sectors - RECORDS + i, 1);
      l->steps[steps].headers = l->headers[steps];
      l->steps[steps].header_count = 1;
    }
  }
  run_chain(l, o, SCANNING, steps, 1);
}

/* All records are known: what is no unit's place is its zone's spare, and what the buffer held is found again. */
static void booted(struct layer *l, struct operation *o) {
  uint8_t *taken = calloc(l->places, 1);
  if (taken == NULL) {
    finish(l, o, TESSERA_NO_SPACE);
    return;
  }
  for (uint32_t unit = 0; unit < l->units; ++unit) taken[l->map[unit]] = 1;
  for (uint32_t place = 0; place < l->places; ++place)
    if (!taken[place]) zone_of_place(l, place)->spare = place;
  free(taken);
  for (uint32_t slot = 0; slot < l->slots; ++slot) {
    const uint64_t sector = l->slot_sector[slot];
    if (sector != 0) enter(l, slot, sector - 1);
  }
  finish(l, o, TESSERA_OK);
}

static void scanned(struct layer *l, struct operation *o) {
  for (uint32_t step = 0; step < TESSERA_MOST_STEPS && l->scanned < l->places; ++step) {
    struct record record;
    memcpy(&record, l->headers[step], sizeof record);
    l->machine->charge(l->machine, TESSERA_CPU_RECORD_WORD, 3);
    if (record.magic == RECORD && record.unit < l->units && record.sequence > l->newest[record.unit]) {
      l->newest[record.unit] = record.sequence;
      l->map[record.unit] = l->scanned;
      if (record.sequence > l->sequence) l->sequence = record.sequence;
    }
    if (step % RECORDS == RECORDS - 1) ++l->scanned;
  }
  if (l->scanned < l->places) scan(l, o); else booted(l, o);
}

static void boot(void *self, tessera_operation number, int after_power_cut) {
  struct layer *l = self;
  struct operation *o = &l->operations[TESSERA_SLOT(number)];
  memset(o, 0, sizeof *o);
  o->command.operation = number;
  l->busy = TESSERA_SLOT(number);
  if (after_power_cut) scan(l, o); else finish(l, o, TESSERA_OK);
}

static void event(void *self, tessera_operation number, tessera_status status, uint32_t steps_done) {
  (void)steps_done;
  struct layer *l = self;
  struct operation *o = &l->operations[TESSERA_SLOT(number)];
  if (o->stage != TURN && status != TESSERA_OK && o->stage != SCANNING) { /* the old copy is whole, and what is buffered stays there */
    finish(l, o, status);
    return;
  }
  switch (o->stage) {
    case TURN: go_on(l, o); return;
    case READING: o->done += o->piece; go_on(l, o); return;
    case LOADING: store(l, o); return;
    case STORING: stored(l, o); go_on(l, o); return;
    case SCANNING: scanned(l, o); return;
  }
}

/* ---- the instance ---- */

/* The zones that plan() has units in, in its order. */
static void lay_out(struct layer *l, const tessera_region *regions) {
  for (uint32_t z = 0; z < l->zone_count; ++z) {
    struct zone *zone = &l->zones[z];
    zone->radius = (uint32_t)regions[z].first;
    zone->places = (uint32_t)(regions[z].count / l->stride) * l->surfaces;
    zone->first_sector = l->sectors;
    zone->first_unit = l->units;
    zone->first_place = l->places;
    zone->spare = l->places + zone->places - 1;
    zone->sectors = NONE;
    for (uint32_t place = 0; place < zone->places; ++place) {
      uint32_t sectors = 0;
      for (uint32_t track = 0; track < l->unit_tracks; ++track)
        sectors += l->machine->sectors_on(l->machine, place % l->surfaces, zone->radius + place / l->surfaces * l->stride + track);
      if (sectors < zone->sectors) zone->sectors = sectors; /* the shortest's: a copy has to fit everywhere */
    }
    if (zone->sectors > l->largest) l->largest = zone->sectors;
    l->sectors += (uint64_t)(zone->places - 1) * (zone->sectors - RECORDS);
    l->units += zone->places - 1;
    l->places += zone->places;
  }
}

static void reserve_buffer(struct layer *l, uint64_t bytes, int dumped) {
  for (l->slots = 1; (uint64_t)l->slots * 2 * l->sector_bytes <= bytes;) l->slots *= 2;
  const tessera_memory directory =
      l->machine->reserve(l->machine, TESSERA_WRITE_CACHE, l->slots * sizeof *l->slot_sector, dumped, "sectors of the write buffer");
  l->buffer = l->machine->reserve_buffer(l->machine, TESSERA_WRITE_CACHE, l->slots, dumped, "write buffer");
  l->slot_sector = directory.bytes;
  l->slot_address = directory.address;
  l->bucket = malloc(l->slots * sizeof *l->bucket);
  l->chain = malloc(l->slots * sizeof *l->chain);
  if (l->slot_sector != NULL && directory.torn) memset(l->slot_sector, 0, l->slots * sizeof *l->slot_sector);
  if (l->bucket != NULL) memset(l->bucket, 0xff, l->slots * sizeof *l->bucket);
}

static void destroy(void *self) {
  struct layer *l = self;
  free(l->zones), free(l->newest), free(l->bucket), free(l->chain), free(l);
}

static void *create(const tessera_layer *code, tessera_machine *m, const tessera_geometry *g, const tessera_region *regions,
                    uint32_t region_count, const tessera_value *values) {
  (void)code;
  struct layer *l = calloc(1, sizeof *l);
  if (l == NULL) return NULL;
  l->machine = m;
  l->surfaces = g->surfaces;
  l->sector_bytes = g->sector_bytes;
  l->unit_tracks = (uint32_t)values[UNIT_TRACKS].integer;
  l->stride = l->unit_tracks + 1;
  l->interlaced = values[TRACKS].integer == INTERLACED;
  l->busy = l->head = l->tail = NONE;
  l->zone_count = region_count;
  l->zones = calloc(region_count, sizeof *l->zones);
  if (l->zones != NULL) lay_out(l, regions);
  l->newest = calloc(l->units, sizeof *l->newest);
  const tessera_memory map = m->reserve(m, TESSERA_METADATA, l->units * sizeof *l->map, 0, "map of units");
  l->map = map.bytes;
  l->map_address = map.address;
  l->image = m->reserve_buffer(m, TESSERA_MERGE_BUFFER, l->largest, 0, "unit that is rewritten");
  if (values[DURABILITY].integer != NO_BUFFER) reserve_buffer(l, values[BUFFER].integer, values[DURABILITY].integer == PLP);
  if (l->zones == NULL || l->newest == NULL || l->map == NULL || (l->slots > 0 && (l->slot_sector == NULL || l->bucket == NULL || l->chain == NULL))) {
    destroy(l);
    return NULL;
  }
  for (uint32_t z = 0; z < l->zone_count; ++z) /* as formatted: the units in order, then the spare */
    for (uint32_t i = 0; i + 1 < l->zones[z].places; ++i) l->map[l->zones[z].first_unit + i] = l->zones[z].first_place + i;
  return l;
}

static uint64_t user_sectors(const void *self) { return ((const struct layer *)self)->sectors; }
static int idle(const void *self) { return ((const struct layer *)self)->busy == NONE; }
static int flushed_only(const tessera_layer *code, const tessera_value *values) {
  (void)code;
  return values[DURABILITY].integer == VOLATILE;
}
static void report(const void *self, const tessera_reporter *to) {
  const struct layer *l = self;
  to->figure(to->context, "rewrite.count", (double)l->rewrites, 1, "1", "units that were rewritten", 1);
  to->figure(to->context, "rewrite.sectors", (double)l->moved, 1, "1", "sectors that this wrote", 1);
  to->figure(to->context, "buffer.hits", (double)l->hits, 1, "1", "sectors that the write buffer held already", 1);
}

static const tessera_layer layer = {
    .abi = TESSERA_FIRMWARE_ABI, .size = sizeof(tessera_layer), .name = "@NAME@", .summary = "@SUMMARY@", .parameters = parameters,
    .parameter_count = PARAMETERS, .plan = plan, .create = create, .user_sectors = user_sectors, .boot = boot, .command = command,
    .event = event, .idle = idle, .destroy = destroy, .flushed_only = flushed_only, .report = report};

const tessera_layer *tessera_firmware_layer(uint32_t abi, uint32_t index) {
  return abi == TESSERA_FIRMWARE_ABI && index == 0 ? &layer : NULL;
}
