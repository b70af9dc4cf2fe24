/* Parts of layers in C: bands of overlapped tracks, a write buffer, claims, and the figures that tables and comparisons know. They go with the tasks of
 * tessera_coroutine.h; a layer takes those that it needs. */
#ifndef TESSERA_PARTS_H
#define TESSERA_PARTS_H

#include "tessera_coroutine.h"

/* `count` sectors of a buffer from `first` on. */
static inline tessera_data tessera_part(const tessera_tasks *tasks, tessera_data data, uint32_t first, uint32_t count) {
  const tessera_data part = {data.address + (uint64_t)first * tasks->sector_bytes, count};
  return part;
}

/* The last of `count` structures of `bytes` whose number, at `numbers` in the first, is at most `value`; they rise. 0 where none is. */
static inline uint32_t tessera_last_at_most(const uint64_t *numbers, size_t bytes, uint32_t count, uint64_t value) {
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (*(const uint64_t *)((const char *)numbers + bytes * middle) <= value) low = middle; else high = middle;
  }
  return low;
}

/* A table in the drive's DRAM, all 0, and where; NULL: there was no room, and the run ends. */
static inline void *tessera_table(const tessera_tasks *tasks, uint64_t bytes, const char *what, uint64_t *address) {
  const tessera_memory memory = tasks->machine->reserve(tasks->machine, TESSERA_METADATA, bytes, 0, what);
  *address = memory.address;
  return memory.bytes;
}

static inline uint32_t tessera_least(uint64_t one, uint64_t other) { return (uint32_t)(one < other ? one : other); }

/* ---- bands: tracks of one surface, next to each other, so that a write to one band destroys nothing in another ---- */

typedef struct tessera_band {
  uint64_t first;   /* its first sector in the order in which it is written, over all bands: upwards where shingled; bottoms, then tops */
  uint32_t sectors; /* as many as each band of its zone has at least */
  uint32_t last;    /* the zone's last band */
} tessera_band;
typedef struct tessera_track { uint64_t first; uint32_t surface, radius; } tessera_track;
typedef struct tessera_bands {
  uint32_t count, tracks, most_sectors;
  tessera_band *band;
  tessera_track *track; /* one after the last has the end */
} tessera_bands;

/* In plan(): bands of so many tracks in each zone that has at least so many bands. Interlaced ones have an odd number of tracks. */
static inline void tessera_plan_bands(const tessera_geometry *geometry, const tessera_planner *to, uint32_t tracks, int interlaced, uint32_t least) {
  int fit = 0;
  for (uint32_t i = 0; i < geometry->zone_count; ++i) {
    const uint32_t rows = geometry->zones[i].radii / (tracks + 1); /* the free track behind a band is its guard */
    if (rows * geometry->surfaces < least) continue;
    tessera_region region;
    memset(&region, 0, sizeof region);
    region.name = "bands";
    region.first = geometry->zones[i].first_radius;
    region.count = (uint64_t)rows * (tracks + 1);
    region.format = interlaced ? TESSERA_INTERLACED : TESSERA_SHINGLED;
    region.head_width = 2;
    region.direction = 1;
    region.band_tracks = interlaced ? 0 : tracks;
    region.guard_tracks = interlaced ? 0 : 1;
    region.top_ratio = 1.0;
    region.skewed = 1;
    to->region(to->context, &region);
    fit = 1;
  }
  if (!fit) to->refuse(to->context, "no zone of the drive has tracks enough; bands of fewer tracks would fit");
}

/* In create(), from the regions that tessera_plan_bands() made; 0: there is no memory. */
static inline int tessera_bands_made(tessera_bands *bands, tessera_tasks *tasks, const tessera_geometry *geometry, const tessera_region *regions,
                                     uint32_t region_count, uint32_t tracks) {
  uint32_t radii = 0, number = 0;
  for (uint32_t r = 0; r < region_count; ++r) radii += (uint32_t)regions[r].count;
  bands->tracks = tracks;
  bands->count = radii / (tracks + 1) * geometry->surfaces;
  bands->band = (tessera_band *)tessera_tasks_memory(tasks, bands->count * sizeof *bands->band);
  bands->track = (tessera_track *)tessera_tasks_memory(tasks, ((size_t)bands->count * tracks + 1) * sizeof *bands->track);
  if (bands->band == NULL || bands->track == NULL) return 0;
  for (uint32_t r = 0; r < region_count; ++r) {
    const uint32_t first = number, end = first + (uint32_t)(regions[r].count / (tracks + 1)) * geometry->surfaces, bottoms = (tracks + 1) / 2;
    uint32_t least = UINT32_MAX;
    for (; number < end; ++number) {
      tessera_track *track = &bands->track[(size_t)number * tracks];
      bands->band[number].first = track->first;
      for (uint32_t i = 0; i < tracks; ++i, ++track) {
        const uint32_t place = regions[r].format == TESSERA_SHINGLED ? i : i < bottoms ? 2 * i : 2 * (i - bottoms) + 1;
        track->surface = (number - first) % geometry->surfaces;
        track->radius = (uint32_t)regions[r].first + (number - first) / geometry->surfaces * (tracks + 1) + place;
        track[1].first = track->first + tasks->machine->sectors_on(tasks->machine, track->surface, track->radius);
      }
      least = tessera_least(least, track->first - bands->band[number].first);
    }
    for (uint32_t i = first; i < end; ++i) bands->band[i].sectors = least, bands->band[i].last = end - 1;
    if (least > bands->most_sectors) bands->most_sectors = least;
  }
  return 1;
}

