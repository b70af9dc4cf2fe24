#pragma once
// The rules and the content of a NAND array, without time: erase before program, pages of a block in order, wear,
// bad blocks, failures on request, and what a power cut leaves behind. Memory grows with the blocks ever programmed.
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/address.hpp"
#include "base/content.hpp"
#include "base/erased_rows.hpp"
#include "base/fault_listener.hpp"
#include "base/long_time.hpp"
#include "base/random.hpp"
#include "base/state_stream.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/status.hpp"
#include "nand/bit_errors.hpp"
#include "nand/nand_config.hpp"

namespace tessera {

/// Erases of the blocks that were not bad from the factory.
struct NandWear {
  std::uint64_t total = 0;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::uint64_t blocks = 0;
  /// Nothing where there is no block.
  [[nodiscard]] std::optional<double> mean() const {
    return blocks == 0 ? std::nullopt : std::optional(static_cast<double>(total) / static_cast<double>(blocks));
  }
};

/// A part of a page with room for one drive sector.
struct Subpage {
  NandPage page;
  std::uint32_t number = 0;

  Subpage(NandPage page_of, std::uint32_t number_in_page = 0) : page(page_of), number(number_in_page) {}
};

class NandArray {
 public:
  /// `kept` bytes of content are stored a subpage (SectorShape::kept). A table of the description that names a block or page
  /// that does not exist is an InputError.
  NandArray(const NandConfig& config, std::uint32_t kept, std::uint64_t seed);

  /// A read of one subpage. Fills `content` and `oob` (zeros and 0xff where the status is `blank`; 0xff where it is `media_error`). One
  /// that was programmed as lost gives `lost`, 0xff as content, and its OOB.
  /// A page of a bad block reads as it was: its valid pages can be saved.
  /// `retry`: level of read retry. What error correction cannot save at the last level stays unreadable.
  Status read(Subpage part, ContentSpan content, std::span<std::byte> oob, std::uint32_t retry = 0, Picoseconds now = {});
  /// A further subpage of the page that was just read, in the same operation.
  Status read_along(Subpage part, ContentSpan content, std::span<std::byte> oob, std::uint32_t retry, Picoseconds now);

  /// Programs a page of which one subpage gets content and OOB; OOB bytes that are not given stay erased (0xff), content that is not
  /// given is never-written, and the other subpages are blank.
  /// `rule_violation` and no change unless the page is the next one of an erased block; with `paired_page`, upper pages may be passed
  /// over: their word lines then hold one bit a cell. `program_failed` leaves the page unreadable and retires the block.
  /// `lost`: the data that the subpage stands for could not be read when it was moved.
  Status program(Subpage part, ConstContentSpan content, std::span<const std::byte> oob, bool lost = false, Picoseconds now = {});
  /// A further subpage of the page that was just programmed, in the same operation.
  void program_along(Subpage part, ConstContentSpan content, std::span<const std::byte> oob, bool lost);

  /// Moves a page, all subpages and their OOB, to another one by the rules of a program; `rule_violation` too where there is nothing to
  /// move. What cannot be read of it cannot be read there, what was lost is lost there, and its wrong bits add to those of its new place.
  Status copyback(NandPage from, NandPage to, Picoseconds now);
  /// New OOB bytes for a subpage of the page that was just moved, in the same operation; those that are not given stay.
  void replace_oob(Subpage part, std::span<const std::byte> oob);

  /// `erase_failed` leaves the block unreadable and retires it.
  Status erase(NandBlock block);

  /// The power failed while `page` was programmed: it reads as `media_error` until its block is erased, and with
  /// `paired_page` so does the lower page of its word line.
  void tear_program(NandPage page);
  /// The power failed while `block` was erased: all of it reads as `media_error` until it is erased again.
  void tear_erase(NandBlock block);

  /// Told of pages that can no longer be read; null (the default) for none.
  void set_fault_listener(FaultListener* listener) { fault_listener_ = listener; }
  [[nodiscard]] std::uint64_t uncorrectable() const { return uncorrectable_; }

  /// Wrong bits that a codeword of a programmed page has on average, in units of 2^-32.
  [[nodiscard]] std::uint64_t wrong_bits(NandPage page, std::uint32_t retry, Picoseconds now) const;

  [[nodiscard]] bool is_bad(NandBlock block) const { return at(block).bad; }
  [[nodiscard]] std::uint32_t erases(NandBlock block) const { return at(block).erases; }
  /// Pages programmed since the last erase: the index of the next page that may be.
  [[nodiscard]] std::uint32_t programmed(NandBlock block) const { return at(block).next; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_.size(); }
  [[nodiscard]] NandBlock block_of(NandPage page) const { return NandBlock(page.value() / pages_per_block_); }
  /// Of the blocks [0, end) that were good from the factory.
  [[nodiscard]] NandWear wear(NandBlock end) const;
  [[nodiscard]] std::uint64_t grown_bad() const { return grown_bad_; }

