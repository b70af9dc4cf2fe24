#pragma once
// A circular log in flash. It makes two things durable: single sectors of the write buffer before their acknowledgement, and the
// new image of tracks before the first of them is rewritten. A page is a record: a sector, and in its out-of-band bytes
// what it is; its sequence number is its place in an endless log. A group of pages counts only if all of it is there.
//
// The log is striped: a row of `stripe` flash blocks, on different dies and planes where the drive has them, is erased and
// filled together. Rows are reused in order, so an older record never outlives a newer one.
#include <cstdint>
#include <vector>

#include "base/address.hpp"
#include "base/data_buffer.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/shared/range_locks.hpp"

namespace tessera {

class FlashJournal {
 public:
  /// Out-of-band bytes that a record takes.
  static constexpr std::uint32_t record_bytes = 40;

  enum class Kind : std::uint32_t {
    data = 1,    ///< a sector of the write buffer
    rewrite = 2  ///< a sector of an image that is about to be written to the disk
  };
  struct Record {
    Kind kind = Kind::data;
    std::uint64_t sequence = 0;
    std::uint64_t sector = 0;  ///< logical; for a rewrite whatever its owner numbers by
    std::uint64_t group = 0;   ///< sequence number of the first page of its group
    std::uint32_t count = 0;   ///< pages of the group
    NandPage page;
  };

  /// Flash blocks [first, end) of the drive; bad ones are left out.
  FlashJournal(FlashPort& flash, CpuPort& cpu, NandBlock first, NandBlock end, std::uint32_t stripe);

  /// Pages that can be live at once: all rows but the one being erased.
  [[nodiscard]] std::uint64_t capacity() const { return (rows_ - 1) * row_pages_; }
  [[nodiscard]] std::uint64_t head() const { return head_; }
  /// Pages between the oldest record still needed and the head.
  [[nodiscard]] std::uint64_t used() const { return head_ - live_from_; }
  [[nodiscard]] std::uint64_t pages_written() const { return pages_written_; }
  /// Whether `pages` more fit without giving up a record that is still needed.
  [[nodiscard]] bool fits(std::uint64_t pages) const;

  /// Appends `run` sectors of `data`, the first of which is sector `sector`, as one group. Durable on return; `sequence` is
  /// that of its first page. One append at a time goes to the flash; others queue up. `no_space` where it does not fit.
  [[nodiscard]] Task<Status> append(Kind kind, std::uint64_t sector, DataSpan data, std::uint64_t& sequence);
  /// Records in front of `sequence` are no longer needed.
  void release_before(std::uint64_t sequence);

  /// First boot, and after a replay: an empty log, older records erased.
  [[nodiscard]] Task<Status> format();
  /// Boot after a power cut: all records of complete groups, oldest first. Leaves the log as it is.
  [[nodiscard]] Task<Status> recover(std::vector<Record>& records);
  /// The sector of a record.
  [[nodiscard]] Task<Status> read(const Record& record, DataSpan data);

 private:
  [[nodiscard]] NandPage page(std::uint64_t sequence) const;
  [[nodiscard]] Task<Status> erase_row(std::uint64_t row);
  [[nodiscard]] Task<Status> program(Kind kind, std::uint64_t sector, DataSpan data, std::uint64_t group);

  FlashPort& flash_;
  RangeLocks<SectorRange> turns_;
  std::vector<NandBlock> blocks_;
  std::uint32_t stripe_;
  std::uint32_t pages_per_block_;
  std::uint64_t row_pages_;
  std::uint64_t rows_;
  std::uint64_t head_ = 0;
  std::uint64_t live_from_ = 0;
  std::uint64_t pages_written_ = 0;
  std::vector<FlashCommand> commands_;
  std::vector<std::byte> images_;
};

}  // namespace tessera
