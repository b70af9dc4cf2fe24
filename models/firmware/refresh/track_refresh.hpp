#pragma once
// Refresh: the layer's way to the platters, which counts the writes next to each track and has tracks read and rewritten before those have
// spoilt them. The layer knows nothing of it.
//
// Where no tracks overlap, one is read and rewritten by one chain, so that no other write of it comes in between. Elsewhere a rewrite goes
// over all tracks that it destroys (Overlap::order) and keeps those in dumped DRAM (TrackWindow); chains that touch them wait (TrackHold).
// Every write counts, that of a refresh too, but for what defect management does by itself.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/metrics.hpp"
#include "firmware/refresh/overlap.hpp"
#include "firmware/refresh/refresh_config.hpp"
#include "firmware/refresh/track_hold.hpp"
#include "firmware/refresh/track_window.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class TrackRefresh final : public MediaPort {
 public:
  /// config.used(), and config.problem(plan) is empty. Refreshed are tracks that overlap, and those that keep the host's data for
  /// long: of regions "data", "conventional", "buffer" and "cache".
  TrackRefresh(const RefreshConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan);

  /// Before the boot's first chain. What a power cut took of the counters counts as reached.
  void recount(bool after_power_cut);
  /// Before the layer boots: ends the rewrite that a power cut ended.
  [[nodiscard]] Task<void> mend();
  /// After the boot: until then tracks wait, as defect management has yet to read its table.
  void start();
  /// Whether no track waits to be refreshed.
  [[nodiscard]] bool idle() const { return !running_; }

  void submit(MediaChain& chain) override;
  void abandon(const DataBuffer& buffer) override { ports_.media.abandon(buffer); }
  void supervise(MediaSupervisor* supervisor) override { ports_.media.supervise(supervisor); }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override { return ports_.media.sectors_on(track); }
  [[nodiscard]] bool uniform() const override { return ports_.media.uniform(); }
  [[nodiscard]] bool forgot_rewrite() const override { return overlapped_ != nullptr && overlapped_->window.forgotten(); }

  /// Adds the metrics `refresh.*`.
  void report(MetricSet& metrics) const;

 private:
  using Counter = std::uint16_t;
  static constexpr Counter waits = 0x8000;  // in the queue
  static constexpr Counter count_bits = RefreshConfig::most;
  static constexpr std::uint32_t queue_places = 256;
  /// Writes from which on a track no longer waits behind the host's commands.
  [[nodiscard]] std::uint32_t urgent_at() const { return config_.threshold + config_.threshold / 4; }

  /// Writes from which on a track goes along with one after it in its band.
  [[nodiscard]] std::uint32_t soon_at() const { return config_.threshold - config_.threshold / 4; }

  /// Radii [first, end) of a region with the host's data.
  struct Radii {
    std::uint32_t first;
    std::uint32_t end;
  };
  /// The tracks next to one, in its region.
  struct Sides {
    std::optional<PhysicalTrack> outer;
    std::optional<PhysicalTrack> inner;
  };

  [[nodiscard]] const Radii* data_of(std::uint32_t radius) const;
  [[nodiscard]] Sides sides_of(PhysicalTrack track) const;
  [[nodiscard]] bool drop_covered(Sides& sides) const;
  [[nodiscard]] std::uint64_t number(PhysicalTrack track) const { return std::uint64_t{track.radius} * surfaces_ + track.surface; }
  [[nodiscard]] PhysicalTrack track(std::uint64_t number) const {
    return {static_cast<std::uint32_t>(number % surfaces_), static_cast<std::uint32_t>(number / surfaces_)};
  }
  void count(const MediaChain& chain);
  void count(const PhysicalRun& run);
  void raise(std::uint64_t counter);
  void lower(std::uint64_t counter);
  [[nodiscard]] bool enqueue(std::uint64_t counter);
  void begin_work();
  void hurry();
  Task<void> work();
  [[nodiscard]] bool reached(std::uint64_t counter) const { return (counters_[counter] & count_bits) >= config_.threshold; }
  [[nodiscard]] std::uint64_t first_of_band(std::uint64_t counter) const;
  Task<void> refresh(std::uint64_t counter, bool urgent);
  Task<void> rewrite(PhysicalTrack track, MediaClass priority);
  Task<void> rewrite_alone(PhysicalTrack track, MediaClass priority);
  Task<void> rewrite_overlapped(PhysicalTrack track, MediaClass priority);
  Task<void> write_over(PhysicalTrack track, const std::vector<std::uint32_t>& order, MediaClass priority);
  void renew(PhysicalTrack track, std::uint32_t writes);
  void renew_between(PhysicalTrack track, const std::vector<std::uint32_t>& order);

  /// What tracks that overlap take.
  struct Overlapped {
    Overlapped(const Ports& ports, const DriveGeometry& geometry, const Overlap& overlap)
        : hold(ports.media, ports.cpu, overlap), window(ports, geometry, overlap.window()) {}
    TrackHold hold;
    TrackWindow window;
  };

  RefreshConfig config_;
  Ports ports_;
  std::uint32_t surfaces_;
  std::vector<Radii> data_;
  Overlap overlap_;
  std::unique_ptr<Overlapped> overlapped_;  // null: no tracks overlap
  bool torn_ = false;
  DramAddress counters_at_;
  std::span<Counter> counters_;     // by track and area
  DramArray<std::uint32_t> queue_;  // a ring of counters
  std::uint64_t taken_ = 0;         // from the queue, ever
  std::uint64_t put_ = 0;           // into it
  bool started_ = false;
  bool running_ = false;
  bool hurried_ = false;                // the refresh in hand goes with the host's commands
  const DataBuffer* behind_ = nullptr;  // where a read goes that waits behind them
  DataBuffer buffer_;

  std::uint64_t refreshes_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint64_t urgent_ = 0;
  std::uint64_t failed_ = 0;
  std::uint32_t highest_ = 0;
};

}  // namespace tessera
