/* @NAME@: @SUMMARY@
 *
 * The drive's sectors are numbered unit by unit, and a unit lies in a band of tracks. None is ever updated in place: rewrite() reads it, puts the
 * new sectors over it, writes it to its zone's spare band, and then its record (unit, sequence number) into the headers of the two sectors behind
 * it. With the first record written the new copy counts, and the band of the old one is the spare; a power cut before that leaves the old copy.
 * recover() reads the records: of each unit the copy with the highest number counts, and one without a record is where the format put it. */
#include "tessera_parts.h"
#define RECORD 0x6c617965722d32ull /* "layer-2": of this layout, so that nothing else is taken for one */
enum { TRACKS, UNIT_TRACKS, DURABILITY, BUFFER, PARAMETERS, SHINGLED = 0, INTERLACED, NO_BUFFER = 0, VOLATILE, PLP, RECORDS = 2 };
static const char *const tracks[] = {"shingled", "interlaced"}, *const durabilities[] = {"none", "volatile", "plp"};
static const tessera_parameter parameters[PARAMETERS] = {
    {"tracks", "recording format", TESSERA_CHOICE, 2, tracks, 0, 0, {@TRACKS@, 0}},
    {"unit_tracks", "tracks that are rewritten together; odd where interlaced", TESSERA_COUNT, 0, NULL, 1, 13, {@UNIT@, 0}},
    {"durability", "acknowledged: on the platters; in volatile memory; in memory dumped at a power loss", TESSERA_CHOICE, 3, durabilities, 0, 0, {@DURABILITY@, 0}},
    {"buffer", "write buffer; without effect with durability none", TESSERA_SIZE, 0, NULL, 4096, 1 << 30, {@BUFFER@, 0}}};
struct record { uint64_t magic, unit, sequence; }; /* a header's first bytes */
struct unit { uint64_t first, sequence, band; };   /* logical sector; of its copy; where that is */
struct work { tessera_task task; uint32_t done, unit, take; }; /* sectors or bands done; the unit to rewrite, with sectors of the command */
struct layer {
  tessera_tasks tasks; /* first */
  tessera_turn turn;   /* one operation at a time */
  tessera_bands bands; /* the last RECORDS sectors of each have its record */
  tessera_buffer buffer;
  tessera_data image;  /* the unit that is rewritten */
  struct unit *unit;   /* one a band; the last of a zone has no sectors, and its band is the spare */
  uint64_t address, sequence;
  tessera_work rmws, cleanings;
  union { struct record record; uint8_t bytes[TESSERA_HEADER_BYTES]; } header[RECORDS];
};
static void plan(const tessera_layer *code, const tessera_geometry *g, const tessera_value *v, const tessera_planner *to) {
  tessera_plan_bands(g, to, (uint32_t)v[UNIT_TRACKS].integer, v[TRACKS].integer == INTERLACED, 2), (void)code; /* 2: a unit and the spare */
  if (v[TRACKS].integer == INTERLACED && v[UNIT_TRACKS].integer % 2 == 0) to->refuse(to->context, "unit_tracks is even; of interlaced tracks it has to be odd");
}
static uint32_t unit_of(const struct layer *l, uint64_t sector) { return tessera_last_at_most(&l->unit->first, sizeof *l->unit, l->bands.count, sector); }
static void move(struct layer *l, uint64_t unit, uint32_t band) { /* a zone keeps its bands: that which no unit has is the spare */
  l->unit[l->bands.band[unit].last].band += l->unit[unit].band - band, l->unit[unit].band = band;
  l->tasks.machine->touch(l->tasks.machine, l->address + unit * sizeof *l->unit, sizeof *l->unit, 1);
}

