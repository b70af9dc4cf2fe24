/* DM-IMR: F. Wu, B. Zhang, Z. Cao, H. Wen, B. Li, J. Diehl, G. Wang, D. H. C. Du, "Data Management Design for Interlaced Magnetic Recording",
 * HotStorage 2018. On interlaced tracks each bottom track has a top track on both sides, and writing sectors of it destroys what lies at the same
 * angles of these tops; writing a top destroys nothing. Three ideas, each of which can be switched off:
 *
 *   radius   0 1 2 3 4 5 6 7 8       three-phase: blocks are given places as they are first written: all bottoms, then every other top
 *            b   b   b   b   b   1    (1, 5, ..), then the others. A bottom has no written neighbour in the first phase, one in the second,
 *              t       t         2    two in the third.
 *                  t       t     3   top-buffer: updates of bottoms with a written top go to tops that no block has yet.
 *                                    block-swap: an update that has to rewrite a top anyway exchanges its block with a colder one of that top.
 *
 * Format. A block is `block` sectors of one track; places are numbered in the order in which they are given away. A map has the place of each block.
 * The buffer is a ring of sectors on the last places. Every sector is written with a header that has its logical sector, a sequence number, and
 * whether it is in the buffer. A backup region of conventional tracks has slots; two more tracks have the superblock: how many blocks the drive was
 * delivered with, each at the place of its own number.
 *
 * Read-modify-write of sectors S of bottom T: read the same angles of T-1 and T+1; save them in a slot, each sector with a record of where it belongs;
 * write S; write both back. With a swap S is the whole block, what is saved is the new content of all three tracks, and the exchange takes no
 * more turns but the reading of S.
 *
 * Invariant. A sector that holds data is destroyed only while a slot has it, or what will be there instead. A slot counts if all sectors of one record
 * are in it, so not before the bottom is written.
 *
 * Recovery. The map, what the buffer holds, and which slots are in force are in the dumped part of the DRAM. A boot writes what a slot in force has to
 * where it belongs, except over sectors with a higher sequence number. After a dump that failed (or without one: dump_map) it looks at all slots, the newest first, then reads all headers: of
 * each sector the copy with the highest number counts, and blocks without any are where the drive was delivered with them. */
#include "tessera_parts.h"

#define RECORD 0x646d2d696d722d31ull /* "dm-imr-1" */
#define SAVED 0x646d2d7361766531ull  /* "dm-save1" */
#define LOST UINT64_MAX /* for the magic number of a sector that cannot be read */
#define NONE UINT32_MAX
#define MOST_HEAT 255u
enum {
  ALLOCATION, TOP_BUFFER, BLOCK_SWAP, BLOCK, BUFFER, SWAP_MARGIN, HEAT_WRITES, BACKUP_SLOTS, TOP_RATIO, DUMP_MAP, PARAMETERS,
  THREE_PHASE = 0, TWO_PHASE, PHASES = 3,
  SUPERBLOCKS = 2, SLOT_RADII = 3, /* of a slot: two tops, and a block */
  AT_HOME = 1, BUFFERED = 2,       /* kinds of sectors */
  BOTTOM = 0, BELOW, ABOVE, SIDES, /* the tracks of a read-modify-write, in the order in which they are written */
  DIRECT = 0, REWRITE, APPEND,     /* how a piece is written */
  SPACE = 0                        /* a number of `turns` */
};
static const char *const allocations[] = {"three_phase", "two_phase"};
static const tessera_parameter parameters[PARAMETERS] = {
    {"allocation", "order in which places are given to blocks: bottoms, every other top, other tops; or bottoms, tops", TESSERA_CHOICE, 2, allocations, 0, 0, {THREE_PHASE, 0}},
    {"top_buffer", "updates of bottoms go to tops that no block has yet", TESSERA_FLAG, 0, NULL, 0, 1, {1, 0}},
    {"block_swap", "an update that rewrites a top exchanges its block with a colder one there", TESSERA_FLAG, 0, NULL, 0, 1, {1, 0}},
    {"block", "unit of the map and of swaps; at most a top track", TESSERA_SIZE, 0, NULL, 4096, 16777216, {131072, 0}},
    {"buffer", "most of the unallocated tops that top_buffer uses", TESSERA_SIZE, 0, NULL, 4096, 1e12, {134217728, 0}},
    {"swap_margin", "writes by which a block must be hotter than the one that it is exchanged with", TESSERA_COUNT, 0, NULL, 0, 254, {2, 0}},
    {"heat_writes", "writes of the drive after which a block's count of writes is halved", TESSERA_COUNT, 0, NULL, 1, 1e12, {100000, 0}},
    {"backup_slots", "read-modify-writes at the same time", TESSERA_COUNT, 0, NULL, 1, 64, {4, 0}},
    {"top_ratio", "sectors of a top track over sectors of a bottom track", TESSERA_REAL, 0, NULL, 0.1, 1.0, {0, 1.0}},
    {"dump_map", "map and buffer are in memory that the drive dumps at a power cut; false: each boot after a cut reads all headers", TESSERA_FLAG, 0, NULL, 0, 1, {1, 0}}};

/* Tracks of one phase in one zone. Blocks go along a track, then over the surfaces. */
struct segment {
  uint64_t first; /* place; the table's last entry has the drive's end */
  uint32_t per_track, radius, step, tracks; /* blocks; the first track's radius, from one to the next, tracks on each surface */
  uint32_t nominal; /* sectors of a track of which none was slipped; spares not counted */
};
struct run { uint32_t surface, radius, first, count; };
struct header { uint64_t magic, sector, sequence, kind; }; /* a header's first bytes */
struct saved { uint64_t magic, record, sector, sequence; uint32_t kind, radius, surface, index, ordinal, count, swaps; }; /* the same, of a slot */
union bytes { struct header header; struct saved saved; uint8_t bytes[TESSERA_HEADER_BYTES]; };
struct slot {
  tessera_data data; /* of the sectors that are saved, in their order; then a block, to exchange two */
  union bytes *saves, *writes; /* headers in the slot, and where the sectors belong */
};
struct state { /* dumped */
  uint64_t magic, sequence, given; /* places given away, from the first on */
  uint64_t orphans;                /* places whose block a boot could not read */
  uint64_t in_force[64];           /* of each slot the record that counts, or 0 */
  uint32_t map[];                  /* of each block its place and 1; 0: never written */
};
/* Sectors in a row that are written in one way. */
struct piece {
  uint64_t place, swap_place; /* where the first sector is; the block that it is exchanged with */
  uint32_t take, buffered, how, swaps; /* sectors; place in the buffer and 1; the side of the exchange, or 0 */
};
struct work {
  tessera_task task;
  tessera_claim claim, space, turn; /* of sectors; of `space`; of a slot */
  struct piece piece, planned;
  struct slot *slot;
  uint64_t sector, block, allocates, record;  /* the piece's first logical sector, and its block; block that gets a place; in the slot */
  uint32_t done, from, side_number, evicts, steps, sectors; /* sectors; place in the buffer; of the slot's chain */
  struct run run, top[SIDES], side[SIDES];    /* the piece; what it endangers; what is rewritten */
  uint32_t at[SIDES];                         /* where each side is in the slot's data */
  tessera_status failed;
};
struct layer {
  tessera_tasks tasks; /* first */
  tessera_claims claims, turns; /* of physical sectors; SPACE: to give places away or take some in the buffer, and the slots after it */
  struct segment *segment;
  uint32_t segments, zones, phases, surfaces, spares, block, stride, backup_radius, margin, slots, slot_sectors, aged;
  uint64_t places, delivered, buffer_first; /* first place of the buffer */
  struct state *state;
  uint64_t map_address, heat_address;
  int swaps;
  uint32_t *holds; /* of each place its block and 1 */
  uint8_t *heat;   /* of each block */
  double heat_step, ageing;
  struct slot *slot;
  uint32_t next_slot;
  union bytes **headers; /* of an operation's sectors, by TESSERA_SLOT */
  uint64_t *in_buffer;   /* dumped: of each sector of the buffer its logical one and 1 */
  uint32_t *bucket, *chain, *live; /* the buffer's sectors by logical sector; those of each of its places */
  uint32_t buffer_sectors, buckets, buffer_at, buffered;
  tessera_work rewrites, evictions;
  uint64_t direct, appended, rewritten_in_buffer, swapped;
  uint64_t *newest, *newest_buffered, *record_of; /* what a boot has found: of blocks, sectors of the buffer, slots */
  tessera_data zeros, evicted;
};

