#pragma once
// The firmware's DRAM: regions with a real capacity, accesses with a real cost, and buffers for data in flight.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/address.hpp"
#include "base/data_buffer.hpp"
#include "base/units.hpp"

namespace tessera {

enum class MemoryCategory : std::uint32_t { metadata, merge_buffer, write_cache, read_cache, host_buffer, descriptors, code };
inline constexpr std::size_t memory_categories = 7;
[[nodiscard]] const char* to_string(MemoryCategory category);

enum class Access : std::uint8_t { read, write };

/// Reserved DRAM. `bytes` backs it in the model; what is stored there is gone after a power cut unless `dumped`.
struct MemoryRegion {
  DramAddress address;
  std::span<std::byte> bytes;
  /// Of a dumped region: a piece of it failed its check at boot. What `bytes` holds there is of no use.
  bool torn = false;
};

class MemoryPort {
 public:
  virtual ~MemoryPort() = default;

  /// Reserves DRAM for good, zeroed. A region that does not fit is a configuration error that names `what` and the bytes left.
  virtual MemoryRegion reserve(MemoryCategory category, Bytes size, std::string_view what) = 0;

  /// As reserve(), inside the region that the dump engine saves on power loss and boot restores (durability `plp`):
  /// after a power cut the same call returns the same bytes as before the cut, unless the dump failed (MemoryRegion::torn).
  virtual MemoryRegion reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) = 0;

  /// Charges the CPU's timeline for one access of `bytes` at `address` through data cache, bus and DRAM.
  virtual void touch(DramAddress address, std::uint32_t bytes, Access access) = 0;

  /// Reserves a buffer of `sectors` drive sectors for good (merge and staging buffers).
  virtual DataBuffer reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) = 0;

  /// As reserve_buffer(), inside the dumped region: the same buffer with the same content after a power cut; sectors that a dump which
  /// failed did not save are marked lost.
  virtual DataBuffer& reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) = 0;

  /// Takes a buffer from the staging pool; give it back with release(). The pool's capacity is enforced: a buffer that is
  /// not to be had gives sectors() == 0, and the caller waits and tries again.
  [[nodiscard]] virtual DataBuffer acquire(std::uint32_t sectors) = 0;
  virtual void release(DataBuffer&& buffer) = 0;

  /// Moves content, and the marks of lost sectors, between buffers inside the DRAM and charges it as a DMA (closed form over rows and bus).
  virtual void copy(DataSpan from, DataSpan to) = 0;

  /// Replaces in `sector` (one sector) the host blocks outside [first, first + count) by those of `old`: the merge of an
  /// unaligned write. A lost sector of which blocks are kept stays lost.
  virtual void merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) = 0;

  /// Fills the span with never-written content (a read of an unmapped range that needs no media access).
  virtual void clear(DataSpan span) = 0;

  [[nodiscard]] virtual SectorShape shape() const = 0;
};

}  // namespace tessera
