#pragma once
// Ports for tests of parts that need no drive: time passes when told to, and memory is a vector.
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/host_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera::test {

/// Runs what was made ready when told to, in order.
class FakeCpu final : public CpuPort {
 public:
  void charge(CpuOperation, std::uint64_t) override {}
  void spend(Picoseconds) override {}
  [[nodiscard]] Picoseconds now() const override { return now_; }
  void spawn(Task<void> task, const char* = "task") override {
    tasks_.push_back(std::move(task));
    tasks_.back().handle().resume();
  }
  void wake_at(Picoseconds when, DeviceWait& wait) override { sleeping_.emplace(when, &wait); }
  void event(const FirmwareEvent&) override {}
  [[nodiscard]] std::uint32_t declare_gauge(const GaugeInfo& info) override {
    gauges_.emplace_back(info.name, 0);
    return static_cast<std::uint32_t>(gauges_.size() - 1);
  }
  void gauge(std::uint32_t number, std::uint64_t value) override { gauges_[number].second = value; }
  /// What a gauge was set to last; 0 where there is none of this name.
  [[nodiscard]] std::uint64_t gauge(std::string_view name) const {
    for (const auto& [known, value] : gauges_)
      if (known == name) return value;
    return 0;
  }
  void make_ready(DeviceWait& wait) override { ready_.push_back(&wait); }
  void suspend(DeviceWait&, LifePhase) override {}

  void run() {
    while (!ready_.empty()) {
      DeviceWait* const wait = ready_.front();
      ready_.pop_front();
      wait->task.resume();
    }
  }
  /// Runs what is ready until `when`, and each sleeper when its time has come.
  void run_until(Picoseconds when) {
    for (run(); !sleeping_.empty() && sleeping_.begin()->first <= when; run()) {
      now_ = sleeping_.begin()->first;
      ready_.push_back(sleeping_.begin()->second);
      sleeping_.erase(sleeping_.begin());
    }
    now_ = when;
  }
  /// Ends every task, as a power cut does.
  void power_off() {
    tasks_.clear();
    ready_.clear();
    sleeping_.clear();
  }

 private:
  Picoseconds now_;
  std::vector<std::pair<std::string, std::uint64_t>> gauges_;
  std::multimap<Picoseconds, DeviceWait*> sleeping_;
  std::deque<DeviceWait*> ready_;
  std::deque<Task<void>> tasks_;
};

/// A host that is as busy as a test says.
class FakeHost final : public HostPort {
 public:
  void complete(HostCommand&, Status) override {}
  [[nodiscard]] std::uint32_t outstanding() const override { return commands; }
  [[nodiscard]] Picoseconds last_activity() const override { return last; }
  [[nodiscard]] bool write_waiting(LogicalSector, LogicalSector, HostTag) const override { return false; }

  std::uint32_t commands = 0;
  Picoseconds last;
};

/// Counts accesses; regions never move.
class FakeMemory final : public MemoryPort {
 public:
  MemoryRegion reserve(MemoryCategory, Bytes size, std::string_view) override {
    auto& block = blocks_.emplace_back((size.value() + 7) / 8);
    return {DramAddress(0), std::as_writable_bytes(std::span(block)).first(size.value())};
  }
  MemoryRegion reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) override { return reserve(category, size, what); }
  void touch(DramAddress, std::uint32_t, Access) override { ++touches; }
  DataBuffer reserve_buffer(MemoryCategory, std::uint32_t sectors, std::string_view) override { return {DramAddress(0), sectors, {}}; }
  DataBuffer& reserve_dumped_buffer(MemoryCategory, std::uint32_t sectors, std::string_view) override {
    return buffers_.emplace_back(DramAddress(0), sectors, SectorShape{});
  }
  [[nodiscard]] DataBuffer acquire(std::uint32_t sectors) override { return {DramAddress(0), sectors, {}}; }
  void release(DataBuffer&&) override {}
  void copy(DataSpan, DataSpan) override {}
  void merge_blocks(DataSpan, DataSpan, std::uint32_t, std::uint32_t) override {}
  void clear(DataSpan) override {}
  [[nodiscard]] SectorShape shape() const override { return {}; }

  std::uint64_t touches = 0;

 private:
  std::deque<std::vector<std::uint64_t>> blocks_;
  std::deque<DataBuffer> buffers_;
};

/// Tracks of a stated length.
class FakeMedia final : public MediaPort {
 public:
  explicit FakeMedia(std::uint32_t sectors) : sectors_(sectors) {}
  void submit(MediaChain&) override {}
  [[nodiscard]] bool uniform() const override { return is_uniform; }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override {
    ++asked;
    const auto found = lengths.find(track);
    if (found != lengths.end()) return found->second;
    return odd_sectors != 0 && (track.radius - odd_from) % 2 == 1 ? odd_sectors : sectors_;
  }
  std::map<PhysicalTrack, std::uint32_t> lengths;  ///< of tracks that differ
  std::uint32_t odd_sectors = 0;                   ///< of every second track, if not 0
  std::uint32_t odd_from = 0;
  bool is_uniform = false;
  mutable std::uint64_t asked = 0;  ///< tracks

 private:
  std::uint32_t sectors_;
};

}  // namespace tessera::test
