#pragma once
// The firmware's DRAM: reserves regions against the real capacity, prices accesses on the CPU's timeline, and lends staging
// buffers. What is reserved as dumped survives a power cut as the dump engine's image does.
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/fault_listener.hpp"
#include "base/metrics.hpp"
#include "controller/device_links.hpp"
#include "controller/executor.hpp"

namespace tessera {

class MemoryController final : public MemoryPort {
 public:
  /// `capacity`: of the DRAM. `host_buffer`: kept for the host interface's data, reserved before anything else.
  MemoryController(Executor& executor, DramLink& link, SectorShape shape, Bytes capacity, Bytes host_buffer,
                   const ControllerConfig& config);

  /// The firmware is loaded and has reserved what it needs: InputError where that is more than there is, with the first that did not fit
  /// and the sum of all. Until then reservations go on behind the end of the DRAM, so that the sum is known.
  void check_capacity();

  // MemoryPort
  MemoryRegion reserve(MemoryCategory category, Bytes size, std::string_view what) override;
  MemoryRegion reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) override;
  void touch(DramAddress address, std::uint32_t bytes, Access access) override;
  DataBuffer reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override;
  DataBuffer& reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override;
  [[nodiscard]] DataBuffer acquire(std::uint32_t sectors) override;
  void release(DataBuffer&& buffer) override;
  void copy(DataSpan from, DataSpan to) override;
  void merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) override;
  void clear(DataSpan span) override;
  [[nodiscard]] SectorShape shape() const override { return shape_; }

  /// A buffer of the host's region for a command in hand (models/host admits no more than fit).
  [[nodiscard]] DataBuffer acquire_host(std::uint32_t sectors);
  void release_host(DataBuffer&& buffer);

  /// Everything volatile is gone; the dumped regions wait to be reserved again, in the same order.
  void power_off();

  /// Of the regions that the dump engine must be able to save, each from the begin of a piece of `dump_piece` on.
  [[nodiscard]] Bytes dumped_bytes() const { return dumped_bytes_; }
  static constexpr Bytes dump_piece{4096};

  /// After power_off(): the dump saved the first `pieces` of what it saves, tables first, then buffers, each in the order of reservation.
  /// The others are gone, and their regions are torn until the next dump. Gives whether a buffer of written data lost some.
  bool dumped(std::uint64_t pieces);
  /// Told of data that lay in no buffer of the host's writes, but was taken from where it was durable.
  void set_fault_listener(FaultListener* listener) { listener_ = listener; }
  [[nodiscard]] Bytes reserved(MemoryCategory category) const { return reserved_[static_cast<std::size_t>(category)]; }
  void report(MetricSet& metrics, Picoseconds now) const;

 private:
  struct Dumped {
    std::string what;
    std::unique_ptr<std::byte[]> bytes;  // of a region
    std::unique_ptr<DataBuffer> buffer;  // or of a buffer
    DramAddress address;
    Bytes size;
    MemoryCategory category;
    bool torn = false;
  };

  DramAddress allocate(MemoryCategory category, Bytes size, std::string_view what);
  void lose_behind(Dumped& region, Bytes saved);
  Dumped& next_dumped(MemoryCategory category, Bytes size, std::string_view what);
  [[nodiscard]] Bytes bytes_of(std::uint32_t sectors) const { return Bytes(std::uint64_t{sectors} * shape_.sector_bytes); }
  static DataBuffer recycled(std::vector<DataBuffer>& pool, DramAddress address, std::uint32_t sectors, SectorShape shape);

  Executor& executor_;
  DramLink& link_;
  SectorShape shape_;
  Bytes capacity_;
  Bytes host_capacity_;
  Bytes staging_capacity_;
  Bytes used_;
  std::string missing_;    ///< what the first reservation that did not fit lacked
  bool complete_ = false;  ///< check_capacity() was passed: nothing more may be missing
  std::array<Bytes, memory_categories> reserved_{};
  std::vector<std::unique_ptr<std::byte[], void (*)(void*)>> backing_;
  std::vector<Dumped> dumped_;
  std::size_t next_dumped_ = 0;
  Bytes dumped_bytes_;
  std::uint64_t torn_dumps_found_ = 0;
  FaultListener* listener_ = nullptr;

  DramAddress host_base_;
  DramAddress staging_base_;
  std::uint64_t host_cursor_ = 0;  // next-fit addresses: they decide rows and banks, the counters decide capacity
  std::uint64_t staging_cursor_ = 0;
  TimeWeighted host_in_use_;
  TimeWeighted staging_in_use_;
  std::vector<DataBuffer> free_buffers_;
};

}  // namespace tessera
