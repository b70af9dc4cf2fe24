#pragma once
// What the disk channel has for one arm: its queue, the chain in hand, and where its time went.
#include <cstddef>

#include "base/positioning.hpp"
#include "base/request_life.hpp"
#include "base/signal.hpp"
#include "controller/media_queue.hpp"
#include "controller/work_shares.hpp"

namespace tessera {

/// Of a step that ended so.
[[nodiscard]] constexpr bool moves_nothing(Status status) { return status == Status::rule_violation || status == Status::aborted; }

struct DiskLane {
  /// `signals`: where it declares its own.
  DiskLane(std::uint32_t number, const Positioning& arm_positioning, const MediaQueue::Order& order, SignalScope& signals)
      : arm(number),
        positioning(arm_positioning),
        queue(order),
        depth(signals.level("queue", 16)),
        command(signals.part("command")),
        op(command.state("op", {"none", "read", "write"})),
        of_class(command.state("class", {"host", "dependent", "background", "recovery"})),
        tag(command.number("tag", 16)),
        serial(command.number("serial", 40)),
        surface(command.number("surface", 8)),
        radius(command.number("radius", 32)),
        sector(command.number("sector", 16)),
        sectors(command.number("sectors", 16)) {}

  std::uint32_t arm;
  const Positioning& positioning;
  MediaQueue queue;
  MediaChain* current = nullptr;
  Status step_status = Status::ok;  // of the step in hand, once it ended
  PhysicalRun last;                 // of the step that ended last
  Picoseconds landed;               // when the data of the chain in hand is in the DRAM
  bool turning = false;             // the platter comes round again for what the FIFO could not take or give
  Picoseconds passed;               // when the step in hand, whose bursts are not answered, ended
  Picoseconds late;                 // and by how much it was late then
  Picoseconds chain_began;
  Picoseconds background_total;  // of finished background chains
  WorkShares shares;
  const RequestLife* helped_life = nullptr;  // whose request the chain that began last was for, where another task ran it
  Picoseconds busy;
  std::uint64_t steps = 0;

  Signal depth;
  SignalScope& command;
  Signal op;
  Signal of_class;
  Signal tag;
  Signal serial;
  Signal surface;
  Signal radius;
  Signal sector;
  Signal sectors;
};

}  // namespace tessera
