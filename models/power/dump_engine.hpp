#pragma once
// The hardware that saves a bounded DRAM region at a power cut and restores it at boot (durability `plp`): whether it can,
// how long it takes, what energy, and how far a dump comes that fails. The images themselves stay with the memory controller
// (controller/memory_controller.hpp).
//
// An image is a row of pieces. Each has check bytes of its own: the number of the dump, the piece's place in it and a CRC-32C over
// both and the data. So boot tells a piece of this dump from one that was half written, or that an earlier dump left; it takes over
// pieces whose check is good and no others. The area is erased at boot (a part of power.boot_time), before the firmware runs: a dump that
// fails at its first byte leaves nothing.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.hpp"
#include "base/units.hpp"
#include "power/power_config.hpp"

namespace tessera {

class DumpEngine {
 public:
  static constexpr Bytes piece{4096};
  /// Written with each piece, out of band: they take time, not dump area.
  static constexpr Bytes piece_check{16};

  DumpEngine(const PowerConfig& config, std::uint64_t seed) : config_(config), seed_(seed) {}

  /// Adds a region of `size` to what a cut saves; it begins a piece. After a restart() the same reservations must come in the same order.
  /// InputError where the dump area is too small for all regions, or the hold-up energy for their dump: the message names
  /// `what`, what is needed and what there is.
  void reserve(Bytes size, std::string_view what);

  /// The power is back: reservations begin anew.
  void restart() { next_ = 0; }

  /// Of all regions together.
  [[nodiscard]] Bytes size() const { return size_; }
  /// The same as it is written, with the checks of the pieces.
  [[nodiscard]] Bytes image_size() const { return image_of(pieces_); }
  [[nodiscard]] Picoseconds dump_time() const { return transfer_time(image_size(), config_.dump_rate); }
  [[nodiscard]] Picoseconds dump_time(Bytes size) const { return transfer_time(image_of(pieces_of(size)), config_.dump_rate); }
  [[nodiscard]] Picoseconds restore_time() const { return transfer_time(image_size(), config_.restore_rate); }
  [[nodiscard]] Picojoules dump_energy() const { return energy(config_.dump_power, dump_time()); }
  [[nodiscard]] Picojoules dump_energy(Bytes size) const { return energy(config_.dump_power, dump_time(size)); }
  /// How long the hold-up energy lasts.
  [[nodiscard]] Picoseconds hold_up_time() const { return lasts(config_.hold_up_energy); }

  [[nodiscard]] static std::uint64_t pieces_of(Bytes size) { return (size.value() + piece.value() - 1) / piece.value(); }

  /// Dumps all regions at a power cut. Gives the number of pieces that are whole: all, unless the dump failed.
  std::uint64_t dump(Picoseconds now);
  [[nodiscard]] bool can_fail() const { return config_.dumps_can_fail(); }
  /// Whether the last dump failed.
  [[nodiscard]] bool failed() const { return failed_last_; }

  [[nodiscard]] Picojoules energy_spent() const { return energy_spent_; }
  /// Adds `power.*`.
  void report(MetricSet& metrics) const;

 private:
  struct Region {
    std::string what;
    Bytes size;
  };

  [[nodiscard]] static Bytes image_of(std::uint64_t pieces) { return (piece + piece_check) * pieces; }
  [[nodiscard]] Picoseconds lasts(Picojoules store) const;
  [[nodiscard]] Bytes written_by_dump(Picoseconds now) const;

  PowerConfig config_;
  std::uint64_t seed_;
  std::vector<Region> regions_;
  std::size_t next_ = 0;
  Bytes size_;
  std::uint64_t pieces_ = 0;
  std::uint64_t dumps_ = 0;
  std::uint64_t failures_ = 0;
  bool failed_last_ = false;
  Bytes unsaved_;
  Picojoules energy_spent_;
};

}  // namespace tessera
