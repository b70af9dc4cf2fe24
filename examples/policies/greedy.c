/* Greedy cleaning for a layer with a cache in front of bands: only when somebody needs room, and then the band whose cleaning frees most for
 * what it moves. Where the cache is a log that is fuller than its map, the layer chooses: a log's space comes back from its oldest end on.
 * Compile as a shared library against tessera_policy.h. */
#include "tessera_policy.h"

#include <stdlib.h>

struct greedy {
  tessera_policy_machine *machine;
  uint64_t weight; /* 0: most cached sectors, 1: most per sector that the band holds */
};

static const char *const weights[] = {"freed", "freed_per_moved"};
static const tessera_parameter parameters[] = {
    {"weight", "what the chosen band has most of: cached sectors, or these for each sector that is moved", TESSERA_CHOICE, 2, weights, 0, 0, {1, 0}}};

static void *create(const tessera_policy *code, tessera_policy_machine *machine, const tessera_value *values) {
  struct greedy *g = malloc(sizeof *g);
  (void)code;
  if (g != NULL) *g = (struct greedy){machine, values[0].integer};
  return g;
}

static void destroy(void *self) { free(self); }

static uint64_t when(void *self, const tessera_cleaning *cleaning) {
  (void)self;
  (void)cleaning;
  return TESSERA_NEVER;
}

static uint64_t choose(void *self, const tessera_cleaning *cleaning) {
  struct greedy *g = self;
  const tessera_unit *units, *best;
  uint32_t count = g->machine->list(g->machine, &units);
  if (count == 0) return TESSERA_NEVER;
  if (cleaning->used * cleaning->most_entries > cleaning->entries * cleaning->room) return g->machine->own(g->machine);
  best = units;
  for (const tessera_unit *unit = units; unit != units + count; ++unit) {
    /* a/b > c/d without division; one more than held, as a band may hold nothing */
    uint64_t moved = g->weight ? (uint64_t)unit->held + 1 : 1, of_best = g->weight ? (uint64_t)best->held + 1 : 1;
    if (unit->cached * of_best > best->cached * moved) best = unit;
  }
  return best->number;
}

static const tessera_policy greedy = {
    .abi = TESSERA_POLICY_ABI,
    .size = sizeof(tessera_policy),
    .name = "greedy",
    .summary = "the band whose cleaning frees most, and only when room is needed",
    .parameters = parameters,
    .parameter_count = 1,
    .create = create,
    .destroy = destroy,
    .when = when,
    .choose = choose,
};

const tessera_policy *tessera_firmware_policy(uint32_t abi, uint32_t index) {
  return abi == TESSERA_POLICY_ABI && index == 0 ? &greedy : NULL;
}