  /// Pages with their out-of-band bytes, wear and age of the blocks, bad blocks, failures on request that are to come (nand_state.cpp); the
  /// random streams are not part of it.
  void save_state(StateWriter& out, Picoseconds now) const;
  /// `by` passes that later instants leave out.
  void rest(Picoseconds by) { rested_ += by; }
  /// At time 0, of an array of the same description.
  void load_state(StateReader& in);

 private:
  struct Block {
    std::uint32_t next = 0;
    std::uint32_t erases = 0;
    bool bad = false;
    bool factory_bad = false;
    std::uint64_t reads = 0;         // since the last erase
    LongTime programmed;             // when its first page was
    Picoseconds aged;                // for how long it had been, when a saved state was loaded
    bool torn = false;               // an erase did not end: nothing can be read or programmed
    std::vector<std::byte> content;  // kept content of each subpage, as far as it was ever programmed
    ErasedRows oob;                  // of each subpage that was programmed
    std::vector<bool> padding;       // by subpage: its page was programmed without data for it; empty where every page was full
  };
  /// Failures on request: block or page number -> which of its operations from now on fails (1 = the next).
  using Requests = std::multimap<std::uint64_t, std::uint64_t>;

  Requests requests(const std::vector<NumberRow>& rows, std::uint64_t limit, const char* name) const;
  static bool due(Requests& requests, std::uint64_t subject);
  const Block& at(NandBlock block) const;
  Block& at(NandBlock block);
  [[nodiscard]] std::uint64_t subpage(Subpage part) const { return part.page.value() * subpages_ + part.number; }
  [[nodiscard]] std::uint32_t in_block(Subpage part) const {
    return static_cast<std::uint32_t>(subpage(part) % (pages_per_block_ * subpages_));
  }
  /// Kept content of a subpage.
  std::span<std::byte> slot(Block& block, Subpage part);
  [[nodiscard]] std::size_t slots_of(const Block& block) const { return std::size_t{block.next} * subpages_; }
  void write_oob(Block& block, Subpage part, std::span<const std::byte> oob) {
    block.oob.write(in_block(part), pages_per_block_ * subpages_, oob);
  }
  void make_room(Block& block, std::uint32_t subpages) const;
  [[nodiscard]] bool may_program(const Block& block, std::uint32_t index) const;
  [[nodiscard]] bool fails(const Block& block, std::uint32_t per_million);
  [[nodiscard]] bool holds(const Block& block, Subpage part) const;
  [[nodiscard]] bool is_unreadable(Subpage part) const { return !unreadable_.empty() && unreadable_.contains(subpage(part)); }
  void tell(Subpage part);
  void begin_read(NandPage page);
  [[nodiscard]] Status begin_program(NandPage page, Picoseconds now);
  [[nodiscard]] PageAge age_of(NandPage page, Picoseconds now) const;
  [[nodiscard]] bool read_fails(Subpage part, std::uint32_t retry, Picoseconds now);
  void store(Subpage part, ConstContentSpan content, std::span<const std::byte> oob, bool lost);
  void advance(NandPage page);
  void retire(Block& block);
  void spoil(NandPage page);
  void clear_marks(NandBlock block);
  [[nodiscard]] Picoseconds retention_of(const Block& block, Picoseconds now) const;
  void save_block(const Block& block, StateWriter& out, Picoseconds now) const;
  void load_block(Block& block, StateReader& in);
  [[nodiscard]] std::vector<std::byte> whole_slots(const Block& block) const;
  void take_slots(Block& block, std::span<const std::byte> whole);

  std::uint32_t pages_per_block_;
  std::uint32_t subpages_;
  std::uint32_t kept_;            // of a subpage
  std::uint32_t oob_;             // of a subpage
  std::vector<std::byte> moved_;  // OOB of a subpage on its way
  bool paired_page_;
  std::uint32_t program_failures_per_million_;
  std::uint32_t erase_failures_per_million_;
  std::vector<Block> blocks_;
  std::unordered_set<std::uint64_t> unreadable_;  // subpages; looked up, never iterated
  LongTime rested_;
  std::unordered_set<std::uint64_t> lost_;                         // subpages programmed as lost; looked up, never iterated
  std::unordered_map<std::uint64_t, std::uint64_t> moved_errors_;  // of pages that copybacks moved (PageAge::moved); looked up only
  std::unordered_set<std::uint64_t> passed_over_;                  // blank pages below programmed ones; looked up, never iterated
  Requests program_failures_;
  Requests erase_failures_;
  Requests read_failures_;
  std::unordered_set<std::uint64_t> failed_once_;  // pages whose last read failed on request; looked up, never iterated
  enum class Request : std::uint8_t { none, once, again } request_ = Request::none;  // how the page that is being read fails
  std::uint64_t grown_bad_ = 0;
  std::uint64_t uncorrectable_ = 0;
  FaultListener* fault_listener_ = nullptr;
  RandomStream random_;
  NandConfig config_;
  BitErrors bit_errors_;
  RandomStream error_random_;
};

}  // namespace tessera
