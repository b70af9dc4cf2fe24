/* The firmware interface: what a translation layer in a shared library and the drive model tell each other. Plain C, one version number.
 *
 * A library exports tessera_firmware_layer(). The drive asks each layer for its regions (plan), makes an instance at each power-on (create),
 * boots it, and hands it operations: reads and writes in whole drive sectors, FLUSH, TRIM, background work. The layer works an operation off
 * in steps. In each step it waits for one thing (media, flash, a timer, its turn) or completes; then it returns, and event() resumes it
 * where that thing has ended. Everything happens in one thread, and one call at a time. What a call asks for takes effect at the time that
 * the processor has reached by then: charge() moves that time on.
 *
 * Times are picoseconds of simulated time, sizes bytes. Pointers that a layer gives stay valid until the event that ends the wait, those
 * to names and descriptions until the library is unloaded. All text is UTF-8, and ends with a zero. */
#ifndef TESSERA_FIRMWARE_H
#define TESSERA_FIRMWARE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TESSERA_FIRMWARE_ABI 1u
#define TESSERA_HEADER_BYTES 64u /* out-of-band bytes of a sector on the platters */
#define TESSERA_MOST_STEPS 16u   /* of a media chain */
#define TESSERA_SWITCHES 25u     /* distances in tessera_geometry */

typedef uint32_t tessera_status;
enum {
  TESSERA_OK,
  TESSERA_MEDIA_ERROR,    /* a sector could not be read or written */
  TESSERA_DAMAGED,        /* a sector was destroyed by writing an overlapping track */
  TESSERA_BLANK,          /* flash: page not programmed since the last erase */
  TESSERA_PROGRAM_FAILED, /* flash: the block is to be retired */
  TESSERA_ERASE_FAILED,   /* flash: the block is to be retired */
  TESSERA_RULE_VIOLATION, /* flash: programmed twice or out of order; media: outside a track */
  TESSERA_NO_SPACE,       /* a table, log or buffer is full */
  TESSERA_CORRUPT,        /* metadata whose checksum does not match */
  TESSERA_LOST,           /* read well, but stored as lost: an earlier copy of it could not be read */
  TESSERA_READ_ONLY,      /* no spares left: no more writes */
  TESSERA_ABORTED,        /* the host gave the command up */
  TESSERA_STATUSES
};

/* What is under way: valid from boot() or command() until complete(). The lower 16 bits count from 0 and are used again, so that a layer
 * can keep what it knows of an operation in an array. */
typedef uint64_t tessera_operation;
#define TESSERA_SLOT(operation) ((uint32_t)((operation) & 0xffffu))

/* Whole drive sectors in the drive's DRAM: those of a command, or of a buffer of the layer's own. No data: sectors is 0. */
typedef struct tessera_data {
  uint64_t address;
  uint32_t sectors;
} tessera_data;

enum { TESSERA_READ, TESSERA_WRITE, TESSERA_FLUSH, TESSERA_TRIM, TESSERA_BACKGROUND };
#define TESSERA_NO_TAG 0xffffffffu

typedef struct tessera_command {
  tessera_operation operation;
  uint32_t kind;       /* TESSERA_READ ... */
  uint32_t count;      /* drive sectors */
  uint64_t first;      /* logical sector */
  tessera_data data;   /* read, write */
  uint32_t durable;    /* write: on media or flash before completion (FUA) */
  uint32_t background; /* write: the drain of a cache in front, no host request waits for it */
  uint32_t tag;        /* of the host command, or TESSERA_NO_TAG */
  void* state;         /* TESSERA_BACKGROUND: what spawn() was given */
} tessera_command;

/* ---- what a layer is told before it runs ---- */

enum { TESSERA_FLAG, TESSERA_COUNT, TESSERA_REAL, TESSERA_TIME, TESSERA_SIZE, TESSERA_CHOICE };
typedef struct tessera_value {
  uint64_t integer; /* all kinds but TESSERA_REAL; a choice counts from 0 */
  double real;
} tessera_value;

/* layers.NAME.PARAMETER of a drive description; a dot in the name makes a section. */
typedef struct tessera_parameter {
  const char* name;
  const char* what; /* one line */
  uint32_t kind;
  uint32_t choice_count;
  const char* const* choices;
  double low, high; /* both allowed */
  tessera_value initial;
} tessera_parameter;