/* ---- where things are ---- */

/* No more than a top track of any zone has. */
static uint32_t block_sectors(const tessera_geometry *g, const tessera_value *v) {
  uint32_t sectors = (uint32_t)(v[BLOCK].integer / g->sector_bytes);
  for (uint32_t i = 0; i < g->zone_count; ++i) sectors = tessera_least(sectors, (uint64_t)(v[TOP_RATIO].real * g->zones[i].sectors_per_track));
  return sectors;
}

static void plan(const tessera_layer *code, const tessera_geometry *g, const tessera_value *v, const tessera_planner *to) {
  const uint32_t backup = SUPERBLOCKS + SLOT_RADII * (uint32_t)v[BACKUP_SLOTS].integer, sectors = block_sectors(g, v);
  tessera_region region = {"backup", g->zones[0].first_radius, backup, TESSERA_CONVENTIONAL, 2, 1, 0, 0, 1.0, 1};
  (void)code;
  if (g->zones[0].radii < backup + 3) {
    to->refuse(to->context, "the first zone has fewer radii than backup slots, superblock and two tracks take; layers.dm_imr.backup_slots may be lower");
    return;
  }
  if (sectors == 0) {
    to->refuse(to->context, "a block has no whole sector: layers.dm_imr.block or a top track is shorter");
    return;
  }
  to->region(to->context, &region);
  for (uint32_t i = 0; i < g->zone_count; ++i) {
    const uint32_t taken = i == 0 ? backup : 0;
    if (g->zones[i].radii < taken + 3) continue;
    region = (tessera_region){"data", g->zones[i].first_radius + taken, g->zones[i].radii - taken, TESSERA_INTERLACED, 2, 1, 0, 0, v[TOP_RATIO].real, 0}; /* aligned in angle */
    to->region(to->context, &region);
  }
}

static const struct segment *segment_of(const struct layer *l, uint64_t place) { return &l->segment[tessera_last_at_most(&l->segment->first, sizeof *l->segment, l->segments, place)]; }

/* `count` sectors of a place from `first` on; they may go on into the next places of the track. */
static struct run run_of(const struct layer *l, uint64_t place, uint32_t first, uint32_t count) {
  const struct segment *const s = segment_of(l, place);
  const uint32_t track = (uint32_t)((place - s->first) / s->per_track), block = (uint32_t)((place - s->first) % s->per_track);
  const struct run run = {track % l->surfaces, s->radius + track / l->surfaces * s->step, block * l->block + first, count};
  return run;
}
static int same_track(const struct layer *l, uint64_t place) { /* as the place before it */
  const struct segment *const s = segment_of(l, place);
  return (place - s->first) % s->per_track != 0;
}
static int is_bottom(const struct layer *l, uint64_t place) { return (uint32_t)(segment_of(l, place) - l->segment) < l->zones; }

/* The segment of a track, NULL: of none; `*place`: its first place. */
static const struct segment *places_on(const struct layer *l, uint32_t surface, uint32_t radius, uint64_t *place) {
  for (const struct segment *s = l->segment; s < l->segment + l->segments; ++s) {
    const uint32_t number = (radius - s->radius) / s->step;
    if (radius < s->radius || (radius - s->radius) % s->step != 0 || number >= s->tracks) continue;
    *place = s->first + (uint64_t)(number * l->surfaces + surface) * s->per_track;
    return s;
  }
  return NULL;
}

/* What a write of `bottom` destroys on one side of it; count 0: nothing, at the border of a zone. */
static struct run side_of(const struct layer *l, struct run bottom, int side) {
  const uint32_t radius = bottom.radius + (uint32_t)(side == BELOW ? -1 : 1);
  struct run top = {bottom.surface, radius, 0, 0};
  uint64_t place;
  const struct segment *const here = places_on(l, bottom.surface, bottom.radius, &place), *const there = places_on(l, bottom.surface, radius, &place);
  if (there == NULL || (uint32_t)(here - l->segment) % l->zones != (uint32_t)(there - l->segment) % l->zones) return top;
  const uint64_t from = l->tasks.machine->sectors_on(l->tasks.machine, bottom.surface, bottom.radius), to = l->tasks.machine->sectors_on(l->tasks.machine, top.surface, radius);
  /* A sector is at most so many places further on in its turn as sectors were slipped; the spares at the end of a track are places of the turn, too. */
  const uint64_t slipped = here->nominal - from, slipped_there = there->nominal - to, turn = here->nominal + l->spares, turn_there = there->nominal + l->spares;
  const uint64_t begin = bottom.first * turn_there / turn, end = ((bottom.first + bottom.count + slipped) * turn_there + turn - 1) / turn;
  if (begin >= to + slipped_there) return top; /* only spares are there */
  top.first = (uint32_t)(begin < slipped_there ? 0 : begin - slipped_there);
  top.count = (uint32_t)(end < to ? end : to) - top.first;
  return top;
}

/* Whether blocks or buffered sectors are there. `*coldest`, if wanted: the place of the coldest block there, where it is colder than `heat`. */
static int holds_data(const struct layer *l, struct run top, uint32_t heat, uint64_t *coldest) {
  uint64_t place;
  const struct segment *const s = top.count == 0 ? NULL : places_on(l, top.surface, top.radius, &place);
  int holds = 0;
  if (s == NULL) return 0;
  for (uint32_t i = top.first / l->block; i <= (top.first + top.count - 1) / l->block && i < s->per_track; ++i) {
    const uint64_t there = place + i;
    if (l->holds[there] != 0 && coldest != NULL && l->heat[l->holds[there] - 1] + l->margin < heat) {
      heat = l->heat[l->holds[there] - 1] + l->margin;
      *coldest = there;
    }
    holds |= l->holds[there] != 0 || (there >= l->buffer_first && l->live[there - l->buffer_first] > 0);
  }
  return holds;
}

/* ---- the buffer: a ring of sectors ---- */

static uint32_t bucket_of(const struct layer *l, uint64_t sector) { return (uint32_t)(sector * 0x9e3779b97f4a7c15ull >> 40) & (l->buckets - 1); }

/* A logical sector's place in the buffer and 1, or 0. */
static uint32_t find_buffered(const struct layer *l, uint64_t sector) {
  if (l->buffered == 0) return 0;
  l->tasks.machine->charge(l->tasks.machine, TESSERA_CPU_HASH, 1);
  uint32_t at = l->bucket[bucket_of(l, sector)];
  while (at != 0 && l->in_buffer[at - 1] != sector + 1) at = l->chain[at - 1];
  return at;
}
static void put_buffered(struct layer *l, uint32_t at, uint64_t sector) {
  uint32_t *const bucket = &l->bucket[bucket_of(l, sector)];
  l->in_buffer[at] = sector + 1;
  l->chain[at] = *bucket;
  *bucket = at + 1;
  ++l->buffered;
}
static void drop_buffered(struct layer *l, uint32_t at) {
  uint32_t *link = &l->bucket[bucket_of(l, l->in_buffer[at] - 1)];
  while (*link != at + 1) link = &l->chain[*link - 1];
  *link = l->chain[at];
  l->in_buffer[at] = 0;
  --l->buffered;
  --l->live[at / l->block];
}
static struct run run_in_buffer(const struct layer *l, uint32_t at, uint32_t count) { return run_of(l, l->buffer_first + at / l->block, at % l->block, count); }
/* The first sector of the buffer that no block's place has taken. */
static uint32_t buffer_begin(const struct layer *l) {
  const uint64_t given = l->state->given > l->buffer_first ? l->state->given - l->buffer_first : 0;
  return given * l->block > l->buffer_sectors ? l->buffer_sectors : (uint32_t)(given * l->block);
}

