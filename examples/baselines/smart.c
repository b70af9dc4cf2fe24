/* SMaRT: W. He, D. H. C. Du, "SMaRT: An Approach to Shingled Magnetic Recording Translation", FAST 2017. A drive-managed shingled disk whose
 * mapping has the grain of a track. Two properties of shingled tracks carry it: a track may be updated in place while the track after it is free,
 * and a track that holds nothing any more may be written again as soon as the track after it is free. So a free track is a safety gap for the
 * track in front of it, and space comes back track by track, without a cleaning of bands.
 *
 *   ring:  |U U U U|. |U U|. . |U|. . . . . . . .|U U      U used, . free
 *           element F  element      pool ->
 *
 * Format. The tracks of one surface in one zone are a ring; its used and free tracks in a row are its space elements. One of the free elements is
 * the pool. Logical tracks are dealt over the surfaces of a zone. Each copy of a logical track ends with two sectors whose headers have its record:
 * logical track and sequence number. Two conventional tracks hold the superblock, which says how many logical tracks the drive was delivered with.
 *
 * A write to a track whose follower is free goes in place. Any other write copies its track, with the new sectors, to the next track of the pool, and
 * the old place is free. A first write takes a track with free ones on both sides while the ring is less than half full, so that it can be updated in
 * place later; then, from the pool, too. When the pool is short, cleaning joins free elements: of all used elements it takes that of the fewest
 * tracks, and slides it over the free element in front of it, track by track; if that is a single track, the first goes to the pool. What is cleaned
 * was not written lately, so cold data goes towards one end and stays in place there, and what is written often stays near the pool.
 *
 * Invariant. A used track is never written over, nor the track in front of it. One free element of two tracks at least is always there, so that cleaning
 * can go on: sliding an element over it takes no other space. A copy counts from its first record on, and its data is on the platters by then.
 *
 * Recovery. The map is in the dumped part of the DRAM, with the copy under way: a boot asks the records of its target whether it counts. After a
 * dump that failed (or without one: dump_map), a boot reads the records of all tracks; of each logical track the copy with the highest number counts, and one without a
 * record is where the drive was delivered with it. A track that is copied is never overwritten by its own copy, so an older one is always whole. */
#include "tessera_parts.h"

#define RECORD 0x736d6172742d31ull /* "smart-1" */
#define NONE UINT32_MAX
#define TAKEN UINT32_MAX /* in `holds`: the target of a copy */
enum {
  RESERVE, CLEAN_BELOW, IDLE_AFTER, DUMP_MAP, PARAMETERS,
  RECORDS = 2,        /* sectors of each copy, and copies of the superblock */
  LEAST_RESERVE = 4,  /* tracks of a ring: with so many a second free element is there whenever the first has two left */
  SPACED_LOOK = 64,   /* tracks that a first write looks at for one with free neighbours */
  SCAN = 8            /* tracks per chain of a boot that reads all records */
};

static const tessera_parameter parameters[PARAMETERS] = {
    {"reserve", "tracks of a ring that are always free, over all of its tracks", TESSERA_REAL, 0, NULL, 0.001, 0.9, {0, 0.05}},
    {"clean_below", "cleaning in the background begins when the pool has less than this share of the reserve", TESSERA_REAL, 0, NULL, 0, 1, {0, 0.5}},
    {"idle_after", "how long the host must have been quiet before cleaning goes on", TESSERA_TIME, 0, NULL, 0, 1e15, {100000000000, 0}},
    {"dump_map", "the map is in memory that the drive dumps at a power cut; false: each boot after a cut reads the records of all tracks", TESSERA_FLAG, 0, NULL, 0, 1, {1, 0}}};

