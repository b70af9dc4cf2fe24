#include "firmware/layers/zoned/zone_ledger.hpp"

#include <cstring>

namespace tessera::zoned {

namespace {

/// In the first word of a record: its sector names as many zones as the word's lower half says.
constexpr std::uint64_t of_many = std::uint64_t{1} << 32;

constexpr std::uint64_t high(std::uint32_t word) { return std::uint64_t{word} << 32; }
constexpr std::uint32_t low_of(std::uint64_t words) { return static_cast<std::uint32_t>(words); }
constexpr std::uint32_t high_of(std::uint64_t words) { return static_cast<std::uint32_t>(words >> 32); }

}  // namespace

ZoneLedger::ZoneLedger(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, std::uint32_t zones)
    : kept_(ports.memory, MemoryCategory::metadata, zones, "conditions of the zones, as they are kept"),
      turns_(ports.cpu),
      log_(ports, geometry, log, RecordType::zone_kept, static_cast<TableLog::Table&>(*this)) {}

Task<void> ZoneLedger::repair() { static_cast<void>(co_await log_.repair()); }

Task<Status> ZoneLedger::append(std::uint32_t zone, KeptZone kept) {
  auto turn = turns_.exclusive({});
  co_await turn;
  const TableLog::Words words{zone, kept.as | high(kept.resets), kept.written, kept.doubt_first | high(kept.doubt_count)};
  const Status status = co_await log_.append(words, {});
  if (!ok(status)) co_return status;
  kept_.write(zone) = kept;
  ++appended_;
  co_return Status::ok;
}

Task<Status> ZoneLedger::append_active(std::span<const Began> zones) {
  auto turn = turns_.exclusive({});
  co_await turn;
  const Status status = co_await log_.append({of_many | zones.size()}, std::as_bytes(zones));
  if (!ok(status)) co_return status;
  for (const Began& began : zones) kept_.write(began.zone) = {.as = static_cast<std::uint32_t>(KeptAs::active), .resets = began.resets};
  ++appended_;
  co_return Status::ok;
}

void ZoneLedger::save(std::span<std::byte> image) const { std::memcpy(image.data(), &kept_.peek(0), image_bytes()); }
void ZoneLedger::load(std::span<const std::byte> image) { std::memcpy(&kept_.peek(0), image.data(), image_bytes()); }

void ZoneLedger::replay(const TableLog::Words& words, std::span<const std::byte> sector) {
  if ((words[0] & of_many) != 0) {
    for (std::uint32_t i = 0; i < low_of(words[0]); ++i) {
      Began began;
      std::memcpy(&began, sector.data() + i * sizeof(Began), sizeof(Began));
      kept_.peek(began.zone) = {.as = static_cast<std::uint32_t>(KeptAs::active), .resets = began.resets};
    }
    return;
  }
  kept_.peek(words[0]) = {low_of(words[1]), high_of(words[1]), low_of(words[2]), low_of(words[3]), high_of(words[3])};
}

}  // namespace tessera::zoned
