#pragma once
// A small ELF executable for RISC-V by hand: header, program headers, then contents, sections and symbols one behind the other.
#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::test {

template <bool Wide>
class ElfBytes {
 public:
  using Header = std::conditional_t<Wide, Elf64_Ehdr, Elf32_Ehdr>;
  using Segment = std::conditional_t<Wide, Elf64_Phdr, Elf32_Phdr>;
  using Section = std::conditional_t<Wide, Elf64_Shdr, Elf32_Shdr>;
  using Symbol = std::conditional_t<Wide, Elf64_Sym, Elf32_Sym>;

  Header header{};
  std::vector<Segment> segments;  // p_offset is set by bytes() where there is content
  std::vector<std::vector<std::byte>> contents;
  std::vector<Section> sections;  // symbols, then their names
  std::vector<Symbol> symbols;
  std::string names = std::string(1, '\0');

  ElfBytes() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = Wide ? ELFCLASS64 : ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Header);
    header.e_phentsize = sizeof(Segment);
    header.e_shentsize = sizeof(Section);
    sections.resize(3);
    sections[1].sh_type = SHT_SYMTAB;
    sections[1].sh_link = 2;
    sections[1].sh_entsize = sizeof(Symbol);
    sections[2].sh_type = SHT_STRTAB;
  }

  void add_segment(std::uint64_t address, std::vector<std::byte> content, std::uint64_t memory_bytes, unsigned flags = PF_R | PF_W | PF_X) {
    Segment segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = flags;
    segment.p_vaddr = segment.p_paddr = static_cast<decltype(segment.p_vaddr)>(address);
    segment.p_filesz = static_cast<decltype(segment.p_filesz)>(content.size());
    segment.p_memsz = static_cast<decltype(segment.p_memsz)>(memory_bytes);
    segments.push_back(segment);
    contents.push_back(std::move(content));
  }

  void add_symbol(const std::string& name, std::uint64_t address, std::uint64_t bytes, unsigned type) {
    Symbol symbol{};
    symbol.st_name = static_cast<std::uint32_t>(names.size());
    symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, type));
    symbol.st_shndx = 1;
    symbol.st_value = static_cast<decltype(symbol.st_value)>(address);
    symbol.st_size = static_cast<decltype(symbol.st_size)>(bytes);
    symbols.push_back(symbol);
    names += name + '\0';
  }

  /// Lays everything out, so that single fields may be damaged before bytes().
  void lay_out() {
    std::size_t at = sizeof(Header);
    header.e_phoff = static_cast<decltype(header.e_phoff)>(at);
    header.e_phnum = static_cast<std::uint16_t>(segments.size());
    at += segments.size() * sizeof(Segment);
    for (std::size_t i = 0; i < segments.size(); ++i) {
      segments[i].p_offset = static_cast<decltype(segments[i].p_offset)>(at);
      at += contents[i].size();
    }
    sections[1].sh_offset = static_cast<decltype(sections[1].sh_offset)>(at);
    sections[1].sh_size = static_cast<decltype(sections[1].sh_size)>(symbols.size() * sizeof(Symbol));
    at += symbols.size() * sizeof(Symbol);
    sections[2].sh_offset = static_cast<decltype(sections[2].sh_offset)>(at);
    sections[2].sh_size = static_cast<decltype(sections[2].sh_size)>(names.size());
    at += names.size();
    header.e_shoff = static_cast<decltype(header.e_shoff)>(at);
    header.e_shnum = static_cast<std::uint16_t>(sections.size());
  }

  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::vector<std::byte> out;
    const auto append = [&out](const void* from, std::size_t size) {
      const auto* const begin = static_cast<const std::byte*>(from);
      out.insert(out.end(), begin, begin + size);
    };
    append(&header, sizeof header);
    for (const Segment& segment : segments) append(&segment, sizeof segment);
    for (const auto& content : contents) out.insert(out.end(), content.begin(), content.end());
    for (const Symbol& symbol : symbols) append(&symbol, sizeof symbol);
    append(names.data(), names.size());
    for (const Section& section : sections) append(&section, sizeof section);
    return out;
  }
};

}  // namespace tessera::test
