#pragma once
// Features that the host sets and reads back (NVMe 1.4, 5.21.1); none is kept over a reset of the controller.
#include <array>
#include <cstdint>

namespace tessera::nvme {

enum Feature : std::uint8_t {
  arbitration = 0x01,
  power_management = 0x02,
  temperature_threshold = 0x04,
  error_recovery = 0x05,
  write_cache = 0x06,
  number_of_queues = 0x07,
  interrupt_coalescing = 0x08,
  interrupt_vector = 0x09,
  write_atomicity = 0x0a,
  event_configuration = 0x0b,
};

class Features {
 public:
  /// `volatile_cache`: without one the feature of that name is not there.
  Features(std::uint32_t queues, bool volatile_cache) : queues_(queues - 1), has_cache_(volatile_cache) { reset(); }

  [[nodiscard]] bool exists(std::uint8_t feature) const {
    return feature >= arbitration && feature <= event_configuration && feature != 0x03 && (feature != write_cache || has_cache_);
  }
  [[nodiscard]] std::uint32_t value(std::uint8_t feature) const { return values_.at(feature); }
  [[nodiscard]] std::uint32_t initial(std::uint8_t feature) const {
    if (feature == write_cache) return 1;
    if (feature == number_of_queues) return queues_ | queues_ << 16;
    if (feature == temperature_threshold) return 343;  // WCTEMP
    return 0;
  }
  void set(std::uint8_t feature, std::uint32_t value) { values_.at(feature) = value; }
  void reset() {
    for (std::size_t feature = 0; feature < values_.size(); ++feature) values_[feature] = initial(static_cast<std::uint8_t>(feature));
  }
  /// Whether writes may stay in the drive's cache.
  [[nodiscard]] bool caches_writes() const { return has_cache_ && (value(write_cache) & 1) != 0; }

 private:
  std::uint32_t queues_;  // from 0
  bool has_cache_;
  std::array<std::uint32_t, event_configuration + 1> values_{};
};

}  // namespace tessera::nvme
