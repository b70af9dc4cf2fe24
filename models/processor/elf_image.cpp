#include "processor/elf_image.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/error.hpp"
#include "processor/elf_file.hpp"
#include "processor/memory.hpp"

namespace tessera::riscv {

namespace {

// With all of its debug information an image of the firmware takes some tens of MiB.
constexpr std::uint64_t largest_file = 256U << 20U;

// e_flags of the psABI: code that passes floating-point numbers in registers is not for a hart without them.
constexpr std::uint32_t float_abi = 0x6;

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

/// "0x80000000 to 0x80000fff"
std::string range(std::uint64_t address, std::uint64_t bytes) { return hexadecimal(address) + " to " + hexadecimal(address + bytes - 1); }

/// "the DRAM, 0x80000000 to 0xffffffff, or in the TCM, 0x44000000 to 0x4401ffff"
std::string places(const ImageSpace& space) {
  std::string dram = "the DRAM, " + range(space.dram.base, space.dram.bytes);
  if (space.tcm.base == 0) return dram;
  if (space.tcm.bytes == 0) return dram + ", or in a TCM at " + hexadecimal(space.tcm.base) + " (controller.tcm.size is 0: there is none)";
  return dram + ", or in the TCM, " + range(space.tcm.base, space.tcm.bytes);
}

bool covers(std::uint64_t base, std::uint64_t bytes, std::uint64_t address) { return address >= base && address - base < bytes; }

}  // namespace

ElfImage ElfImage::read(const std::filesystem::path& file, ImageSpace space) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::is_regular_file(file, error) ? std::filesystem::file_size(file, error) : 0;
  std::ifstream stream(file, std::ios::binary);
  if (error || !std::filesystem::is_regular_file(file, error) || !stream)
    throw input_error(file.string(), 0, "expected a firmware image, cannot read such a file");
  if (size > largest_file)
    throw input_error(file.string(), 0, "expected an ELF image of up to 256 MiB, found a file of " + std::to_string(size) + " bytes");
  std::vector<std::byte> bytes(size);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return {file.string(), std::move(bytes), space};
}

ElfImage::ElfImage(std::string file, std::vector<std::byte> bytes, ImageSpace space)
    : file_(std::move(file)), bytes_(std::move(bytes)), space_(space) {
  const ElfFile tables = read_elf(file_, bytes_);
  wide_ = tables.wide;
  entry_ = tables.entry;
  if ((tables.flags & float_abi) != 0)
    refuse("expected code without floating-point registers (-mabi=lp64 or ilp32), found another ABI (e_flags " + hexadecimal(tables.flags) +
           ")");
  for (const auto& header : tables.segments) take_segment(header);
  if (segments_.empty()) refuse("nothing to load: it has no loadable segment (PT_LOAD)");
  std::sort(segments_.begin(), segments_.end(), [](const Segment& a, const Segment& b) { return a.address < b.address; });
  demand_apart();
  check_entry();
  symbols_ = SymbolTable(tables);
}

void ElfImage::take_segment(const Elf64_Phdr& header) {
  if (header.p_type == PT_INTERP || header.p_type == PT_DYNAMIC)
    refuse("expected a statically linked image, found one for a dynamic loader");
  if (header.p_type != PT_LOAD || header.p_memsz == 0) return;
  const std::string name = "segment at " + hexadecimal(header.p_paddr);
  if (header.p_filesz > header.p_memsz)
    refuse(name + " has " + std::to_string(header.p_filesz) + " bytes in the file and only " + std::to_string(header.p_memsz) +
           " in memory");
  if (header.p_offset > bytes_.size() || header.p_filesz > bytes_.size() - header.p_offset)
    refuse("cut short or damaged: the content of its " + name + " ends at byte " + std::to_string(header.p_offset) + " + " +
           std::to_string(header.p_filesz) + ", and the file has " + std::to_string(bytes_.size()));
  for (const std::uint64_t address : {header.p_paddr, header.p_vaddr}) demand_room(name, address, header.p_memsz);
  segments_.push_back({header.p_paddr, header.p_vaddr, header.p_memsz,
                       std::span<const std::byte>(bytes_).subspan(header.p_offset, header.p_filesz), (header.p_flags & PF_X) != 0});
}

