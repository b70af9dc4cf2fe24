/* The policy interface: when a layer of Tessera's own cleans although it need not, and what it cleans, decided by a shared library. Plain C,
 * one version number.
 *
 * A library exports tessera_firmware_policy(), alone or with tessera_firmware_layer(), and is named where a library with layers is. The
 * layer media-cache with the policy `mine` is media-cache:mine wherever a layer is named. The drive makes an instance at each power-on
 * (create) and asks it. Everything happens in one thread, and one call at a time; a call takes no simulated time but what it charges.
 *
 * A policy answers with a time and a number: the layer checks them, moves the data itself and keeps its own promises. So a policy can make a
 * drive slow, and lose nothing. An answer that is none ends the run in order, with its results so far, a message and status 3.
 *
 * Times are picoseconds of simulated time, sizes are in sectors of the drive. Pointers that a policy is given are good until it returns. */
#ifndef TESSERA_POLICY_H
#define TESSERA_POLICY_H

#include "tessera_firmware.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TESSERA_POLICY_ABI 1u
#define TESSERA_NEVER UINT64_MAX
#define TESSERA_SOONEST UINT64_C(100000000) /* 100 us: a policy is not asked again sooner */

/* A band, or zone, of which the cache holds something. Ages are sectors that the cache has got since. */
typedef struct tessera_unit {
  uint64_t number;
  uint64_t first;   /* logical sector */
  uint32_t sectors; /* that it has room for */
  uint32_t held;    /* up to where it is written in its place */
  uint32_t cached;  /* of which the cache holds the newest copy */
  uint32_t entries; /* extents or blocks of the cache that hold them */
  uint64_t oldest;  /* age of what lies longest in the cache */
  uint64_t newest;  /* age of what came last */
  uint32_t cleaned; /* times that the policy chose it since power-on: a measure of wear */
} tessera_unit;

/* A command of the host's that has come, in blocks of 512 B. */
typedef struct tessera_arrival {
  uint64_t time;
  uint32_t kind; /* TESSERA_READ, TESSERA_WRITE, TESSERA_FLUSH or TESSERA_TRIM */
  uint32_t blocks;
  uint64_t first;
} tessera_arrival;

/* What a policy is told with each question. */
typedef struct tessera_cleaning {
  uint64_t now;
  uint64_t last_activity;         /* when the last command came or was completed */
  uint64_t served;                /* commands since power-on */
  uint64_t latency;               /* of all these together, as the firmware had them in hand */
  uint32_t outstanding;           /* commands that the drive has and has not completed */
  uint32_t waiting;               /* writes that the layer has in hand */
  uint32_t needed;                /* choose(): 1 where somebody waits for room */
  uint32_t units;                 /* of which the cache holds something */
  uint64_t used, room;            /* sectors of the cache: in use, with dead ones between live ones; all */
  uint64_t cached;                /* sectors of which the cache holds the newest copy */
  uint64_t entries, most_entries; /* of the cache's map: in use; at which it is full */
} tessera_cleaning;

/* What a policy may call, from create() to destroy(); the first three while it is asked. */
typedef struct tessera_policy_machine tessera_policy_machine;
struct tessera_policy_machine {
  uint32_t abi, size;
  void* context; /* the drive's */

  /* All units, in the order of their numbers, as an array that is good until the answer; charges the scan of a list of so many elements. */
  uint32_t (*list)(tessera_policy_machine*, const tessera_unit** units);
  uint64_t (*own)(tessera_policy_machine*); /* what the layer's own policy answers to this question */
  void (*charge)(tessera_policy_machine*, uint32_t cpu_operation, uint64_t times); /* TESSERA_CPU_... */

  int (*write_waiting)(tessera_policy_machine*, uint64_t first, uint64_t end); /* of the host, to logical sectors [first, end) */
  void (*log)(tessera_policy_machine*, const char* line);
  void (*panic)(tessera_policy_machine*, const char* sentence); /* the policy gives up: from now on the layer's own decides */
};

typedef struct tessera_policy tessera_policy;
struct tessera_policy {
  uint32_t abi, size; /* TESSERA_POLICY_ABI, sizeof(tessera_policy) */
  const char* name;   /* as after the colon in --layer media-cache:NAME; letters as of a layer's name */
  const char* summary;
  const tessera_parameter* parameters; /* policies.NAME.PARAMETER of a drive description */
  uint32_t parameter_count;
  uint32_t reserved;
  void* context; /* the library's */

  /* There may be several instances at once. */
  void* (*create)(const tessera_policy*, tessera_policy_machine*, const tessera_value* values);
  void (*destroy)(void* self); /* the power is gone, or the run has ended */

  /* NULL: the layer's own policy decides. */
  /* When to clean next, though nobody needs it: not later than `now`: now. Later: asked again then. TESSERA_NEVER: after the next write to
   * the cache. Not asked while the cache is empty. */
  uint64_t (*when)(void* self, const tessera_cleaning*);
  /* The number of a unit, of those that list() gives. */
  uint64_t (*choose)(void* self, const tessera_cleaning*);

  /* NULL where there is nothing to say. */
  void (*arrived)(void* self, const tessera_arrival*);
  void (*report)(const void* self, const tessera_reporter*);
};

/* What a library exports: its policies from index 0 on, then NULL; NULL too for a version that it does not know. */
const tessera_policy* tessera_firmware_policy(uint32_t abi, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
