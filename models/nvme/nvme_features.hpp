#pragma once
// Features that the host sets and reads back (NVMe 1.4, 5.21.1); none is kept over a reset of the controller.
#include <array>
#include <cstdint>
#include <vector>

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
  /// `volatile_cache`: without one the feature of that name is not there. `vectors`: of interrupts, 1 with the line.
  Features(std::uint32_t queues, bool volatile_cache, std::uint32_t vectors)
      : queues_(queues - 1), has_cache_(volatile_cache), vectors_(vectors) {
    reset();
  }

  [[nodiscard]] bool exists(std::uint8_t feature) const {
    return feature >= arbitration && feature <= event_configuration && feature != 0x03 && (feature != write_cache || has_cache_);
  }
  /// Whether there is what dword 11 selects: the composite temperature, whose thresholds alone there are, or an interrupt vector.
  [[nodiscard]] bool has_selected(std::uint8_t feature, std::uint32_t dword, bool sets) const {
    if (feature == interrupt_vector) return (dword & 0xffff) < vectors_.size();
    if (feature != temperature_threshold) return true;
    constexpr std::uint32_t composite = 0x0, every_sensor = 0xf;
    const std::uint32_t sensor = dword >> 16 & 0xf;
    return (dword >> 20 & 3) <= 1 && (sensor == composite || (sets && sensor == every_sensor));
  }
  /// Of what `dword` selects, where the feature has several values.
  [[nodiscard]] std::uint32_t value(std::uint8_t feature, std::uint32_t dword = 0) const {
    if (feature == interrupt_vector) return vectors_[dword & 0xffff];
    return feature == temperature_threshold && is_under(dword) ? under_ : values_.at(feature);
  }
  [[nodiscard]] std::uint32_t initial(std::uint8_t feature, std::uint32_t dword = 0) const {
    if (feature == write_cache) return 1;
    if (feature == number_of_queues) return queues_ | queues_ << 16;
    if (feature == temperature_threshold) return is_under(dword) ? 0 : 343;  // WCTEMP
    if (feature == interrupt_vector) return dword & 0xffff;
    return 0;
  }
  void set(std::uint8_t feature, std::uint32_t value) {
    if (feature == interrupt_vector)
      vectors_[value & 0xffff] = value & 0x1'ffff;
    else if (feature == temperature_threshold)
      (is_under(value) ? under_ : values_[feature]) = value & 0xffff;
    else
      values_.at(feature) = value;
  }
  void reset() {
    for (std::size_t feature = 0; feature < values_.size(); ++feature) values_[feature] = initial(static_cast<std::uint8_t>(feature));
    for (std::uint32_t vector = 0; vector < vectors_.size(); ++vector) vectors_[vector] = vector;
    under_ = 0;
  }
  /// Whether writes may stay in the drive's cache.
  [[nodiscard]] bool caches_writes() const { return has_cache_ && (value(write_cache) & 1) != 0; }

 private:
  /// THSEL of a temperature threshold.
  static constexpr bool is_under(std::uint32_t dword) { return (dword >> 20 & 3) == 1; }

  std::uint32_t queues_;  // from 0
  bool has_cache_;
  std::vector<std::uint32_t> vectors_;  // configuration of each
  std::uint32_t under_ = 0;             // temperature threshold, kelvin
  std::array<std::uint32_t, event_configuration + 1> values_{};
};

}  // namespace tessera::nvme