/* ---- pieces of a request ---- */

static uint32_t block_place(const struct layer *l, uint64_t block) {
  l->tasks.machine->touch(l->tasks.machine, l->map_address + block * sizeof(uint32_t), sizeof(uint32_t), 0);
  return l->state->map[block];
}

/* Where the sectors from w->sector on are, up to `most`: in the buffer, or at home on one track. */
static void look(const struct layer *l, struct work *w, uint32_t most) {
  struct piece *const p = &w->piece;
  const uint32_t buffered = find_buffered(l, w->sector);
  memset(p, 0, sizeof *p);
  w->block = w->sector / l->block;
  p->take = tessera_least(most, l->block - w->sector % l->block);
  p->buffered = buffered;
  if (buffered != 0) {
    uint32_t n = 1;
    while (n < p->take && (buffered - 1 + n) % l->block != 0 && l->in_buffer[buffered - 1 + n] == w->sector + n + 1) ++n;
    p->take = n;
    p->place = l->buffer_first + (buffered - 1) / l->block;
    w->run = run_in_buffer(l, buffered - 1, n);
    return;
  }
  const uint32_t there = block_place(l, w->block);
  p->place = there - 1u;
  for (uint64_t i = 1; there != 0 && p->take < most && l->state->map[w->block + i] == there + i && same_track(l, p->place + i); ++i) p->take += tessera_least(most - p->take, l->block);
  for (uint32_t n = 1; n < p->take && l->buffered > 0; ++n)
    if (find_buffered(l, w->sector + n) != 0) p->take = n;
  if (there != 0) w->run = run_of(l, p->place, (uint32_t)(w->sector % l->block), p->take);
}

/* What a write of `bottom` endangers, and which of it is rewritten. Gives whether something is. */
static int set_sides(const struct layer *l, struct work *w, struct run bottom) {
  int any = 0;
  w->side[BOTTOM] = bottom;
  for (int side = BELOW; side < SIDES; ++side) {
    w->top[side] = w->side[side] = side_of(l, bottom, side);
    if (holds_data(l, w->top[side], 0, NULL)) any = 1; else w->side[side].count = 0;
  }
  return any;
}

/* How the piece is written, and with what. Only pieces of one block go to the buffer or are exchanged. */
static void decide(const struct layer *l, struct work *w) {
  struct piece *const p = &w->piece;
  p->how = DIRECT;
  p->swaps = 0;
  w->top[BELOW].count = w->top[ABOVE].count = w->side[BELOW].count = w->side[ABOVE].count = 0;
  if (p->buffered != 0 || !is_bottom(l, p->place) || !set_sides(l, w, w->run)) return;
  p->how = REWRITE;
  if (p->take > l->block - w->sector % l->block) return;
  if (!w->evicts && l->buffer_sectors - buffer_begin(l) >= l->block) {
    p->how = APPEND;
    return;
  }
  uint64_t coldest = UINT64_MAX;
  for (int side = BELOW; side < SIDES && l->swaps; ++side) {
    const uint32_t heat = coldest == UINT64_MAX ? l->heat[w->block] : l->heat[l->holds[coldest] - 1] + l->margin;
    const uint64_t before = coldest;
    holds_data(l, w->top[side], heat, &coldest);
    if (coldest != before) p->swaps = (uint32_t)side;
  }
  if (!p->swaps) return;
  p->swap_place = coldest;
  set_sides(l, w, run_of(l, p->place, 0, l->block));
  const struct run cold = run_of(l, coldest, 0, l->block);
  struct run *const top = &w->side[p->swaps];
  const uint32_t end = w->top[p->swaps].first + w->top[p->swaps].count;
  *top = w->top[p->swaps];
  if (cold.first < top->first) top->first = cold.first;
  top->count = (end > cold.first + cold.count ? end : cold.first + cold.count) - top->first;
  w->top[p->swaps] = *top;
}

static void claim_run(const struct layer *l, struct work *w, struct run run, int shared) {
  if (run.count > 0) tessera_claim_add(&w->claim, ((uint64_t)run.surface << 32 | run.radius) * l->stride + run.first, run.count, shared);
}

static tessera_media_step *add_run(struct work *w, uint32_t kind, struct run run, tessera_data data, union bytes *headers) {
  const tessera_media_step where = {.hint = TESSERA_SAME_ANGLE, .surface = run.surface, .radius = run.radius, .first = run.first, .count = run.count};
  tessera_media_step *const step = tessera_add(&w->task, kind, where, data);
  step->headers = headers;
  step->header_count = headers == NULL ? 0 : run.count;
  return step;
}

/* Headers of `count` sectors from logical sector `first` on. */
static void name_sectors(struct layer *l, union bytes *headers, uint64_t first, uint32_t count, uint64_t kind) {
  memset(headers, 0, count * sizeof *headers);
  for (uint32_t i = 0; i < count; ++i) headers[i].header = (struct header){RECORD, first + i, ++l->state->sequence, kind};
  l->tasks.machine->charge(l->tasks.machine, TESSERA_CPU_RECORD_WORD, count * 4u);
}

static union bytes *headers_of(struct layer *l, const struct work *w) {
  union bytes **const headers = &l->headers[TESSERA_SLOT(w->task.command.operation)];
  if (*headers == NULL) *headers = tessera_tasks_memory(&l->tasks, l->stride * sizeof **headers);
  if (*headers == NULL) l->tasks.machine->panic(l->tasks.machine, "this machine has no memory left for headers");
  return *headers;
}

/* ---- rewriting what a bottom destroys ---- */

/* The last sector of a record says that all are there, so they are written in order; a step of a whole track would begin where the head lands. */
static struct run in_slot(const struct layer *l, const struct slot *slot, uint32_t at, uint32_t count) {
  struct run run = {0, l->backup_radius + (uint32_t)(slot - l->slot) * SLOT_RADII, at, 0};
  uint32_t sectors;
  for (; run.first >= (sectors = l->tasks.machine->sectors_on(l->tasks.machine, 0, run.radius)); ++run.radius) run.first -= sectors;
  run.count = tessera_least(count, sectors - run.first);
  if (run.count == sectors && sectors > 1) --run.count;
  return run;
}

static void add_slot(const struct layer *l, struct work *w, uint32_t kind, uint32_t from, uint32_t count) {
  struct run run;
  for (uint32_t done = from; done < from + count; done += run.count) {
    run = in_slot(l, w->slot, done, from + count - done);
    add_run(w, kind, run, tessera_part(&l->tasks, w->slot->data, done, run.count), w->slot->saves + done);
  }
}

/* Writes a side of a rewrite out of the slot's data. */
static void add_side(const struct layer *l, struct work *w, uint32_t side) {
  if (w->side[side].count > 0) add_run(w, TESSERA_WRITE, w->side[side], tessera_part(&l->tasks, w->slot->data, w->at[side], w->side[side].count), w->slot->writes + w->at[side]);
}

/* Exchanges the block of the bottom, with the new sectors over it, and the cold one, both in the slot's data. */
static void exchange(struct layer *l, struct work *w, tessera_data data) {
  tessera_machine *const m = l->tasks.machine;
  const struct run cold = run_of(l, w->piece.swap_place, 0, l->block);
  const uint32_t one = w->at[BOTTOM], two = w->at[w->piece.swaps] + cold.first - w->side[w->piece.swaps].first;
  const tessera_data hot = tessera_part(&l->tasks, w->slot->data, one, l->block), top = tessera_part(&l->tasks, w->slot->data, two, l->block);
  const tessera_data between = tessera_part(&l->tasks, w->slot->data, l->slot_sectors, l->block);
  m->copy(m, data, tessera_part(&l->tasks, w->slot->data, one + (uint32_t)(w->sector % l->block), w->piece.take));
  m->copy(m, hot, between);
  m->copy(m, top, hot);
  m->copy(m, between, top);
  name_sectors(l, w->slot->writes + one, (uint64_t)(l->holds[w->piece.swap_place] - 1) * l->block, l->block, AT_HOME);
  name_sectors(l, w->slot->writes + two, w->block * l->block, l->block, AT_HOME);
}

