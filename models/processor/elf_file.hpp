#pragma once
// The tables of an ELF file for RISC-V (System V ABI, chapter 4; RISC-V ELF psABI 1.0), read without trust in any field: whatever the
// file claims, what is returned lies within its bytes. Both classes come out as the structures of the 64-bit one.
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::riscv {

struct ElfFile {
  bool wide = false;  ///< ELFCLASS64
  std::uint64_t entry = 0;
  std::uint32_t flags = 0;  ///< e_flags
  std::vector<Elf64_Phdr> segments;
  std::vector<Elf64_Sym> symbols;  ///< empty where the file was stripped
  const char* names = nullptr;     ///< of the symbols: st_name is an offset into it, and the text there ends within the file
};

/// InputError that names `file` where `bytes` are not such a file, or end too early.
[[nodiscard]] ElfFile read_elf(std::string_view file, std::span<const std::byte> bytes);

}  // namespace tessera::riscv