typedef struct tessera_zone {
  uint32_t first_radius, radii, sectors_per_track, spare_sectors;
} tessera_zone;

typedef struct tessera_geometry {
  uint32_t sector_bytes;
  uint32_t surfaces;
  uint32_t reserved_sectors; /* in front of the first logical sector */
  uint32_t spare_radii;      /* behind the others, the drive's own */
  uint64_t exported_sectors; /* 0: all that there is */
  uint32_t zone_count;
  const tessera_zone* zones; /* from the outer diameter inwards */
  /* How much later than a track the next one may begin without a lost turn, in units of 2^-32 turns; all 0 where the drive has no skew. */
  uint32_t head_switch;                        /* to another surface at the same radius */
  uint32_t track_switch[TESSERA_SWITCHES];     /* over up to 2^i radii */
  uint32_t track_spares; /* places after the sectors of each track: a turn has as many more, of which angles are shares */
} tessera_geometry;

enum { TESSERA_CONVENTIONAL, TESSERA_SHINGLED, TESSERA_INTERLACED, TESSERA_WAVE };
typedef struct tessera_region {
  const char* name;
  uint64_t first, count; /* radii, on all surfaces */
  uint32_t format;
  uint32_t head_width; /* shingled, wave: tracks under the write head */
  int32_t direction;   /* shingled: +1 or -1 */
  uint32_t band_tracks, guard_tracks;
  double top_ratio; /* interlaced: sectors of a top track over those of a bottom track */
  uint32_t skewed;  /* 0: track starts align in angle; 2: and the layer begins to number each one where the head lands */
} tessera_region;

typedef struct tessera_flash_shape {
  uint64_t blocks;
  uint32_t pages_per_block, oob_bytes, page_bytes, read_retries;
  uint32_t paired_pages, subpages, planes, copyback;
} tessera_flash_shape;

/* How plan() and check_flash() answer: regions in ascending order, or a sentence why not. */
typedef struct tessera_planner {
  void* context;
  void (*region)(void* context, const tessera_region* region);
  void (*refuse)(void* context, const char* sentence);
  void (*warn)(void* context, const char* sentence);
} tessera_planner;

/* ---- media and flash ---- */

enum { TESSERA_POSITION, TESSERA_SAME_ANGLE, TESSERA_WHOLE_TRACK, TESSERA_BACKUP_ROUND_TRIP }; /* what `expected` timing charges */
enum { TESSERA_CLASS_HOST, TESSERA_CLASS_DEPENDENT, TESSERA_CLASS_BACKGROUND };

/* A run on one track; beyond the track's last sector it goes on at its sector 0. */
typedef struct tessera_media_step {
  uint32_t write; /* 0: read */
  uint32_t hint;
  uint32_t surface, radius, first, count;
  tessera_data data; /* host data: `count` sectors, or none */
  void* system;      /* the layer's own bytes instead: `count` whole sectors; may be NULL */
  void* headers;     /* out-of-band bytes, TESSERA_HEADER_BYTES each; may be NULL */
  uint32_t header_count; /* 1: of the run's last sector; `count`: of each */
} tessera_media_step;

/* Steps with nothing in between, up to the first that fails. */
typedef struct tessera_media_chain {
  uint32_t priority;   /* TESSERA_CLASS_HOST ... */
  uint32_t carry_lost; /* 1: a sector that cannot be read is carried on as lost, and does not end the chain */
  uint32_t step_count;
  const tessera_media_step* steps;
} tessera_media_chain;

enum { TESSERA_FLASH_READ, TESSERA_FLASH_READ_OOB, TESSERA_FLASH_PROGRAM, TESSERA_FLASH_ERASE, TESSERA_FLASH_COPYBACK };
#define TESSERA_NO_COMMAND 0xffffffffu
typedef struct tessera_flash_command {
  uint32_t op;
  uint32_t subpage;
  uint64_t page;  /* all but erase */
  uint64_t from;  /* copyback */
  uint64_t block; /* erase */
  tessera_data data; /* read, program: one sector */
  void* oob;
  uint32_t oob_bytes;
  uint32_t retry;        /* level of read retry */
  uint32_t next;         /* command of a further subpage of the same page, by its place in the batch; TESSERA_NO_COMMAND: none */
  uint32_t led;          /* 1: another command names this one */
  tessera_status status; /* set at completion */
} tessera_flash_command;