static void after_exchange(struct layer *l, struct work *w) {
  const uint32_t cold = l->holds[w->piece.swap_place] - 1;
  l->state->map[w->block] = (uint32_t)w->piece.swap_place + 1;
  l->state->map[cold] = (uint32_t)w->piece.place + 1;
  l->holds[w->piece.swap_place] = (uint32_t)w->block + 1;
  l->holds[w->piece.place] = cold + 1;
  l->tasks.machine->touch(l->tasks.machine, l->map_address + w->block * sizeof(uint32_t), sizeof(uint32_t), 1);
  l->tasks.machine->touch(l->tasks.machine, l->map_address + cold * sizeof(uint32_t), sizeof(uint32_t), 1);
  l->tasks.machine->note(l->tasks.machine, "swap", TESSERA_HAPPENS, w->block, l->block);
  ++l->swapped;
}

/* Writes `data` to w->run, with the claims and the slot that it takes. What is saved counts until all of it is back in its place. */
static tessera_status rewrite(struct layer *l, struct work *w, tessera_data data, union bytes *headers) {
  TESSERA_BEGIN(&w->task);
  tessera_work_begins(&l->tasks, &l->rewrites, "rmw", w->piece.place);
  w->sectors = 0;
  for (uint32_t side = w->piece.swaps ? BOTTOM : BELOW; side < SIDES; ++side) w->at[side] = w->sectors, w->sectors += w->side[side].count;
  memset(w->slot->writes, 0, w->sectors * sizeof *w->slot->writes);
  for (uint32_t side = w->piece.swaps ? BOTTOM : BELOW; side < SIDES; ++side)
    if (w->side[side].count > 0) add_run(w, TESSERA_READ, w->side[side], tessera_part(&l->tasks, w->slot->data, w->at[side], w->side[side].count), w->slot->writes + w->at[side]);
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
  if (w->task.status == TESSERA_OK) {
    if (w->piece.swaps) exchange(l, w, data);
    w->record = ++l->state->sequence;
    memset(w->slot->saves, 0, w->sectors * sizeof *w->slot->saves);
    for (uint32_t side = w->piece.swaps ? BOTTOM : BELOW; side < SIDES; ++side)
      for (uint32_t i = 0; i < w->side[side].count; ++i) {
        const struct header *const h = &w->slot->writes[w->at[side] + i].header;
        w->slot->saves[w->at[side] + i].saved = (struct saved){SAVED, w->record, h->magic == RECORD ? h->sector : UINT64_MAX, h->sequence, (uint32_t)h->kind, w->side[side].radius, w->side[side].surface,
                                                               w->side[side].first + i, w->at[side] + i, w->sectors, w->piece.swaps != 0};
      }
    l->state->in_force[w->slot - l->slot] = w->record;
    add_slot(l, w, TESSERA_WRITE, 0, w->sectors);
    w->steps = w->task.step_count;
    if (!w->piece.swaps) add_run(w, TESSERA_WRITE, w->run, data, headers);
    for (uint32_t side = w->piece.swaps ? BOTTOM : BELOW; side < SIDES; ++side) add_side(l, w, side);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
    if (w->task.status != TESSERA_OK && w->task.steps_done >= w->steps) { /* what was written is destroyed beneath: the rest goes back all the same */
      w->failed = w->task.status;
      for (w->side_number = w->piece.swaps ? BOTTOM : BELOW; w->side_number < SIDES; ++w->side_number) {
        add_side(l, w, w->side_number);
        TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
      }
      w->task.status = w->failed;
      if (w->piece.swaps) after_exchange(l, w);
    } else if (w->task.status == TESSERA_OK && w->piece.swaps) {
      after_exchange(l, w);
    }
    l->state->in_force[w->slot - l->slot] = 0;
  }
  tessera_work_ends(&l->tasks, &l->rewrites, w->piece.place, w->run.count);
  return w->task.status;
  TESSERA_END;
}

/* Writes one piece whose claims are had. */
static tessera_status write_claimed(struct layer *l, struct work *w, tessera_data data) {
  TESSERA_BEGIN(&w->task);
  name_sectors(l, headers_of(l, w), w->sector, w->piece.take, w->piece.buffered != 0 ? BUFFERED : AT_HOME);
  if (w->piece.how == REWRITE) {
    TESSERA_AWAIT(rewrite(l, w, data, headers_of(l, w)));
    return w->task.status;
  }
  ++l->direct;
  l->rewritten_in_buffer += w->piece.buffered != 0 ? w->piece.take : 0;
  add_run(w, TESSERA_WRITE, w->run, data, headers_of(l, w));
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
  return w->task.status;
  TESSERA_END;
}

/* ---- space ---- */

static tessera_status take_slot(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  w->slot = &l->slot[l->next_slot++ % l->slots];
  tessera_claim_add(&w->turn, SPACE + 1 + (uint64_t)(w->slot - l->slot), 1, 0);
  TESSERA_AWAIT(tessera_claimed(&w->task, &l->turns, &w->turn));
  TESSERA_END;
}

static tessera_status take_space(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  tessera_claim_add(&w->space, SPACE, 1, 0);
  TESSERA_AWAIT(tessera_claimed(&w->task, &l->turns, &w->space));
  TESSERA_END;
}

/* Claims what the piece is written to and endangers. */
static void claim_piece(const struct layer *l, struct work *w) {
  claim_run(l, w, w->piece.swaps ? w->side[BOTTOM] : w->run, 0);
  claim_run(l, w, w->top[BELOW], 0);
  claim_run(l, w, w->top[ABOVE], 0);
}

/* What leaves the buffer with the sector at w->from: those after it, as far as they are in a row and of one block. */
static void look_at_evicted(const struct layer *l, struct work *w) {
  struct piece *const p = &w->piece;
  memset(p, 0, sizeof *p);
  w->sector = l->in_buffer[w->from] - 1;
  w->block = w->sector / l->block;
  for (p->take = 1; (w->from + p->take) % l->block != 0 && (w->sector + p->take) % l->block != 0 && l->in_buffer[w->from + p->take] == w->sector + p->take + 1;) ++p->take;
  p->place = l->state->map[w->block] - 1u;
  w->run = run_of(l, p->place, (uint32_t)(w->sector % l->block), p->take);
  decide(l, w);
}

/* Puts sectors of the buffer from w->from on where their block is. By the holder of `space`. */
static tessera_status evict(struct layer *l, struct work *w) {
  const tessera_data data = tessera_part(&l->tasks, l->evicted, 0, w->piece.take);
  TESSERA_BEGIN(&w->task);
  TESSERA_AWAIT(take_slot(l, w));
  w->evicts = 1;
  for (;;) {
    look_at_evicted(l, w);
    w->planned = w->piece;
    claim_piece(l, w);
    claim_run(l, w, run_in_buffer(l, w->from, w->piece.take), 0);
    TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
    look_at_evicted(l, w);
    if (memcmp(&w->piece, &w->planned, sizeof w->piece) == 0) break;
    tessera_unclaim(&l->claims, &w->claim);
  }
  tessera_work_begins(&l->tasks, &l->evictions, "evict", w->from);
  add_run(w, TESSERA_READ, run_in_buffer(l, w->from, w->piece.take), tessera_part(&l->tasks, l->evicted, 0, w->piece.take), NULL);
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
  if (w->task.status == TESSERA_OK) TESSERA_AWAIT(write_claimed(l, w, data));
  for (uint32_t n = 0; n < w->piece.take && w->task.status == TESSERA_OK; ++n) drop_buffered(l, w->from + n);
  tessera_work_ends(&l->tasks, &l->evictions, w->from, w->piece.take);
  tessera_unclaim(&l->claims, &w->claim);
  tessera_unclaim(&l->turns, &w->turn);
  w->evicts = 0;
  return w->task.status;
  TESSERA_END;
}