/* Up to `most` sectors of a band from `index` on, as far as they are on one track. */
static inline tessera_media_step tessera_run_of_band(const tessera_bands *bands, uint32_t band, uint32_t index, uint64_t most) {
  const uint64_t sector = bands->band[band].first + index;
  const tessera_track *track = &bands->track[(size_t)band * bands->tracks];
  tessera_media_step run;
  while (track[1].first <= sector) ++track;
  memset(&run, 0, sizeof run);
  run.surface = track->surface;
  run.radius = track->radius;
  run.first = (uint32_t)(sector - track->first);
  run.count = tessera_least(track[1].first - sector, most);
  return run;
}

/* Adds to the task's chain what reads or writes `count` sectors of a band from `index` on, with data or without; gives the last step. */
static inline tessera_media_step *tessera_add_band(tessera_task *task, const tessera_bands *bands, uint32_t band, uint32_t kind, uint32_t index,
                                                   uint32_t count, tessera_data data) {
  tessera_media_step *step = NULL;
  for (uint32_t done = 0; done < count; done += step->count) {
    const tessera_media_step run = tessera_run_of_band(bands, band, index + done, count - done);
    step = tessera_add(task, kind, run, tessera_part(task->tasks, data, done, data.sectors == 0 ? 0 : run.count));
  }
  return step;
}

/* The same sector by sector, with the header of each, of TESSERA_HEADER_BYTES: in their order, so that the first is whole before the second. */
static inline void tessera_add_headers(tessera_task *task, const tessera_bands *bands, uint32_t band, uint32_t kind, uint32_t index, tessera_data data,
                                       void *headers) {
  for (uint32_t i = 0; i < data.sectors; ++i) {
    tessera_media_step *const step = tessera_add_band(task, bands, band, kind, index + i, 1, tessera_part(task->tasks, data, i, 1));
    step->headers = (char *)headers + (size_t)i * TESSERA_HEADER_BYTES;
    step->header_count = 1;
  }
}

/* ---- a write buffer in the drive's DRAM ---- */

/* Each logical sector has one slot, which it shares with others: a look is one access, and what has to leave is known. All bytes 0: none. */
typedef struct tessera_buffer {
  tessera_tasks *tasks;
  uint32_t slots;    /* a power of two */
  uint64_t *holds;   /* of each slot its sector and 1, or 0 */
  uint64_t address;  /* of `holds` */
  tessera_data data;
  uint64_t hits, taken; /* sectors read from it, and taken */
} tessera_buffer;

/* `dumped`: it survives a power cut, where the dump is whole. 0: the drive has no room. */
static inline int tessera_buffer_made(tessera_buffer *buffer, tessera_tasks *tasks, uint64_t bytes, int dumped) {
  tessera_machine *const machine = tasks->machine;
  uint32_t slots = 1;
  while ((uint64_t)slots * 2 * tasks->sector_bytes <= bytes) slots *= 2;
  const tessera_memory holds = machine->reserve(machine, TESSERA_WRITE_CACHE, slots * sizeof *buffer->holds, dumped, "sectors of the write buffer");
  buffer->tasks = tasks;
  buffer->slots = slots;
  buffer->holds = (uint64_t *)holds.bytes;
  buffer->address = holds.address;
  buffer->data = machine->reserve_buffer(machine, TESSERA_WRITE_CACHE, slots, dumped, "write buffer");
  if (holds.bytes != NULL && holds.torn) memset(holds.bytes, 0, slots * sizeof *buffer->holds);
  return holds.bytes != NULL;
}

static inline uint32_t tessera_slot_of(const tessera_buffer *buffer, uint64_t sector) { return (uint32_t)sector & (buffer->slots - 1); }

static inline int tessera_buffer_has(const tessera_buffer *buffer, uint64_t sector) {
  if (buffer->slots == 0) return 0;
  buffer->tasks->machine->charge(buffer->tasks->machine, TESSERA_CPU_HASH, 1);
  return buffer->holds[tessera_slot_of(buffer, sector)] == sector + 1;
}

