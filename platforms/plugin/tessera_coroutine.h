/* Layers as straight code. tessera_firmware.h hands a layer operations that it works off in steps, each of which returns; with the macros here
 * an operation is a function that waits in its midst, and a read-modify-write reads like one:
 *
 *   static tessera_status rewrite(struct layer *l, struct work *w) {
 *     TESSERA_BEGIN(&w->task);
 *     add_unit(l, w, l->map[w->unit], TESSERA_READ);
 *     TESSERA_TRY(tessera_media(&w->task, TESSERA_CARRY_LOST));
 *     put_over(l, w);
 *     add_unit(l, w, l->spare, TESSERA_WRITE);
 *     TESSERA_TRY(tessera_media(&w->task, TESSERA_FAIL_LOST));
 *     l->map[w->unit] = l->spare;
 *     TESSERA_END;
 *   }
 *
 * How it works: TESSERA_BEGIN is a switch over the line at which the function waited last, and each wait is a case of it (Duff's device). A
 * function that has to wait returns TESSERA_WAITING, and so do its callers; with the event that ends the wait all are called again, and each
 * goes on at its line. What a function needs after a wait it keeps in its task, the structure that begins with a tessera_task.
 *
 * The limits:
 *
 *   - A variable of the function has no value after a wait: keep it in the task, or set it again.
 *   - The arguments of a call that waits are worked out again with each event that it waits for.
 *   - One wait a line, and none inside a switch of your own (loops and ifs may hold waits).
 *   - Functions that wait call each other through TESSERA_AWAIT or TESSERA_TRY, at most TESSERA_LEVELS deep, and not themselves.
 *
 * `return STATUS;` ends such a function anywhere.
 *
 * The layer's structure begins with a tessera_tasks, and its boot, command, event, idle and destroy are those at the end of this file. tessera_parts.h
 * has more that layers need. C11 or later. */
#ifndef TESSERA_COROUTINE_H
#define TESSERA_COROUTINE_H

#include <stdlib.h>
#include <string.h>

#include "tessera_firmware.h"

#define TESSERA_WAITING 0xffffffffu /* a tessera_status of functions that wait: not yet */
#define TESSERA_LEVELS 8u
#define TESSERA_BOOT 0x100u         /* a kind of tessera_command: the first boot, */
#define TESSERA_RECOVERY 0x101u     /* and one after a power cut */

typedef struct tessera_task tessera_task;

/* What a layer's operations have in common. */
typedef struct tessera_tasks {
  tessera_machine *machine;
  tessera_status (*serve)(void *self, tessera_task *task); /* works an operation off; what it returns completes that */
  size_t task_bytes;                                       /* of the structure that begins with a tessera_task */
  uint32_t sector_bytes, under_way;
  void **memory; /* what was allocated last, which names what was before it */
  tessera_task *of_slot[65536];
} tessera_tasks;

/* An operation under way. */
struct tessera_task {
  tessera_tasks *tasks;
  tessera_command command;
  tessera_status status;                         /* that the last wait ended with */
  uint32_t steps_done;                           /* of the media chain that it waited for */
  uint32_t level, line[TESSERA_LEVELS + 2];      /* where each function waits */
  uint32_t step_count;                           /* of the chain that is put together */
  tessera_media_step steps[TESSERA_MOST_STEPS];
  tessera_task *next;                            /* in a queue */
};

#if defined(__GNUC__)
#define TESSERA_GOES_ON __attribute__((fallthrough))
#else
#define TESSERA_GOES_ON ((void)0)
#endif

/* `task`: the tessera_task of the function, the same with each call. */
#define TESSERA_BEGIN(task)                           \
  tessera_task *const tessera_self = (task);          \
  const uint32_t tessera_level = tessera_self->level; \
  switch (tessera_self->line[tessera_level]) {        \
    default:;

#define TESSERA_END \
  }                 \
  return TESSERA_OK

/* Waits for `call`, a function that waits; task->status is what it returned. */
#define TESSERA_AWAIT(call)                                                           \
  do {                                                                                \
    tessera_self->line[tessera_level] = __LINE__;                                     \
    TESSERA_GOES_ON;                                                                  \
    case __LINE__:                                                                    \
      tessera_enters(tessera_self, tessera_level + 1);                                \
      if (tessera_waits(tessera_self, tessera_level, (call))) return TESSERA_WAITING; \
  } while (0)