static tessera_status rewrite(struct layer *l, struct work *w) {
  const tessera_band *const band = &l->bands.band[w->unit];
  const uint32_t old = (uint32_t)l->unit[w->unit].band, spare = (uint32_t)l->unit[band->last].band, sectors = band->sectors - RECORDS;
  const uint64_t first = l->unit[w->unit].first;
  const tessera_data image = tessera_part(&l->tasks, l->image, 0, sectors), some = tessera_part(&l->tasks, w->task.command.data, w->done, w->take);
  tessera_work *const work = w->take > 0 ? &l->rmws : &l->cleanings; /* without sectors of the command: to make room in the buffer */
  TESSERA_BEGIN(&w->task);
  tessera_work_begins(&l->tasks, work, w->take > 0 ? "rmw" : "clean", w->unit);
  if (w->take < sectors) tessera_add_band(&w->task, &l->bands, old, TESSERA_READ, 0, sectors, image);
  TESSERA_TRY(tessera_media(&w->task, TESSERA_CARRY_LOST));
  tessera_buffer_put_over(&l->buffer, first, image);
  if (w->take > 0) l->tasks.machine->copy(l->tasks.machine, some, tessera_part(&l->tasks, image, (uint32_t)(w->task.command.first + w->done - first), w->take));
  l->header[0].record = l->header[1].record = (struct record){RECORD, w->unit, ++l->sequence};
  tessera_add_band(&w->task, &l->bands, spare, TESSERA_WRITE, 0, sectors, image);
  tessera_add_headers(&w->task, &l->bands, spare, TESSERA_WRITE, sectors, tessera_part(&l->tasks, l->image, sectors, RECORDS), l->header);
  TESSERA_TRY(tessera_media(&w->task, TESSERA_FAIL_LOST));
  move(l, w->unit, spare);
  tessera_buffer_forget(&l->buffer, first, sectors);
  tessera_work_ends(&l->tasks, work, w->unit, sectors);
  TESSERA_END;
}

static tessera_status serve_read(struct layer *l, struct work *w) {
  const tessera_command *const c = &w->task.command;
  TESSERA_BEGIN(&w->task);
  for (; w->done < c->count; w->done += w->take) {
    const uint64_t sector = c->first + w->done;
    const struct unit *const unit = &l->unit[unit_of(l, sector)];
    const uint32_t most = tessera_least(c->count - w->done, unit[1].first - sector);
    if ((w->take = tessera_buffer_read(&l->buffer, sector, tessera_part(&l->tasks, c->data, w->done, most))) > 0) continue;
    tessera_media_step run = tessera_run_of_band(&l->bands, (uint32_t)unit->band, (uint32_t)(sector - unit->first), most);
    w->take = run.count = tessera_buffer_gap(&l->buffer, sector, run.count);
    tessera_add(&w->task, TESSERA_READ, run, tessera_part(&l->tasks, c->data, w->done, w->take));
    TESSERA_TRY(tessera_media(&w->task, TESSERA_FAIL_LOST));
  }
  TESSERA_END;
}

static tessera_status serve_write(struct layer *l, struct work *w) { /* FLUSH too, which has no sectors */
  const tessera_command *const c = &w->task.command;
  const int buffers = l->buffer.slots > 0 && !c->durable;
  uint64_t sector;
  TESSERA_BEGIN(&w->task);
  for (; w->done < c->count; w->done += w->take) {
    sector = c->first + w->done;
    if (buffers && tessera_buffer_take(&l->buffer, &sector, tessera_part(&l->tasks, c->data, w->done, w->take = 1))) continue;
    w->unit = unit_of(l, sector);
    w->take = buffers ? 0 : tessera_least(c->count - w->done, l->unit[w->unit + 1].first - sector);
    TESSERA_TRY(rewrite(l, w));
  }
  while (c->kind == TESSERA_FLUSH && tessera_buffer_any(&l->buffer, &sector)) {
    w->unit = unit_of(l, sector);
    TESSERA_TRY(rewrite(l, w));
  }
  TESSERA_END;
}