struct zone {
  uint64_t first;                /* its first logical sector; the table's last entry has the drive's end */
  uint32_t first_track, tracks;  /* logical: the first, and those of each ring */
  uint32_t first_ring, sectors;  /* of a logical track */
};
/* Places in a ring count from 0; physical tracks are numbered ring after ring. */
struct ring {
  uint32_t first, tracks;   /* physical */
  uint32_t surface;
  uint32_t *radius;         /* of each place */
  uint32_t used, reserve, pool, left; /* tracks that hold data; always free; first place of the pool, and its tracks */
  uint32_t spaced, cleaning;          /* place where a first write looks next; background work is under way */
  uint32_t moving, rest;              /* the used element that is being cleaned: its first place, and its tracks */
};
struct record { uint64_t magic, track, sequence; }; /* a header's first bytes. Superblock: the sequence number is 0, `track` those delivered with data */
union header { struct record record; uint8_t bytes[TESSERA_HEADER_BYTES]; };
struct state { /* dumped */
  uint64_t magic, sequence, copy_sequence;
  uint32_t copy_of, copy_to; /* the copy under way; to: NONE, no copy is */
  uint32_t map[];            /* of each logical track the physical one and 1; 0: never written */
};
struct work {
  tessera_task task;
  tessera_claim claim;
  struct ring *ring;
  uint64_t until;
  uint32_t done, take;                    /* sectors of the command */
  uint32_t track, offset, sectors;        /* logical, where the piece begins in it, and all that it has */
  uint32_t moves, to, overlay, steps;     /* copy: logical track, target, whether the piece goes over it; steps up to the first record */
  uint32_t copies, gap, slides_pool;      /* the piece's track held data; cleaning: free tracks in front, and whether they are the pool */
};
struct layer {
  tessera_tasks tasks; /* first */
  tessera_turn space;  /* one task at a time takes tracks, copies and cleans */
  tessera_claims claims; /* of logical sectors */
  struct zone *zone;
  struct ring *ring;
  uint32_t zones, rings, surfaces, tracks, places, most_sectors; /* logical and physical tracks */
  uint32_t superblock;            /* its first radius */
  uint32_t delivered, sleeping;   /* logical tracks with data when the drive was new; tasks that wait for the host to be idle */
  double clean_below;
  uint64_t idle_after, map_address;
  struct state *state;
  uint32_t *holds;       /* of each physical track its logical one and 1; 0: free */
  uint64_t *newest;      /* of each logical track the highest number that a boot has found */
  uint16_t *endangered;  /* writes under way that damage it */
  struct work *waits;    /* until its target is not endangered */
  tessera_data image;
  union header header[SCAN * RECORDS];
  tessera_work copies, cleanings;
  uint64_t in_place, first_writes;
};

/* ---- where things are ---- */

static uint32_t rounded_up(double share, uint32_t of) { const double exact = share * of; return (uint32_t)exact + ((double)(uint32_t)exact < exact); }
static uint32_t reserve_of(const tessera_value *v, uint32_t tracks) { const uint32_t r = rounded_up(v[RESERVE].real, tracks); return r < LEAST_RESERVE ? LEAST_RESERVE : r; }

/* The last radius of a zone is a guard: what follows the last track of a ring is no track of another. */
static void plan(const tessera_layer *code, const tessera_geometry *g, const tessera_value *v, const tessera_planner *to) {
  tessera_region region = {"superblock", 0, RECORDS, TESSERA_CONVENTIONAL, 2, 1, 0, 0, 1.0, 1};
  int fit = 0;
  (void)code;
  region.first = g->zones[0].first_radius;
  if (g->zones[0].radii > RECORDS) to->region(to->context, &region);
  for (uint32_t i = 0; i < g->zone_count && g->zones[0].radii > RECORDS; ++i) {
    const uint32_t taken = i == 0 ? RECORDS : 0;
    if (g->zones[i].radii < taken + 1 + LEAST_RESERVE + 2 || g->zones[i].radii - taken - 1 <= reserve_of(v, g->zones[i].radii - taken - 1) + 1) continue;
    region = (tessera_region){"ring", g->zones[i].first_radius + taken, g->zones[i].radii - taken - 1, TESSERA_SHINGLED, 2, 1, 0, 0, 1.0, 1};
    to->region(to->context, &region);
    fit = 1;
  }
  if (!fit) to->refuse(to->context, "no zone of the drive has tracks enough: a ring takes the reserve, two more tracks and a guard; layers.smart.reserve may be lower");
}

static uint32_t next_place(const struct ring *r, uint32_t place) { return place + 1 == r->tracks ? 0 : place + 1; }
static uint32_t place_before(const struct ring *r, uint32_t place, uint32_t by) { return place >= by ? place - by : place + r->tracks - by; }
static int is_free(const struct layer *l, const struct ring *r, uint32_t place) { return l->holds[r->first + place] == 0; }
static uint32_t follower(const struct ring *r, uint32_t physical) { return r->first + next_place(r, physical - r->first); }