/* The first of `count` sectors of the buffer that is taken, or NONE. */
static uint32_t first_taken(const struct layer *l, uint32_t at, uint32_t count) {
  for (uint32_t i = at; i < at + count; ++i)
    if (l->in_buffer[i] != 0) return i;
  return NONE;
}

/* Writes the piece to the next sectors of the ring, which are evicted if they are taken. A piece that is written otherwise by now has no sectors.
 * By the holder of `space`. */
static tessera_status append(struct layer *l, struct work *w) {
  const tessera_command *const c = &w->task.command;
  TESSERA_BEGIN(&w->task);
  for (;;) {
    w->sector = c->first + w->done;
    look(l, w, c->count - w->done);
    decide(l, w);
    if (w->piece.how != APPEND) return w->piece.take = 0, TESSERA_OK;
    if (l->buffer_at % l->block + w->piece.take > l->block) l->buffer_at += l->block - l->buffer_at % l->block; /* a piece is on one track */
    if (l->buffer_at < buffer_begin(l) || l->buffer_at >= l->buffer_sectors) l->buffer_at = buffer_begin(l);
    w->from = first_taken(l, l->buffer_at, w->piece.take);
    if (w->from != NONE) {
      TESSERA_TRY(evict(l, w));
      continue;
    }
    w->from = l->buffer_at;
    w->planned = w->piece;
    l->live[w->from / l->block] += w->piece.take; /* from now on its neighbours know */
    claim_run(l, w, w->run, 0);
    claim_run(l, w, run_in_buffer(l, w->from, w->piece.take), 0);
    TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
    look(l, w, c->count - w->done);
    if (w->piece.place == w->planned.place && w->piece.take == w->planned.take) break;
    l->live[w->from / l->block] -= w->planned.take;
    tessera_unclaim(&l->claims, &w->claim);
  }
  l->buffer_at += w->piece.take;
  name_sectors(l, headers_of(l, w), w->sector, w->piece.take, BUFFERED);
  add_run(w, TESSERA_WRITE, run_in_buffer(l, w->from, w->piece.take), tessera_part(&l->tasks, c->data, w->done, w->piece.take), headers_of(l, w));
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
  if (w->task.status != TESSERA_OK) l->live[w->from / l->block] -= w->piece.take;
  for (uint32_t n = 0; n < w->piece.take && w->task.status == TESSERA_OK; ++n) put_buffered(l, w->from + n, w->sector + n);
  ++l->appended;
  tessera_unclaim(&l->claims, &w->claim);
  return w->task.status;
  TESSERA_END;
}

/* The place that the next block gets. After a failed dump one that was given away and never written may be left in front. */
static uint64_t next_place(const struct layer *l) {
  uint64_t place = l->state->given;
  if (place < l->places) return place;
  while (place > 0 && l->holds[place - 1] != 0) --place;
  return place - 1;
}

/* Gives all blocks of the command from w->done on places. One that was the buffer's is emptied first, and filled with zeros: nothing of others may be
 * read there. By the holder of `space`. */
static tessera_status give_places(struct layer *l, struct work *w) {
  const tessera_command *const c = &w->task.command;
  TESSERA_BEGIN(&w->task);
  for (w->allocates = (c->first + w->done) / l->block; w->allocates * l->block < c->first + c->count; ++w->allocates) {
    if (block_place(l, w->allocates) != 0) continue;
    if (next_place(l) >= l->buffer_first) {
      while ((w->from = first_taken(l, (uint32_t)(next_place(l) - l->buffer_first) * l->block, l->block)) != NONE) TESSERA_TRY(evict(l, w));
      claim_run(l, w, run_of(l, next_place(l), 0, l->block), 0);
      TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
      name_sectors(l, headers_of(l, w), w->allocates * l->block, l->block, AT_HOME);
      add_run(w, TESSERA_WRITE, run_of(l, next_place(l), 0, l->block), l->zeros, headers_of(l, w));
      TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
      tessera_unclaim(&l->claims, &w->claim);
      if (w->task.status != TESSERA_OK) return w->task.status;
    }
    const uint64_t place = next_place(l);
    l->holds[place] = (uint32_t)w->allocates + 1;
    l->state->map[w->allocates] = (uint32_t)place + 1;
    l->tasks.machine->touch(l->tasks.machine, l->map_address + w->allocates * sizeof(uint32_t), sizeof(uint32_t), 1);
    if (place == l->state->given) ++l->state->given;
  }
  TESSERA_END;
}

/* ---- what the host asks for ---- */

/* Counts the piece for its blocks; all counts are halved in turn. */
static void warm(struct layer *l, const struct work *w) {
  for (uint64_t b = w->sector / l->block; b * l->block < w->sector + w->piece.take; ++b)
    if (l->heat[b] < MOST_HEAT) ++l->heat[b];
  l->tasks.machine->touch(l->tasks.machine, l->heat_address + w->block, 1, 1);
  for (l->ageing += l->heat_step; l->ageing >= 1; --l->ageing) l->heat[l->aged = (l->aged + 1) % (uint32_t)l->places] /= 2;
}

static tessera_status serve_read(struct layer *l, struct work *w) {
  const tessera_command *const c = &w->task.command;
  TESSERA_BEGIN(&w->task);
  while (w->done < c->count) {
    w->sector = c->first + w->done;
    look(l, w, c->count - w->done);
    if (w->piece.buffered == 0 && w->piece.place == UINT32_MAX) { /* never written, or of an orphan: that cannot be known */
      if (l->state->orphans > 0) return TESSERA_LOST;
      l->tasks.machine->clear(l->tasks.machine, tessera_part(&l->tasks, c->data, w->done, w->piece.take));
      w->done += w->piece.take;
      continue;
    }
    w->planned = w->piece;
    claim_run(l, w, w->run, 1);
    TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
    look(l, w, c->count - w->done);
    w->task.status = TESSERA_OK;
    if (memcmp(&w->piece, &w->planned, sizeof w->piece) == 0) {
      add_run(w, TESSERA_READ, w->run, tessera_part(&l->tasks, c->data, w->done, w->piece.take), NULL);
      TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
      w->done += w->piece.take;
    }
    tessera_unclaim(&l->claims, &w->claim);
    if (w->task.status != TESSERA_OK) return w->task.status;
  }
  TESSERA_END;
}

static tessera_status serve_write(struct layer *l, struct work *w) {
  const tessera_command *const c = &w->task.command;
  TESSERA_BEGIN(&w->task);
  while (w->done < c->count) {
    w->sector = c->first + w->done;
    if (block_place(l, w->sector / l->block) == 0) {
      TESSERA_AWAIT(take_space(l, w));
      TESSERA_AWAIT(give_places(l, w));
      tessera_unclaim(&l->turns, &w->space);
      if (w->task.status != TESSERA_OK) return w->task.status;
      w->sector = c->first + w->done;
    }
    look(l, w, c->count - w->done);
    decide(l, w);
    if (w->piece.how == APPEND) {
      TESSERA_AWAIT(take_space(l, w));
      TESSERA_AWAIT(append(l, w));
      tessera_unclaim(&l->turns, &w->space);
      if (w->task.status != TESSERA_OK) return w->task.status;
      if (w->piece.take > 0) warm(l, w);
      w->done += w->piece.take;
      continue;
    }
    if (w->piece.how == REWRITE) {
      w->planned = w->piece;
      TESSERA_AWAIT(take_slot(l, w));
    }
    w->planned = w->piece;
    claim_piece(l, w);
    TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
    look(l, w, c->count - w->done);
    decide(l, w);
    w->task.status = TESSERA_OK;
    if (memcmp(&w->piece, &w->planned, sizeof w->piece) == 0) {
      TESSERA_AWAIT(write_claimed(l, w, tessera_part(&l->tasks, c->data, w->done, w->piece.take)));
      warm(l, w);
      w->done += w->planned.take;
    }
    tessera_unclaim(&l->claims, &w->claim);
    if (w->turn.count > 0) tessera_unclaim(&l->turns, &w->turn);
    if (w->task.status != TESSERA_OK) return w->task.status;
  }
  TESSERA_END;
}

