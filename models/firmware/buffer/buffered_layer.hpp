#pragma once
// A translation layer behind the write buffer and the read cache of the HWSR paper. It splits host requests into blocks, serves
// what the caches hold, acknowledges by the durability rule, and picks what is written back. The layer below is two functions:
// read sectors, and write back the dirty blocks of one segment.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/metrics.hpp"
#include "firmware/buffer/buffer_config.hpp"
#include "firmware/buffer/flash_journal.hpp"
#include "firmware/buffer/mem_buffer.hpp"
#include "firmware/buffer/ssd_read_cache.hpp"
#include "firmware/shared/range_locks.hpp"
#include "firmware/shared/wait_queue.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// Dirty blocks of one segment on their way to the disk.
struct Destage {
  std::uint64_t segment = 0;
  /// Sectors that are dirty, by block of the segment.
  std::span<const SectorMask> dirty;
  /// The whole segment, block after block: dirty sectors are in place, the others are for the layer to fill. A copy: host
  /// writes that come meanwhile do not change it.
  DataSpan image;
  MediaClass priority = MediaClass::background;
};

class BufferedLayer : public TranslationLayer {
 public:
  /// `segment_blocks`: T. `segments`: of the user space.
  BufferedLayer(const Ports& ports, const BufferConfig& config, std::uint32_t segment_blocks, std::uint64_t segments);

  [[nodiscard]] std::uint64_t user_sectors() const override { return segments_ * address_.segment_sectors(); }
  Task<Status> format() override;
  Task<Status> recover() override;
  Task<Status> read(LogicalRun run, DataSpan data) override;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override;
  Task<Status> flush() override;
  Task<Status> trim(LogicalRun run) override;
  void start_background() override;
  [[nodiscard]] bool idle() const override { return memory_.used() == 0 && !destaging_; }

  [[nodiscard]] const BlockAddress& address() const { return address_; }
  [[nodiscard]] const MemBuffer& memory() const { return memory_; }
  [[nodiscard]] const SsdReadCache& flash_cache() const { return *ssd_; }

 protected:
  // What a layer provides.

  /// First boot and boot after a power cut, before any of the calls below.
  [[nodiscard]] virtual Task<Status> format_media() = 0;
  [[nodiscard]] virtual Task<Status> recover_media() = 0;
  /// Reads sectors of one segment from the disk; the segment is locked. Sectors never written give anything.
  [[nodiscard]] virtual Task<Status> read_media(LogicalRun run, DataSpan data, MediaClass priority) = 0;
  /// Makes the dirty sectors of a segment durable on the disk. The segment is locked; one write-back at a time.
  [[nodiscard]] virtual Task<Status> write_back(const Destage& destage) = 0;
  /// Whole blocks that the host no longer needs, none of them in the write buffer; the segment is locked.
  [[nodiscard]] virtual Task<Status> trim_media(std::uint64_t segment, std::uint64_t blocks) = 0;
  /// A complete image that the journal holds of a rewrite that a cut may have ended; see guard().
  [[nodiscard]] virtual Task<Status> replay_rewrite(std::uint64_t first, DataSpan image) = 0;

  /// Before the first media write of a rewrite that destroys what it replaces: makes `image` durable, numbered `first` as the
  /// layer likes. It is replayed at boot until the next one. Nothing where the configuration does without.
  [[nodiscard]] Task<Status> guard(std::uint64_t first, DataSpan image);

  void report_buffer(MetricSet& metrics) const;

  Ports ports_;
  BufferConfig config_;

 private:
  /// A segment's part that missed, on its way into the read cache.
  struct Fill {
    DataBuffer buffer;
    bool busy = false;
    std::uint64_t first_block = 0;
    std::uint32_t blocks = 0;
    std::uint64_t wanted = 0;  ///< by block: not written since it was read
  };

  Task<Status> read_segment(LogicalRun run, DataSpan data);
  Task<Status> read_disk(LogicalRun run, DataSpan data, bool cacheable);
  void overlay(LogicalRun run, DataSpan data);
  Task<Status> write_segment(LogicalRun run, DataSpan data, std::uint64_t sequence);
  Task<void> fill_loop();
  Task<void> destage_loop();
  Task<void> watch_idle();
  Task<Status> destage_one();
  Task<Status> destage(std::span<const MemBuffer::Slot> victims);
  Task<Status> replay_journal();
  void invalidate(std::uint64_t block);
  [[nodiscard]] Fill* free_fill();
  [[nodiscard]] bool host_idle() const;
  [[nodiscard]] bool destage_wanted() const;

  BlockAddress address_;
  std::uint64_t segments_;
  SegmentTable table_;
  MemBuffer memory_;
  std::unique_ptr<SsdReadCache> ssd_;
  std::unique_ptr<FlashJournal> journal_;
  SectorLocks segment_locks_;
  std::vector<Fill> fills_;
  DataBuffer image_;  ///< of the segment being written back
  std::vector<SectorMask> dirty_;
  std::vector<MemBuffer::Slot> victims_;
  WaitQueue work_;      // of the destage task
  WaitQueue progress_;  // of writers without a slot, and of flushes
  WaitQueue filled_;    // of the fill task
  WaitQueue activity_;  // of watch_idle()

  std::uint64_t sequence_ = 1;
  std::uint64_t flush_target_ = 0;
  std::uint32_t waiting_ = 0;  ///< writers without a slot
  bool destaging_ = false;
  Status deferred_ = Status::ok;  // a write-back failed after the acknowledgement: the next flush says so
};

}  // namespace tessera
