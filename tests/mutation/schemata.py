"""One source tree that holds many mutants, and the switch that chooses among them at run time."""

from mutants import Mutant

SWITCH = """#pragma once
// In front of each mutated file: TESSERA_MUTANT names the mutant that is on, TESSERA_REACHED a file that takes
// the numbers of those that were passed.
#include <cstdio>
#include <cstdlib>
namespace tessera_mutation {
inline bool reached[MOST] = {};
inline const unsigned chosen = std::getenv("TESSERA_MUTANT") != nullptr ? static_cast<unsigned>(std::atoi(std::getenv("TESSERA_MUTANT"))) : 0;
inline const struct Report {
  ~Report() {
    const char* const name = std::getenv("TESSERA_REACHED");
    std::FILE* const file = name == nullptr ? nullptr : std::fopen(name, "w");
    if (file == nullptr) return;
    for (unsigned i = 1; i < MOST; ++i)
      if (reached[i]) std::fprintf(file, "%u\\n", i);
    std::fclose(file);
  }
} report;
inline bool on(unsigned mutant) {
  reached[mutant] = true;
  return chosen == mutant;
}
}  // namespace tessera_mutation
"""


def switch(most: int) -> str:
    """For mutants with numbers up to `most`."""
    return SWITCH.replace("MOST", str(most + 1))


def mutated(text: bytes, mutants: dict[int, Mutant]) -> bytes:
    """`text` with these mutants, by number, in it."""
    # Of insertions at one place, ends come before beginnings; what encloses more begins earlier and ends later.
    edits = []
    for number, mutant in mutants.items():
        call = f"tessera_mutation::on({number}u)"
        size = mutant.end - mutant.start
        edits.append((mutant.start, 1, -size, number, mutant.before.replace("MUTANT", call)))
        edits.append((mutant.end, 0, size, -number, mutant.after.replace("MUTANT", call)))
    out, at = [], 0
    for place, _, _, _, inserted in sorted(edits):
        out.append(text[at:place])
        out.append(inserted.encode())
        at = place
    return b"".join(out) + text[at:]
