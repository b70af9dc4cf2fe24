#pragma once
// What the firmware of a bench reports while it works.
#include <ostream>
#include <string_view>
#include <vector>

#include "support/firmware_bench.hpp"

namespace tessera::test {

class RecordedEvents final : private CpuObserver {
 public:
  /// From now on; `bench` is turned off before this goes.
  explicit RecordedEvents(FirmwareBench& bench) : bench_(bench) { bench_.controller().executor().observe(this); }
  RecordedEvents(const RecordedEvents&) = delete;
  RecordedEvents& operator=(const RecordedEvents&) = delete;
  ~RecordedEvents() { bench_.controller().executor().observe(nullptr); }

  struct Event {
    std::uint64_t subject;
    std::uint64_t amount;
    bool operator==(const Event&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Event& event) { return out << event.subject << ':' << event.amount; }
  };
  /// Those of this kind that are no begin.
  [[nodiscard]] std::vector<Event> of(std::string_view kind) const {
    std::vector<Event> found;
    for (const FirmwareEvent& event : events_)
      if (event.kind == kind && event.edge != FirmwareEvent::Edge::begin) found.push_back({event.subject, event.amount});
    return found;
  }

 private:
  void firmware_event(const FirmwareEvent& event, Picoseconds) override { events_.push_back(event); }

  FirmwareBench& bench_;
  std::vector<FirmwareEvent> events_;
};

}  // namespace tessera::test
