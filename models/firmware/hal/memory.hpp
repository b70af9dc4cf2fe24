#pragma once
// The firmware's memory: what the memory unit gives for good, and what the data mover lends and moves.
#include "firmware/hal/register_file.hpp"
#include "firmware/hal/reuse.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera::hal {

class Memory final : public MemoryPort {
 public:
  Memory(RegisterFile& registers, std::uint32_t sector_bytes) : registers_(registers), shape_{sector_bytes, ContentMode::none} {}

  // MemoryPort
  MemoryRegion reserve(MemoryCategory category, Bytes size, std::string_view what) override;
  MemoryRegion reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) override;
  /// Accesses cost what they take.
  void touch(DramAddress, std::uint32_t, Access) override {}
  DataBuffer reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override;
  DataBuffer& reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override;
  [[nodiscard]] DataBuffer acquire(std::uint32_t sectors) override;
  void release(DataBuffer&& buffer) override;
  void copy(DataSpan from, DataSpan to) override;
  void merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) override;
  void clear(DataSpan span) override;
  [[nodiscard]] SectorShape shape() const override { return shape_; }

 private:
  std::uint64_t reserved(MemoryCategory category, std::uint64_t bytes, std::uint64_t flags, std::string_view what);
  MemoryRegion region(MemoryCategory category, Bytes size, std::uint64_t flags, std::string_view what);
  DataBuffer buffer(MemoryCategory category, std::uint32_t sectors, std::uint64_t flags, std::string_view what);

  RegisterFile& registers_;
  SectorShape shape_;
  Reuse<DataBuffer> dumped_;  // none is given back
};

}  // namespace tessera::hal
