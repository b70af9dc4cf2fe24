#pragma once
// Host commands as firmware sees them.
#include <cstdint>

#include "base/address.hpp"
#include "base/data_buffer.hpp"
#include "base/units.hpp"
#include "base/zone.hpp"
#include "firmware/ports/status.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

enum class HostOp : std::uint8_t { read, write, flush, trim, zone_report, zone_open, zone_close, zone_finish, zone_reset };
inline constexpr std::size_t host_ops = static_cast<std::size_t>(HostOp::zone_reset) + 1;
[[nodiscard]] constexpr const char* to_string(HostOp op) {
  constexpr const char* names[] = {"read",      "write",      "flush",       "trim",      "report zones",
                                   "open zone", "close zone", "finish zone", "reset zone"};
  return names[static_cast<std::size_t>(op)];
}
/// OPEN, CLOSE, FINISH ZONE and RESET WRITE POINTER.
[[nodiscard]] constexpr bool manages_zones(HostOp op) { return op >= HostOp::zone_open; }
/// Whether user data crosses the link.
[[nodiscard]] constexpr bool moves_data(HostOp op) { return op == HostOp::read || op == HostOp::write; }

/// The host's name for a command while the drive has it, below the queue depth.
using HostTag = std::uint32_t;
inline constexpr HostTag no_host_tag = ~HostTag{0};

/// One command in the controller: a write's data is already in `buffer` unless it is to be fetched, a read's is to be put there. The buffer
/// holds the drive sectors that enclose `blocks`, or fewer, at least two, where the data is to stream through it in pieces.
struct HostCommand {
  HostOp op = HostOp::read;
  bool force_unit_access = false;  ///< FUA: durable on non-volatile media before completion
  bool all_zones = false;          ///< of OPEN, CLOSE, FINISH ZONE and RESET WRITE POINTER: not only the zone that `blocks` begin with
  HostRun blocks;                  ///< 512 B blocks as the host named them; of REPORT ZONES, where it begins and the pages that it may take
  DataBuffer buffer;
  HostTag tag = 0;
  bool aborted = false;       ///< the host gave it up: it may end without effect, and its end is not answered with data
  bool data_at_host = false;  ///< a write whose data crosses the link only once fetch() asks for it
};

/// A task that waits for the data of a write.
struct HostReceipt {
  HostCommand& command;
  Status status = Status::ok;
  DeviceWait wait{};
};

/// A piece of the data of a command that streams: a write's on its way into half of the buffer, a read's out of it. It stays where it is
/// until it has crossed.
struct HostPiece {
  HostCommand& command;
  std::uint32_t half;    ///< of the buffer: 0 or 1
  HostRun blocks{};      ///< of the command's
  DataSpan where{};      ///< the sectors of the buffer that enclose them
  bool crosses = false;  ///< the link has not carried all of it; set by the port
  bool awaited = false;  ///< used by the port
  Picoseconds since{};   ///< used by the port: on the CPU's timeline, from when on the task waits
  Status status = Status::ok;
  DeviceWait wait{};
};

class HostPort {
 public:
  virtual ~HostPort() = default;
  /// Ends the command: a read's data and the status go to the host. The command must not be touched afterwards.
  virtual void complete(HostCommand& command, Status status) = 0;
  /// The next zone of the answer to REPORT ZONES.
  virtual void report(HostCommand&, const ZoneDescriptor&) {}
  /// Has the data of a write that came without it cross the link, from now on. The media may be given it at once: it waits for what has not
  /// come. Everything else waits: `co_await received(receipt)`. A host that sends all data with the command needs neither.
  virtual void fetch(HostCommand&) {}
  virtual void submit(HostReceipt&) {}
  [[nodiscard]] auto received(HostReceipt& receipt) { return DeviceAwaiter<HostPort, HostReceipt>{*this, receipt}; }
  /// Has a piece cross the link, from now on.
  virtual void begin(HostPiece&) {}
  virtual void submit(HostPiece&) {}
  /// Waits for a piece that crosses.
  [[nodiscard]] auto crossed(HostPiece& piece) { return DeviceAwaiter<HostPort, HostPiece>{*this, piece}; }
  /// Commands that the drive has accepted and not completed.
  [[nodiscard]] virtual std::uint32_t outstanding() const = 0;
  /// Time at which the last command was accepted or completed; idle detectors compare it with now.
  [[nodiscard]] virtual Picoseconds last_activity() const = 0;
  /// Whether any accepted, uncompleted write but that of tag `in_hand` touches [first, end): the checkpoint of a cleaning asks.
  [[nodiscard]] virtual bool write_waiting(LogicalSector first, LogicalSector end, HostTag in_hand) const = 0;
};

}  // namespace tessera
