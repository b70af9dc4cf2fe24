#pragma once
// Two superblocks used alternately: a cut while one is written leaves the other, and the one of the higher generation counts. Each is
// two sectors that say the same, so that one that cannot be read does not bring the older one back. Of these the one that could not be read
// is written first: a cut that tears the other finds it whole.
#include <array>
#include <cstdint>

#include "firmware/logs/log_record.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

class Superblock {
 public:
  using Payload = decltype(LogRecord::payload);
  static constexpr std::uint32_t sectors = 4;
  /// Different sectors: two of the even generations, then two of the odd ones.
  using Places = std::array<PhysicalRun, sectors>;

  Superblock(MediaPort& media, const Places& places) : media_(media), places_(places) {}

  /// Durable on return; the older of the two is overwritten.
  Task<Status> write(Payload payload);
  /// Finds the newest valid one; `corrupt` where there is none.
  Task<Status> load();

  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  [[nodiscard]] const Payload& payload() const { return payload_; }
  /// Whether load() found both sectors of the one that counts.
  [[nodiscard]] bool found_twice() const { return copies_ == 2; }

 private:
  // What LogRecord::length says of a superblock.
  static constexpr std::uint32_t next_may_follow = 1;
  static constexpr std::uint32_t next_was_not_written = 2;
  Task<Status> put(std::uint64_t generation, Payload payload, std::uint32_t mark);

  MediaPort& media_;
  Places places_;
  std::uint64_t generation_ = 0;
  std::uint32_t copies_ = 0;            // of it, as found
  std::array<bool, sectors> unread_{};  // at load(), and not written since
  Payload payload_{};
};

}  // namespace tessera
