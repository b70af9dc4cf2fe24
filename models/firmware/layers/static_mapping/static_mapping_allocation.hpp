#pragma once
// Which tracks hold data: what an update costs depends on it (He and Du, section 4.1). One bit a data track in DRAM, numbered
// as logical sectors use them.
//
// The bits are lost with the power. So that a cut does not make every update as dear as on a full drive, a superblock keeps a
// coarse copy: a bit for each group of tracks, at most 320, on the platter before the first sector of the group is written. It is
// written once a group in the drive's life; after a cut all tracks of a group that is in use count as used. A boot that cannot read it
// takes every track for used, and a later boot has to know as much: the first write after it puts all groups on the record.
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/locks/range_locks.hpp"
#include "firmware/logs/superblock.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::static_mapping {

class Allocation {
 public:
  /// What a write to a track says of the others.
  enum class Usage : std::uint32_t {
    tracks,     ///< nothing
    high_water  ///< all in front of it are in use too: the "current SWD usage" of the paper
  };

  /// `record`: the sectors of the superblock; none: the bits end with the power.
  Allocation(const Ports& ports, std::uint64_t tracks, Usage usage, std::optional<Superblock::Places> record);

  [[nodiscard]] bool holds(std::uint64_t track) const { return used_.test(track); }
  /// To be awaited before the first write to a track.
  Task<Status> claim(std::uint64_t track);

  /// The first `tracks` are in use, in no time; before format().
  void prefill(std::uint64_t tracks);
  Task<Status> format();
  Task<Status> recover();

  [[nodiscard]] Bytes bytes() const { return Bytes((used_.size() + 63) / 64 * 8); }
  [[nodiscard]] std::uint64_t record_writes() const { return record_writes_; }

 private:
  static constexpr std::uint64_t groups = 64 * std::tuple_size_v<Superblock::Payload>;

  [[nodiscard]] std::uint64_t group_of(std::uint64_t track) const { return track / group_tracks_; }
  [[nodiscard]] bool on_record(std::uint64_t group) const {
    return !record_lost_ && (record_->payload()[group / 64] >> (group % 64) & 1U) != 0;
  }
  Task<Status> put_on_record(std::uint64_t group);
  Task<Status> put_all_on_record();
  void publish(std::uint64_t track);

  DramBitmap used_;
  Usage usage_;
  std::uint64_t group_tracks_;
  std::uint64_t used_below_ = 0;  // tracks that prefill() or, with Usage::high_water, a write has put in use
  std::optional<Superblock> record_;
  bool record_lost_ = false;  // a boot could not read it, and none was written since
  FifoMutex turns_;
  std::uint64_t record_writes_ = 0;
  Gauge used_gauge_;
};

}  // namespace tessera::static_mapping
