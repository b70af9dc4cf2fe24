#include "host/request_lanes.hpp"

#include <algorithm>

namespace tessera {

RequestLanes::RequestLanes(SignalScope& scope, std::uint32_t tags) : in_use_(scope.level("tags_in_use", 16)) {
  std::vector<std::string> phases = {"idle"};
  for (std::size_t phase = 0; phase < life_phases; ++phase) phases.emplace_back(to_string(static_cast<LifePhase>(phase)));
  std::vector<std::string> ops;
  for (std::size_t op = 0; op < host_ops; ++op) {
    std::string& word = ops.emplace_back(to_string(static_cast<HostOp>(op)));
    std::ranges::replace(word, ' ', '_');
  }
  for (std::uint32_t tag = 0; tag < tags; ++tag) {
    SignalScope& part = scope.part("tag_" + std::string(tag < 10 ? "0" : "") + std::to_string(tag));
    Lane& lane = lanes_.emplace_back();
    lane.phase = part.state("phase", phases);
    lane.op = part.state("op", ops);
    lane.request = part.number("request", 40);
    lane.block = part.number("block", 48);
    lane.blocks = part.number("blocks", 32);
  }
}

void RequestLanes::show(HostRequest& request, Picoseconds at) {
  in_use_.set(++used_, at);
  Lane& lane = lanes_[request.tag];
  if (!lane.phase.watched()) return;
  request.life.lane = &lane.phase;
  lane.op.set_row<4>({static_cast<std::uint64_t>(request.op), request.number, request.blocks.first.value(), request.blocks.count}, at);
  request.life.enter(LifePhase::link, at);
}

void RequestLanes::clear(HostRequest& request, Picoseconds at) {
  in_use_.set(--used_, at);
  lanes_[request.tag].phase.set(0, at);
  request.life.lane = nullptr;
}

void RequestLanes::power_off(Picoseconds at) {
  used_ = 0;
  in_use_.replace(0, at);
  for (const Lane& lane : lanes_) lane.phase.replace(0, at);
}

}  // namespace tessera
