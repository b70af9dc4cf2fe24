#include "processor/hart.hpp"

#include <limits>
#include <utility>

#include "base/check.hpp"
#include "processor/arithmetic.hpp"
#include "processor/decode.hpp"

namespace tessera::riscv {

Hart::Hart(const HartConfig& config, Memory& memory)
    : wide_(config.wide),
      timing_(config.timing),
      memory_(memory),
      csr_(wide_),
      caches_(timing_),
      looks_at_data_(caches_.looks_at_data()),
      times_fetches_(timing_.tcm.waits()),
      blocks_(wide_, timing_, caches_.code_line()) {}

void Hart::reset(std::uint64_t pc) {
  x_.fill(0);
  csr_ = CsrFile(wide_);
  cycles_ = 0;
  instructions_ = 0;
  set_pc(pc);
  blocks_.drop_all();
  readable_.clear();
  writable_.clear();
  at_device_ = false;
  watch_hit_ = false;
  reservation_.reset();
  fetched_ = no_byte;
  caches_.clear();
}

void Hart::set_x(unsigned number, std::uint64_t value) {
  if (number != 0) x_.at(number) = in_width(value);
}

void Hart::set_pc(std::uint64_t pc) {
  pc_ = in_width(pc) & ~std::uint64_t{1};
  loading_ = {};
  trapped_at_.reset();
  stopped_at_.reset();
  faulted_ = false;
  waiting_ = false;
}

Stop Hart::run(std::uint64_t cycle_limit) { return run_blocks(cycle_limit, false); }

Stop Hart::step() {
  stopped_at_ = instructions_;
  return run_blocks(std::numeric_limits<std::uint64_t>::max(), true);
}

Stop Hart::run_blocks(std::uint64_t limit, bool single) {
  if (faulted_) return Stop::fault;
  if (at_device_) return Stop::device;
  if (std::exchange(watch_hit_, false)) return Stop::watchpoint;
  if (waiting_ && !csr_.wakes()) return Stop::wait;
  waiting_ = false;
  do {
    const Block* block = block_at_pc();
    // What waits for a load or its fetch does so before anything else can come between.
    if (loading_.op != Op::illegal) {
      if (block != nullptr) cycles_ += timing_.stall(loading_, block->first()->instruction);
      loading_ = {};
    }
    if (times_fetches_ && block != nullptr) fetch_first(*block);
    if (cycles_ >= limit) return Stop::limit;
    if (csr_.interrupted()) {
      if (!trap(csr_.interrupt_cause(), 0)) return Stop::fault;
    } else if (block == nullptr) {
      if (!trap(cause::fetch_access, unfetched_)) return Stop::fault;
    } else {
      if (block->breakpoint && stopped_at_ != instructions_) {
        stopped_at_ = instructions_;
        return Stop::breakpoint;
      }
      if (const std::optional<Stop> stop = execute(*block, limit, single)) return *stop;
    }
  } while (!single);
  return Stop::limit;
}

/// What of the block begins before the limit. Its first instruction does, and waits for its line.
std::optional<Stop> Hart::execute(const Block& block, std::uint64_t limit, bool single) {
  if (caches_.of_code()) cycles_ += caches_.fetch(block.pc, block.bytes(), cycles_);
  const Step* end = single || cycles_ >= limit ? block.first() + 1 : block.end_within(limit - cycles_);
  if (looks_at_data_) return wide_ ? execute<std::uint64_t, true>(block, end) : execute<std::uint32_t, true>(block, end);
  return wide_ ? execute<std::uint64_t, false>(block, end) : execute<std::uint32_t, false>(block, end);
}

const Block* Hart::block_at_pc() {
  if (const Block* block = blocks_.find(pc_)) return block;
  blocks_.release();
  constexpr std::size_t longest_block = 128;
  std::span<const std::byte> code = memory_.from(pc_);
  code = code.first(std::min(code.size(), longest_block));
  // An instruction may begin in one region and end in the next.
  std::array<std::byte, 4> across{};
  if (code.size() < across.size()) {
    std::size_t bytes = 0;
    for (; bytes < across.size(); ++bytes) {
      const std::byte* at = memory_.find(in_width(pc_ + bytes), 1);
      if (at == nullptr) break;
      across[bytes] = *at;
    }
    code = std::span(across).first(bytes);
    const bool whole = bytes >= 2 && bytes >= instruction_bytes(std::to_integer<std::uint16_t>(across[0]));
    if (!whole) {
      unfetched_ = in_width(pc_ + bytes);
      return nullptr;
    }
  }
  const Block& block = blocks_.decode(pc_, code);
  writable_.remove(pc_);
  writable_.remove(pc_ + block.bytes() - 1);
  return &block;
}

/// Out of the TCM; what was waited for already is not again.
void Hart::fetch_first(const Block& block) {
  const std::uint64_t bytes = (block.first() + 1)->offset;
  cycles_ += timing_.tcm.fetch(block.pc, bytes, fetched_);
  fetched_ = block.pc + bytes - 1;
}

void Hart::retire(const Instruction& instruction, std::uint64_t next) {
  cycles_ += timing_.cycles(instruction);
  ++instructions_;
  pc_ = in_width(next);
}

bool Hart::trap(std::uint64_t cause, std::uint64_t value) {
  if (!csr_.has_handler() || trapped_at_ == instructions_) {
    fault_ = {cause, pc_, value};
    faulted_ = true;
    return false;
  }
  pc_ = in_width(csr_.enter(cause, pc_, value));
  cycles_ += timing_.trap;
  trapped_at_ = instructions_;
  loading_ = {};
  reservation_.reset();
  return true;
}

void Hart::finish_device(std::uint64_t value) {
  TESSERA_CHECK(at_device_, "a device's access ends that the hart does not wait for");
  at_device_ = false;
  const Instruction& instruction = device_instruction_;
  if (!device_.write) {
    device_.value = value;
    x_[instruction.rd] = in_width(loaded_value(instruction.op, value));
    loading_ = instruction;
  }
  watch_hit_ = watch(device_);
  retire(instruction, behind_device_);
}

void Hart::fail_device() {
  TESSERA_CHECK(at_device_, "a device's access fails that the hart does not wait for");
  at_device_ = false;
  trap(device_.write ? cause::store_access : cause::load_access, device_.address);
}

}  // namespace tessera::riscv