/* Finds zone, ring and logical track of a sector, and how much of `most` sectors that track has. */
static void look(const struct layer *l, struct work *w, uint64_t sector, uint32_t most) {
  const struct zone *const z = &l->zone[tessera_last_at_most(&l->zone->first, sizeof *l->zone, l->zones, sector)];
  const uint64_t in_zone = (sector - z->first) / z->sectors;
  w->track = z->first_track + (uint32_t)in_zone;
  w->ring = &l->ring[z->first_ring + (uint32_t)(in_zone % l->surfaces)];
  w->offset = (uint32_t)((sector - z->first) % z->sectors);
  w->sectors = z->sectors;
  w->take = tessera_least(most, z->sectors - w->offset);
  l->tasks.machine->touch(l->tasks.machine, l->map_address + w->track * sizeof(uint32_t), sizeof(uint32_t), 0);
}

static uint64_t first_sector_of(const struct layer *l, uint32_t track) {
  const struct zone *z = l->zone;
  while (track >= z->first_track + z->tracks * l->surfaces) ++z;
  return z->first + (uint64_t)(track - z->first_track) * z->sectors;
}

/* The place that a logical track is delivered at: every other one of those in front of the reserve, then those between. */
static uint32_t delivered_at(const struct layer *l, uint32_t track) {
  const struct zone *z = l->zone;
  while (track >= z->first_track + z->tracks * l->surfaces) ++z;
  const uint32_t in_zone = track - z->first_track, number = in_zone / l->surfaces, half = (z->tracks + 1) / 2;
  return l->ring[z->first_ring + in_zone % l->surfaces].first + (number < half ? 2 * number : 2 * (number - half) + 1);
}

static tessera_media_step run_on(const struct ring *r, uint32_t physical, uint32_t first, uint32_t count) {
  tessera_media_step run;
  memset(&run, 0, sizeof run);
  run.surface = r->surface;
  run.radius = r->radius[physical - r->first];
  run.first = first;
  run.count = count;
  return run;
}

static void set_map(struct layer *l, uint32_t track, uint32_t physical) {
  l->state->map[track] = physical + 1;
  l->tasks.machine->touch(l->tasks.machine, l->map_address + track * sizeof(uint32_t), sizeof(uint32_t), 1);
}

/* ---- space elements ---- */

static void charge_look(const struct layer *l, uint32_t places) { l->tasks.machine->charge(l->tasks.machine, TESSERA_CPU_LIST_ELEMENT, places); }

/* The largest free element is the pool. */
static void choose_pool(const struct layer *l, struct ring *r) {
  uint32_t start = 0, run = 0;
  while (start < r->tracks && is_free(l, r, start)) ++start; /* a used place: from there on no element is cut in two */
  r->pool = 0;
  r->left = start == r->tracks ? start : 0;
  for (uint32_t i = 1; i <= r->tracks && start < r->tracks; ++i) {
    const uint32_t place = (start + i) % r->tracks;
    run = i < r->tracks && is_free(l, r, place) ? run + 1 : 0;
    if (run > r->left) r->left = run, r->pool = place_before(r, place, run - 1);
  }
  charge_look(l, r->tracks);
}

/* The next track of the pool, which keeps two: its follower, and one for that to be written. NONE: there is no such pool. */
static uint32_t of_pool(const struct layer *l, struct ring *r) {
  if (r->left < 3) choose_pool(l, r);
  return r->left < 3 ? NONE : r->first + r->pool;
}

/* Places from the pool's first on. */
static uint32_t in_pool(const struct ring *r, uint32_t place) { return place_before(r, place, r->pool); }

/* The track for a copy: while the ring is less than half full one with free neighbours, which leaves a pool of the reserve; then the next of the pool. */
static uint32_t target(const struct layer *l, struct ring *r) {
  for (uint32_t i = 0; i < SPACED_LOOK && 2 * r->used < r->tracks; ++i) {
    const uint32_t place = r->spaced, from = in_pool(r, place);
    const int spares_pool = from > r->left || from + 1 + r->reserve <= r->left;
    if (spares_pool && is_free(l, r, place) && is_free(l, r, place_before(r, place, 1)) && is_free(l, r, next_place(r, place))) return charge_look(l, i + 1), r->first + place;
    r->spaced = next_place(r, place);
  }
  return of_pool(l, r);
}

/* What is left of the pool comes after the track. */
static void take(struct layer *l, struct ring *r, uint32_t physical) {
  const uint32_t from = in_pool(r, physical - r->first);
  l->holds[physical] = TAKEN;
  if (from >= r->left) return;
  r->pool = next_place(r, physical - r->first);
  r->left -= from + 1;
}

static uint32_t free_before(const struct layer *l, const struct ring *r, uint32_t place) {
  uint32_t before = 0;
  while (before < r->tracks && is_free(l, r, place_before(r, place, before + 1))) ++before;
  return before;
}

