#pragma once
// A drive of several logical units (LUNs), each a range of its blocks: the host has a queue for each, with its own share of the tags.
//
// Requests of a unit whose tags are all in use wait here, in order of arrival, and hold up no other unit's. A FLUSH is of the first unit:
// the drive writes all that it holds.
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "stimuli/player/host_front.hpp"

namespace tessera {

class LunQueues final : public HostFront, private TimelineListener {
 public:
  /// Requests that may wait at a unit's queue: more wait in the input.
  static constexpr std::uint32_t most_waiting = 1024;

  /// `ends`: of each unit, in blocks of 512 B, ascending. `tags`: of the drive, a multiple of the units.
  LunQueues(HostFront& drive, Timeline& timeline, std::vector<std::uint64_t> ends, std::uint32_t tags);
  ~LunQueues() override { timeline_.withdraw(*this); }
  LunQueues(const LunQueues&) = delete;
  LunQueues& operator=(const LunQueues&) = delete;

  void issue(HostRequest& request) override;
  void abort(HostRequest& request) override;
  void set_receiver(std::function<void(HostRequest&)> receiver) override;
  void power_lost() override;

  /// Adds the metrics `host.lun.N.*`.
  void report(MetricSet& metrics) const;
  void reset_statistics();

 private:
  struct Unit {
    std::vector<std::uint32_t> free_tags;
    std::deque<HostRequest*> waiting;
    std::uint64_t requests = 0;
    std::uint64_t waited = 0;  // of them
  };
  /// Under a tag of the drive.
  struct Sent {
    HostRequest* request = nullptr;
    std::uint32_t tag = 0;  // its own
  };

  void on_time(std::uint64_t) override;
  [[nodiscard]] std::uint32_t unit_of(const HostRequest& request) const;
  void send(Unit& unit, HostRequest& request);
  void completed(HostRequest& request);

  HostFront& drive_;
  Timeline& timeline_;
  std::vector<std::uint64_t> ends_;
  std::uint32_t tags_;  // of a unit
  std::vector<Unit> units_;
  std::vector<Sent> sent_;             // by the drive's tag
  std::deque<HostRequest*> given_up_;  // while they waited
  std::function<void(HostRequest&)> receiver_;
};

}  // namespace tessera
