#pragma once
// A circular log in flash. A page is a record: a sector, and in its out-of-band bytes what it is. Pages are appended in groups:
// boot knows which of them are there whole, and whoever reads the log says whether others count. A page's sequence number is its place in
// an endless log. Where pages of the flash hold several sectors, a page here is a subpage of one; an append that leaves a page of the flash
// open takes those along that wait behind it until it is full, and what is left is padding: its sequence numbers are passed over.
//
// The log is striped: a row of `stripe` flash blocks, on different dies and planes where the drive has them, is erased and
// filled together. Blocks are used again in the order in which they were given up. Each record says from where on the log is needed,
// and only what the newest record calls unneeded is erased: so an older record never outlives a newer one, wherever a cut ends an
// erase. A block in which a program or an erase fails is not used again, and the row goes on, or another one is begun, with others.
//
// A page that becomes unreadable is known by the others of its group; each record names the group in front of its own, too, and the newest
// groups, with the one in front of them, are in tables that the dump engine saves. So boot knows of one that is missing whether a cut ended
// it or it was lost since.
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "base/address.hpp"
#include "base/data_buffer.hpp"
#include "base/fixed_divisor.hpp"
#include "firmware/buffer/flash_areas.hpp"
#include "firmware/flash/page_order.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/logs/log_record.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/tables/dram_table.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class FlashJournal {
 public:
  /// Out-of-band bytes that a record takes.
  static constexpr std::uint32_t record_bytes = header_bytes;

  /// `newest`: whether the table of the newest groups is dumped.
  FlashJournal(const Ports& ports, RecordType type, FlashArea area, std::uint32_t stripe, PairedPages paired, Survival newest);

  /// Pages that can be needed at once in such an area.
  [[nodiscard]] static std::uint64_t capacity(FlashArea area, const PageOrder& order, std::uint32_t stripe);
  /// Sequence number of the next page, or a lower one.
  [[nodiscard]] std::uint64_t head() const { return head_; }
  [[nodiscard]] std::uint64_t pages_written() const { return pages_written_; }
  /// Of these, pages of appends that were taken along.
  [[nodiscard]] std::uint64_t collected() const { return collected_; }
  [[nodiscard]] std::uint64_t failed_programs() const { return failed_programs_; }
  [[nodiscard]] std::uint64_t erases() const { return erases_; }  ///< of blocks, failed ones included
  /// Blocks that are not used any more, those that were bad from the factory included.
  [[nodiscard]] std::uint64_t retired_blocks() const { return retired_blocks_; }
  [[nodiscard]] Bytes bytes() const { return Bytes(newest_groups_.size() * sizeof(Group) + sizeof(Front)); }
  /// Whether `pages` more fit behind what is still needed.
  [[nodiscard]] bool fits(std::uint64_t pages) const { return fits(pages, kept_rows - 1); }

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
    std::uint64_t page = 0;    ///< subpage
    bool readable = true;      ///< false: the page is lost, but its group was acknowledged
    bool whole = true;         ///< false: a page of its group is missing, and nothing says whether a cut ended the group or a fault took it
  };
  /// What becomes of the pages of a group that is not whole.
  enum class Rest : std::uint8_t {
    dropped,  ///< what is appended counts as a whole or not at all
    kept      ///< each page counts by itself: a write that a cut ended may leave any of its sectors
  };
  /// Boot after a power cut: all records that may still be needed, oldest first. They stay needed until release_before().
  [[nodiscard]] Task<Status> recover(std::vector<Record>& records, Rest rest);
  /// The content of records, in order. Where a page cannot be read its sector is marked as lost, and the status is still `ok`.
  [[nodiscard]] Task<Status> read(std::span<const Record> records, DataSpan data);

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::uint64_t kept_rows = 3;  ///< the one being filled, the one erased next, one lost to a failure

  /// An append that waits, or is being programmed.
  struct Append {
    std::uint64_t sector;
    DataSpan data;
    std::uint64_t group = none;  ///< of its last try
    Status status = Status::ok;
    bool done = false;
  };
  /// Groups that were programmed together, by their sequence numbers: first and last one.
  struct Groups {
    std::uint64_t first;
    std::uint64_t last;
  };
  /// A group that was completed; `count` 0: none.
  struct Group {
    std::uint64_t number = 0;  ///< sequence number of its first page
    std::uint64_t sector = 0;  ///< of its first page
    std::uint64_t count = 0;
  };
  /// What else is to be known of the log when its newest pages cannot be read.
  struct Front {
    std::uint64_t needed_from = 0;
    std::uint64_t acknowledged_first = 0;  ///< from this group to the newest one all were completed
    Group group;                           ///< in front of the last append
  };
  /// Blocks that are filled together.
  struct Row {
    std::uint64_t first = 0;  ///< sequence numbers of its pages
    std::uint64_t end = 0;
    std::vector<std::uint64_t> blocks;
  };
  /// What a scan found in the area.
  struct Found {
    std::vector<Record> records;
    std::map<std::uint64_t, std::uint64_t> newest;  ///< by block: of its records
    std::uint64_t needed_from = 0;                  ///< as the newest record says
    std::uint64_t next = 0;                         ///< behind the newest record
    bool unreadable = false;                        ///< a page that was programmed cannot be read
    std::vector<Groups> acknowledged;               ///< groups after which others were begun, in ascending order
    std::vector<Group> named;                       ///< that others tell of, once or more often
    [[nodiscard]] bool was_acknowledged(std::uint64_t group) const;
  };

  [[nodiscard]] std::uint64_t room_in_row() const { return rows_.empty() || rows_.back().end < head_ ? 0 : rows_.back().end - head_; }
  [[nodiscard]] bool fits(std::uint64_t pages, std::uint64_t spare_rows) const;
  [[nodiscard]] std::uint64_t page(std::uint64_t sequence) const;
  [[nodiscard]] Task<Status> open_row();
  void take_along();
  [[nodiscard]] Task<Status> append_groups();
  [[nodiscard]] Task<Status> program(std::uint32_t done, std::uint32_t count);
  void complete(std::uint64_t first);
  void retire(std::uint64_t block);

  // Boot
  [[nodiscard]] Task<void> scan(Found& found);
  void take_newest(Found& found) const;
  void add_lost_groups(Found& found) const;
  void keep_groups(Found& found, Rest rest, std::vector<Record>& records) const;
  void continue_after(std::span<const Record> records);
  void restore_rows(const Found& found, std::span<const Record> needed);

  FlashPort& flash_;
  FifoMutex turns_;  // of appends: the log has one head
  RecordType type_;
  FlashArea area_;
  std::uint32_t stripe_;
  PageOrder order_;
  std::uint32_t block_subpages_;
  FixedDivisor in_page_;
  FixedDivisor across_;  // the stripe
  std::uint64_t row_pages_;
  std::deque<Row> rows_;            // oldest first; the last one is being filled
  std::deque<std::uint64_t> free_;  // blocks in the order in which they are used again
  std::uint64_t erasable_ = 0;      // of these, from the front: those that the newest record on flash calls unneeded
  std::vector<bool> retired_;       // by block of the area
  std::uint64_t head_ = 0;
  std::uint64_t needed_from_ = 0;
  Groups acknowledged_{none, none};  // the last ones that were completed, with no failed one between them
  Group newest_;                     // of these
  bool gap_ = true;                  // behind these lies what failed, or what a cut ended
  DramArray<Group> newest_groups_;   // of the last append, as many as share a page
  DramArray<Front> front_;           // one
  std::deque<Append*> waiting_;      // in the order in which they get their turns
  std::vector<Append*> together_;    // what is being programmed
  std::uint32_t together_pages_ = 0;
  std::uint64_t pages_written_ = 0;
  std::uint64_t collected_ = 0;
  std::uint64_t failed_programs_ = 0;
  std::uint64_t erases_ = 0;
  std::uint64_t retired_blocks_ = 0;
  std::vector<FlashCommand> commands_;
  std::vector<SectorHeader> headers_;
};

}  // namespace tessera
