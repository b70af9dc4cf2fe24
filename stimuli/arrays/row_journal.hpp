#pragma once
// Closes the write hole: what is to be written to a row is kept where a power cut does not reach it, until all of it is on the drives.
//
// A record has the new data and the new parity of one write. It is written whole before the row is touched, to memory of the host that
// keeps its content (nvram), or to the drives that hold the row's parity (drives): where those are missing nothing can contradict the data.
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "stimuli/arrays/array_config.hpp"
#include "stimuli/arrays/parity.hpp"
#include "stimuli/arrays/write_plan.hpp"

namespace tessera {

/// A write to one member of a row.
struct MemberWrite {
  std::uint32_t member = 0;
  ChunkRange range;
  Content content;
};

class RowJournal {
 public:
  struct Record {
    ArrayRow row;
    std::vector<MemberWrite> writes;
    bool valid = false;  ///< all of it is where a power cut does not reach it
    bool used = false;
  };

  /// `width`: members of a row.
  RowJournal(const JournalConfig& config, std::uint32_t width, std::uint32_t chunk_blocks, std::uint32_t sector_blocks);

  [[nodiscard]] JournalPlace place() const { return config_.place; }
  [[nodiscard]] bool on_drives() const { return config_.place == JournalPlace::drives; }
  /// Blocks at the start of each drive that the array cannot use.
  [[nodiscard]] std::uint64_t reserved_blocks() const;

  /// Calls `granted` with a free record's number, now or once there is one: in order of asking.
  void take(std::function<void(std::uint32_t)> granted);
  void release(std::uint32_t number);
  [[nodiscard]] Record& operator[](std::uint32_t number) { return records_[number]; }
  /// Where a record lies on a drive, its header first, and its length.
  [[nodiscard]] HostRun place_of(std::uint32_t number) const;
  /// How long its way to the host's memory takes.
  [[nodiscard]] Picoseconds nvram_time(std::uint32_t number) const;
  /// Bytes of new data and parity in it.
  [[nodiscard]] Bytes size(std::uint32_t number) const;

  /// Records that a power cut left valid; what waits is forgotten, and so is what was not whole.
  [[nodiscard]] std::vector<std::uint32_t> left_by_power_cut();

 private:
  JournalConfig config_;
  std::uint32_t sector_blocks_;
  std::uint32_t record_blocks_;  // largest
  std::vector<Record> records_;
  std::deque<std::function<void(std::uint32_t)>> waiting_;
  std::uint32_t next_ = 0;  // records are used in turn, as a log is
};

}  // namespace tessera
