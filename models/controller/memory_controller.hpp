#pragma once
// The firmware's memory, DRAM and TCM: reserves regions against the real capacities, prices accesses on the CPU's timeline, and lends
// staging buffers. What is reserved as dumped survives a power cut as the dump engine's image does.
//
// Where the DRAM can fail, a sector of a buffer that it cannot read is marked as lost there. A table that it cannot read is no table any
// more: the firmware is to be restarted.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/extent_allocator.hpp"
#include "base/fault_listener.hpp"
#include "base/metrics.hpp"
#include "base/state_stream.hpp"
#include "base/timeline.hpp"
#include "bus/interconnect.hpp"
#include "controller/controller_config.hpp"
#include "controller/cpu_cache.hpp"
#include "controller/device_links.hpp"
#include "controller/executor.hpp"
#include "controller/memory_space.hpp"
#include "controller/tcm.hpp"
#include "firmware/ports/memory_placement.hpp"

namespace tessera {

/// What the firmware's memory is made of.
struct MemoryMap {
  Bytes dram;
  Bytes host_buffer;  ///< kept for the host interface's data, reserved before what the firmware asks for
  MemoryPlacement placement;
  Bytes image{};          ///< at the DRAM's begin: a firmware image and what the drive tells it
  Bytes image_in_tcm{};   ///< at the TCM's begin: what of the image lies there
  bool tcm_by_address{};  ///< firmware reaches the TCM by address, so that its bytes exist
};

class MemoryController final : public MemoryPort, public BufferGuard, private TimelineListener {
 public:
  MemoryController(Executor& executor, CpuLink& cpu, DramLink& link, Interconnect& bus, SectorShape shape, const MemoryMap& map,
                   const ControllerConfig& config);

  /// The firmware is loaded and has reserved what it needs: InputError where that is more than there is.
  void check_capacity();
  /// What was asked for of the placement and moves nothing: a sentence each, without its full stop.
  [[nodiscard]] std::vector<std::string> placement_notes() const;

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

  /// Makes `buffer` that at `place` of the host's region, for a command in hand, whose own that place is (models/host).
  void acquire_host(DataBuffer& buffer, std::uint64_t place, std::uint32_t sectors);
  void release_host(const DataBuffer& buffer);
  /// Sectors in buffers that the DRAM's code could not correct, since the drive was made.
  [[nodiscard]] std::uint64_t lost_sectors() const { return lost_sectors_; }
  /// DMA of `count` blocks from block `first` on of a buffer of the host's region, which have come over the link during the `carrying` that
  /// ends at `at`; gives its end.
  Picoseconds from_host(const DataBuffer& buffer, std::uint32_t first, std::uint32_t count, Picoseconds carrying, Picoseconds at);
  struct Fetched {
    Picoseconds ready;  ///< from here on the link need not wait for the data
    bool good = true;   ///< all of it could be read
  };
  /// And back to the link, which carries them in `carrying`.
  [[nodiscard]] Fetched to_host(DataBuffer& buffer, std::uint32_t first, std::uint32_t count, Picoseconds carrying, Picoseconds at);

  [[nodiscard]] Bytes bytes_of(std::uint32_t sectors) const { return Bytes(std::uint64_t{sectors} * shape_.sector_bytes); }
  [[nodiscard]] std::uint32_t sectors_of(Bytes size) const { return static_cast<std::uint32_t>(size.value() / shape_.sector_bytes); }
  [[nodiscard]] DramAddress address_of(const DataSpan& span) const { return span.buffer->address() + bytes_of(span.first).value(); }
  /// Of bytes of a region; those that lie in none are taken to lie in the staging buffer.
  [[nodiscard]] DramAddress address_of(std::span<const std::byte> bytes) const;
  [[nodiscard]] bool in_tcm(MemoryCategory category) const { return placement_.in_tcm(category); }
  [[nodiscard]] Tcm& tcm() { return tcm_; }
  [[nodiscard]] DramAddress staging() const { return staging_base_; }

  /// Who moves the extents of devices in bursts; null: nobody. dma() then gives the bus's part of these alone.
  [[nodiscard]] ExtentTraffic* traffic() const { return direct_.open() ? nullptr : link_.traffic(); }
  /// Has it move one. Gives its number; 0 where there is nothing to move, or not in the DRAM.
  std::uint64_t send(const DmaExtent& extent) const;
  /// Of the last that came from the host or went there.
  [[nodiscard]] std::uint64_t host_extent() const { return host_extent_; }
  /// See ExtentTraffic::done().
  [[nodiscard]] bool host_done(std::uint64_t number, TimelineListener& listener, std::uint64_t argument, Picoseconds earliest) const {
    ExtentTraffic* const traffic = this->traffic();
    return traffic == nullptr || traffic->done(BusInitiator::host, number, listener, argument, earliest);
  }

  /// An extent of a DMA engine. The TCM is reached over the bus alone.
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds at);

  /// Everything volatile is gone; the dumped regions wait to be reserved again, in the same order.
  void power_off();

