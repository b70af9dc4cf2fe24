#pragma once
// The segments of a firmware image: an ELF executable for RISC-V, of the drive's DRAM alone.
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

struct FirmwareImage {
  bool wide = false;  ///< RV64
  std::uint64_t entry = 0, end = 0;

  explicit FirmwareImage(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
    if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0)
      throw std::runtime_error(file + ": expected an ELF image");
    wide = bytes_[EI_CLASS] == ELFCLASS64;
    wide ? take<Elf64_Ehdr, Elf64_Phdr>() : take<Elf32_Ehdr, Elf32_Phdr>();
    for (const Segment& segment : segments_)
      if (segment.from + segment.content > bytes_.size()) throw std::runtime_error(file + ": ends within a segment");
  }
  /// Into `memory`, which begins at the address `base`; what is zero in the image is zeroed.
  void load(std::span<unsigned char> memory, std::uint64_t base) const {
    for (const Segment& segment : segments_) {
      if (segment.address < base || segment.address + segment.bytes > base + memory.size())
        throw std::runtime_error("the image has a segment at " + std::to_string(segment.address) + ", which is not in the DRAM");
      const auto place = memory.subspan(segment.address - base, segment.bytes);
      std::ranges::fill(place, 0);
      std::memcpy(place.data(), bytes_.data() + segment.from, segment.content);
    }
  }

 private:
  struct Segment {
    std::uint64_t address, bytes, from, content;
  };
  template <class Header, class Segments>
  void take() {
    Header header;
    std::memcpy(&header, bytes_.data(), sizeof header);
    entry = header.e_entry;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      Segments segment;
      if (header.e_phoff + (i + 1) * sizeof segment > bytes_.size())
        throw std::runtime_error("the image ends within its table of segments");
      std::memcpy(&segment, bytes_.data() + header.e_phoff + i * sizeof segment, sizeof segment);
      if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
      segments_.push_back({segment.p_paddr, segment.p_memsz, segment.p_offset, segment.p_filesz});
      end = std::max<std::uint64_t>(end, segment.p_paddr + segment.p_memsz);
    }
  }
  std::vector<char> bytes_;
  std::vector<Segment> segments_;
};
