#pragma once
// A circular log in flash. A page is a record: a sector, and in its out-of-band bytes what it is. Pages are appended in groups,
// and a group counts only if all of it is there. A page's sequence number is its place in an endless log.
//
// The log is striped: a row of `stripe` flash blocks, on different dies and planes where the drive has them, is erased and
// filled together. Rows are reused in order, and the row that is erased next never holds a record that is still needed: so an
// older record never outlives a newer one, wherever a cut ends an erase. A row in which a program or an erase fails is passed
// over from then on; two more rows than needed are kept free, one to be erased and one to be lost to a failure.
#include <cstdint>
#include <span>
#include <vector>

#include "base/address.hpp"
#include "base/data_buffer.hpp"
#include "firmware/buffer/flash_areas.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/shared/backup_region.hpp"
#include "firmware/shared/log_record.hpp"

namespace tessera {

class FlashJournal {
 public:
  /// Out-of-band bytes that a record takes.
  static constexpr std::uint32_t record_bytes = header_bytes;

  FlashJournal(FlashPort& flash, CpuPort& cpu, RecordType type, FlashArea area, std::uint32_t stripe);

  /// Pages that can be needed at once in such an area.
  [[nodiscard]] static std::uint64_t capacity(FlashArea area, std::uint32_t pages_per_block, std::uint32_t stripe);
  /// Sequence number of the next page, or a lower one.
  [[nodiscard]] std::uint64_t head() const { return head_; }
  [[nodiscard]] std::uint64_t pages_written() const { return pages_written_; }
  /// Whether `pages` more fit behind what is still needed.
  [[nodiscard]] bool fits(std::uint64_t pages) const;

  /// Appends data, numbered from `sector` on, as one group. Durable on return. Appends go to the flash one after another.
  /// `no_space` where fits() does not hold.
  [[nodiscard]] Task<Status> append(std::uint64_t sector, DataSpan data);
  /// Pages in front of `sequence` are no longer needed.
  void release_before(std::uint64_t sequence);

  struct Record {
    std::uint64_t sequence = 0;
    std::uint64_t group = 0;   ///< sequence number of the first page of its group
    std::uint32_t count = 0;   ///< pages of the group
    std::uint64_t sector = 0;  ///< as append() numbered it
    NandPage page;
  };
  /// Boot after a power cut: all records of complete groups that may still be needed, oldest first. They stay needed until
  /// release_before().
  [[nodiscard]] Task<Status> recover(std::vector<Record>& records);
  /// The content of records, in order.
  [[nodiscard]] Task<Status> read(std::span<const Record> records, DataSpan data);

 private:
  static constexpr std::uint64_t kept_rows = 3;  ///< the one being filled, the one erased next, one lost to a failure

  [[nodiscard]] std::uint64_t row_of(std::uint64_t sequence) const { return sequence / row_pages_; }
  [[nodiscard]] bool usable(std::uint64_t row) const { return !lost_rows_[row % rows_]; }
  [[nodiscard]] std::uint64_t row_after(std::uint64_t row) const;
  [[nodiscard]] NandPage page(std::uint64_t sequence) const;
  [[nodiscard]] Task<Status> open_row();
  void lose_row();
  [[nodiscard]] Task<Status> program(std::uint64_t group, std::uint32_t done, std::uint32_t total, std::uint64_t sector, DataSpan data);
  [[nodiscard]] Task<void> scan(std::vector<Record>& records, std::uint64_t& needed_from);

  FlashPort& flash_;
  FifoMutex turns_;  // of appends: the log has one head
  RecordType type_;
  std::uint64_t first_block_;
  std::uint32_t stripe_;
  std::uint64_t row_pages_;
  std::uint64_t rows_;
  std::vector<bool> lost_rows_;
  std::uint64_t head_ = 0;
  std::uint64_t needed_from_ = 0;
  std::uint64_t pages_written_ = 0;
  std::vector<FlashCommand> commands_;
  std::vector<SectorHeader> headers_;
};

}  // namespace tessera
