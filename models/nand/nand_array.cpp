#include "nand/nand_array.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/check.hpp"
#include "base/error.hpp"

namespace tessera {

namespace {

constexpr std::byte erased{0xff};
constexpr std::uint64_t million = 1'000'000;

/// A number of a table that has to be a whole one in [min, end).
std::uint64_t whole(double value, std::uint64_t min, std::uint64_t end, const std::string& what) {
  if (value == std::floor(value) && value >= static_cast<double>(min) && value < static_cast<double>(end))
    return static_cast<std::uint64_t>(value);
  throw InputError(what + " is " + std::to_string(value) + "; expected a whole number from " + std::to_string(min) + " to " +
                   std::to_string(end - 1));
}

}  // namespace

NandArray::NandArray(const NandConfig& config, std::uint32_t kept, std::uint64_t seed)
    : pages_per_block_(config.pages_per_block),
      subpages_(config.subpages),
      kept_(kept),
      oob_(static_cast<std::uint32_t>(config.subpage_oob().value())),
      moved_(oob_),
      paired_page_(config.paired_page),
      program_failures_per_million_(config.program_failures_per_million),
      erase_failures_per_million_(config.erase_failures_per_million),
      blocks_(config.total_blocks()),
      program_failures_(requests(config.program_failures, blocks_.size(), "nand.program_failures")),
      erase_failures_(requests(config.erase_failures, blocks_.size(), "nand.erase_failures")),
      read_failures_(requests(config.read_failures, blocks_.size() * pages_per_block_, "nand.read_failures")),
      random_(seed, "nand.failures"),
      config_(config),
      bit_errors_(config_),
      error_random_(seed, "nand.bit_errors") {
  for (const NumberRow& row : config.bad_blocks) {
    Block& block = blocks_[whole(row.at(0), 0, blocks_.size(), "nand.bad_blocks: block")];
    block.bad = block.factory_bad = true;
  }
}

NandArray::Requests NandArray::requests(const std::vector<NumberRow>& rows, std::uint64_t limit, const char* name) const {
  Requests result;
  for (const NumberRow& row : rows)
    result.emplace(whole(row.at(0), 0, limit, std::string(name) + ": address"),
                   whole(row.at(1), 1, std::uint64_t{1} << 53, std::string(name) + ": nth"));
  return result;
}

bool NandArray::due(Requests& requests, std::uint64_t subject) {
  if (requests.empty()) return false;
  bool failed = false;
  auto [request, end] = requests.equal_range(subject);
  while (request != end) {
    if (--request->second == 0) {
      request = requests.erase(request);
      failed = true;
    } else {
      ++request;
    }
  }
  return failed;
}

const NandArray::Block& NandArray::at(NandBlock block) const {
  TESSERA_CHECK(block.value() < blocks_.size(), "a flash address lies outside the array");
  return blocks_[block.value()];
}

NandArray::Block& NandArray::at(NandBlock block) { return const_cast<Block&>(static_cast<const NandArray&>(*this).at(block)); }

std::span<std::byte> NandArray::slot(Block& block, Subpage part) {
  const std::uint32_t number = in_block(part);
  make_room(block, number + 1);
  return std::span(block.content).subspan(std::size_t{number} * kept_, kept_);
}

/// Of a block's content what has been programmed is there, and grows page by page.
void NandArray::make_room(Block& block, std::uint32_t subpages) const {
  if (block.content.size() >= std::size_t{kept_} * subpages) return;
  block.content.reserve(std::size_t{kept_} * pages_per_block_ * subpages_);
  block.content.resize(std::size_t{kept_} * subpages);
}

/// Whether the subpage was programmed with data.
bool NandArray::holds(const Block& block, Subpage part) const {
  if (part.page.value() % pages_per_block_ >= block.next) return false;
  if (!passed_over_.empty() && passed_over_.contains(part.page.value())) return false;
  return block.padding.empty() || !block.padding[in_block(part)];
}

void NandArray::tell(Subpage part) {
  Block& block = at(block_of(part.page));
  if (fault_listener_ != nullptr && holds(block, part) && !block.torn) fault_listener_->destroyed(slot(block, part));
}

/// A failure on request is over with the next read; the data counts as destroyed if that fails too.
void NandArray::begin_read(NandPage page) {
  if (due(read_failures_, page.value())) {
    request_ = failed_once_.insert(page.value()).second ? Request::once : Request::again;
    return;
  }
  request_ = Request::none;
  if (!failed_once_.empty()) failed_once_.erase(page.value());
  Block& block = at(block_of(page));
  if (bit_errors_.any() && page.value() % pages_per_block_ < block.next && !block.torn && !is_unreadable(page)) ++block.reads;
}

/// Whether a fault of the description keeps the subpage from being read now.
bool NandArray::read_fails(Subpage part, std::uint32_t retry, Picoseconds now) {
  if (request_ != Request::none) {
    if (request_ == Request::again) tell(part);
    return true;
  }
  const Block& block = at(block_of(part.page));
  if (!bit_errors_.any() || part.page.value() % pages_per_block_ >= block.next || block.torn || is_unreadable(part)) return false;
  if (!bit_errors_.uncorrectable(age_of(part.page, now), retry, error_random_)) return false;
  if (retry < config_.read_retries) return true;
  ++uncorrectable_;
  tell(part);
  unreadable_.insert(subpage(part));
  return true;
}

Status NandArray::read(Subpage part, ContentSpan content, std::span<std::byte> oob, std::uint32_t retry, Picoseconds now) {
  begin_read(part.page);
  return read_along(part, content, oob, retry, now);
}

Status NandArray::read_along(Subpage part, ContentSpan content, std::span<std::byte> oob, std::uint32_t retry, Picoseconds now) {
  TESSERA_CHECK(content.size() <= kept_ && oob.size() <= oob_ && part.number < subpages_, "a flash read wants more than a subpage");
  Block& block = at(block_of(part.page));
  const bool failed = read_fails(part, retry, now);
  if (failed || block.torn || is_unreadable(part)) {
    std::ranges::fill(content, std::byte{0xff});  // the tag `destroyed`
    std::ranges::fill(oob, erased);
    return Status::media_error;
  }
  if (!holds(block, part)) {
    std::ranges::fill(content, std::byte{0});  // the tag `never_written`
    std::ranges::fill(oob, erased);
    return Status::blank;
  }
  if (!oob.empty()) block.oob.read(in_block(part), oob);
  if (!lost_.empty() && lost_.contains(subpage(part))) {
    std::ranges::fill(content, std::byte{0xff});  // the tag `destroyed`
    return Status::lost;
  }
  if (!content.empty()) std::copy_n(slot(block, part).begin(), content.size(), content.begin());
  return Status::ok;
}

/// At most what 64 bits of picoseconds hold, 213 days.
Picoseconds NandArray::retention_of(const Block& block, Picoseconds now) const {
  return (rested_ + now - block.programmed + block.aged).saturated();
}

PageAge NandArray::age_of(NandPage page, Picoseconds now) const {
  const Block& block = at(block_of(page));
  const auto moved = moved_errors_.find(page.value());
  return {block.erases, block.reads, retention_of(block, now), moved == moved_errors_.end() ? 0 : moved->second};
}

Status NandArray::begin_program(NandPage page, Picoseconds now) {
  Block& block = at(block_of(page));
  const auto index = static_cast<std::uint32_t>(page.value() % pages_per_block_);
  if (block.bad) return Status::program_failed;
  if (!may_program(block, index)) return Status::rule_violation;
  const bool requested = due(program_failures_, block_of(page).value());
  if (block.next == 0) {
    block.programmed = rested_ + now;
    block.aged = Picoseconds(0);
  }
  if (!requested && !fails(block, program_failures_per_million_)) return Status::ok;
  spoil(page);
  advance(page);
  retire(block);
  return Status::program_failed;
}

Status NandArray::program(Subpage part, ConstContentSpan content, std::span<const std::byte> oob, bool lost, Picoseconds now) {
  const Status begun = begin_program(part.page, now);
  if (!ok(begun)) return begun;
  Block& block = at(block_of(part.page));
  if (subpages_ > 1) {
    block.padding.resize(std::size_t{pages_per_block_} * subpages_);
    std::fill_n(block.padding.begin() + in_block(part.page), subpages_, true);
  }
  store(part, content, oob, lost);
  advance(part.page);
  return Status::ok;
}

Status NandArray::copyback(NandPage from, NandPage to, Picoseconds now) {
  const bool passed_over = !passed_over_.empty() && passed_over_.contains(from.value());
  if (passed_over || from.value() % pages_per_block_ >= at(block_of(from)).next) return Status::rule_violation;
  begin_read(from);
  const Status begun = begin_program(to, now);
  if (!ok(begun)) return begun;
  Block& source = at(block_of(from));
  Block& target = at(block_of(to));
  if (subpages_ > 1) target.padding.resize(std::size_t{pages_per_block_} * subpages_);
  for (std::uint32_t number = 0; number < subpages_; ++number) {
    const Subpage old(from, number);
    const Subpage moved(to, number);
    std::ranges::copy(slot(source, old), slot(target, moved).begin());
    source.oob.read(in_block(old), moved_);
    write_oob(target, moved, moved_);
    if (subpages_ > 1) target.padding[in_block(moved)] = !holds(source, old);
    if (request_ != Request::none) tell(old);  // what came of the failing read is what was programmed
    if (request_ != Request::none || source.torn || is_unreadable(old)) unreadable_.insert(subpage(moved));
    if (!lost_.empty() && lost_.contains(subpage(old))) lost_.insert(subpage(moved));
  }
  if (bit_errors_.any()) moved_errors_[to.value()] = bit_errors_.mean(age_of(from, now), 0);
  advance(to);
  return Status::ok;
}

void NandArray::replace_oob(Subpage part, std::span<const std::byte> oob) {
  TESSERA_CHECK(oob.size() <= oob_ && part.number < subpages_, "a copyback brings more out-of-band bytes than a subpage has");
  Block& block = at(block_of(part.page));
  block.oob.read(in_block(part), moved_);
  std::ranges::copy(oob, moved_.begin());
  write_oob(block, part, moved_);
}

void NandArray::program_along(Subpage part, ConstContentSpan content, std::span<const std::byte> oob, bool lost) {
  store(part, content, oob, lost);
}

void NandArray::store(Subpage part, ConstContentSpan content, std::span<const std::byte> oob, bool lost) {
  TESSERA_CHECK(content.size() <= kept_ && oob.size() <= oob_ && part.number < subpages_, "a flash program brings more than a subpage");
  Block& block = at(block_of(part.page));
  if (subpages_ > 1) block.padding[in_block(part)] = false;
  if (kept_ != 0) {
    const auto stored = slot(block, part);
    std::fill(std::ranges::copy(content, stored.begin()).out, stored.end(), std::byte{0});
  }
  write_oob(block, part, oob);
  if (lost) lost_.insert(subpage(part));
}

bool NandArray::may_program(const Block& block, std::uint32_t index) const {
  if (block.torn || index < block.next) return false;
  if (index != block.next && !paired_page_) return false;
  for (std::uint32_t passed = block.next; passed < index; ++passed)
    if (paired_lower_page(passed, pages_per_block_) == passed) return false;
  return true;
}

/// At random, and more often once the block has seen more erases than it is specified for.
bool NandArray::fails(const Block& block, std::uint32_t per_million) {
  std::uint64_t rate = per_million;
  if (block.erases > config_.endurance)
    rate += static_cast<std::uint64_t>(config_.worn_failures_per_million) * (block.erases - config_.endurance) / config_.endurance;
  return rate != 0 && random_.below(million) < rate;
}

/// The page is taken, and those that were passed over stay blank.
void NandArray::advance(NandPage page) {
  Block& block = at(block_of(page));
  const auto index = static_cast<std::uint32_t>(page.value() % pages_per_block_);
  for (; block.next < index; ++block.next) passed_over_.insert(page.value() - index + block.next);
  ++block.next;
  if (!block.content.empty()) make_room(block, block.next * subpages_);
}

Status NandArray::erase(NandBlock number) {
  Block& block = at(number);
  if (block.bad) return Status::erase_failed;
  ++block.erases;
  const bool requested = due(erase_failures_, number.value());
  if (requested || fails(block, erase_failures_per_million_)) {
    block.torn = true;
    retire(block);
    return Status::erase_failed;
  }
  clear_marks(number);
  block.next = 0;
  block.reads = 0;
  block.oob.erase();
  block.padding.clear();
  block.torn = false;
  return Status::ok;
}

void NandArray::tear_program(NandPage page) {
  Block& block = at(block_of(page));
  const auto index = static_cast<std::uint32_t>(page.value() % pages_per_block_);
  if (block.bad || !may_program(block, index)) return;  // the array had refused it
  spoil(page);
  advance(page);
  if (paired_page_) spoil(page - (index - paired_lower_page(index, pages_per_block_)));
}

void NandArray::tear_erase(NandBlock number) {
  Block& block = at(number);
  if (block.bad) return;
  ++block.erases;
  block.torn = true;
}

void NandArray::retire(Block& block) {
  block.bad = true;
  ++grown_bad_;
}

void NandArray::spoil(NandPage page) {
  for (std::uint32_t number = 0; number < subpages_; ++number) unreadable_.insert(subpage({page, number}));
}

void NandArray::clear_marks(NandBlock block) {
  if (unreadable_.empty() && lost_.empty() && passed_over_.empty() && moved_errors_.empty()) return;
  const std::uint64_t first = block.value() * pages_per_block_;
  for (std::uint64_t page = first; page < first + pages_per_block_; ++page) {
    passed_over_.erase(page);
    moved_errors_.erase(page);
  }
  for (std::uint64_t place = first * subpages_; place < (first + pages_per_block_) * subpages_; ++place) {
    unreadable_.erase(place);
    lost_.erase(place);
  }
}

std::uint64_t NandArray::wrong_bits(NandPage page, std::uint32_t retry, Picoseconds now) const {
  const Block& block = at(block_of(page));
  if (!bit_errors_.any() || page.value() % pages_per_block_ >= block.next || block.torn) return 0;
  return bit_errors_.mean(age_of(page, now), retry) / bit_errors_.codewords();
}

NandWear NandArray::wear(NandBlock end) const {
  NandWear wear;
  for (std::uint64_t number = 0; number < end.value(); ++number) {
    const Block& block = blocks_[number];
    if (block.factory_bad) continue;
    wear.min = wear.blocks == 0 ? block.erases : std::min(wear.min, block.erases);
    wear.max = std::max(wear.max, block.erases);
    wear.total += block.erases;
    ++wear.blocks;
  }
  return wear;
}

}  // namespace tessera