static inline void tessera_buffer_set(tessera_buffer *buffer, uint32_t slot, uint64_t content) {
  buffer->holds[slot] = content;
  buffer->tasks->machine->touch(buffer->tasks->machine, buffer->address + slot * sizeof *buffer->holds, sizeof *buffer->holds, 1);
}

/* Takes one sector; 0: another has its slot, which `*sector` is then, and has to leave first. */
static inline int tessera_buffer_take(tessera_buffer *buffer, uint64_t *sector, tessera_data data) {
  const uint32_t slot = tessera_slot_of(buffer, *sector);
  const int has = tessera_buffer_has(buffer, *sector);
  if (!has && buffer->holds[slot] != 0) {
    *sector = buffer->holds[slot] - 1;
    return 0;
  }
  buffer->tasks->machine->copy(buffer->tasks->machine, data, tessera_part(buffer->tasks, buffer->data, slot, 1)); /* first: a slot that counts is whole */
  if (!has) tessera_buffer_set(buffer, slot, *sector + 1);
  ++buffer->taken;
  return 1;
}

static inline void tessera_buffer_copy(const tessera_buffer *buffer, uint64_t sector, tessera_data to) {
  const tessera_data from = tessera_part(buffer->tasks, buffer->data, tessera_slot_of(buffer, sector), 1);
  buffer->tasks->machine->copy(buffer->tasks->machine, from, to);
}

/* Reads the sectors from `first` on, as far as it has one after the other; gives their number. */
static inline uint32_t tessera_buffer_read(tessera_buffer *buffer, uint64_t first, tessera_data to) {
  uint32_t read = 0;
  for (; read < to.sectors && tessera_buffer_has(buffer, first + read); ++read) tessera_buffer_copy(buffer, first + read, tessera_part(buffer->tasks, to, read, 1));
  buffer->hits += read;
  return read;
}

/* Of `most` sectors from `first` on those in front of the first that it has. */
static inline uint32_t tessera_buffer_gap(const tessera_buffer *buffer, uint64_t first, uint32_t most) {
  uint32_t gap = 0;
  while (gap < most && !tessera_buffer_has(buffer, first + gap)) ++gap;
  return gap;
}

/* Puts what it has of the sectors from `first` on over `to`, which holds them all. */
static inline void tessera_buffer_put_over(const tessera_buffer *buffer, uint64_t first, tessera_data to) {
  for (uint32_t i = 0; i < to.sectors && buffer->slots > 0; ++i)
    if (tessera_buffer_has(buffer, first + i)) tessera_buffer_copy(buffer, first + i, tessera_part(buffer->tasks, to, i, 1));
}

/* Lets go of `count` sectors from `first` on. */
static inline void tessera_buffer_forget(tessera_buffer *buffer, uint64_t first, uint32_t count) {
  for (uint32_t i = 0; i < count && buffer->slots > 0; ++i)
    if (tessera_buffer_has(buffer, first + i)) tessera_buffer_set(buffer, tessera_slot_of(buffer, first + i), 0);
}

/* A sector that it holds; 0: it is empty. */
static inline int tessera_buffer_any(const tessera_buffer *buffer, uint64_t *sector) {
  for (uint32_t slot = 0; slot < buffer->slots; ++slot) {
    if (buffer->holds[slot] == 0) continue;
    buffer->tasks->machine->charge(buffer->tasks->machine, TESSERA_CPU_LIST_ELEMENT, slot + 1u);
    *sector = buffer->holds[slot] - 1;
    return 1;
  }
  return 0;
}

/* ---- claims: which numbers a task may touch ---- */

/* Up to four ranges, claimed together, so that no task waits for one while it has another. What the numbers are (sectors, tracks) is the layer's
 * choice. `shared`: others may share them. Tasks that want the same numbers have their turns in the order in which they came. */
#define TESSERA_CLAIM_RANGES 4u
typedef struct tessera_claim_range { uint64_t first, end; uint32_t shared; } tessera_claim_range;
typedef struct tessera_claim {
  struct tessera_claim *next;
  tessera_task *task;
  uint32_t waits, count;
  tessera_claim_range range[TESSERA_CLAIM_RANGES];
} tessera_claim;
typedef struct tessera_claims { tessera_claim *first, *last; } tessera_claims; /* in the order in which they came. All bytes 0: none */

static inline void tessera_claim_add(tessera_claim *claim, uint64_t first, uint64_t count, int shared) {
  const tessera_claim_range range = {first, first + count, shared != 0};
  claim->range[claim->count++] = range;
}

