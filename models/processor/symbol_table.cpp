#include "processor/symbol_table.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tessera::riscv {

namespace {

/// The last of them, sorted by address, at or before `address`.
const Symbol* last_before(const std::vector<Symbol>& symbols, std::uint64_t address) {
  const auto behind = std::upper_bound(symbols.begin(), symbols.end(), address,
                                       [](std::uint64_t wanted, const Symbol& symbol) { return wanted < symbol.address; });
  return behind == symbols.begin() ? nullptr : &behind[-1];
}

/// "$x" and "$d" tell code from data, ".L..." are the assembler's own.
bool is_label(const char* name) { return name[0] != '$' && name[0] != '.'; }

// The demangler recurses: a damaged name is not worth a deep stack.
constexpr std::size_t longest_mangled = 4096;

}  // namespace

std::string Symbol::readable_name() const {
  if (::strnlen(name, longest_mangled + 1) > longest_mangled) return {name, longest_mangled};
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 ? demangled.get() : name;
}

SymbolTable::SymbolTable(const ElfFile& tables) {
  for (const Elf64_Sym& entry : tables.symbols) {
    if (entry.st_shndx == SHN_UNDEF || entry.st_shndx == SHN_ABS) continue;
    const Symbol symbol{entry.st_value, entry.st_size, tables.names + entry.st_name};
    if (symbol.name[0] == '\0') continue;
    switch (ELF64_ST_TYPE(entry.st_info)) {
      case STT_FUNC: (symbol.bytes != 0 ? functions_ : labels_).push_back(symbol); break;
      case STT_OBJECT: objects_.push_back(symbol); break;
      case STT_NOTYPE:
        if (is_label(symbol.name)) labels_.push_back(symbol);
        break;
      default: break;
    }
  }
  for (auto* symbols : {&functions_, &labels_})
    std::stable_sort(symbols->begin(), symbols->end(), [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
}

std::optional<Symbol> SymbolTable::function_at(std::uint64_t address) const {
  const Symbol* const function = last_before(functions_, address);
  if (function != nullptr && address - function->address < function->bytes) return *function;
  const Symbol* const label = last_before(labels_, address);
  return label != nullptr ? std::optional(*label) : std::nullopt;
}

std::optional<Symbol> SymbolTable::named(std::string_view name, const std::vector<Symbol>& symbols) {
  const auto found = std::find_if(symbols.begin(), symbols.end(), [name](const Symbol& symbol) { return name == symbol.name; });
  return found == symbols.end() ? std::nullopt : std::optional(*found);
}

}  // namespace tessera::riscv