/* The same; where it did not return TESSERA_OK, the function ends with that. */
#define TESSERA_TRY(call)                                                \
  do {                                                                   \
    TESSERA_AWAIT(call);                                                 \
    if (tessera_self->status != TESSERA_OK) return tessera_self->status; \
  } while (0)

static inline void tessera_enters(tessera_task *task, uint32_t level) {
  if (level > TESSERA_LEVELS) task->tasks->machine->panic(task->tasks->machine, "functions that wait call each other too deep (TESSERA_LEVELS)");
  task->level = level > TESSERA_LEVELS ? TESSERA_LEVELS : level;
}

static inline int tessera_waits(tessera_task *task, uint32_t level, tessera_status returned) {
  if (returned == TESSERA_WAITING) return 1;
  task->level = level;
  task->line[level + 1] = 0; /* the function that returned begins anew when it is called again */
  task->status = returned;
  return 0;
}

/* Whether the innermost function asks for its wait now, and not because that has ended. */
static inline int tessera_asks(tessera_task *task) { return task->line[task->level]++ == 0; }

/* ---- what to wait for ---- */

/* Adds a step to the chain that is put together: reads or writes (TESSERA_READ, TESSERA_WRITE) a run on one track, with data or without; gives
 * the step, for what else it has. */
static inline tessera_media_step *tessera_add(tessera_task *task, uint32_t kind, tessera_media_step run, tessera_data data) {
  if (task->step_count == TESSERA_MOST_STEPS) {
    task->tasks->machine->panic(task->tasks->machine, "tessera_add(): a chain has 16 steps at most");
    task->step_count = 0;
  }
  tessera_media_step *const step = &task->steps[task->step_count++];
  *step = run;
  step->write = kind == TESSERA_WRITE;
  step->data = data;
  return step;
}

/* Runs the chain. Background work, and what a cache in front destages, leaves the platters to the host. */
static inline tessera_status tessera_media(tessera_task *task, int carry_lost) {
  if (!tessera_asks(task)) return task->status;
  if (task->step_count == 0) return TESSERA_OK; /* nothing to do */
  const int background = task->command.background || task->command.kind == TESSERA_BACKGROUND;
  const tessera_media_chain chain = {background ? TESSERA_CLASS_BACKGROUND : TESSERA_CLASS_HOST, carry_lost != 0, task->step_count, task->steps};
  task->step_count = 0;
  task->tasks->machine->media(task->tasks->machine, task->command.operation, &chain);
  return TESSERA_WAITING;
}
#define TESSERA_FAIL_LOST 0  /* the first sector that cannot be read ends the chain */
#define TESSERA_CARRY_LOST 1 /* it is carried on as lost, and its header stays as it was */

/* Runs a batch of flash commands, which stays where it is until then. */
static inline tessera_status tessera_flash(tessera_task *task, tessera_flash_command *commands, uint32_t count) {
  if (!tessera_asks(task)) return task->status;
  task->tasks->machine->flash(task->tasks->machine, task->command.operation, commands, count);
  return TESSERA_WAITING;
}

/* Waits until now() is that time. */
static inline tessera_status tessera_sleep(tessera_task *task, uint64_t until) {
  if (!tessera_asks(task)) return TESSERA_OK;
  task->tasks->machine->timer(task->tasks->machine, task->command.operation, until);
  return TESSERA_WAITING;
}

/* A thing that one task at a time has; the others wait in the order in which they came. All bytes 0: free. */
typedef struct tessera_turn { tessera_task *holder, *last; } tessera_turn;

/* Waits until the task has it. */
static inline tessera_status tessera_take(tessera_task *task, tessera_turn *turn) {
  if (!tessera_asks(task)) return TESSERA_OK;
  task->next = NULL;
  if (turn->holder == NULL) {
    turn->holder = turn->last = task;
    return TESSERA_OK;
  }
  turn->last = turn->last->next = task;
  task->tasks->machine->park(task->tasks->machine, task->command.operation, TESSERA_WAITS_LOCK);
  return TESSERA_WAITING;
}

