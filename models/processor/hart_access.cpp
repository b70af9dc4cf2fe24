#include "processor/hart_access.hpp"

namespace tessera::riscv {

namespace {

bool overlap(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes) { return a - b < b_bytes || b - a < a_bytes; }

}  // namespace

Hart::Access Hart::fail(std::uint64_t cause, std::uint64_t address) {
  failed_ = {cause, 0, address};
  return Access::failed;
}

/// No memory has it: a device's, which takes aligned accesses alone.
Hart::Access Hart::fail(const DeviceAccess& access) {
  if (access.address % access.bytes != 0) return fail(access.write ? cause::store_misaligned : cause::load_misaligned, access.address);
  device_ = access;
  at_device_ = true;
  return Access::failed;
}

Hart::Access Hart::read_elsewhere(std::uint64_t address, std::uint32_t bytes, std::uint64_t& value) {
  if (const std::byte* whole = memory_.find(address, bytes)) {
    std::memcpy(&value, whole, bytes);
  } else {
    for (std::uint32_t i = 0; i < bytes; ++i) {
      const std::byte* at = memory_.find(in_width(address + i), 1);
      if (at == nullptr) return fail({address, bytes, false, 0});
      value |= std::to_integer<std::uint64_t>(*at) << 8 * i;
    }
  }
  const std::uint64_t page = address & ~(page_bytes - 1);
  if (!watches_page(page))
    if (std::byte* whole = memory_.find(page, page_bytes)) readable_.add(page, whole);
  return watch({address, bytes, false, value}) ? Access::last : Access::done;
}

Hart::Access Hart::write_elsewhere(std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
  if (std::byte* whole = memory_.find_to_store(address, bytes)) {
    std::memcpy(whole, &value, bytes);
  } else {
    std::array<std::byte*, sizeof value> at{};
    for (std::uint32_t i = 0; i < bytes; ++i) {
      at.at(i) = memory_.find_to_store(in_width(address + i), 1);
      if (at.at(i) == nullptr) return fail({address, bytes, true, value});
    }
    for (std::uint32_t i = 0; i < bytes; ++i) *at.at(i) = static_cast<std::byte>(value >> 8 * i);
  }
  const bool code_changed = blocks_.drop(address, bytes);
  const std::uint64_t page = address & ~(page_bytes - 1);
  if (!watches_page(page) && !blocks_.holds_code(page))
    if (std::byte* whole = memory_.find_to_store(page, page_bytes)) writable_.add(page, whole);
  return watch({address, bytes, true, value}) || code_changed ? Access::last : Access::done;
}

void Hart::set_watchpoint(std::uint64_t address, std::uint64_t bytes, bool read, bool write) {
  watchpoints_.push_back({in_width(address), bytes, read, write});
  readable_.clear();
  writable_.clear();
}

void Hart::clear_watchpoint(std::uint64_t address, std::uint64_t bytes, bool read, bool write) {
  std::erase(watchpoints_, Watchpoint{in_width(address), bytes, read, write});
}

bool Hart::watches_page(std::uint64_t address) const {
  return std::ranges::any_of(watchpoints_,
                             [&](const Watchpoint& watched) { return overlap(watched.address, watched.bytes, address, page_bytes); });
}

bool Hart::watch(const DeviceAccess& access) {
  const bool hit = std::ranges::any_of(watchpoints_, [&](const Watchpoint& watched) {
    return (access.write ? watched.write : watched.read) && overlap(watched.address, watched.bytes, access.address, access.bytes);
  });
  if (hit) {
    watched_ = access;
    watch_hit_ = true;
  }
  return hit;
}

void Hart::memory_written(std::uint64_t address, std::uint64_t bytes) {
  blocks_.drop(address, bytes);
  constexpr std::uint64_t reserved_bytes = 8;
  if (reservation_ && overlap(*reservation_, reserved_bytes, address, bytes)) reservation_.reset();
}

}  // namespace tessera::riscv
