#pragma once
// What a backup record tells of itself, in the out-of-band bytes of each sector that it saves.
#include <array>
#include <cstdint>

#include "base/address.hpp"
#include "base/check.hpp"
#include "firmware/logs/log_record.hpp"

namespace tessera {

/// The runs that a write would destroy: `count` of them, on different tracks of one surface near its own.
struct Neighbours {
  static constexpr std::size_t most = 4;  ///< what a record has room for
  std::array<PhysicalRun, most> runs{};
  std::uint32_t count = 0;

  void add(const PhysicalRun& run) {
    TESSERA_CHECK(count < most, "a write has too many neighbours");
    runs[count++] = run;
  }
  [[nodiscard]] std::uint32_t sectors() const { return sectors_before(count); }
  [[nodiscard]] std::uint32_t sectors_before(std::uint32_t which) const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < which; ++i) sum += runs[i].count;
    return sum;
  }
};

/// Of sector `index` of the record that saves `saved` before `target` is written.
[[nodiscard]] std::array<std::uint64_t, 5> backup_payload(std::uint32_t index, const PhysicalRun& target, const Neighbours& saved);
/// The place of its sector in the record.
[[nodiscard]] std::uint32_t index_in_backup(const LogRecord& record);
[[nodiscard]] Neighbours saved_in_backup(const LogRecord& record);

}  // namespace tessera
