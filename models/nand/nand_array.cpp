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
      kept_(kept),
      oob_(static_cast<std::uint32_t>(config.oob_size.value())),
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

std::span<std::byte> NandArray::slot(Block& block, std::uint32_t page) {
  const std::size_t size = std::size_t{kept_} + oob_;
  if (block.content.empty()) block.content.resize(size * pages_per_block_);
  return std::span(block.content).subspan(page * size, size);
}

/// Whether a fault of the description keeps the page from being read now. A failure on request is over with the next read; the data
/// counts as destroyed if that fails too.
bool NandArray::read_fails(NandPage page, std::uint32_t retry, Picoseconds now) {
  Block& block = at(block_of(page));
  const auto index = static_cast<std::uint32_t>(page.value() % pages_per_block_);
  const auto tell = [&] {
    if (fault_listener_ != nullptr && index < block.next && !block.torn) fault_listener_->destroyed(slot(block, index).first(kept_));
  };
  if (due(read_failures_, page.value())) {
    if (!failed_once_.insert(page.value()).second) tell();
    return true;
  }
  if (!failed_once_.empty()) failed_once_.erase(page.value());
  if (!bit_errors_.any() || index >= block.next || block.torn || unreadable_.contains(page.value())) return false;
  ++block.reads;
  const PageAge age{block.erases, block.reads, now - block.programmed};
  if (!bit_errors_.uncorrectable(age, retry, error_random_)) return false;
  if (retry < config_.read_retries) return true;
  ++uncorrectable_;
  tell();
  spoil(page);
  return true;
}

Status NandArray::read(NandPage page, ContentSpan content, std::span<std::byte> oob, std::uint32_t retry, Picoseconds now) {
  TESSERA_CHECK(content.size() <= kept_ && oob.size() <= oob_, "a flash read wants more than a page");
  Block& block = at(block_of(page));
  const auto index = static_cast<std::uint32_t>(page.value() % pages_per_block_);
  const bool failed = read_fails(page, retry, now);
  if (failed || block.torn || (!unreadable_.empty() && unreadable_.contains(page.value()))) {
    std::ranges::fill(content, std::byte{0xff});  // the tag `destroyed`
    std::ranges::fill(oob, erased);
    return Status::media_error;
  }
  if (index >= block.next || (!passed_over_.empty() && passed_over_.contains(page.value()))) {
    std::ranges::fill(content, std::byte{0});  // the tag `never_written`
    std::ranges::fill(oob, erased);
    return Status::blank;
  }
  const auto stored = slot(block, index);
  if (!lost_.empty() && lost_.contains(page.value())) {
    std::ranges::fill(content, std::byte{0xff});  // the tag `destroyed`
    std::copy_n(stored.begin() + kept_, oob.size(), oob.begin());
    return Status::lost;
  }
  std::copy_n(stored.begin(), content.size(), content.begin());
  std::copy_n(stored.begin() + kept_, oob.size(), oob.begin());
  return Status::ok;
}

Status NandArray::program(NandPage page, ConstContentSpan content, std::span<const std::byte> oob, bool lost, Picoseconds now) {
  TESSERA_CHECK(content.size() <= kept_ && oob.size() <= oob_, "a flash program brings more than a page");
  Block& block = at(block_of(page));
  const auto index = static_cast<std::uint32_t>(page.value() % pages_per_block_);
  if (block.bad) return Status::program_failed;
  if (!may_program(block, index)) return Status::rule_violation;
  const bool requested = due(program_failures_, block_of(page).value());
  if (block.next == 0) block.programmed = now;
  if (requested || fails(block, program_failures_per_million_)) {
    spoil(page);
    advance(page);
    retire(block);
    return Status::program_failed;
  }
  const auto stored = slot(block, index);
  const auto rest = std::copy(content.begin(), content.end(), stored.begin());
  std::fill(rest, stored.begin() + kept_, std::byte{0});
  std::fill(std::copy(oob.begin(), oob.end(), stored.begin() + kept_), stored.end(), erased);
  if (lost) lost_.insert(page.value());
  advance(page);
  return Status::ok;
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

void NandArray::spoil(NandPage page) { unreadable_.insert(page.value()); }

void NandArray::clear_marks(NandBlock block) {
  if (unreadable_.empty() && lost_.empty() && passed_over_.empty()) return;
  for (std::uint64_t page = block.value() * pages_per_block_; page < (block.value() + 1) * pages_per_block_; ++page) {
    unreadable_.erase(page);
    lost_.erase(page);
    passed_over_.erase(page);
  }
}

NandWear NandArray::wear() const {
  NandWear wear;
  for (const Block& block : blocks_) {
    if (block.factory_bad) continue;
    wear.min = wear.blocks == 0 ? block.erases : std::min(wear.min, block.erases);
    wear.max = std::max(wear.max, block.erases);
    wear.total += block.erases;
    ++wear.blocks;
  }
  return wear;
}

}  // namespace tessera
