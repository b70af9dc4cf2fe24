#pragma once
// The zones of a layer, as the command front end uses them: the rules for reads and writes, and the commands that manage zones.
#include <cstdint>
#include <vector>

#include "base/zone.hpp"
#include "firmware/ports/host_port.hpp"

namespace tessera {

/// Zones are numbered from 0; all have the same size. Everything here takes no time but that which it charges to the CPU, but for manage().
class ZoneCommands {
 public:
  virtual ~ZoneCommands() = default;

  [[nodiscard]] virtual std::uint32_t zones() const = 0;
  [[nodiscard]] virtual std::uint64_t zone_blocks() const = 0;
  [[nodiscard]] virtual ZoneDescriptor describe(std::uint32_t zone) const = 0;

  /// Whether a read may be carried out, which holds its blocks.
  [[nodiscard]] virtual Status admit_read(HostRun blocks) = 0;
  /// Whether a write may be carried out; to be asked in the order in which writes came. Where it is ok the write pointer has moved: the
  /// write itself follows, or withdraw().
  [[nodiscard]] virtual Status admit_write(HostRun blocks) = 0;
  /// An admitted write failed, or was given up: what lies after it in its zone cannot be written either.
  virtual void withdraw(HostRun blocks) = 0;

  /// Whether a command for all zones has anything to do with this one.
  [[nodiscard]] virtual bool concerns(HostOp op, std::uint32_t zone) const = 0;
  /// OPEN, CLOSE, FINISH ZONE or RESET WRITE POINTER of one zone; the caller holds all of its blocks.
  [[nodiscard]] virtual Task<Status> manage(HostOp op, std::uint32_t zone) = 0;
};

}  // namespace tessera