/* ---- boot ---- */

static void add_superblock(struct layer *l, struct work *w, uint32_t kind) {
  for (uint32_t i = 0; i < SUPERBLOCKS; ++i) {
    const struct run run = {0, l->backup_radius - SUPERBLOCKS + i, 0, 1};
    add_run(w, kind, run, tessera_part(&l->tasks, l->slot->data, i, 1), l->slot->saves + i);
  }
}

/* What places and buckets hold follows from the map and the buffer. */
static void count_places(struct layer *l) {
  memset(l->holds, 0, l->places * sizeof *l->holds);
  for (uint64_t b = 0; b < l->places; ++b)
    if (l->state->map[b] != 0) l->holds[l->state->map[b] - 1] = (uint32_t)b + 1;
  memset(l->bucket, 0, l->buckets * sizeof *l->bucket);
  memset(l->live, 0, (l->places - l->buffer_first) * sizeof *l->live);
  l->buffered = 0;
  for (uint32_t at = 0; at < l->buffer_sectors; ++at) {
    if (l->in_buffer[at] == 0) continue;
    put_buffered(l, at, l->in_buffer[at] - 1);
    ++l->live[at / l->block];
  }
  l->tasks.machine->charge(l->tasks.machine, TESSERA_CPU_TABLE_ACCESS, l->places + l->buffer_sectors);
}

static void forget_all(struct layer *l) {
  memset(l->state->map, 0, l->places * sizeof *l->state->map);
  memset(l->in_buffer, 0, l->buffer_sectors * sizeof *l->in_buffer);
  memset(l->state->in_force, 0, sizeof l->state->in_force);
  l->state->sequence = l->state->given = l->state->orphans = 0;
}

static tessera_status format(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  l->state->magic = 0;
  l->tasks.machine->clear(l->tasks.machine, tessera_part(&l->tasks, l->slot->data, 0, SUPERBLOCKS));
  memset(l->slot->saves, 0, SUPERBLOCKS * sizeof *l->slot->saves);
  for (uint32_t i = 0; i < SUPERBLOCKS; ++i) l->slot->saves[i].header = (struct header){RECORD, l->delivered, 0, 0};
  add_superblock(l, w, TESSERA_WRITE);
  TESSERA_TRY(tessera_media(&w->task, TESSERA_FAIL_LOST));
  forget_all(l);
  for (uint64_t b = 0; b < l->delivered; ++b) l->state->map[b] = (uint32_t)b + 1;
  l->state->given = l->delivered;
  l->state->magic = RECORD;
  count_places(l);
  TESSERA_END;
}

static int of_record(const struct work *w, uint32_t i) {
  return w->slot->saves[i].saved.magic == SAVED && w->slot->saves[i].saved.record == w->record && w->slot->saves[i].saved.ordinal == i;
}

/* From sector i of the slot on: those of the record that belong next to each other, and where. */
static struct run belongs(const struct work *w, uint32_t i) {
  const struct saved *const first = &w->slot->saves[i].saved;
  struct run run = {first->surface, first->radius, first->index, 1};
  for (const struct saved *s; i + run.count < w->sectors && of_record(w, i + run.count); ++run.count) {
    s = &w->slot->saves[i + run.count].saved;
    if (s->surface != run.surface || s->radius != run.radius || s->index != run.first + run.count) break;
  }
  return run;
}

static void add_whole_slot(const struct layer *l, struct work *w) {
  memset(w->slot->saves, 0, l->slot_sectors * sizeof *w->slot->saves);
  add_slot(l, w, TESSERA_READ, 0, l->slot_sectors);
}

static uint64_t newest_record(const struct layer *l, const struct work *w) {
  uint64_t newest = 0;
  for (uint32_t i = 0; i < l->slot_sectors; ++i)
    if (w->slot->saves[i].saved.magic == SAVED && w->slot->saves[i].saved.record > newest) newest = w->slot->saves[i].saved.record;
  return newest;
}

/* Of the record w->record, 0: it is not whole. A sector in its midst that cannot be read was there, since the last one is. */
static uint32_t sectors_of_record(const struct layer *l, const struct work *w) {
  for (uint32_t i = 0; i < l->slot_sectors; ++i)
    if (of_record(w, i) && w->slot->saves[i].saved.count <= l->slot_sectors) return of_record(w, w->slot->saves[i].saved.count - 1) ? w->slot->saves[i].saved.count : 0;
  return 0;
}

/* Writes what the slot has to where it belongs, if a sector there cannot be read or, of an exchange, is older; none is written that is newer. */
static tessera_status restore(struct layer *l, struct work *w) {
  struct run run;
  int needed = 0;
  TESSERA_BEGIN(&w->task);
  add_whole_slot(l, w);
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
  w->sectors = sectors_of_record(l, w);
  for (w->from = 0; w->from < w->sectors; w->from += w->piece.take) {
    w->piece.take = 1;
    if (!of_record(w, w->from)) continue;
    run = belongs(w, w->from);
    w->piece.take = run.count = tessera_least(run.count, l->block);
    memset(w->slot->writes + w->from, 0, run.count * sizeof *w->slot->writes);
    add_run(w, TESSERA_READ, run, tessera_part(&l->tasks, w->slot->data, l->slot_sectors, run.count), w->slot->writes + w->from);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
    for (uint32_t i = 0; i < w->piece.take; ++i)
      if (l->tasks.machine->first_lost(l->tasks.machine, tessera_part(&l->tasks, w->slot->data, l->slot_sectors + i, 1)) == 0) w->slot->writes[w->from + i].header.magic = LOST;
  }
  for (uint32_t i = 0; i < w->sectors; ++i) {
    const struct saved *const s = &w->slot->saves[i].saved;
    const struct header *const there = &w->slot->writes[i].header;
    if (of_record(w, i)) needed |= there->magic == LOST || (s->swaps && (there->magic != RECORD || there->sequence < s->sequence));
  }
  w->steps = needed ? w->sectors : 0;
  for (w->from = 0; w->from < w->steps; w->from += w->piece.take) {
    const struct saved *const s = &w->slot->saves[w->from].saved;
    const struct header there = w->slot->writes[w->from].header;
    w->piece.take = 1;
    if (!of_record(w, w->from) || (there.magic == RECORD && there.sequence > s->sequence)) continue;
    memset(w->slot->writes + w->from, 0, sizeof *w->slot->writes);
    if (s->sector != UINT64_MAX) w->slot->writes[w->from].header = (struct header){RECORD, s->sector, s->sequence, s->kind};
    run = belongs(w, w->from);
    for (uint32_t n = 1; n < run.count; ++n) {
      const struct header next = w->slot->writes[w->from + n].header;
      const struct saved *const saved = &w->slot->saves[w->from + n].saved;
      if (next.magic == RECORD && next.sequence > saved->sequence) break;
      memset(w->slot->writes + w->from + n, 0, sizeof *w->slot->writes);
      if (saved->sector != UINT64_MAX) w->slot->writes[w->from + n].header = (struct header){RECORD, saved->sector, saved->sequence, saved->kind};
      ++w->piece.take;
    }
    run.count = w->piece.take;
    add_run(w, TESSERA_WRITE, run, tessera_part(&l->tasks, w->slot->data, w->from, run.count), w->slot->writes + w->from);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
  }
  for (uint32_t i = 0; i < w->sectors; ++i) { /* an exchange that was under way is made */
    const struct saved *const s = &w->slot->saves[i].saved;
    uint64_t place;
    if (!of_record(w, i) || !s->swaps || s->kind != AT_HOME || s->sector == UINT64_MAX || places_on(l, s->surface, s->radius, &place) == NULL) continue;
    l->state->map[s->sector / l->block] = (uint32_t)(place + s->index / l->block) + 1;
  }
  TESSERA_END;
}

