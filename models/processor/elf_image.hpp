#pragma once
// A firmware image: a bare-metal ELF executable for RV32 or RV64, which lies in the machine's DRAM, or in part in its TCM. It is read once,
// checked as a whole, and copied into memory at every power-on.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "processor/symbol_table.hpp"

namespace tessera::riscv {

class Memory;

struct AddressRange {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

/// Where an image may lie. A TCM at address 0: the machine knows none; one of no bytes elsewhere: this drive has none.
struct ImageSpace {
  AddressRange dram;
  AddressRange tcm{};
};

class ElfImage {
 public:
  struct Segment {
    std::uint64_t address = 0;  ///< where it is copied to (p_paddr)
    std::uint64_t linked = 0;   ///< where the program expects it (p_vaddr): elsewhere where start-up code moves it
    std::uint64_t bytes = 0;    ///< in memory: zeroes behind the content
    std::span<const std::byte> content;
    bool executable = false;
  };

  /// InputError that names `file`, what was expected and what is there.
  ElfImage(std::string file, std::vector<std::byte> bytes, ImageSpace space);
  [[nodiscard]] static ElfImage read(const std::filesystem::path& file, ImageSpace space);
  ElfImage(ElfImage&&) = default;
  ElfImage& operator=(ElfImage&&) = default;
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;
  ~ElfImage() = default;

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool wide() const { return wide_; }  ///< RV64
  [[nodiscard]] std::uint64_t entry() const { return entry_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// The first address behind all of it in the DRAM: what firmware may use from there on.
  [[nodiscard]] std::uint64_t end() const { return end_in(space_.dram); }
  /// What it takes of the TCM, from its first byte on.
  [[nodiscard]] std::uint64_t tcm_bytes() const { return end_in(space_.tcm) - space_.tcm.base; }

  /// Copies the segments into memory and zeroes what is behind their content (.bss).
  void load(const Memory& memory) const;

  [[nodiscard]] bool is_code(std::uint64_t address) const;
  /// "tessera::CmrLayer::write(...)+0x12", or the address where no symbol covers it; of an address behind a call, the function that called.
  [[nodiscard]] std::string place(std::uint64_t address, bool behind_call = false) const;
  /// Where the function begins that covers the address.
  [[nodiscard]] std::optional<std::uint64_t> function_around(std::uint64_t address) const;
  /// Content of the object with this (mangled) name; none: there is no such object, or it has no content in the file.
  [[nodiscard]] std::optional<std::span<const std::byte>> object(std::string_view name) const;
  /// Address of the function with this (mangled) name.
  [[nodiscard]] std::optional<std::uint64_t> function(std::string_view name) const;

 private:
  void take_segment(const Elf64_Phdr& header);
  void demand_room(const std::string& segment, std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t end_in(const AddressRange& memory) const;
  void demand_apart() const;
  void check_entry() const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::string file_;
  std::vector<std::byte> bytes_;
  ImageSpace space_;
  bool wide_ = false;
  std::uint64_t entry_ = 0;
  std::vector<Segment> segments_;  // by address
  SymbolTable symbols_;
};

}  // namespace tessera::riscv