/* ---- the machine ---- */

enum { TESSERA_METADATA, TESSERA_MERGE_BUFFER, TESSERA_WRITE_CACHE, TESSERA_READ_CACHE, TESSERA_HOST_BUFFER, TESSERA_DESCRIPTORS };
/* What code does; the drive's table says what each takes. The drive charges commands, completions and interrupts, and what
 * comes with the calls below: submissions, steps, flash commands, words of records, accesses to tables, copies. */
enum {
  TESSERA_CPU_COMMAND, TESSERA_CPU_COMPLETION, TESSERA_CPU_INTERRUPT, TESSERA_CPU_REAP, TESSERA_CPU_TASK_SWITCH, TESSERA_CPU_SUBMIT,
  TESSERA_CPU_ARRAY, TESSERA_CPU_HASH, TESSERA_CPU_TREE_LEVEL, TESSERA_CPU_LIST_ELEMENT, TESSERA_CPU_TABLE_ACCESS, TESSERA_CPU_LOCK,
  TESSERA_CPU_MEDIA_STEP, TESSERA_CPU_FLASH_COMMAND, TESSERA_CPU_RECORD_WORD, TESSERA_CPU_COPY, TESSERA_CPU_ANGULAR_LOCK
};
enum { TESSERA_WAITS_LOCK = 5, TESSERA_WAITS_BACKUP = 6, TESSERA_WAITS_BACKGROUND = 8, TESSERA_WAITS_CLEANING = 14 };
enum { TESSERA_BEGINS, TESSERA_ENDS, TESSERA_HAPPENS };

typedef struct tessera_memory {
  uint64_t address;
  void* bytes; /* NULL: there was no room, and the run ends */
  uint32_t torn; /* of a dumped region: what the dump engine saved is of no use */
} tessera_memory;

/* The table of services. Each takes the machine itself first. What breaks a rule ends the run with a sentence once the layer returns;
 * until then calls have no effect. */
typedef struct tessera_machine tessera_machine;
struct tessera_machine {
  uint32_t abi, size;
  void* context; /* the drive's */

  /* Waits: the operation must be the one that runs, and waits for one thing at a time. */
  void (*media)(tessera_machine*, tessera_operation, const tessera_media_chain*);
  void (*flash)(tessera_machine*, tessera_operation, tessera_flash_command*, uint32_t count);
  void (*timer)(tessera_machine*, tessera_operation, uint64_t at);
  void (*park)(tessera_machine*, tessera_operation, uint32_t waits_for); /* until ready() */

  void (*ready)(tessera_machine*, tessera_operation); /* resumes another operation, which is parked */
  void (*complete)(tessera_machine*, tessera_operation, tessera_status); /* ends the operation that runs */
  void (*spawn)(tessera_machine*, void* state, const char* name); /* begins an operation TESSERA_BACKGROUND */

  uint32_t (*sectors_on)(tessera_machine*, uint32_t surface, uint32_t radius);
  int (*flash_shape)(tessera_machine*, tessera_flash_shape*); /* 0: the drive has no flash */
  int (*flash_is_bad)(tessera_machine*, uint64_t block);

  /* Memory. `dumped`: in the region that the drive saves when its power fails. Reserve in create(), for good. */
  tessera_memory (*reserve)(tessera_machine*, uint32_t category, uint64_t bytes, int dumped, const char* what);
  void (*touch)(tessera_machine*, uint64_t address, uint32_t bytes, int write); /* charges an access */
  tessera_data (*reserve_buffer)(tessera_machine*, uint32_t category, uint32_t sectors, int dumped, const char* what);
  tessera_data (*acquire)(tessera_machine*, uint32_t sectors); /* of the staging pool; no sectors: none is free now */
  void (*release)(tessera_machine*, tessera_data);
  void (*copy)(tessera_machine*, tessera_data from, tessera_data to);
  /* Replaces in `sector` the 512 B blocks outside [first, first + count) by those of `old`. */
  void (*merge_blocks)(tessera_machine*, tessera_data sector, tessera_data old, uint32_t first, uint32_t count);
  void (*clear)(tessera_machine*, tessera_data);
  uint32_t (*first_lost)(tessera_machine*, tessera_data); /* index of the first sector that is lost; data.sectors: none */
  void (*mark_lost)(tessera_machine*, tessera_data);

