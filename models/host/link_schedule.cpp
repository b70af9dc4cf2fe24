#include "host/link_schedule.hpp"

#include <algorithm>

namespace tessera {

LinkSchedule::LinkSchedule(const HostConfig& config, SignalScope& signals, std::uint64_t seed)
    : link_(signals.state("link", {"idle", "to_drive", "to_host"})),
      link_tag_(signals.number("link_tag", 16)),
      framing_(config),
      full_duplex_(config.link == LinkProtocol::sas) {
  if (LinkFaults::any(config)) faults_.emplace(config, seed);
}

LinkSchedule::Passage LinkSchedule::carry(std::uint32_t tag, const LinkExtent& extent, Picoseconds from, Picoseconds now) {
  const Passage passage = framing_.ideal() ? carry_whole(extent, from) : carry_frames(tag, extent, from);
  if (link_.watched()) [[unlikely]]
    show(tag, extent, passage, now);
  return passage;
}

inline LinkSchedule::Passage LinkSchedule::carry_whole(const LinkExtent& extent, Picoseconds from) {
  const Picoseconds begin = std::max(free_, from);
  free_ = faults_ ? faults_->carry(begin, extent.time) : begin + extent.time;
  taken_ += free_ - begin;
  busy_[static_cast<std::size_t>(extent.direction)] += free_ - begin;
  return {free_ - extent.time, free_};
}

LinkSchedule::Passage LinkSchedule::carry_frames(std::uint32_t tag, const LinkExtent& extent, Picoseconds from) {
  const Picoseconds work = faults_ ? faults_->carry(from, extent.time) - from : extent.time;
  SharedResource& wire = wires_[full_duplex_ && extent.direction == LinkDirection::to_host ? 1 : 0];
  const Passage passage = {from, wire.reserve(tag, from, work).end};
  free_ = std::max(free_, passage.end);
  taken_ += work;
  frames_ += extent.frames;
  for (std::size_t way = 0; way < 2; ++way) {
    busy_[way] += extent.busy[way];
    overhead_[way] += extent.overhead[way];
  }
  busy_[static_cast<std::size_t>(extent.direction)] += work - extent.time;
  return passage;
}

/// Of a streamed read what is still to come; of extents that share the link the one asked for last.
void LinkSchedule::show(std::uint32_t tag, const LinkExtent& extent, const Passage& passage, Picoseconds now) const {
  const Picoseconds shown = std::max(passage.begin, now);
  if (passage.end <= shown) return;
  link_.replace(extent.direction == LinkDirection::to_drive ? 1 : 2, shown);
  link_tag_.set(tag, shown);
  link_.set(0, free_);
}

void LinkSchedule::power_off(Picoseconds now) {
  free_ = now;
  for (SharedResource& wire : wires_) wire.clear();
  link_.replace(0, now);
}

void LinkSchedule::reset_statistics() {
  taken_ = Picoseconds(0);
  busy_ = {};
  overhead_ = {};
  frames_ = 0;
}

void LinkSchedule::report(MetricSet& metrics, LongTime elapsed) const {
  metrics.add(
      "link.utilisation", share_of(full_duplex_ ? taken_ / 2 : taken_, elapsed), "1",
      "share of the measured time in which the host link was busy, or down under a frame; of a full duplex one the mean of both ways");
  metrics.add("host.link.to_drive.utilisation", share_of(busy_[0], elapsed), "1",
              "share of the measured time in which the link carried to the drive");
  metrics.add("host.link.to_host.utilisation", share_of(busy_[1], elapsed), "1",
              "share of the measured time in which the link carried to the host");
  metrics.count("host.link.frames", static_cast<double>(frames_), "1", "frames of the link's protocol; an ideal link has none");
  metrics.count("host.link.to_drive.overhead_bytes", static_cast<double>(overhead_[0].value()), "B",
                "bytes to the drive that are no user data: headers, checks, primitives, set-up frames");
  metrics.count("host.link.to_host.overhead_bytes", static_cast<double>(overhead_[1].value()), "B",
                "bytes to the host that are no user data: headers, checks, primitives, set-up frames");
  if (faults_) faults_->report(metrics);
}

}  // namespace tessera