void ElfImage::demand_room(const std::string& segment, std::uint64_t address, std::uint64_t bytes) const {
  const bool in_tcm = covers(space_.tcm.base, space_.tcm.bytes, address);
  const AddressRange& memory = in_tcm ? space_.tcm : space_.dram;
  if (!covers(memory.base, memory.bytes, address))
    refuse(segment + " is linked to " + hexadecimal(address) + ", expected an address in " + places(space_));
  const std::uint64_t left = memory.bytes - (address - memory.base);
  const std::string name = in_tcm ? "TCM of " + std::to_string(memory.bytes) + " B (controller.tcm.size)" : "DRAM";
  if (bytes > left)
    refuse(segment + " is too large: it takes " + std::to_string(bytes) + " bytes, and the " + name + " holds " + std::to_string(left) +
           " from " + hexadecimal(address) + " on");
}

void ElfImage::demand_apart() const {
  for (std::size_t i = 1; i < segments_.size(); ++i)
    if (covers(segments_[i - 1].address, segments_[i - 1].bytes, segments_[i].address))
      refuse("its segments overlap: " + range(segments_[i - 1].address, segments_[i - 1].bytes) + " and " +
             range(segments_[i].address, segments_[i].bytes));
}

void ElfImage::check_entry() const {
  if (entry_ == 0) refuse("it has no entry: expected the address of the first instruction (ENTRY of the linker script)");
  const bool loaded_there = std::any_of(segments_.begin(), segments_.end(), [this](const Segment& segment) {
    return segment.executable && covers(segment.address, segment.bytes, entry_) && segment.address == segment.linked;
  });
  if (!loaded_there) refuse("its entry " + hexadecimal(entry_) + " lies in no executable segment");
  if (entry_ % 2 != 0) refuse("its entry " + hexadecimal(entry_) + " is odd, and instructions begin at even addresses");
}

std::uint64_t ElfImage::end_in(const AddressRange& memory) const {
  std::uint64_t end = memory.base;
  for (const Segment& segment : segments_)
    for (const std::uint64_t address : {segment.address, segment.linked})
      if (covers(memory.base, memory.bytes, address)) end = std::max(end, address + segment.bytes);
  return end;
}

void ElfImage::load(const Memory& memory) const {
  for (const Segment& segment : segments_) {
    std::byte* const place = memory.find(segment.address, segment.bytes);
    if (place == nullptr) refuse("no memory where its segment belongs, " + range(segment.address, segment.bytes));
    std::copy(segment.content.begin(), segment.content.end(), place);
    std::fill(place + segment.content.size(), place + segment.bytes, std::byte{0});
  }
}

bool ElfImage::is_code(std::uint64_t address) const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [address](const Segment& segment) { return segment.executable && covers(segment.linked, segment.bytes, address); });
}

std::string ElfImage::place(std::uint64_t address, bool behind_call) const {
  // A call that does not return may be the last instruction of its function.
  const std::uint64_t inside = behind_call ? address - 2 : address;
  const auto symbol = is_code(inside) ? symbols_.function_at(inside) : std::nullopt;
  if (!symbol) return hexadecimal(address);
  const std::uint64_t offset = address - symbol->address;
  return symbol->readable_name() + (offset == 0 ? "" : "+" + hexadecimal(offset));
}

std::optional<std::uint64_t> ElfImage::function_around(std::uint64_t address) const {
  const auto symbol = is_code(address) ? symbols_.function_at(address) : std::nullopt;
  return symbol ? std::optional(symbol->address) : std::nullopt;
}

std::optional<std::uint64_t> ElfImage::function(std::string_view name) const {
  const auto symbol = symbols_.function(name);
  return symbol ? std::optional(symbol->address) : std::nullopt;
}

std::optional<std::span<const std::byte>> ElfImage::object(std::string_view name) const {
  const auto symbol = symbols_.object(name);
  if (!symbol) return std::nullopt;
  for (const Segment& segment : segments_) {
    if (!covers(segment.linked, segment.content.size(), symbol->address)) continue;
    const std::uint64_t offset = symbol->address - segment.linked;
    if (symbol->bytes <= segment.content.size() - offset) return segment.content.subspan(offset, symbol->bytes);
  }
  return std::nullopt;
}

void ElfImage::refuse(const std::string& why) const { throw input_error(file_, 0, why); }

}  // namespace tessera::riscv
