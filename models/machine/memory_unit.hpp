#pragma once
// The memory unit's registers: regions and buffers of the firmware's, reserved for good. The bytes of a region are those of the DRAM or the
// TCM; those of a dumped region are also kept where the dump engine finds them.
#include <deque>
#include <optional>
#include <vector>

#include "machine/machine.hpp"
#include "machine/register_file.hpp"

namespace tessera {

class MemoryUnit final : public RegisterUnit {
 public:
  /// Their bytes; no `tcm`: the firmware reaches none.
  MemoryUnit(Machine& machine, std::span<std::byte> dram, std::optional<std::span<std::byte>> tcm)
      : machine_(machine), dram_(dram), tcm_(tcm) {}

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

  /// Whether something that was asked for lies behind the end of its memory: the drive refuses it as soon as all is known.
  [[nodiscard]] bool overflows() const { return overflows_; }
  /// The power fails: what the dump engine may save is as the firmware has left it.
  void write_back();

 private:
  struct Dumped {
    std::span<std::byte> here;  // in its memory
    std::span<std::byte> kept;
  };

  void reserve(std::uint64_t flags);
  [[nodiscard]] std::uint64_t reserve_region(MemoryCategory category, const std::string& name, bool dumped);
  [[nodiscard]] std::uint64_t reserve_buffer(MemoryCategory category, const std::string& name, bool dumped);
  [[nodiscard]] std::optional<std::span<std::byte>> bytes_at(DramAddress address, std::uint64_t bytes);

  Machine& machine_;
  std::span<std::byte> dram_;
  std::optional<std::span<std::byte>> tcm_;
  std::deque<DataBuffer> buffers_;
  std::vector<Dumped> dumped_;
  bool overflows_ = false;
  std::uint64_t category_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t name_ = 0;
  std::uint64_t address_ = 0;
  bool torn_ = false;
};

}  // namespace tessera
