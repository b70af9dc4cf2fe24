// What a NAND array keeps without power, in a stream: its blocks in order, then the pages that are not what they seem.
#include <algorithm>

#include "nand/nand_array.hpp"

namespace tessera {

namespace {

// Of a block, a bit each.
constexpr unsigned bad_bit = 1;
constexpr unsigned factory_bad_bit = 2;
constexpr unsigned torn_bit = 4;
constexpr unsigned content_bit = 8;
constexpr unsigned padding_bit = 16;
constexpr unsigned all_bits = 32;

// Failures on request: a description lists some.
constexpr std::uint64_t most_requests = 1'000'000;
constexpr std::uint64_t end_of_32_bits = std::uint64_t{1} << 32;

}  // namespace

void NandArray::save_state(StateWriter& out, Picoseconds now) const {
  for (const Block& block : blocks_) save_block(block, out, now);
  out.sorted(unreadable_);
  out.sorted(lost_);
  out.sorted(passed_over_);
  out.sorted(failed_once_);
  const std::map<std::uint64_t, std::uint64_t> moved(moved_errors_.begin(), moved_errors_.end());
  out.number(moved.size());
  for (const auto& [page, errors] : moved) {
    out.number(page);
    out.number(errors);
  }
  for (const Requests* requests : {&program_failures_, &erase_failures_, &read_failures_}) {
    out.number(requests->size());
    for (const auto& [subject, nth] : *requests) {
      out.number(subject);
      out.number(nth);
    }
  }
  out.number(grown_bad_);
}

/// Each subpage's content, and all of its out-of-band bytes.
std::vector<std::byte> NandArray::whole_slots(const Block& block) const {
  const std::size_t size = std::size_t{kept_} + oob_;
  std::vector<std::byte> whole(slots_of(block) * size);
  for (std::uint32_t slot = 0; slot < slots_of(block); ++slot) {
    const std::span<std::byte> one = std::span(whole).subspan(slot * size, size);
    std::ranges::copy(std::span(block.content).subspan(std::size_t{slot} * kept_, kept_), one.begin());
    block.oob.read(slot, one.subspan(kept_));
  }
  return whole;
}

void NandArray::take_slots(Block& block, std::span<const std::byte> whole) {
  const std::size_t size = std::size_t{kept_} + oob_;
  block.content.resize(slots_of(block) * kept_);
  for (std::uint32_t slot = 0; slot < slots_of(block); ++slot) {
    const std::span<const std::byte> one = whole.subspan(slot * size, size);
    std::ranges::copy(one.first(kept_), block.content.begin() + static_cast<std::ptrdiff_t>(std::size_t{slot} * kept_));
    block.oob.write(slot, pages_per_block_ * subpages_, one.subspan(kept_));
  }
}

/// Of pages that were not programmed since the last erase nothing can be read again.
void NandArray::save_block(const Block& block, StateWriter& out, Picoseconds now) const {
  const bool content = (!block.content.empty() || !block.oob.empty()) && block.next != 0;
  out.number((block.bad ? bad_bit : 0) | (block.factory_bad ? factory_bad_bit : 0) | (block.torn ? torn_bit : 0) |
             (content ? content_bit : 0) | (block.padding.empty() ? 0 : padding_bit));
  out.number(block.next);
  out.number(block.erases);
  out.number(block.reads);
  out.number(block.next == 0 ? 0 : retention_of(block, now).value());
  if (content) out.bytes(whole_slots(block));
  for (const bool padded : block.padding) out.flag(padded);
}

void NandArray::load_state(StateReader& in) {
  for (Block& block : blocks_) load_block(block, in);
  const std::uint64_t pages = blocks_.size() * pages_per_block_;
  const auto take = [&in](std::unordered_set<std::uint64_t>& set, std::uint64_t end) {
    const std::vector<std::uint64_t> places = in.sorted(end);
    set = {places.begin(), places.end()};
  };
  take(unreadable_, pages * subpages_);
  take(lost_, pages * subpages_);
  take(passed_over_, pages);
  take(failed_once_, pages);
  moved_errors_.clear();
  for (std::size_t left = in.count(pages); left > 0; --left) {
    const std::uint64_t page = in.number(pages);
    moved_errors_[page] = in.number();
  }
  for (Requests* requests : {&program_failures_, &erase_failures_, &read_failures_}) {
    requests->clear();
    for (std::size_t left = in.count(most_requests); left > 0; --left) {
      const std::uint64_t subject = in.number(pages);
      requests->emplace(subject, in.number());
    }
  }
  grown_bad_ = in.number(blocks_.size() + 1);
}

void NandArray::load_block(Block& block, StateReader& in) {
  const auto kinds = static_cast<unsigned>(in.number(all_bits));
  block = {};
  block.bad = (kinds & bad_bit) != 0;
  block.factory_bad = (kinds & factory_bad_bit) != 0;
  block.torn = (kinds & torn_bit) != 0;
  block.next = static_cast<std::uint32_t>(in.number(std::uint64_t{pages_per_block_} + 1));
  block.erases = static_cast<std::uint32_t>(in.number(end_of_32_bits));
  block.reads = in.number();
  block.aged = Picoseconds(in.number());
  const std::size_t subpages = std::size_t{pages_per_block_} * subpages_;
  if ((kinds & content_bit) != 0) {
    std::vector<std::byte> whole(slots_of(block) * (kept_ + oob_));
    in.bytes(whole);
    take_slots(block, whole);
  }
  if ((kinds & padding_bit) == 0) return;
  in.require(subpages_ > 1, "a flash page is padded that has one sector");
  block.padding.resize(subpages);
  for (std::size_t i = 0; i < subpages; ++i) block.padding[i] = in.flag();
}

}  // namespace tessera