static tessera_status recover(struct layer *l, struct work *w) {
  TESSERA_BEGIN(&w->task);
  for (; w->done < l->bands.count; ++w->done) {
    memset(l->header, 0, sizeof l->header); /* a sector that cannot be read has no record */
    tessera_add_headers(&w->task, &l->bands, w->done, TESSERA_READ, l->bands.band[w->done].sectors - RECORDS, tessera_part(&l->tasks, l->image, 0, RECORDS), l->header);
    TESSERA_AWAIT(tessera_media(&w->task, TESSERA_CARRY_LOST));
    for (uint32_t i = 0; i < RECORDS; ++i) {
      const struct record *const r = &l->header[i].record;
      if (r->magic != RECORD || r->unit >= l->bands.count || r->sequence <= l->unit[r->unit].sequence) continue;
      move(l, r->unit, w->done);
      if ((l->unit[r->unit].sequence = r->sequence) > l->sequence) l->sequence = r->sequence;
    }
  }
  TESSERA_END;
}

static tessera_status serve(void *self, tessera_task *task) {
  struct layer *const l = self;
  const uint32_t kind = task->command.kind;
  TESSERA_BEGIN(task);
  if (kind == TESSERA_BOOT || kind == TESSERA_TRIM) return TESSERA_OK;
  TESSERA_AWAIT(tessera_take(task, &l->turn));
  TESSERA_AWAIT((kind == TESSERA_READ ? serve_read : kind == TESSERA_RECOVERY ? recover : serve_write)(l, (struct work *)task));
  tessera_give(&l->turn);
  return task->status;
  TESSERA_END;
}

static void *create(const tessera_layer *code, tessera_machine *m, const tessera_geometry *g, const tessera_region *regions, uint32_t count, const tessera_value *v) {
  struct layer *const l = tessera_tasks_made(sizeof *l, m, g, sizeof(struct work), serve);
  if ((void)code, l == NULL || !tessera_bands_made(&l->bands, &l->tasks, g, regions, count, (uint32_t)v[UNIT_TRACKS].integer)) return NULL;
  l->unit = tessera_table(&l->tasks, (l->bands.count + 1) * sizeof *l->unit, "table of units", &l->address);
  for (uint32_t i = 0; l->unit != NULL && i < l->bands.count; ++i) { /* as formatted */
    l->unit[i].band = i;
    l->unit[i + 1].first = l->unit[i].first + (i == l->bands.band[i].last ? 0 : l->bands.band[i].sectors - RECORDS);
  }
  l->image = m->reserve_buffer(m, TESSERA_MERGE_BUFFER, l->bands.most_sectors, 0, "unit that is rewritten");
  if (v[DURABILITY].integer != NO_BUFFER) tessera_buffer_made(&l->buffer, &l->tasks, v[BUFFER].integer, v[DURABILITY].integer == PLP);
  return l;
}
static uint64_t user_sectors(const void *self) { return ((const struct layer *)self)->unit[((const struct layer *)self)->bands.count].first; }
static int flushed_only(const tessera_layer *code, const tessera_value *v) { return (void)code, v[DURABILITY].integer == VOLATILE; }
static void report(const void *self, const tessera_reporter *to) {
  const struct layer *const l = self;
  tessera_report_rmws(to, &l->rmws, "units rewritten for writes");
  if (l->buffer.taken > 0) tessera_report_cleanings(to, &l->cleanings, "units rewritten to make room in the write buffer");
  to->figure(to->context, "buffer.hits", (double)l->buffer.hits, 1, "1", "sectors read from the write buffer", 1);
}
static const tessera_layer layer = {
    .abi = TESSERA_FIRMWARE_ABI, .size = sizeof(tessera_layer), .name = "@NAME@", .summary = "@SUMMARY@", .parameters = parameters,
    .parameter_count = PARAMETERS, .plan = plan, .create = create, .user_sectors = user_sectors, .flushed_only = flushed_only, .report = report,
    TESSERA_CALLS_OF_TASKS};
const tessera_layer *tessera_firmware_layer(uint32_t abi, uint32_t index) { return abi == TESSERA_FIRMWARE_ABI && index == 0 ? &layer : NULL; }
