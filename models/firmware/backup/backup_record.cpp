#include "firmware/backup/backup_record.hpp"

namespace tessera {

namespace {

// Payload: the sector's place in the record, the target's surface and radius, then a word for each saved run.
constexpr std::uint64_t pack(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }
constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

constexpr std::uint32_t surface_bits = 8;
constexpr std::uint32_t surface_mask = (1U << surface_bits) - 1;

// A saved run in a word: its distance from the target in radii (8 bits, signed), first sector and count (28 bits each). No run
// of that number is a word with count 0.
constexpr std::uint32_t index_bits = 28;
constexpr std::uint64_t index_mask = (std::uint64_t{1} << index_bits) - 1;

std::uint64_t pack(const PhysicalRun& run, const PhysicalTrack& target) {
  const auto distance = static_cast<std::int64_t>(run.track.radius) - static_cast<std::int64_t>(target.radius);
  TESSERA_CHECK(run.track.surface == target.surface && distance >= -128 && distance < 128, "a saved run is no neighbour of its target");
  return static_cast<std::uint64_t>(distance) << 2 * index_bits | std::uint64_t{run.first} << index_bits | run.count;
}

PhysicalRun unpack(std::uint64_t word, const PhysicalTrack& target) {
  const std::int64_t distance = static_cast<std::int64_t>(word) >> 2 * index_bits;
  return {{target.surface, static_cast<std::uint32_t>(target.radius + distance)},
          static_cast<std::uint32_t>(word >> index_bits & index_mask),
          static_cast<std::uint32_t>(word & index_mask)};
}

}  // namespace

std::array<std::uint64_t, 5> backup_payload(std::uint32_t index, const PhysicalRun& target, const Neighbours& saved) {
  TESSERA_CHECK(target.track.surface <= surface_mask, "a backup record has no room for the number of a surface");
  std::array<std::uint64_t, 5> payload{pack(index << surface_bits | target.track.surface, target.track.radius)};
  for (std::uint32_t i = 0; i < saved.count; ++i) payload[1 + i] = pack(saved.runs[i], target.track);
  return payload;
}

std::uint32_t index_in_backup(const LogRecord& record) { return high(record.payload[0]) >> surface_bits; }

Neighbours saved_in_backup(const LogRecord& record) {
  static_assert(Neighbours::most + 1 <= std::tuple_size_v<decltype(LogRecord::payload)>);
  const std::array<std::uint64_t, 5>& payload = record.payload;
  Neighbours saved;
  const PhysicalTrack target{high(payload[0]) & surface_mask, low(payload[0])};
  for (std::size_t i = 1; i <= Neighbours::most && (payload[i] & index_mask) != 0; ++i) saved.add(unpack(payload[i], target));
  return saved;
}

}  // namespace tessera
