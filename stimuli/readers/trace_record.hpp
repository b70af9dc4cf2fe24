#pragma once
// A block trace as the players see it: a stream of host requests, whatever file they come from.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/long_time.hpp"
#include "base/units.hpp"
#include "firmware/ports/host_port.hpp"

namespace tessera {

/// One request of a trace, exact to the byte: traces may address less than a sector (stimuli/readers/sector_adaptation.hpp).
struct TraceRecord {
  Picoseconds arrival;  ///< since the first record of the source; never decreases along a source
  HostOp op = HostOp::read;
  bool force_unit_access = false;
  std::uint32_t volume = 0;  ///< numbered in order of first appearance; TraceSource::volume_name says which
  Bytes offset;              ///< from the start of the volume; 0 for a flush
  Bytes size;                ///< above 0 and at most `max_request_size`; 0 for a flush, and allowed for what manages zones
  /// From the completion of the record before to this arrival, where the source tells it; 0 for the first record.
  std::optional<Picoseconds> think = std::nullopt;
  bool all_zones = false;   ///< as HostCommand::all_zones
  std::uint32_t spans = 0;  ///< whole `span`s before `arrival`, of an input of more than 213 days
  constexpr bool operator==(const TraceRecord&) const = default;
  [[nodiscard]] constexpr Bytes end() const { return offset + size; }

  static constexpr Picoseconds span{std::uint64_t{100} * 86'400 * ps_per_second};
  /// The arrival, all of it.
  [[nodiscard]] constexpr LongTime time() const { return LongTime(span) * spans + arrival; }
  constexpr void arrive(LongTime at) {
    spans = at.value() >> 64 == 0 ? 0 : static_cast<std::uint32_t>(at / LongTime(span));
    arrival = (at - LongTime(span) * spans).picoseconds();
  }
};

/// Within what a run of host blocks can count (HostRun::count), with room for rounding.
inline constexpr Bytes max_request_size{std::uint64_t{1} << 40};

/// A trace that is read front to back, holding no more than a buffer of it. Bad input throws InputError with file and line.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  /// The next record; false at the end of the trace, and then for ever. A trace without any record is an InputError.
  virtual bool next(TraceRecord& record) = 0;
  /// Where the last record was found: "FILE:LINE", or "FILE:record N" in a binary file. Both count from 1.
  [[nodiscard]] virtual std::string position() const = 0;
  /// Name of a volume that a record has named: "web_0", "ASU3", "dev1"; "-" in a format that knows no volumes.
  [[nodiscard]] virtual std::string volume_name(std::uint32_t volume) const = 0;
  /// What a reader of any result made from this trace must know, as far as it has been read: records out of order or left out.
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;
  /// Whether every record has a think time: it was recorded by a host that waited for each completion.
  [[nodiscard]] virtual bool tells_think_times() const { return false; }
};

/// A source over another one; forwards what it does not change.
class TraceAdaptation : public TraceSource {
 public:
  explicit TraceAdaptation(std::unique_ptr<TraceSource> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] std::string position() const override { return inner_->position(); }
  [[nodiscard]] std::string volume_name(std::uint32_t volume) const override { return inner_->volume_name(volume); }
  [[nodiscard]] std::vector<std::string> notes() const override { return inner_->notes(); }
  [[nodiscard]] bool tells_think_times() const override { return inner_->tells_think_times(); }

 protected:
  std::unique_ptr<TraceSource> inner_;
};

}  // namespace tessera
