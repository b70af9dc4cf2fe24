#include "machine/machine.hpp"

#include <cstdio>

namespace tessera {

std::string hex(std::uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::span<std::byte> Machine::bytes(std::uint64_t address, std::uint64_t size, const char* what, std::uint64_t alignment) const {
  if (address % alignment != 0)
    throw FirmwareFault(std::string(what) + " at " + hex(address) + " is not aligned to " + std::to_string(alignment) + " bytes");
  if (starter_ != nullptr && address > process_window)
    return {reinterpret_cast<std::byte*>(address - process_window),
            size};  // NOLINT(performance-no-int-to-ptr): a pointer of the firmware's
  std::byte* const found = memory_.find(address, size);
  if (found == nullptr)
    throw FirmwareFault(std::string(what) + ": the " + std::to_string(size) + " bytes at " + hex(address) + " are not all memory");
  return {found, size};
}

std::string Machine::text(std::uint64_t address, const char* what) const {
  constexpr std::size_t longest = 4096;
  std::string text;
  while (text.size() < longest) {
    const char next = load<char>(address + text.size(), what);
    if (next == '\0') return text;
    text.push_back(next);
  }
  throw FirmwareFault(std::string(what) + " at " + hex(address) + " does not end within " + std::to_string(longest) + " bytes");
}

DataSpan Machine::data(std::uint64_t address, std::uint64_t sectors) const {
  if (address == 0) return {};
  if (address >= hal::tcm_base)
    if (const auto span = buffers_.find(place_of(address), sectors)) return *span;
  throw FirmwareFault(std::to_string(sectors) + " sectors of data are named at " + hex(address) + ", which no buffer holds");
}

}  // namespace tessera