/* Chooses the used element to clean: of those that can be moved that of the fewest tracks. 0: none would join two free elements. */
static int choose_element(const struct layer *l, struct ring *r) {
  uint32_t start = 0, elements = 0, before;
  r->rest = NONE;
  while (start < r->tracks && (is_free(l, r, start) || !is_free(l, r, place_before(r, start, 1)))) ++start;
  if (start == r->tracks) return 0;
  before = free_before(l, r, start);
  for (uint32_t place = start, done = 0; done < r->tracks; ++elements) {
    const uint32_t first = place;
    uint32_t used = 0, after = 0;
    for (; !is_free(l, r, place); place = next_place(r, place)) ++used;
    for (; is_free(l, r, place); place = next_place(r, place)) ++after;
    if (used < r->rest && (before >= 2 || r->left >= 3)) r->rest = used, r->moving = first;
    before = after;
    done += used + after;
  }
  charge_look(l, r->tracks);
  return elements > 1 && r->rest != NONE;
}

/* ---- writes that damage the next track ---- */

static tessera_status wait_for_target(struct layer *l, struct work *w) {
  if (!tessera_asks(&w->task)) return TESSERA_OK;
  l->waits = w;
  l->tasks.machine->park(l->tasks.machine, w->task.command.operation, TESSERA_WAITS_LOCK);
  return TESSERA_WAITING;
}

static void no_longer_endangered(struct layer *l, uint32_t physical) {
  struct work *const w = l->waits;
  if (--l->endangered[physical] > 0 || w == NULL || w->to != physical) return;
  l->waits = NULL;
  l->tasks.machine->ready(l->tasks.machine, w->task.command.operation);
}

static int goes_in_place(const struct layer *l, const struct work *w) {
  const uint32_t there = l->state->map[w->track];
  return there != 0 && l->holds[follower(w->ring, there - 1)] == 0;
}

static tessera_status write_in_place(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  w->to = l->state->map[w->track] - 1;
  ++l->endangered[follower(w->ring, w->to)];
  tessera_add(&w->task, TESSERA_WRITE, run_on(w->ring, w->to, w->offset, w->take), tessera_part(&l->tasks, w->task.command.data, w->done, w->take));
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
  no_longer_endangered(l, follower(w->ring, w->to));
  ++l->in_place;
  return w->task.status;
  TESSERA_END;
}

/* ---- copies ---- */

/* Copies the logical track w->moves to w->to, which is taken. Its first record makes the copy count, whether or not the second can be written. */
static tessera_status copy_track(struct layer *l, struct work *w) {
  const uint32_t there = l->state->map[w->moves];
  const tessera_data all = tessera_part(&l->tasks, l->image, 0, w->sectors);
  TESSERA_BEGIN(&w->task);
  while (l->endangered[w->to] > 0) TESSERA_AWAIT(wait_for_target(l, w));
  if (there == 0) l->tasks.machine->clear(l->tasks.machine, all);
  else if (!w->overlay || w->take < w->sectors) tessera_add(&w->task, TESSERA_READ, run_on(w->ring, there - 1, 0, w->sectors), all);
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
  if (w->task.status != TESSERA_OK) return l->holds[w->to] = 0, w->task.status;
  if (w->overlay) l->tasks.machine->copy(l->tasks.machine, tessera_part(&l->tasks, w->task.command.data, w->done, w->take), tessera_part(&l->tasks, l->image, w->offset, w->take));
  l->state->copy_sequence = ++l->state->sequence;
  l->state->copy_of = w->moves;
  l->state->copy_to = w->to;
  tessera_add(&w->task, TESSERA_WRITE, run_on(w->ring, w->to, 0, w->sectors), all);
  w->steps = w->task.step_count + 1;
  for (uint32_t i = 0; i < RECORDS; ++i) {
    l->header[i].record = (struct record){RECORD, w->moves, l->state->sequence};
    tessera_media_step *const step = tessera_add(&w->task, TESSERA_WRITE, run_on(w->ring, w->to, w->sectors + i, 1), tessera_part(&l->tasks, l->image, w->sectors + i, 1));
    step->headers = &l->header[i];
    step->header_count = 1;
  }
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
  l->state->copy_to = NONE;
  if (w->task.status != TESSERA_OK && w->task.steps_done < w->steps) return l->holds[w->to] = 0, w->task.status;
  if (there != 0) l->holds[there - 1] = 0; else ++w->ring->used;
  l->holds[w->to] = w->moves + 1;
  set_map(l, w->moves, w->to);
  TESSERA_END;
}