  /// The DRAM can fail. `restart` is called at the instant at which an access to a table met what ECC could not correct, and not again
  /// before the next power_off().
  void expect_errors(Timeline& timeline, std::function<void()> restart);
  /// From the link, in the midst of an access: ECC could not correct these bytes.
  void uncorrectable(DramAddress address, Bytes size);
  /// Whether the firmware is to be restarted because of a table.
  [[nodiscard]] bool table_failed() const { return table_failed_; }
  /// The CPU is held in reset: it asks for nothing more.
  void halt();

  // BufferGuard
  void fetched(const DataSpan& data) override;
  void stored(const DataSpan& data) override;

  /// Of the regions that the dump engine must be able to save, each from the begin of a piece of `dump_piece` on.
  [[nodiscard]] Bytes dumped_bytes() const { return dumped_bytes_; }
  static constexpr Bytes dump_piece{4096};

  /// After power_off(): the dump saved the first `pieces` of what it saves, tables first, then buffers, each in the order of reservation.
  /// The others are gone, and their regions are torn until the next dump. Gives whether a buffer of written data lost some.
  bool dumped(std::uint64_t pieces);
  /// The images of the dumped regions, after power_off() and dumped() (memory_state.cpp).
  void save_state(StateWriter& out) const;
  /// Before the first reservation.
  void load_state(StateReader& in);
  /// Told of data that bit errors took, and of data that a dump lost although it lay in no buffer of the host's writes, but was taken from
  /// where it was durable; null for nobody.
  void set_fault_listener(FaultListener* listener) { listener_ = listener; }
  [[nodiscard]] Bytes reserved(MemoryCategory category) const { return dram_.reserved(category) + tcm_.reserved(category); }
  void report(MetricSet& metrics, Picoseconds now) const;
  /// As TimeWeighted::rest().
  void rest(Picoseconds by) {
    host_in_use_.rest(by);
    staging_in_use_.rest(by);
  }
  [[nodiscard]] SignalScope& signals() { return signals_; }

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

  void set_level(TimeWeighted& in_use, Signal level, std::uint64_t bytes);
  void access_now(DramAddress address, std::uint32_t bytes, Access access);
  DramAddress allocate(MemoryCategory category, Bytes size, std::string_view what);
  [[nodiscard]] std::span<std::byte> shown_bytes(DramAddress address, Bytes size);
  void move(DramAddress address, Bytes bytes, Access access);
  void reserve_host_buffers();
  [[nodiscard]] static std::uint64_t pieces_of(Bytes size);
  void lose_behind(Dumped& region, Bytes saved);
  Dumped& next_dumped(MemoryCategory category, Bytes size, std::string_view what);
  DmaGrant read_out(const DataSpan& data, const DmaTransfer& transfer, Picoseconds at);
  void check_merge(const DataSpan& sector, const DataSpan& old, std::uint32_t first, std::uint32_t count);
  void lose(DataBuffer& buffer, std::uint32_t sector);
  void fail_table();
  void save_dumped();
  void on_time(std::uint64_t argument) override;
  void report_errors(MetricSet& metrics) const;
  static DataBuffer recycled(std::vector<DataBuffer>& pool, DramAddress address, std::uint32_t sectors, SectorShape shape);

  SignalScope signals_;
  Signal host_level_ = signals_.level("host_buffer_bytes", 40);
  Signal staging_level_ = signals_.level("staging_bytes", 40);

  Executor& executor_;
  CpuLink& cpu_;
  MemoryPath direct_;  // past cpu_ and link_, where it is open
  DramLink& link_;
  Interconnect& bus_;
  SectorShape shape_;
  MemoryPlacement placement_;
  MemorySpace dram_;
  Tcm tcm_;
  std::optional<CpuCache> cache_;  // of data
  Bytes image_size_;
  Bytes image_in_tcm_;
  Bytes host_capacity_;
  Bytes staging_capacity_;
  struct Backing {
    std::unique_ptr<std::byte[], void (*)(void*)> bytes;
    Bytes size;
    DramAddress address;
  };
  std::vector<Backing> backing_;
  std::vector<Dumped> dumped_;
  std::size_t next_dumped_ = 0;
  Bytes dumped_bytes_;
  std::uint64_t torn_dumps_found_ = 0;
  FaultListener* listener_ = nullptr;

  DramAddress host_base_;
  DramAddress staging_base_;
  ExtentAllocator staging_;
  TimeWeighted host_in_use_;
  TimeWeighted staging_in_use_;
  std::vector<DataBuffer> free_buffers_;

  Timeline* timeline_ = nullptr;  // of a DRAM that can fail
  std::function<void()> restart_;
  DataSpan in_hand_;        // that is being read out of a buffer; null: a table is
  bool overflows_ = false;  // something lies behind the end of DRAM or TCM: refused once all is reserved
  bool table_failed_ = false;
  std::uint64_t lost_sectors_ = 0;
  std::uint64_t host_extent_ = 0;
};

}  // namespace tessera
