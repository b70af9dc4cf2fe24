#pragma once
// A host that translates by chunks, as the Linux device-mapper target dm-zoned does (drivers/md/dm-zoned-*.c; its laws, none of its code).
//
// The application's space is cut into chunks of a zone. A chunk lies in a data zone; what cannot be written there goes to the same place of
// a conventional zone, its buffer. Bitmaps say where each sector's newest data is. Reclaim makes conventional zones free again.
//
// The metadata on the drive is older than the tables in memory, and counts after a power cut. So it never names a sector that is not on
// the drive yet, and a zone that it may still name is neither reset nor written for another chunk: such zones are released by the flush of
// metadata after they were freed.
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "stimuli/hosts/application_side.hpp"
#include "stimuli/hosts/dmz_tables.hpp"
#include "stimuli/hosts/drive_commands.hpp"
#include "stimuli/hosts/host_progress.hpp"
#include "stimuli/hosts/host_requests.hpp"

namespace tessera {

class DmzHost final : public TranslatingHost, private TimelineListener {
 public:
  /// `layout` from plan_dmz() of the same configuration and drive.
  DmzHost(const DmzHostConfig& config, const HostCpuConfig& cpu, const DriveZones& drive, const DmzLayout& layout, Timeline& timeline,
          HostLink& link);

  void set_receiver(std::function<void(HostRequest&)> receiver) override { application_.set_receiver(std::move(receiver)); }
  void issue(HostRequest& request) override;
  void abort(HostRequest& request) override;
  void power_lost() override;
  [[nodiscard]] std::uint64_t user_sectors() const override { return layout_.user_sectors; }
  [[nodiscard]] std::uint64_t prefill(std::uint64_t sectors) override;
  void recover(std::function<void(Status)> recovered) override;
  void completed(HostRequest& command) override { commands_.completed(command); }
  void application_ended() override { ended_ = true; }
  [[nodiscard]] bool idle() const override;
  void report(MetricSet& metrics) const override;

  [[nodiscard]] const DmzTables& tables() const { return tables_; }

 private:
  enum class Reclaiming : std::uint8_t {
    append,  ///< what the buffer holds, to the data zone's write pointer
    merge,   ///< what the data zone holds, into the buffer, which becomes the data zone
    move     ///< what a conventional data zone holds, to a free sequential zone
  };

  /// A request of the application, by tag.
  struct Request {
    HostRequest* request = nullptr;
    std::uint32_t open = 0;           ///< commands or parts that it waits for
    bool divided = false;             ///< of a write or TRIM: it waits for parts
    std::vector<std::byte> edges[2];  ///< of a write: content of its first and last sector, where it names a part of them
    Picoseconds held_up;              ///< its parts waited for reclaim
    Status status = Status::ok;
  };
  /// Of a write or TRIM, what falls into one chunk.
  struct Part {
    std::uint32_t tag = 0;
    std::uint32_t chunk = 0;
    DmzRun run;  ///< sectors of the chunk
    std::optional<Picoseconds> waiting_since;
  };
  struct Piece {
    HostRun blocks;
    std::uint32_t offset = 0;  ///< in the request's blocks
    std::uint32_t zone = 0;
  };
  struct Copy {
    DmzRun run;
    bool read = false;
    bool lost = false;  ///< it could not be read
    std::vector<std::byte> content;
  };
  struct Reclaim {
    bool active = false;
    bool begun = false;  ///< the chunk's writes have ended, and what is to be copied is known
    Reclaiming kind = Reclaiming::append;
    std::uint32_t chunk = 0;
    std::uint32_t source = 0;
    std::uint32_t target = 0;
    std::uint32_t next = 0;  ///< sector of the source
    std::list<Copy> copies;  ///< in the order of their places
    std::uint32_t writes = 0;
    std::vector<std::uint32_t> lost;  ///< sectors of the chunk
    bool flushing = false;            ///< all is copied, and the metadata is to say so
    bool in_idle_time = false;
    Picoseconds begin;
  };
  struct Flush {
    bool running = false;
    std::vector<std::uint32_t> tags;   ///< requests that wait for it
    std::vector<std::uint32_t> freed;  ///< zones that it releases
    bool of_reclaim = false;
    DmzSnapshot changes;
    std::uint32_t under_way = 0;  ///< writes
  };
  struct Set {
    bool valid = true;
    std::uint64_t generation = 0;
  };
  /// Of a set of metadata.
  struct RecoveryRead {
    std::uint32_t set = 0;
    DmzRun run;
    bool may_fail = false;  ///< it was perhaps being written when the power failed
  };
  struct Recovery {
    std::function<void(Status)> done;
    Picoseconds begin;
    std::vector<std::uint32_t> pointers;
    std::deque<RecoveryRead> reads;
    std::uint32_t from = 0;            ///< the set that counts
    std::deque<std::uint32_t> unread;  ///< its sectors that the other one had
  };
  struct Counts {
    HostCounts host;
    std::uint64_t direct = 0, buffered = 0, moved = 0, gaps = 0, metadata = 0, flushes = 0, lost = 0;
    std::uint64_t reclaims[3] = {};
  };