/* Moves the first track of the element that is cleaned, so that two free elements are nearer to each other. */
static tessera_status clean(struct layer *l, struct work *w) {
  struct ring *const r = w->ring;
  TESSERA_BEGIN(&w->task);
  if (r->rest == 0 || is_free(l, r, r->moving) || !is_free(l, r, place_before(r, r->moving, 1))) {
    choose_pool(l, r);
    if (!choose_element(l, r)) return r->rest = 0, TESSERA_NO_SPACE;
  }
  w->gap = free_before(l, r, r->moving);
  charge_look(l, w->gap);
  if (w->gap == 1 && of_pool(l, r) == NONE) return r->rest = 0, TESSERA_OK; /* the pool is used up: another element */
  w->moves = l->holds[r->first + r->moving] - 1;
  w->to = w->gap >= 2 ? r->first + place_before(r, r->moving, w->gap) : of_pool(l, r);
  w->overlay = 0;
  w->slides_pool = w->gap >= 2 && r->left > 0 && w->to == r->first + r->pool;
  take(l, r, w->to);
  tessera_claim_add(&w->claim, first_sector_of(l, w->moves), w->sectors, 0);
  TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
  tessera_work_begins(&l->tasks, &l->cleanings, "clean", w->moves);
  TESSERA_AWAIT(copy_track(l, w));
  tessera_work_ends(&l->tasks, &l->cleanings, w->moves, w->sectors);
  tessera_unclaim(&l->claims, &w->claim);
  if (w->task.status != TESSERA_OK) return r->rest = r->left = 0, w->task.status;
  r->moving = next_place(r, r->moving);
  if (--r->rest == 0) r->left = 0; /* two free elements are one: the pool is chosen again */
  else r->left += w->slides_pool; /* the place that was left is its last one now */
  return w->task.status;
  TESSERA_END;
}

static int wants_cleaning(const struct layer *l, struct ring *r) {
  if (r->left < 3) choose_pool(l, r);
  return r->left < l->clean_below * r->reserve;
}

/* Background work of a ring: one track at a time, while the host is quiet. */
static tessera_status clean_when_idle(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  for (;;) {
    w->until = l->tasks.machine->last_activity(l->tasks.machine) + l->idle_after;
    if (l->tasks.machine->outstanding(l->tasks.machine) > 0) w->until = l->tasks.machine->now(l->tasks.machine) + l->idle_after;
    if (w->until > l->tasks.machine->now(l->tasks.machine)) {
      ++l->sleeping;
      TESSERA_AWAIT(tessera_sleep(&w->task, w->until));
      --l->sleeping;
      continue;
    }
    TESSERA_AWAIT(tessera_take(&w->task, &l->space));
    w->task.status = TESSERA_NO_SPACE;
    if (wants_cleaning(l, w->ring)) TESSERA_AWAIT(clean(l, w));
    tessera_give(&l->space);
    if (w->task.status != TESSERA_OK) break;
  }
  w->ring->cleaning = 0;
  TESSERA_END;
}

/* Writes the piece to a track with a free follower. */
static tessera_status write_out_of_place(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  while (target(l, w->ring) == NONE) TESSERA_TRY(clean(l, w));
  tessera_claim_add(&w->claim, first_sector_of(l, w->track), w->sectors, 0);
  TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
  if (goes_in_place(l, w)) { /* by now */
    TESSERA_AWAIT(write_in_place(l, w));
  } else {
    w->moves = w->track;
    w->to = target(l, w->ring);
    w->overlay = 1;
    take(l, w->ring, w->to);
    w->copies = l->state->map[w->track] != 0;
    if (!w->copies) ++l->first_writes; else tessera_work_begins(&l->tasks, &l->copies, "rmw", w->track);
    TESSERA_AWAIT(copy_track(l, w));
    if (w->copies) tessera_work_ends(&l->tasks, &l->copies, w->track, w->sectors);
    if (!w->ring->cleaning && wants_cleaning(l, w->ring)) {
      w->ring->cleaning = 1;
      l->tasks.machine->spawn(l->tasks.machine, w->ring, "clean");
    }
  }
  tessera_unclaim(&l->claims, &w->claim);
  return w->task.status;
  TESSERA_END;
}

/* ---- what the host asks for ---- */