/* What one header of a track says after a dump that failed. First all of the buffer's are taken in, then those at home, which may be newer. */
static void take_in(struct layer *l, const struct header *h, uint64_t place, uint32_t offset, uint32_t kind) {
  if (h->magic != RECORD || h->kind != kind || h->sector >= l->places * l->block) return;
  if (h->sequence > l->state->sequence) l->state->sequence = h->sequence;
  const uint32_t other = find_buffered(l, h->sector);
  const int newer = other != 0 && l->newest_buffered[other - 1] > h->sequence;
  if (other != 0 && !newer) drop_buffered(l, other - 1);
  if (kind == BUFFERED) {
    if (newer) return;
    const uint32_t at = (uint32_t)(place - l->buffer_first) * l->block + offset;
    l->newest_buffered[at] = h->sequence;
    put_buffered(l, at, h->sector);
    ++l->live[at / l->block];
    return;
  }
  const uint64_t block = h->sector / l->block;
  if (place >= l->state->given) l->state->given = place + 1;
  if (h->sequence < l->newest[block]) return;
  l->newest[block] = h->sequence;
  l->state->map[block] = (uint32_t)place + 1;
}

/* A place that a block was given is filled, so it has no sector of the buffer's any more. */
static int is_of_buffer(const struct layer *l, const union bytes *headers) {
  uint32_t n = 0;
  while (n < l->block && !(headers[n].header.magic == RECORD && headers[n].header.kind == BUFFERED)) ++n;
  return n < l->block;
}

/* Reads the headers of all tracks, twice: of the buffer's, of all others. */
static tessera_status scan(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  for (w->steps = BUFFERED; w->steps >= AT_HOME; --w->steps)
    for (w->block = w->steps == BUFFERED ? l->buffer_first : 0; w->block < l->places; w->block += segment_of(l, w->block)->per_track) {
      w->block -= (w->block - segment_of(l, w->block)->first) % segment_of(l, w->block)->per_track; /* the track's first place */
      w->run = run_of(l, w->block, 0, segment_of(l, w->block)->per_track * l->block);
      memset(headers_of(l, w), 0, w->run.count * sizeof **l->headers);
      add_run(w, TESSERA_READ, w->run, tessera_part(&l->tasks, l->zeros, 0, 0), headers_of(l, w));
      TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
      for (uint32_t i = 0; i < w->run.count; i += l->block) {
        const union bytes *const headers = headers_of(l, w) + i;
        const uint64_t place = w->block + i / l->block;
        if (place < l->buffer_first ? w->steps == BUFFERED : w->steps == AT_HOME && is_of_buffer(l, headers)) continue;
        for (uint32_t n = 0; n < l->block; ++n) take_in(l, &headers[n].header, place, n, w->steps);
      }
    }
  memset(l->holds, 0, l->places * sizeof *l->holds);
  for (uint64_t b = 0; b < l->places; ++b)
    if (l->state->map[b] != 0) l->holds[l->state->map[b] - 1] = (uint32_t)b + 1;
  for (uint64_t b = 0; b < l->delivered; ++b)
    if (l->state->map[b] == 0 && l->holds[b] == 0) l->state->map[b] = (uint32_t)b + 1;
  if (l->state->given < l->delivered) l->state->given = l->delivered;
  for (w->block = 0; w->block < l->state->given; ++w->block) { /* which block such a place has cannot be known */
    if (l->holds[w->block] != 0 || l->state->map[w->block] == (uint32_t)w->block + 1) continue;
    add_run(w, TESSERA_READ, run_of(l, w->block, 0, l->block), tessera_part(&l->tasks, l->slot->data, 0, l->block), NULL);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
    l->state->orphans += l->tasks.machine->first_lost(l->tasks.machine, tessera_part(&l->tasks, l->slot->data, 0, l->block)) < l->block;
  }
  TESSERA_END;
}

static tessera_status recover(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  if (l->state->magic == RECORD) {
    for (w->done = 0; w->done < l->slots; ++w->done) {
      w->slot = &l->slot[w->done];
      w->record = l->state->in_force[w->done];
      if (w->record == 0) continue;
      TESSERA_AWAIT(restore(l, w));
      l->state->in_force[w->done] = 0;
    }
  } else {
    memset(l->slot->saves, 0, SUPERBLOCKS * sizeof *l->slot->saves);
    add_superblock(l, w, TESSERA_READ);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
    l->delivered = UINT64_MAX;
    for (uint32_t i = 0; i < SUPERBLOCKS; ++i)
      if (l->slot->saves[i].header.magic == RECORD) l->delivered = l->slot->saves[i].header.sector;
    if (l->delivered == UINT64_MAX) return TESSERA_CORRUPT;
    forget_all(l);
    for (w->done = 0; w->done < l->slots; ++w->done) { /* which record each slot has */
      w->slot = &l->slot[w->done];
      add_whole_slot(l, w);
      TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
      l->record_of[w->done] = newest_record(l, w);
    }
    for (;;) { /* the newest first: what an older one has may have been saved again */
      w->done = 0;
      for (uint32_t i = 1; i < l->slots; ++i)
        if (l->record_of[w->done] < l->record_of[i]) w->done = i;
      if (l->record_of[w->done] == 0) break;
      w->slot = &l->slot[w->done];
      w->record = l->record_of[w->done];
      TESSERA_AWAIT(restore(l, w));
      l->record_of[w->done] = 0;
    }
    forget_all(l); /* the headers say what was exchanged */
    count_places(l);
    memset(l->newest, 0, l->places * sizeof *l->newest);
    TESSERA_AWAIT(scan(l, w));
    l->state->magic = RECORD;
  }
  count_places(l);
  TESSERA_END;
}

static tessera_status serve(void *self, tessera_task *task) {
  struct layer *const l = self;
  struct work *const w = (struct work *)task;
  switch (task->command.kind) {
    case TESSERA_BOOT: return format(l, w);
    case TESSERA_RECOVERY: return recover(l, w);
    case TESSERA_READ: return serve_read(l, w);
    case TESSERA_WRITE: return serve_write(l, w);
    default: return TESSERA_OK; /* what was acknowledged is on the platters; TRIM changes nothing */
  }
}

/* The tracks of `region` from `offset` on, each `step`, as a segment after those that are there. */
static void add_segment(struct layer *l, const tessera_region *region, uint32_t offset, uint32_t step, uint32_t nominal) {
  struct segment *const s = &l->segment[l->segments];
  const uint32_t radii = (uint32_t)region->count;
  uint32_t least = UINT32_MAX;
  s->radius = (uint32_t)region->first + offset;
  s->step = step;
  s->nominal = nominal;
  s->tracks = radii > offset ? (radii - offset + step - 1) / step : 0;
  for (uint32_t t = 0; t < s->tracks; ++t)
    for (uint32_t surface = 0; surface < l->surfaces; ++surface) {
      const uint32_t sectors = l->tasks.machine->sectors_on(l->tasks.machine, surface, s->radius + t * step);
      least = tessera_least(least, sectors);
      if (sectors > l->stride) l->stride = sectors;
      if (sectors > s->nominal) s->nominal = sectors;
    }
  s->per_track = least / l->block;
  if (s->tracks == 0 || s->per_track == 0) s->tracks = 0, s->per_track = 1;
  l->segment[++l->segments].first = s->first + (uint64_t)s->tracks * l->surfaces * s->per_track;
}