  void on_time(std::uint64_t argument) override;
  void proceed();
  void stop_writing();
  void end_recovery();

  // dmz_host.cpp: the application's requests
  void read(Request& entry);
  void change(Request& entry);
  [[nodiscard]] bool overlaps(std::uint32_t tag, std::uint32_t other) const;
  void begin_changes();
  void begin_change(Request& entry);
  void read_edge(Request& entry, std::uint64_t sector, std::size_t side);
  void divide(Request& entry);
  void changed(Request& entry, const RequestLife* life);
  void finish(Request& entry, Status status, const RequestLife* life = nullptr);

  // dmz_writes.cpp: where they go
  void run_parts();
  [[nodiscard]] bool run(Part& part);
  [[nodiscard]] std::optional<std::uint32_t> target_of(const Part& part);
  void trim(const Part& part);
  [[nodiscard]] std::vector<std::byte> content_of(const Part& part) const;
  void written(const Part& part, std::uint32_t zone, const HostRequest& command);
  void tidy(std::uint32_t chunk);
  void touch(std::uint32_t chunk);
  void set_freed(std::uint32_t zone);
  void release_zones();
  [[nodiscard]] Picoseconds stalled_time() const { return stalled_.time(timeline_.now()); }

  // dmz_reclaim.cpp
  void reclaim();
  [[nodiscard]] bool must_reclaim();
  [[nodiscard]] std::optional<std::uint32_t> choose_chunk() const;
  [[nodiscard]] bool begin_reclaim();
  void copy_reads();
  void send_copy_read(std::list<Copy>::iterator copy);
  void copy_writes();
  void send_copy(DmzRun run, std::vector<std::byte> content);
  void end_copies();

  // dmz_metadata.cpp
  void flush_if_asked();
  [[nodiscard]] std::uint32_t piece_of_set(std::uint32_t from, std::uint32_t most) const;
  void write_changes(std::uint32_t set, std::uint64_t generation, DriveCommands::Done then);
  void write_superblock(std::uint32_t set, std::uint64_t generation, DriveCommands::Done then);
  void end_flush(const RequestLife& life);
  /// What marks a sector as the superblock of this generation: no block of the application has such a tag.
  [[nodiscard]] static std::uint64_t superblock_tag(std::uint64_t generation) { return std::uint64_t{1} << 61 | generation; }

  // dmz_recovery.cpp
  void zones_reported(const HostRequest& report);
  void read_next_of_recovery();
  void mend_set();
  void rewrite_set(std::uint32_t at);

  [[nodiscard]] HostRun zone_blocks(std::uint32_t zone, DmzRun run) const;
  [[nodiscard]] HostRun set_blocks(std::uint32_t set, DmzRun run) const { return zone_blocks(set * layout_.set_zones, run); }

  DmzHostConfig config_;
  HostCpuConfig cpu_cost_;
  DriveZones drive_;
  SectorView view_;
  DmzLayout layout_;
  Timeline& timeline_;
  DriveCommands commands_;
  ApplicationSide application_;
  DmzTables tables_;

  std::vector<Request> requests_;              // by tag
  std::vector<std::uint32_t> changing_;        // tags of writes and TRIMs that have begun: no two of them meet
  std::deque<std::uint32_t> waiting_;          // and of those that meet one before them, in order of arrival
  std::deque<Part> parts_;                     // that wait for a zone or for reclaim, in order
  std::vector<std::uint32_t> writes_;          // under way, by chunk
  std::vector<std::uint32_t> freed_;           // zones since the last flush
  std::vector<std::uint32_t> released_;        // zones that no metadata names, until they are read and reset
  std::vector<std::uint32_t> wait_for_flush_;  // tags

  Reclaim reclaim_;
  bool reclaiming_low_ = false;
  Flush flush_;
  bool flush_wanted_ = false;
  Set sets_[2];
  std::uint64_t stored_ = 0;  // generation of the image in the tables
  std::unique_ptr<Recovery> recovery_;

  bool ended_ = false;
  bool flush_alarm_ = false;
  Rounds rounds_;
  StallClock stalled_;
  std::uint32_t least_free_;
  HostCpu cpu_;
  Counts counts_;
};

}  // namespace tessera