static tessera_status serve_read(struct layer *l, struct work *w) {
  const tessera_command *const c = &w->task.command;
  tessera_data data;
  TESSERA_BEGIN(&w->task);
  for (; w->done < c->count; w->done += w->take) {
    look(l, w, c->first + w->done, c->count - w->done);
    tessera_claim_add(&w->claim, c->first + w->done, w->take, 1);
    TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
    data = tessera_part(&l->tasks, c->data, w->done, w->take);
    w->to = l->state->map[w->track];
    if (w->to == 0) l->tasks.machine->clear(l->tasks.machine, data); /* never written */
    else tessera_add(&w->task, TESSERA_READ, run_on(w->ring, w->to - 1, w->offset, w->take), data);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_FAIL_LOST));
    tessera_unclaim(&l->claims, &w->claim);
    if (w->task.status != TESSERA_OK) return w->task.status;
  }
  TESSERA_END;
}

static tessera_status serve_write(struct layer *l, struct work *w) {
  const tessera_command *const c = &w->task.command;
  TESSERA_BEGIN(&w->task);
  for (; w->done < c->count; w->done += w->take) {
    look(l, w, c->first + w->done, c->count - w->done);
    tessera_claim_add(&w->claim, c->first + w->done, w->take, 0);
    TESSERA_AWAIT(tessera_claimed(&w->task, &l->claims, &w->claim));
    if (goes_in_place(l, w)) {
      TESSERA_AWAIT(write_in_place(l, w));
      tessera_unclaim(&l->claims, &w->claim);
    } else { /* who waits for space holds nothing that cleaning needs */
      tessera_unclaim(&l->claims, &w->claim);
      TESSERA_AWAIT(tessera_take(&w->task, &l->space));
      TESSERA_AWAIT(write_out_of_place(l, w));
      tessera_give(&l->space);
    }
    if (w->task.status != TESSERA_OK) return w->task.status;
  }
  TESSERA_END;
}

/* ---- boot ---- */

static void add_superblock(struct layer *l, struct work *w, uint32_t kind) {
  for (uint32_t i = 0; i < RECORDS; ++i) {
    tessera_media_step run;
    memset(&run, 0, sizeof run);
    run.radius = l->superblock + i;
    run.count = 1;
    tessera_media_step *const step = tessera_add(&w->task, kind, run, tessera_part(&l->tasks, l->image, i, 1));
    step->headers = &l->header[i];
    step->header_count = 1;
  }
}

/* What each physical track holds follows from the map. */
static void count_tracks(struct layer *l) {
  memset(l->holds, 0, l->places * sizeof *l->holds);
  for (uint32_t i = 0; i < l->rings; ++i) l->ring[i].used = 0;
  for (uint32_t track = 0, zone = 0; track < l->tracks; ++track) {
    while (track >= l->zone[zone].first_track + l->zone[zone].tracks * l->surfaces) ++zone;
    if (l->state->map[track] == 0) continue;
    l->holds[l->state->map[track] - 1] = track + 1;
    ++l->ring[l->zone[zone].first_ring + (track - l->zone[zone].first_track) % l->surfaces].used;
  }
  for (uint32_t i = 0; i < l->rings; ++i) choose_pool(l, &l->ring[i]);
  l->tasks.machine->charge(l->tasks.machine, TESSERA_CPU_TABLE_ACCESS, l->tracks);
}

static void as_delivered(struct layer *l) {
  for (uint32_t track = 0; track < l->tracks; ++track) l->state->map[track] = track < l->delivered ? delivered_at(l, track) + 1 : 0;
}

static tessera_status format(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  l->state->magic = l->state->sequence = 0;
  l->tasks.machine->clear(l->tasks.machine, tessera_part(&l->tasks, l->image, 0, RECORDS));
  for (uint32_t i = 0; i < RECORDS; ++i) l->header[i].record = (struct record){RECORD, l->delivered, 0};
  add_superblock(l, w, TESSERA_WRITE);
  TESSERA_TRY(tessera_media(&w->task, TESSERA_FAIL_LOST));
  as_delivered(l);
  l->state->copy_to = NONE;
  l->state->magic = RECORD;
  count_tracks(l);
  TESSERA_END;
}

/* Reads the records of up to `count` tracks from w->to on; those that cannot be read are 0. */
static void add_records(struct layer *l, struct work *w, uint32_t count) {
  memset(l->header, 0, sizeof l->header);
  for (uint32_t i = 0; i < count; ++i) {
    tessera_media_step *const step = tessera_add(&w->task, TESSERA_READ, run_on(w->ring, w->to + i, w->sectors, RECORDS), tessera_part(&l->tasks, l->image, i * RECORDS, RECORDS));
    step->headers = &l->header[i * RECORDS];
    step->header_count = RECORDS;
  }
}

