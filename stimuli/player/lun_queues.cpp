#include "stimuli/player/lun_queues.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace tessera {

LunQueues::LunQueues(HostFront& drive, Timeline& timeline, std::vector<std::uint64_t> ends, std::uint32_t tags)
    : drive_(drive),
      timeline_(timeline),
      ends_(std::move(ends)),
      tags_(tags / static_cast<std::uint32_t>(ends_.size())),
      units_(ends_.size()),
      sent_(tags) {
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit)
    for (std::uint32_t tag = tags_; tag > 0; --tag) units_[unit].free_tags.push_back(unit * tags_ + tag - 1);
}

std::uint32_t LunQueues::unit_of(const HostRequest& request) const {
  if (request.blocks.count == 0) return 0;
  const auto end = std::ranges::upper_bound(ends_, request.blocks.first.value());
  TESSERA_CHECK(end != ends_.end(), "a request beyond the last logical unit");
  return static_cast<std::uint32_t>(end - ends_.begin());
}

void LunQueues::issue(HostRequest& request) {
  Unit& unit = units_[unit_of(request)];
  ++unit.requests;
  if (!unit.free_tags.empty()) return send(unit, request);
  ++unit.waited;
  unit.waiting.push_back(&request);
}

void LunQueues::send(Unit& unit, HostRequest& request) {
  const std::uint32_t tag = unit.free_tags.back();
  unit.free_tags.pop_back();
  request.life.account(LifePhase::host_queue, timeline_.now(), Cause::tags);
  sent_[tag] = {&request, request.tag};
  request.tag = tag;
  drive_.issue(request);
}

void LunQueues::completed(HostRequest& request) {
  const std::uint32_t tag = request.tag;
  Unit& unit = units_[tag / tags_];
  request.tag = sent_[tag].tag;
  sent_[tag] = {};
  unit.free_tags.push_back(tag);
  if (!unit.waiting.empty()) {
    HostRequest& next = *unit.waiting.front();
    unit.waiting.pop_front();
    send(unit, next);
  }
  receiver_(request);
}

void LunQueues::set_receiver(std::function<void(HostRequest&)> receiver) {
  receiver_ = std::move(receiver);
  drive_.set_receiver([this](HostRequest& request) { completed(request); });
}

/// What waits ends here, at once but not from within the call.
void LunQueues::abort(HostRequest& request) {
  for (Unit& unit : units_) {
    const auto waits = std::ranges::find(unit.waiting, &request);
    if (waits == unit.waiting.end()) continue;
    unit.waiting.erase(waits);
    given_up_.push_back(&request);
    return timeline_.post(timeline_.now(), *this);
  }
  drive_.abort(request);
}

void LunQueues::on_time(std::uint64_t) {
  HostRequest& request = *given_up_.front();
  given_up_.pop_front();
  request.aborted = true;
  request.status = Status::aborted;
  request.life.account(LifePhase::host_queue, timeline_.now(), Cause::tags);
  receiver_(request);
}

void LunQueues::power_lost() {
  timeline_.withdraw(*this);
  given_up_.clear();
  for (std::uint32_t tag = 0; tag < sent_.size(); ++tag) {
    if (sent_[tag].request == nullptr) continue;
    sent_[tag].request->tag = sent_[tag].tag;
    units_[tag / tags_].free_tags.push_back(tag);
    sent_[tag] = {};
  }
  for (Unit& unit : units_) unit.waiting.clear();
}

void LunQueues::report(MetricSet& metrics) const {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    const std::string name = "host.lun." + std::to_string(i) + ".";
    metrics.count(name + "requests", static_cast<double>(units_[i].requests), "1", "requests to the logical unit");
    metrics.count(name + "waited", static_cast<double>(units_[i].waited), "1", "of these, requests that waited for a tag of the unit");
  }
}

void LunQueues::reset_statistics() {
  for (Unit& unit : units_) unit.requests = unit.waited = 0;
}

}  // namespace tessera
