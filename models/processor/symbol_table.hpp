#pragma once
// Names of an image's functions and objects. It points into the bytes of the file, which outlive it.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "processor/elf_file.hpp"

namespace tessera::riscv {

struct Symbol {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;     ///< 0: a label, which reaches up to the next
  const char* name = nullptr;  ///< as the linker has it

  [[nodiscard]] std::string readable_name() const;
};

class SymbolTable {
 public:
  SymbolTable() = default;
  explicit SymbolTable(const ElfFile& tables);

  /// The function that covers `address`, or else the last label at or before it.
  [[nodiscard]] std::optional<Symbol> function_at(std::uint64_t address) const;
  [[nodiscard]] std::optional<Symbol> object(std::string_view name) const { return named(name, objects_); }
  [[nodiscard]] std::optional<Symbol> function(std::string_view name) const { return named(name, functions_); }

 private:
  [[nodiscard]] static std::optional<Symbol> named(std::string_view name, const std::vector<Symbol>& symbols);

  std::vector<Symbol> functions_, labels_;  // by address
  std::vector<Symbol> objects_;
};

}  // namespace tessera::riscv