static const struct zone *zone_of_ring(const struct layer *l, const struct ring *r) {
  const struct zone *z = l->zone;
  while (z->first_ring + l->surfaces <= (uint32_t)(r - l->ring)) ++z;
  return z;
}

static tessera_status recover(struct layer *l, struct work *w) {
  struct state *const s = l->state;
  TESSERA_BEGIN(&w->task);
  if (s->magic == RECORD) {
    if (s->copy_to != NONE) { /* the copy under way counts if it has a record */
      for (w->ring = l->ring; s->copy_to >= w->ring->first + w->ring->tracks;) ++w->ring;
      w->sectors = zone_of_ring(l, w->ring)->sectors;
      w->to = s->copy_to;
      add_records(l, w, 1);
      TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
      for (uint32_t i = 0; i < RECORDS; ++i)
        if (l->header[i].record.magic == RECORD && l->header[i].record.track == s->copy_of && l->header[i].record.sequence == s->copy_sequence) set_map(l, s->copy_of, s->copy_to);
      s->copy_to = NONE;
    }
    count_tracks(l);
    return TESSERA_OK;
  }
  memset(l->header, 0, sizeof l->header);
  add_superblock(l, w, TESSERA_READ);
  TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
  w->done = RECORDS;
  for (uint32_t i = 0; i < RECORDS; ++i)
    if (l->header[i].record.magic == RECORD) l->delivered = (uint32_t)l->header[i].record.track, w->done = 0;
  if (w->done != 0) return TESSERA_CORRUPT;
  as_delivered(l);
  s->sequence = 0;
  memset(l->holds, 0, l->places * sizeof *l->holds);
  for (w->to = 0, w->ring = l->ring; w->to < l->places; w->to += w->take) {
    while (w->to >= w->ring->first + w->ring->tracks) ++w->ring;
    w->sectors = zone_of_ring(l, w->ring)->sectors;
    w->take = tessera_least(SCAN, w->ring->first + w->ring->tracks - w->to);
    add_records(l, w, w->take);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
    for (uint32_t i = 0; i < w->take * RECORDS; ++i) {
      const struct record *const r = &l->header[i].record;
      if (r->magic != RECORD || r->track >= l->tracks || r->sequence <= l->newest[r->track]) continue;
      set_map(l, (uint32_t)r->track, w->to + i / RECORDS);
      if ((l->newest[r->track] = r->sequence) > s->sequence) s->sequence = r->sequence;
    }
  }
  s->copy_to = NONE;
  s->magic = RECORD;
  count_tracks(l);
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
    case TESSERA_BACKGROUND: return w->ring = task->command.state, w->sectors = zone_of_ring(l, w->ring)->sectors, clean_when_idle(l, w);
    default: return TESSERA_OK; /* what was acknowledged is on the platters; TRIM changes nothing */
  }
}

static uint32_t nominal_sectors(const tessera_geometry *g, uint32_t radius) {
  const tessera_zone *zone = g->zones;
  while (radius >= zone->first_radius + zone->radii) ++zone;
  return zone->sectors_per_track;
}