  /* Time. */
  uint64_t (*now)(tessera_machine*);
  void (*charge)(tessera_machine*, uint32_t cpu_operation, uint64_t times);
  void (*spend)(tessera_machine*, uint64_t time); /* whatever the processor's clock */

  /* The host. */
  uint32_t (*outstanding)(tessera_machine*);
  uint64_t (*last_activity)(tessera_machine*);
  int (*write_waiting)(tessera_machine*, uint64_t first, uint64_t end, uint32_t but_tag);

  /* What an observer sees. The kind of an event says whose work it is where it is one of the drive's words: rmw, restore; clean, merge, collect,
   * reclaim, evict, erase, append; checkpoint; flip, unflip, swap, promote, move; destage; read_ahead. After a dot it may say more: "rmw.unit".
   * The same holds of the name given to spawn(). */
  void (*note)(tessera_machine*, const char* kind, uint32_t edge, uint64_t subject, uint64_t amount);
  uint32_t (*declare_gauge)(tessera_machine*, const char* name, const char* unit, const char* what);
  void (*gauge)(tessera_machine*, uint32_t number, uint64_t value);
  void (*log)(tessera_machine*, const char* line);
  void (*panic)(tessera_machine*, const char* sentence); /* ends the run; return at once */
};

typedef struct tessera_reporter {
  void* context;
  /* `defined` 0: a mean of nothing; `counts` 1: a count since create(), of which a measurement takes the difference. Each name once. A pair
   * progress.NAME.done and progress.NAME.of is a clock: comparisons rank no run in which `done` is less than `of`. */
  void (*figure)(void* context, const char* name, double value, int defined, const char* unit, const char* what, int counts);
} tessera_reporter;

/* ---- a layer ---- */

typedef struct tessera_layer tessera_layer;
struct tessera_layer {
  uint32_t abi, size; /* TESSERA_FIRMWARE_ABI, sizeof(tessera_layer) */
  const char* name;   /* as in --layer: up to 64 of a-z, 0-9 and -, the first no -, and neither all nor best */
  const char* summary;
  const tessera_parameter* parameters;
  uint32_t parameter_count;
  uint32_t needs_flash;
  void* context; /* the library's */

  void (*plan)(const tessera_layer*, const tessera_geometry*, const tessera_value* values, const tessera_planner*);
  void* (*create)(const tessera_layer*, tessera_machine*, const tessera_geometry*, const tessera_region* regions, uint32_t region_count,
                  const tessera_value* values);
  uint64_t (*user_sectors)(const void* self);
  void (*boot)(void* self, tessera_operation, int after_power_cut); /* 0: the first boot, of an empty drive */
  void (*command)(void* self, const tessera_command*);
  void (*event)(void* self, tessera_operation, tessera_status, uint32_t steps_done);
  int (*idle)(const void* self); /* no work in hand although the host waits for nothing */
  void (*destroy)(void* self);   /* the power is gone: services have no effect */

  /* NULL where there is nothing to say. */
  void (*check_flash)(const tessera_layer*, const tessera_flash_shape*, const tessera_value* values, const tessera_planner*);
  uint64_t (*longest_wait)(const tessera_layer*, const tessera_value* values); /* of one request for all cleanings before it */
  int (*flushed_only)(const tessera_layer*, const tessera_value* values); /* acknowledged writes that were not flushed may be lost */
  void (*start)(void* self); /* after boot() has completed well: spawn background work here */
  void (*prefill)(void* self, uint64_t sectors); /* before boot: the first sectors hold data, as if written long ago */
  int (*holds)(void* self, uint64_t first, uint32_t count); /* a read would not need the platters */
  int (*absorbs)(void* self, uint64_t first, uint32_t count); /* a write would not */
  int (*streams_writes)(const void* self); /* a write's data goes to the media where it lies, and nowhere else */
  void (*received)(void* self, uint64_t first, uint32_t count); /* a host write has arrived, in front of any write cache */
  void (*report)(const void* self, const tessera_reporter*);
};

/* The library's layers, one after the other; NULL past the last. `abi` is the drive's version. */
const tessera_layer* tessera_firmware_layer(uint32_t abi, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
