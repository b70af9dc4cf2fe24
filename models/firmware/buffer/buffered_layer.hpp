#pragma once
// A translation layer behind the write buffer and the read cache of the HWSR paper. It splits host requests into blocks, serves
// what the caches hold, acknowledges by the durability rule, and picks what is written back. What a layer adds is where
// sectors lie: it reads sectors of segments, and writes back the dirty ones of a segment.
//
// A block is in the write buffer or in the read cache, never in both. Order of locks: turn of the write-backs, then segments.
//
// A write-back that fails sets its blocks aside: they stay readable, others leave the buffer before them, and no background work tries
// them again until the host writes them, asks for a FLUSH, or the drive boots. Where only they could make room for the host they are
// tried once more, and leave as lost if the layer is sure that nobody can read older data in their place (loses_alone()).
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/metrics.hpp"
#include "firmware/buffer/buffer_config.hpp"
#include "firmware/buffer/flash_areas.hpp"
#include "firmware/buffer/flash_journal.hpp"
#include "firmware/buffer/mem_buffer.hpp"
#include "firmware/buffer/ssd_read_cache.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/tables/scratch_pool.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

/// Dirty sectors of one segment on their way to the disk.
struct Destage {
  std::uint64_t segment = 0;
  /// Sectors that are dirty, by block of the segment.
  std::span<const SectorMask> dirty;
  /// The whole segment, block after block: dirty sectors are in place, the others are for the layer to fill. A copy: host writes
  /// that come meanwhile do not change it.
  DataSpan image;
  MediaClass priority = MediaClass::dependent;
};

/// Sectors of one segment to be read from the disk.
struct SegmentRead {
  LogicalRun run;
  DataSpan data;
};

class BufferedLayer : public TranslationLayer {
 public:
  /// `segment_blocks`: T; `segments`: of the user space. Flash may be absent where the configuration needs none.
  BufferedLayer(const Ports& ports, const BufferConfig& config, std::uint32_t segment_blocks, std::uint64_t segments, ReadOrder read_order);