/* Whether an earlier claim has, or waits for, a number that this one may not share with it. */
static inline int tessera_claim_must_wait(const tessera_claims *claims, const tessera_claim *claim) {
  for (const tessera_claim *other = claims->first; other != claim; other = other->next)
    for (uint32_t i = 0; i < claim->count; ++i)
      for (uint32_t j = 0; j < other->count; ++j) {
        const tessera_claim_range *const one = &claim->range[i], *const two = &other->range[j];
        if (one->first < two->end && two->first < one->end && !(one->shared && two->shared)) return 1;
      }
  return 0;
}

/* Waits until the task has all its ranges, which stay as they are until tessera_unclaim(). */
static inline tessera_status tessera_claimed(tessera_task *task, tessera_claims *claims, tessera_claim *claim) {
  if (!tessera_asks(task)) return TESSERA_OK;
  task->tasks->machine->charge(task->tasks->machine, TESSERA_CPU_LOCK, claim->count);
  claim->task = task;
  claim->next = NULL;
  if (claims->first == NULL) claims->first = claim; else claims->last->next = claim;
  claims->last = claim;
  claim->waits = (uint32_t)tessera_claim_must_wait(claims, claim);
  if (!claim->waits) return TESSERA_OK;
  task->tasks->machine->park(task->tasks->machine, task->command.operation, TESSERA_WAITS_LOCK);
  return TESSERA_WAITING;
}

/* Gives all ranges back; the claim is empty then, and may be filled again. */
static inline void tessera_unclaim(tessera_claims *claims, tessera_claim *claim) {
  tessera_claim **place = &claims->first, *before = NULL;
  for (; *place != claim; place = &(*place)->next) before = *place;
  *place = claim->next;
  if (claims->last == claim) claims->last = before;
  claim->count = 0;
  for (tessera_claim *other = claim->next; other != NULL; other = other->next)
    if (other->waits && !(other->waits = (uint32_t)tessera_claim_must_wait(claims, other)))
      other->task->tasks->machine->ready(other->task->tasks->machine, other->task->command.operation);
}

/* ---- work and figures ---- */

/* Work of a layer, by a word that the drive knows ("rmw", "clean", "merge", "move", "checkpoint", "destage"): a request that waits for it has
 * spent that time on it. After a dot a layer may say more: "rmw.unit". */
typedef struct tessera_work { const char *word; uint64_t began, count, total, longest; } tessera_work; /* times in ps */

static inline void tessera_work_begins(const tessera_tasks *tasks, tessera_work *work, const char *word, uint64_t subject) {
  work->word = word;
  work->began = tasks->machine->now(tasks->machine);
  tasks->machine->note(tasks->machine, word, TESSERA_BEGINS, subject, 0);
}
/* `amount`: sectors, or what the work is counted in. */
static inline void tessera_work_ends(const tessera_tasks *tasks, tessera_work *work, uint64_t subject, uint64_t amount) {
  const uint64_t took = tasks->machine->now(tasks->machine) - work->began;
  tasks->machine->note(tasks->machine, work->word, TESSERA_ENDS, subject, amount);
  ++work->count;
  work->total += took;
  if (took > work->longest) work->longest = took;
}

#define TESSERA_PS_PER_MS 1e9
#define TESSERA_ENOUGH_ROUNDS 20.0

/* A clock of progress: how often the layer has done what its figures depend on. A run in which that was less than 20 times is not ranked. */
static inline void tessera_report_rounds(const tessera_reporter *to, const char *done, const char *of, uint64_t rounds, const char *what) {
  to->figure(to->context, done, (double)rounds, 1, "1", what, 1);
  to->figure(to->context, of, TESSERA_ENOUGH_ROUNDS, 1, "1", "as many are enough to compare the run", 0);
}

/* cleaning.count, .mean and .max, and their clock. */
static inline void tessera_report_cleanings(const tessera_reporter *to, const tessera_work *cleanings, const char *what) {
  const double count = (double)cleanings->count, total = (double)cleanings->total / TESSERA_PS_PER_MS;
  to->figure(to->context, "cleaning.count", count, 1, "1", what, 1);
  to->figure(to->context, "cleaning.mean", count > 0 ? total / count : 0, count > 0, "ms", "mean time of a cleaning", 0);
  to->figure(to->context, "cleaning.max", (double)cleanings->longest / TESSERA_PS_PER_MS, 1, "ms", "longest cleaning", 0);
  tessera_report_rounds(to, "progress.cleanings.done", "progress.cleanings.of", cleanings->count, what);
}

/* rmw.count and rmw.time_total. */
static inline void tessera_report_rmws(const tessera_reporter *to, const tessera_work *rmws, const char *what) {
  to->figure(to->context, "rmw.count", (double)rmws->count, 1, "1", what, 1);
  to->figure(to->context, "rmw.time_total", (double)rmws->total / TESSERA_PS_PER_MS, 1, "ms", "time that they took", 1);
}

#endif