static void *create(const tessera_layer *code, tessera_machine *m, const tessera_geometry *g, const tessera_region *regions, uint32_t count, const tessera_value *v) {
  struct layer *const l = tessera_tasks_made(sizeof *l, m, g, sizeof(struct work), serve);
  if ((void)code, l == NULL) return NULL;
  l->surfaces = g->surfaces;
  l->zones = count - 1; /* the first region has the superblock */
  l->rings = l->zones * g->surfaces;
  l->zone = tessera_tasks_memory(&l->tasks, (l->zones + 1) * sizeof *l->zone);
  l->ring = tessera_tasks_memory(&l->tasks, l->rings * sizeof *l->ring);
  if (l->zone == NULL || l->ring == NULL) return NULL;
  l->superblock = (uint32_t)regions->first;
  for (uint32_t i = 0; i < l->zones; ++i) {
    struct zone *const z = &l->zone[i];
    const uint32_t first = (uint32_t)regions[i + 1].first, radii = (uint32_t)regions[i + 1].count;
    z->first_track = l->tracks;
    z->first_ring = i * g->surfaces;
    z->tracks = z->sectors = UINT32_MAX;
    for (uint32_t surface = 0; surface < g->surfaces; ++surface) {
      struct ring *const r = &l->ring[z->first_ring + surface];
      *r = (struct ring){.first = l->places, .surface = surface, .radius = tessera_tasks_memory(&l->tasks, radii * sizeof *r->radius)};
      if (r->radius == NULL) return NULL;
      for (uint32_t radius = first; radius < first + radii; ++radius) {
        const uint32_t sectors = m->sectors_on(m, surface, radius);
        if (2 * sectors < nominal_sectors(g, radius)) continue; /* its sectors were slipped: it is a gap between two others */
        z->sectors = tessera_least(z->sectors, sectors);
        r->radius[r->tracks++] = radius;
      }
      r->reserve = reserve_of(v, r->tracks);
      z->tracks = tessera_least(z->tracks, r->tracks > r->reserve ? r->tracks - r->reserve : 0);
      l->places += r->tracks;
    }
    if (z->sectors > l->most_sectors) l->most_sectors = z->sectors;
    z->sectors -= RECORDS;
    l->tracks += z->tracks * g->surfaces;
    z[1].first = z->first + (uint64_t)z->tracks * g->surfaces * z->sectors;
  }
  const tessera_memory state = m->reserve(m, TESSERA_METADATA, sizeof *l->state + l->tracks * sizeof *l->state->map, v[DUMP_MAP].integer != 0, "map of tracks");
  l->state = state.bytes;
  if (l->state != NULL && state.torn) l->state->magic = 0; /* now: a cut before the boot dumps it again */
  l->map_address = state.address + offsetof(struct state, map);
  uint64_t address;
  l->holds = tessera_table(&l->tasks, l->places * sizeof *l->holds, "what each track holds", &address);
  l->endangered = tessera_tasks_memory(&l->tasks, l->places * sizeof *l->endangered);
  l->newest = tessera_tasks_memory(&l->tasks, l->tracks * sizeof *l->newest);
  l->image = m->reserve_buffer(m, TESSERA_MERGE_BUFFER, l->most_sectors > SCAN * RECORDS ? l->most_sectors : SCAN * RECORDS, 0, "track that is copied");
  l->clean_below = v[CLEAN_BELOW].real;
  l->idle_after = v[IDLE_AFTER].integer;
  return l->state == NULL || l->holds == NULL || l->endangered == NULL || l->newest == NULL ? NULL : l;
}

static uint64_t user_sectors(const void *self) { return ((const struct layer *)self)->zone[((const struct layer *)self)->zones].first; }
static int idle(const void *self) { return ((const struct layer *)self)->tasks.under_way == ((const struct layer *)self)->sleeping; }
static void prefill(void *self, uint64_t sectors) {
  struct layer *const l = self;
  for (const struct zone *z = l->zone; z < l->zone + l->zones && sectors > z->first; ++z)
    l->delivered = z->first_track + tessera_least((sectors - z->first + z->sectors - 1) / z->sectors, (uint64_t)z->tracks * l->surfaces);
}
static uint64_t longest_wait(const tessera_layer *code, const tessera_value *v) { return (void)code, (void)v, 3600000000000000u; } /* an hour: a full ring cleans for each track */
static void report(const void *self, const tessera_reporter *to) {
  const struct layer *const l = self;
  uint64_t used = 0;
  for (uint32_t i = 0; i < l->rings; ++i) used += l->ring[i].used;
  tessera_report_rmws(to, &l->copies, "writes that copied their track to a free one");
  tessera_report_cleanings(to, &l->cleanings, "tracks moved to join free ones");
  to->figure(to->context, "smart.in_place", (double)l->in_place, 1, "1", "writes in place", 1);
  to->figure(to->context, "smart.first_writes", (double)l->first_writes, 1, "1", "tracks written for the first time", 1);
  to->figure(to->context, "smart.usage", (double)used / l->places, 1, "1", "tracks that hold data, over all", 0);
}

static const tessera_layer layer = {
    .abi = TESSERA_FIRMWARE_ABI, .size = sizeof(tessera_layer), .name = "smart", .summary = "shingled tracks, updated in place while the next is free, else copied (SMaRT, FAST 2017)",
    .parameters = parameters, .parameter_count = PARAMETERS, .plan = plan, .create = create, .user_sectors = user_sectors, .prefill = prefill, .longest_wait = longest_wait,
    .report = report,
    .boot = tessera_on_boot, .command = tessera_on_command, .event = tessera_on_event, .idle = idle, .destroy = tessera_on_destroy};

const tessera_layer *tessera_firmware_layer(uint32_t abi, uint32_t index) { return abi == TESSERA_FIRMWARE_ABI && index == 0 ? &layer : NULL; }