  [[nodiscard]] std::uint64_t user_sectors() const final { return segments_ * address_.segment_sectors(); }
  Task<Status> format() final;
  Task<Status> recover() final;
  Task<Status> read(LogicalRun run, DataSpan data) final;
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) final;
  Task<Status> flush() final;
  Task<Status> trim(LogicalRun run) final;
  void start_background() final;
  [[nodiscard]] bool idle() const final { return (buffer_.only_set_aside() || read_only_) && !filling(); }

  [[nodiscard]] const BlockAddress& address() const { return address_; }
  [[nodiscard]] const MemBuffer& buffer() const { return buffer_; }

 protected:
  /// First boot and boot after a power cut, before any of the calls below.
  [[nodiscard]] virtual Task<Status> format_media() = 0;
  [[nodiscard]] virtual Task<Status> recover_media() = 0;
  /// Reads from the disk, in whatever order suits it; `reads` are in ascending order, more than one only with ReadOrder::track or where a
  /// cache has what lies between them. Their segments are locked.
  [[nodiscard]] virtual Task<Status> read_media(std::span<const SegmentRead> reads) = 0;
  /// Makes the dirty sectors of a segment durable on the disk. The segment is locked; one write-back at a time.
  [[nodiscard]] virtual Task<Status> write_back(const Destage& destage) = 0;
  /// Whether a write_back() that failed so has written every dirty sector that can be written, and left the others unreadable on the disk.
  [[nodiscard]] virtual bool loses_alone(Status) const { return false; }
  /// The host no longer needs these whole blocks of a segment, a bit each; the segment is locked. The write buffer has none.
  [[nodiscard]] virtual Task<Status> trim_media(std::uint64_t segment, std::uint64_t blocks) = 0;
  /// Boot after a power cut: the last image that was given to guard(); it may be on the disk already, in part or whole.
  [[nodiscard]] virtual Task<Status> replay_rewrite(std::uint64_t first, DataSpan image) = 0;

  /// To be awaited before the first media write of a rewrite that destroys what it replaces: makes `image`, numbered from `first`
  /// as the layer likes, durable until the next one is. At most a segment. Does nothing where crash safety is off.
  /// `image` is part of Destage::image.
  [[nodiscard]] Task<Status> guard(std::uint64_t first, DataSpan image);

  /// Statistics of the caches. `paper_metadata_bytes`: of the layer's own tables by its paper's account; `actual`: as they are.
  void report_buffer(MetricSet& metrics, Bytes paper_metadata_bytes, Bytes actual) const;

  Ports ports_;
  BufferConfig config_;

 private:
  /// Blocks of one segment that missed, read from the disk, on their way into the read cache.
  struct Fill {
    DataBuffer data;
    enum class State : std::uint8_t { free, reading, ready } state = State::free;
    std::uint64_t first_block = 0;
    std::uint32_t blocks = 0;
    std::uint64_t wanted = 0;  ///< a bit a block: not written since the reading began
  };

  /// What a read misses in both caches.
  struct Misses {
    std::vector<SegmentRead> wanted;  ///< by the host
    std::vector<SegmentRead> read;    ///< the same, or the whole blocks around it
    std::vector<Fill*> fills;         ///< where whole blocks go, or null
    void clear() {
      wanted.clear();
      read.clear();
      fills.clear();
    }
  };

  /// The part of the image that is being written to the disk; none where `count` is 0.
  struct Guarded {
    std::uint64_t first;  ///< as guard() was told
    std::uint32_t offset;
    std::uint32_t count;
  };

  // Reads (buffered_reads.cpp)
  Task<void> read_caches(LogicalRun run, DataSpan data, Misses& misses);
  Task<bool> read_held(const BlockRun& piece, DataSpan data);
  Task<Status> read_disk(Misses& misses);
  Task<Status> read_needed(const SegmentRead& miss);
  void add_miss(const BlockRun& piece, DataSpan data, Misses& misses) const;
  void begin_fills(Misses& misses);
  void end_fills(const Misses& misses, bool good);
  [[nodiscard]] std::vector<LogicalRun> not_buffered(LogicalRun run) const;
  void copy_buffered(LogicalRun run, DataSpan data);
  [[nodiscard]] SectorMask left_in_journal(const BlockRun& piece) const;
  Task<Status> read_left_in_journal(LogicalRun run, DataSpan data);
  Task<void> fill_loop();
  [[nodiscard]] Fill* begin_fill(LogicalRun run);
  void invalidate(std::uint64_t block);
  [[nodiscard]] bool filling() const;

  // Writes (buffered_layer.cpp)
  Task<Status> write_block(const BlockRun& piece, DataSpan data);
  Task<Status> journal_write(LogicalRun run, DataSpan data);
  Task<Status> make_journal_room(std::uint32_t pages);
  Task<Status> release_set_aside(std::uint64_t segment);

  // Write-backs (buffered_write_back.cpp)
  Task<Status> write_back_segment(std::uint64_t segment, MediaClass priority);
  Task<Status> write_back_until(std::uint64_t sequence);
  Task<Status> evict_above(std::uint32_t blocks, MediaClass priority);
  Task<void> keep_free();
  Task<Status> destage(std::uint64_t segment, MediaClass priority);
  Task<Status> destage_or_lose(std::uint64_t segment, MediaClass priority);
  void release_journal();
  Task<void> watch_idle();
  Task<void> look_later();
  [[nodiscard]] bool host_idle() const;

  // Boot (buffered_recovery.cpp)
  Task<Status> replay_last_rewrite();
  Task<Status> replay_rewrite_of(std::vector<FlashJournal::Record>& records);
  Task<Status> replay_dumped_rewrite();
  Task<Status> replay_journal();

  BlockAddress address_;
  std::uint64_t segments_;
  ReadOrder read_order_;
  std::optional<FlashAreas> areas_;
  SegmentTable table_;
  MemBuffer buffer_;
  std::optional<SsdReadCache> cache_;
  std::optional<FlashJournal> rewrites_;
  std::optional<FlashJournal> journal_;
  SectorLocks segment_locks_;
  FifoMutex turns_;  // of write-backs
  WaitQueue filled_;
  WaitQueue activity_;
  std::vector<Fill> fills_;
  DataBuffer own_image_;
  DataBuffer* image_ = &own_image_;            // of the segment that is written back
  std::optional<DramArray<Guarded>> guarded_;  // one, where the guard is the dump
  ScratchPool<Misses> misses_;
  std::vector<SectorMask> dirty_;
  std::vector<MemBuffer::Slot> victims_;

  bool read_only_ = false;      // no image can be made durable any more, until the next boot tries it again
  bool loss_untold_ = false;    // blocks were given up, and no FLUSH has failed since
  Status failed_ = Status::ok;  // of the last write-back that failed
  /// By sector: what a boot of such a drive had no room for in the write buffer. Held in the memory of the image, which nothing needs then.
  std::map<std::uint64_t, FlashJournal::Record> left_in_journal_;
  std::uint64_t replayed_to_ = ~std::uint64_t{0};  // of the journal's record that boot has in hand
  std::uint64_t sequence_ = 1;                     // of the next write; the journal's own where there is one

  std::uint64_t writes_ = 0;
  std::uint64_t absorbed_ = 0;
  std::uint64_t given_up_ = 0;  // blocks
  std::uint64_t read_buffer_ = 0;
  std::uint64_t read_flash_ = 0;
  std::uint64_t read_media_ = 0;
  Tally victims_taken_;
  Tally sectors_taken_;
  DurationHistogram cleaning_;
};

}  // namespace tessera
