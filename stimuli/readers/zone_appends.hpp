#pragma once
// Where the zone appends of a trace went: at the write pointer that the trace's own writes, resets and finishes make. A zone that the trace
// has not written yet counts as empty.
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "base/units.hpp"
#include "stimuli/readers/raw_record.hpp"

namespace tessera {

class ZoneAppends {
 public:
  /// `zone`: the size of a zone; 0: not known.
  explicit ZoneAppends(Bytes zone) : zone_(zone.value()) {}

  enum class Verdict : std::uint8_t {
    kept,
    no_place,  ///< an append to a zone, and nobody knows how large zones are
    again      ///< recorders show the completion of an append twice
  };
  /// In the order of the trace; an append to a zone gets its offset.
  [[nodiscard]] Verdict follow(RawRecord& raw) {
    if (raw.append == ZoneAppend::placed) {
      if (last_ && last_->volume == raw.volume && last_->offset == raw.offset && last_->size == raw.size) {
        last_.reset();
        return Verdict::again;
      }
      last_ = raw;
    }
    if (zone_ == 0) return raw.append == ZoneAppend::to_zone ? Verdict::no_place : Verdict::kept;
    if (raw.append == ZoneAppend::to_zone) raw.offset += written_[zone_of(raw)];
    if (raw.op == HostOp::write) written_[zone_of(raw)] = raw.offset % zone_ + raw.size;
    if (raw.op == HostOp::zone_finish && !raw.all_zones) written_[zone_of(raw)] = zone_;
    if (raw.op == HostOp::zone_reset) forget(raw);
    return Verdict::kept;
  }

 private:
  using Zone = std::pair<std::uint32_t, std::uint64_t>;  // volume, number

  [[nodiscard]] Zone zone_of(const RawRecord& raw) const { return {raw.volume, raw.offset / zone_}; }
  void forget(const RawRecord& raw) {
    if (!raw.all_zones)
      written_.erase(zone_of(raw));
    else
      std::erase_if(written_, [&](const auto& zone) { return zone.first.first == raw.volume; });
  }

  std::uint64_t zone_;
  std::map<Zone, std::uint64_t> written_;  // bytes from the zone's begin
  std::optional<RawRecord> last_;          // append that was placed
};

}  // namespace tessera
