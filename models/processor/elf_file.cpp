#include "processor/elf_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace tessera::riscv {

namespace {

static_assert(std::endian::native == std::endian::little, "headers are copied as they lie in the file");

struct Layout32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
  using Symbol = Elf32_Sym;
};

struct Layout64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
  using Symbol = Elf64_Sym;
};

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386: return "x86";
    case EM_ARM: return "ARM";
    case EM_X86_64: return "x86-64";
    case EM_AARCH64: return "AArch64";
    default: return "machine " + std::to_string(machine);
  }
}

std::string type_name(unsigned type) {
  switch (type) {
    case ET_REL: return "an object file that was not linked";
    case ET_DYN: return "a shared or position-independent file";
    case ET_CORE: return "a core dump";
    default: return "a file of type " + std::to_string(type);
  }
}

template <class Layout>
class Reader {
 public:
  Reader(std::string_view file, std::span<const std::byte> bytes) : file_(file), bytes_(bytes) {}

  ElfFile read() {
    const auto header = at<typename Layout::Header>(0, "header");
    if (header.e_machine != EM_RISCV) refuse("expected an image for RISC-V, found one for " + machine_name(header.e_machine));
    if (header.e_type != ET_EXEC) refuse("expected a linked executable (ET_EXEC), found " + type_name(header.e_type));
    ElfFile tables;
    tables.wide = header.e_ident[EI_CLASS] == ELFCLASS64;
    tables.entry = header.e_entry;
    tables.flags = header.e_flags;
    for (const auto& segment : table<typename Layout::Segment>(header.e_phoff, header.e_phnum, header.e_phentsize, "program headers"))
      tables.segments.push_back({segment.p_type, segment.p_flags, segment.p_offset, segment.p_vaddr, segment.p_paddr, segment.p_filesz,
                                 segment.p_memsz, segment.p_align});
    const auto sections = table<typename Layout::Section>(header.e_shoff, header.e_shnum, header.e_shentsize, "section headers");
    const auto symbols = std::find_if(sections.begin(), sections.end(), [](const auto& section) { return section.sh_type == SHT_SYMTAB; });
    if (symbols != sections.end()) read_symbols(sections, *symbols, tables);
    return tables;
  }

 private:
  using Section = typename Layout::Section;

  [[noreturn]] void refuse(const std::string& why) const { throw input_error(file_, 0, why); }

  void demand_inside(std::uint64_t offset, std::uint64_t length, const std::string& what) const {
    if (offset <= bytes_.size() && length <= bytes_.size() - offset) return;
    refuse("cut short or damaged: its " + what + " take " + std::to_string(length) + " bytes from byte " + std::to_string(offset) +
           " on, and the file has " + std::to_string(bytes_.size()));
  }

  template <class Entry>
  [[nodiscard]] Entry at(std::uint64_t offset, const std::string& what) const {
    demand_inside(offset, sizeof(Entry), what);
    Entry entry;
    std::memcpy(&entry, bytes_.data() + offset, sizeof entry);
    return entry;
  }

  template <class Entry>
  [[nodiscard]] std::vector<Entry> table(std::uint64_t offset, std::uint64_t count, std::uint64_t entry_bytes,
                                         const std::string& what) const {
    if (count == 0) return {};
    if (entry_bytes != sizeof(Entry))
      refuse("damaged: its " + what + " are said to take " + std::to_string(entry_bytes) + " bytes each, expected " +
             std::to_string(sizeof(Entry)));
    demand_inside(offset, count * sizeof(Entry), what);
    std::vector<Entry> entries(count);
    std::memcpy(entries.data(), bytes_.data() + offset, count * sizeof(Entry));
    return entries;
  }

  void read_symbols(const std::vector<Section>& sections, const Section& symbols, ElfFile& tables) const {
    if (symbols.sh_link >= sections.size() || sections[symbols.sh_link].sh_type != SHT_STRTAB)
      refuse("symbol table damaged: section " + std::to_string(symbols.sh_link) + ", which it names, holds no names of symbols");
    const Section& names = sections[symbols.sh_link];
    demand_inside(names.sh_offset, names.sh_size, "names of symbols");
    if (names.sh_size == 0 || bytes_[names.sh_offset + names.sh_size - 1] != std::byte{0})
      refuse("symbol table damaged: the last name does not end");
    if (symbols.sh_size % sizeof(typename Layout::Symbol) != 0)
      refuse("symbol table damaged: its " + std::to_string(symbols.sh_size) + " bytes are not a multiple of a symbol's " +
             std::to_string(sizeof(typename Layout::Symbol)));
    for (const auto& symbol : table<typename Layout::Symbol>(symbols.sh_offset, symbols.sh_size / sizeof(typename Layout::Symbol),
                                                             symbols.sh_entsize, "symbols")) {
      if (symbol.st_name >= names.sh_size)
        refuse("symbol table damaged: a symbol's name is at byte " + std::to_string(symbol.st_name) + " of " +
               std::to_string(names.sh_size) + " bytes of names");
      tables.symbols.push_back({symbol.st_name, symbol.st_info, symbol.st_other, symbol.st_shndx, symbol.st_value, symbol.st_size});
    }
    tables.names = reinterpret_cast<const char*>(bytes_.data() + names.sh_offset);
  }

  std::string_view file_;
  std::span<const std::byte> bytes_;
};

}  // namespace

ElfFile read_elf(std::string_view file, std::span<const std::byte> bytes) {
  const auto byte = [&](std::size_t index) { return std::to_integer<unsigned>(bytes[index]); };
  if (bytes.size() < EI_NIDENT) throw input_error(file, 0, "expected an ELF image, found " + std::to_string(bytes.size()) + " bytes");
  if (std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    throw input_error(file, 0, "expected an ELF image, which begins with 0x7f and 'ELF'");
  if (byte(EI_DATA) != ELFDATA2LSB)
    throw input_error(file, 0, "expected a little-endian image, found byte order " + std::to_string(byte(EI_DATA)));
  if (byte(EI_VERSION) != EV_CURRENT)
    throw input_error(file, 0, "expected ELF version 1, found version " + std::to_string(byte(EI_VERSION)));
  switch (byte(EI_CLASS)) {
    case ELFCLASS32: return Reader<Layout32>(file, bytes).read();
    case ELFCLASS64: return Reader<Layout64>(file, bytes).read();
    default: throw input_error(file, 0, "expected an image of 32 or 64 bit (class 1 or 2), found class " + std::to_string(byte(EI_CLASS)));
  }
}

}  // namespace tessera::riscv
