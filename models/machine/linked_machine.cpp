#include "machine/linked_machine.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "machine/machine.hpp"

namespace tessera {

void LinkedMachine::write(hal::Register which, std::uint64_t value) {
  writing_ = true;
  bus_.store(static_cast<std::uint64_t>(which), value);
  writing_ = false;
  written_();
}

std::uint64_t LinkedMachine::address_of(const void* where) {
  const std::uint64_t number = hal::number_of(where);
  const auto offset_in = [number](std::span<std::byte> memory) { return number - hal::number_of(memory.data()); };
  if (offset_in(dram_) < dram_.size()) return hal::dram_base + offset_in(dram_);
  if (offset_in(tcm_) < tcm_.size()) return hal::tcm_base + offset_in(tcm_);
  return Machine::process_window + number;
}

std::byte* LinkedMachine::at(std::uint64_t address) {
  if (address >= Machine::process_window) return hal::by_number<std::byte>(address - Machine::process_window);
  if (address - hal::tcm_base < tcm_.size()) return tcm_.data() + (address - hal::tcm_base);
  TESSERA_CHECK(address >= hal::dram_base && address - hal::dram_base < dram_.size(),
                "firmware reaches for an address outside of DRAM and TCM");
  return dram_.data() + (address - hal::dram_base);
}

std::byte* LinkedMachine::share(std::size_t bytes) {
  constexpr std::size_t line = 64;
  const std::size_t size = (bytes + line - 1) / line * line;
  auto& same = given_back_[size];
  std::byte* here = nullptr;
  if (!same.empty()) {
    here = same.back();
    same.pop_back();
    std::fill_n(here, size, std::byte{});
  } else {
    if (size > free_.size())
      throw InputError(
          "simulation.firmware_through = registers: no room is left at the DRAM's end for the firmware's rings and descriptors");
    here = free_.data();
    free_ = free_.subspan(size);
  }
  lent_[here] = size;
  return here;
}

void LinkedMachine::give_back(std::byte* shared) {
  const auto at = lent_.find(shared);
  given_back_[at->second].push_back(shared);
  lent_.erase(at);
}

}  // namespace tessera
