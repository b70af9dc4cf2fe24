#include "dram/memory_path.hpp"

namespace tessera {

Picoseconds MemoryPath::access(std::span<const TableAccess> run) const {
  if (bus_->idle_from(run.front().at) && !Signal::anyone_watches()) [[likely]] {
    bus_->count_accesses(run);
    return dram_->access(run, bus_->crossing());
  }
  Picoseconds taken;
  for (const TableAccess& one : run) {
    const Picoseconds at = one.at + taken;
    taken += access(one.address, one.bytes, one.access, at) - at;
  }
  return taken;
}

}  // namespace tessera