/* By its holder. */
static inline void tessera_give(tessera_turn *turn) {
  tessera_task *const next = turn->holder->next;
  tessera_machine *const machine = turn->holder->tasks->machine;
  turn->holder = next;
  if (next != NULL) machine->ready(machine, next->command.operation);
}

/* ---- boot, command, event, idle and destroy of a layer ---- */

/* In create(): the layer's structure, of `bytes`, which begins with a tessera_tasks and is 0 otherwise. NULL: the machine that runs the drive
 * has no memory left. */
static inline void *tessera_tasks_made(size_t bytes, tessera_machine *machine, const tessera_geometry *geometry, size_t task_bytes,
                                       tessera_status (*serve)(void *self, tessera_task *task)) {
  tessera_tasks *const tasks = (tessera_tasks *)calloc(1, bytes);
  if (tasks == NULL) return NULL;
  tasks->machine = machine;
  tasks->serve = serve;
  tasks->task_bytes = task_bytes;
  tasks->sector_bytes = geometry->sector_bytes;
  return tasks;
}

/* Memory of 0 that goes with the layer, for what no drive would keep in its DRAM. NULL as above. */
static inline void *tessera_tasks_memory(tessera_tasks *tasks, size_t bytes) {
  void **const memory = (void **)calloc(1, sizeof(void *) * 2 + bytes); /* two: aligned as malloc's */
  if (memory == NULL) return NULL;
  *memory = tasks->memory;
  tasks->memory = memory;
  return memory + 2;
}

static inline void tessera_on_destroy(void *self) {
  tessera_tasks *const tasks = (tessera_tasks *)self;
  for (void **memory = tasks->memory, **next; memory != NULL; memory = next) {
    next = (void **)*memory;
    free(memory);
  }
  free(tasks);
}

static inline void tessera_go_on(tessera_tasks *tasks, tessera_task *task) {
  task->level = 0;
  const tessera_status status = tasks->serve(tasks, task);
  if (status == TESSERA_WAITING) return;
  --tasks->under_way;
  tasks->machine->complete(tasks->machine, task->command.operation, status);
}

static inline void tessera_on_command(void *self, const tessera_command *command) {
  tessera_tasks *const tasks = (tessera_tasks *)self;
  tessera_task **const task = &tasks->of_slot[TESSERA_SLOT(command->operation)];
  if (*task == NULL) *task = (tessera_task *)tessera_tasks_memory(tasks, tasks->task_bytes);
  if (*task == NULL) {
    tasks->machine->panic(tasks->machine, "this machine has no memory left for an operation");
    return;
  }
  memset(*task, 0, tasks->task_bytes);
  (*task)->tasks = tasks;
  (*task)->command = *command;
  ++tasks->under_way;
  tessera_go_on(tasks, *task);
}

static inline void tessera_on_boot(void *self, tessera_operation operation, int after_power_cut) {
  tessera_command command;
  memset(&command, 0, sizeof command);
  command.operation = operation;
  command.kind = after_power_cut ? TESSERA_RECOVERY : TESSERA_BOOT;
  command.tag = TESSERA_NO_TAG;
  tessera_on_command(self, &command);
}

static inline void tessera_on_event(void *self, tessera_operation operation, tessera_status status, uint32_t steps_done) {
  tessera_tasks *const tasks = (tessera_tasks *)self;
  tessera_task *const task = tasks->of_slot[TESSERA_SLOT(operation)];
  task->status = status;
  task->steps_done = steps_done;
  tessera_go_on(tasks, task);
}

/* No operation is under way: a layer whose background work may wait while the drive is off says so in its own. */
static inline int tessera_on_idle(const void *self) { return ((const tessera_tasks *)self)->under_way == 0; }

/* In the layer's tessera_layer. */
#define TESSERA_CALLS_OF_TASKS \
  .boot = tessera_on_boot, .command = tessera_on_command, .event = tessera_on_event, .idle = tessera_on_idle, .destroy = tessera_on_destroy

#endif
