#include "stimuli/arrays/write_plan.hpp"

#include <algorithm>
#include <optional>

#include "base/check.hpp"

namespace tessera {

namespace {

ChunkRange band_of(const std::vector<ChunkRange>& fresh) {
  ChunkRange band{~std::uint32_t{0}, 0};
  for (const ChunkRange& range : fresh) {
    if (range.empty()) continue;
    band.begin = std::min(band.begin, range.begin);
    band.end = std::max(band.end, range.end);
  }
  return band;
}

std::optional<WritePlan> read_modify(const WritePlan& bare, std::uint32_t columns, const std::vector<ChunkRange>& fresh,
                                     const std::vector<bool>& missing) {
  WritePlan plan = bare;
  plan.way = WriteWay::read_modify;
  for (std::uint32_t member = 0; member < plan.reads.size(); ++member) {
    if (member < columns && fresh[member].empty()) continue;
    if (member < columns && missing[member]) return std::nullopt;
    if (!missing[member]) plan.reads[member] = member < columns ? fresh[member] : plan.band;
  }
  return plan;
}

std::optional<WritePlan> reconstruct(const WritePlan& bare, std::uint32_t columns, const std::vector<ChunkRange>& fresh,
                                     const std::vector<bool>& missing) {
  WritePlan plan = bare;
  plan.way = WriteWay::reconstruct;
  for (std::uint32_t column = 0; column < columns; ++column) {
    if (fresh[column] == plan.band) continue;
    if (missing[column]) return std::nullopt;
    plan.reads[column] = plan.band;
  }
  if (plan.drives_read() == 0) plan.way = WriteWay::whole;
  return plan;
}

}  // namespace

std::uint32_t WritePlan::drives_read() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(reads, [](const ChunkRange& range) { return !range.empty(); }));
}

WritePlan plan_write(std::uint32_t columns, std::uint32_t parities, const std::vector<ChunkRange>& fresh,
                     const std::vector<bool>& missing) {
  const std::uint32_t members = columns + parities;
  TESSERA_CHECK(fresh.size() == columns && missing.size() == members, "a plan for a row of another width");
  WritePlan bare{WriteWay::no_parity, band_of(fresh), std::vector<ChunkRange>(members)};
  if (std::all_of(missing.begin() + columns, missing.end(), [](bool gone) { return gone; })) return bare;
  const auto modify = read_modify(bare, columns, fresh, missing);
  const auto anew = reconstruct(bare, columns, fresh, missing);
  if (anew && (!modify || anew->drives_read() <= modify->drives_read())) return *anew;
  if (modify) return *modify;
  return plan_decode(columns, parities, fresh, missing);
}

WritePlan plan_decode(std::uint32_t columns, std::uint32_t parities, const std::vector<ChunkRange>& fresh,
                      const std::vector<bool>& unread) {
  WritePlan plan{WriteWay::decode, band_of(fresh), std::vector<ChunkRange>(columns + parities)};
  for (std::uint32_t member = 0; member < plan.reads.size(); ++member)
    if (!unread[member]) plan.reads[member] = plan.band;
  return plan;
}

}  // namespace tessera