static uint32_t zone_of(const tessera_geometry *g, const tessera_region *region) {
  uint32_t zone = g->zone_count - 1;
  while (g->zones[zone].first_radius > region->first) --zone;
  return zone;
}

static void *create(const tessera_layer *code, tessera_machine *m, const tessera_geometry *g, const tessera_region *regions, uint32_t count, const tessera_value *v) {
  struct layer *const l = tessera_tasks_made(sizeof *l, m, g, sizeof(struct work), serve);
  if ((void)code, l == NULL) return NULL;
  l->surfaces = g->surfaces;
  l->spares = g->track_spares;
  l->block = block_sectors(g, v);
  l->slots = (uint32_t)v[BACKUP_SLOTS].integer;
  l->backup_radius = (uint32_t)regions->first + SUPERBLOCKS;
  l->zones = count - 1; /* the first region is the backup */
  l->segment = tessera_tasks_memory(&l->tasks, (PHASES * l->zones + 1) * sizeof *l->segment);
  l->slot = tessera_tasks_memory(&l->tasks, l->slots * sizeof *l->slot);
  l->record_of = tessera_tasks_memory(&l->tasks, l->slots * sizeof *l->record_of);
  l->headers = tessera_tasks_memory(&l->tasks, 65536 * sizeof *l->headers);
  if (l->segment == NULL || l->slot == NULL || l->headers == NULL || l->record_of == NULL) return NULL;
  const int three = v[ALLOCATION].integer == THREE_PHASE;
  for (uint32_t phase = 0; phase < (three ? 3u : 2u); ++phase)
    for (uint32_t i = 1; i < count; ++i) {
      const uint32_t sectors = g->zones[zone_of(g, &regions[i])].sectors_per_track;
      if (phase == 0) add_segment(l, &regions[i], 0, 2, sectors);
      else add_segment(l, &regions[i], 2 * phase - 1, three ? 4 : 2, (uint32_t)(v[TOP_RATIO].real * sectors));
    }
  l->places = l->segment[l->segments].first;
  const uint64_t tops = l->places - l->segment[l->zones].first, most = v[BUFFER].integer / g->sector_bytes / l->block;
  l->buffer_first = l->places - (v[TOP_BUFFER].integer ? (most < tops ? most : tops) : 0);
  l->buffer_sectors = (uint32_t)(l->places - l->buffer_first) * l->block;
  l->swaps = v[BLOCK_SWAP].integer != 0;
  l->margin = (uint32_t)v[SWAP_MARGIN].integer;
  l->heat_step = (double)l->places / (double)v[HEAT_WRITES].integer;
  for (l->buckets = 1; l->buckets < l->buffer_sectors; l->buckets *= 2) continue;
  const tessera_memory state = m->reserve(m, TESSERA_METADATA, sizeof *l->state + l->places * sizeof *l->state->map, v[DUMP_MAP].integer != 0, "map of blocks");
  const tessera_memory buffer = m->reserve(m, TESSERA_METADATA, (l->buffer_sectors + 1) * sizeof *l->in_buffer, v[DUMP_MAP].integer != 0, "what the buffer holds");
  const tessera_memory heat = m->reserve(m, TESSERA_METADATA, l->places, 0, "writes of each block");
  uint64_t address;
  l->state = state.bytes;
  l->map_address = state.address + offsetof(struct state, map);
  l->in_buffer = buffer.bytes;
  l->heat = heat.bytes;
  l->heat_address = heat.address;
  l->holds = tessera_table(&l->tasks, l->places * sizeof *l->holds, "what each place holds", &address);
  l->bucket = tessera_table(&l->tasks, l->buckets * sizeof *l->bucket, "buckets of buffered sectors", &address);
  l->chain = tessera_table(&l->tasks, (l->buffer_sectors + 1) * sizeof *l->chain, "chains of buffered sectors", &address);
  l->live = tessera_table(&l->tasks, (l->places - l->buffer_first + 1) * sizeof *l->live, "buffered sectors of each place", &address);
  l->newest = tessera_tasks_memory(&l->tasks, l->places * sizeof *l->newest);
  l->newest_buffered = tessera_tasks_memory(&l->tasks, (l->buffer_sectors + 1) * sizeof *l->newest_buffered);
  l->zeros = m->reserve_buffer(m, TESSERA_MERGE_BUFFER, l->block, 0, "zeros");
  l->evicted = m->reserve_buffer(m, TESSERA_MERGE_BUFFER, l->block, 0, "sectors that leave the buffer"); /* one task at a time */
  l->slot_sectors = 2 * l->stride + l->block;
  uint32_t room = 0;
  for (uint32_t radius = 0; radius < SLOT_RADII; ++radius) room += m->sectors_on(m, 0, l->backup_radius + radius);
  l->slot_sectors = tessera_least(l->slot_sectors, room);
  for (uint32_t i = 0; i < l->slots; ++i) {
    l->slot[i].data = m->reserve_buffer(m, TESSERA_MERGE_BUFFER, l->slot_sectors + l->block, 0, "tops under way");
    l->slot[i].saves = tessera_tasks_memory(&l->tasks, l->slot_sectors * sizeof *l->slot->saves);
    l->slot[i].writes = tessera_tasks_memory(&l->tasks, l->slot_sectors * sizeof *l->slot->writes);
    if (l->slot[i].saves == NULL || l->slot[i].writes == NULL) return NULL;
  }
  if (l->state != NULL && (state.torn || buffer.torn)) l->state->magic = 0; /* now: a cut before the boot dumps it again */
  const int all = l->state != NULL && l->in_buffer != NULL && l->heat != NULL && l->holds != NULL && l->bucket != NULL && l->chain != NULL && l->live != NULL;
  return all && l->newest != NULL && l->newest_buffered != NULL && l->places > 0 ? l : NULL;
}

static uint64_t user_sectors(const void *self) { return ((const struct layer *)self)->places * ((const struct layer *)self)->block; }
static void prefill(void *self, uint64_t sectors) { ((struct layer *)self)->delivered = (sectors + ((struct layer *)self)->block - 1) / ((struct layer *)self)->block; }
static uint64_t longest_wait(const tessera_layer *code, const tessera_value *v) { return (void)code, (void)v, 3600000000000000u; } /* an hour: a full buffer evicts for each write */
static void report(const void *self, const tessera_reporter *to) {
  const struct layer *const l = self;
  tessera_report_rmws(to, &l->rewrites, "writes of bottoms that saved and rewrote tops");
  if (l->appended > 0) tessera_report_cleanings(to, &l->evictions, "runs of sectors that left the buffer");
  to->figure(to->context, "dm_imr.direct", (double)l->direct, 1, "1", "writes that destroyed nothing", 1);
  to->figure(to->context, "dm_imr.buffered", (double)l->appended, 1, "1", "updates of bottoms that went to free tops", 1);
  to->figure(to->context, "dm_imr.buffer_hits", (double)l->rewritten_in_buffer, 1, "1", "sectors written again in the buffer", 1);
  to->figure(to->context, "dm_imr.swaps", (double)l->swapped, 1, "1", "blocks of a bottom exchanged with one of a top", 1);
  to->figure(to->context, "dm_imr.usage", (double)l->state->given / (double)l->places, 1, "1", "places that blocks have, over all", 0);
}

static const tessera_layer layer = {
    .abi = TESSERA_FIRMWARE_ABI, .size = sizeof(tessera_layer), .name = "dm-imr", .summary = "interlaced tracks, filled in three phases, with top-buffer and block-swap (DM-IMR, HotStorage 2018)",
    .parameters = parameters, .parameter_count = PARAMETERS, .plan = plan, .create = create, .user_sectors = user_sectors, .prefill = prefill, .longest_wait = longest_wait,
    .report = report, TESSERA_CALLS_OF_TASKS};

const tessera_layer *tessera_firmware_layer(uint32_t abi, uint32_t index) { return abi == TESSERA_FIRMWARE_ABI && index == 0 ? &layer : NULL; }
