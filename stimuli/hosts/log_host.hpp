#pragma once
// A log-structured host: writes go out of place, in records, to the zone that is open for them, and the map in host memory says where each
// sector is. Zones are cleaned when free ones run low.
//
// A record is a header sector, which names the sectors after it and what was trimmed, and their data: one write to the drive. So all that
// is on the drive explains itself, and what is needed after a power cut is a checkpoint of the map and the headers written since. Records
// are numbered as they are formed, and the map then names their places; until a record is on the drive its sectors are read from memory.
// A zone is reset when everything that was formed until then is on the drive: what replaced its data cannot be lost any more. A drive with
// a volatile cache has a record for good once it has flushed: a FLUSH ends FUA and each checkpoint, and comes before each reset.
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "stimuli/hosts/application_side.hpp"
#include "stimuli/hosts/drive_commands.hpp"
#include "stimuli/hosts/host_progress.hpp"
#include "stimuli/hosts/host_requests.hpp"
#include "stimuli/hosts/log_zones.hpp"
#include "stimuli/hosts/sector_buffer.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

class LogHost final : public TranslatingHost, private TimelineListener {
 public:
  /// `layout` from plan_log() of the same configuration and drive.
  LogHost(const LogHostConfig& config, const HostCpuConfig& cpu, const DriveZones& drive, const LogLayout& layout, Timeline& timeline,
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

  [[nodiscard]] const LogZones& zones() const { return zones_; }

 private:
  enum Stream : std::size_t { application, cleaner, streams };

  /// A request of the application, by tag.
  struct Request {
    HostRequest* request = nullptr;
    std::uint32_t open = 0;   ///< commands, or sectors that are not on the drive, that it waits for
    LogSector next = 0;       ///< of a write: the first sector that is not in the buffer
    LogPlace edge = nowhere;  ///< of a write: place that `edge_content` was read from
    std::vector<std::byte> edge_content;
    bool edge_pending = false;
    bool all_in = false;  ///< of a write: its sectors are in the buffer
    Picoseconds stalled;  ///< stalled_time() at its arrival
    Status status = Status::ok;
  };
  /// Or a write with FUA to a drive with a volatile cache.
  struct Flush {
    std::uint32_t tag = 0;
    std::uint64_t order = 0;                ///< of the buffer, at its arrival
    std::optional<std::uint64_t> sequence;  ///< of the last record that holds such data, once all is formed
  };
  struct Trim {
    TrimmedRun run;
    std::vector<std::uint32_t> waiters;  ///< tags of writes that end when their data is on the drive, of which it took some
  };
  struct Piece {
    HostRun blocks;
    std::uint32_t offset = 0;  ///< in the request's blocks
    std::uint32_t zone = 0;
  };
  /// Sectors that have no place any more, as a header says.
  struct Gone {
    std::vector<TrimmedRun> trims;
    std::vector<LogSector> lost;
  };
  struct Moved {
    LogSector sector = 0;
    LogPlace from = 0;
    std::vector<std::byte> content;
  };
  struct Cleaning {
    std::optional<std::uint32_t> zone;
    std::uint32_t next = 0;  ///< sector of the zone, where the search for live ones goes on
    std::uint32_t reads = 0;
    std::deque<Moved> read;
    std::optional<std::uint64_t> barrier;  ///< all that is live is moved: the zone is reset once records up to this are on the drive
    std::uint64_t trims = 0;               ///< and once a checkpoint knows of that many TRIMs
    bool resetting = false;
    std::vector<Moved> lost;  ///< live in it, and not to be read
    bool in_idle_time = false;
    Picoseconds begin;
  };
  struct Checkpoint {
    bool running = false;
    bool begun = false;          ///< its area is being overwritten
    std::uint64_t sequence = 0;  ///< what records up to this say is in it
    std::uint64_t trims = 0;     ///< that it knows of
    LogMap map;
    std::uint64_t sent = 0;       ///< sectors of the image
    std::uint32_t under_way = 0;  ///< writes and resets
    std::function<void()> then;
  };
  struct Image {
    bool valid = false;
    std::uint64_t sequence = 0;
    LogMap map;
  };
  struct RecoveryRead {
    HostRun blocks;
    std::uint64_t tag = 0;  ///< of a header; 0: of something else
    bool may_fail = false;  ///< it was being written when the power failed
  };
  struct Recovery {
    std::function<void(Status)> done;
    Picoseconds begin;
    std::deque<RecoveryRead> reads;
    std::function<void()> then;  ///< once they are done
    std::uint32_t zone = 0;      ///< whose end is looked at
    std::uint32_t image = 0;     ///< the newest that is valid
  };
  struct Counts {
    HostCounts host;
    std::uint64_t absorbed = 0, data = 0, copies = 0, headers = 0, checkpoint_sectors = 0, checkpoints = 0, in_memory = 0, replayed = 0,
                  lost = 0;
  };

  void on_time(std::uint64_t argument) override;
  void proceed();
  void stop_writing();
  void end_recovery();

  // log_host.cpp: the application's requests
  void read(Request& request);
  void read_piece(std::uint32_t tag, const Piece& piece);
  void write(Request& request);
  void trim(Request& request);
  void flush(Request& request);
  void admit_writes();
  [[nodiscard]] bool admit(Request& request);
  [[nodiscard]] bool edge_known(Request& request, LogSector sector);
  void finish(Request& request, Status status, const RequestLife* life = nullptr);

  // log_host_records.cpp: what goes to the drive
  void write_records();
  [[nodiscard]] bool wants_to_write();
  [[nodiscard]] bool write_record();
  [[nodiscard]] bool room_in(Stream stream);
  void send_record(Stream stream, std::span<const LogSector> sectors, std::vector<std::byte> content, Gone gone,
                   std::vector<std::uint32_t> waiters, Picoseconds youngest);
  void record_written(std::uint64_t sequence, Stream stream, std::span<const LogSector> sectors, std::span<const std::uint32_t> waiters,
                      const HostRequest& command);
  void end_write(Request& entry, const RequestLife* life = nullptr);
  void check_flushes();
  [[nodiscard]] bool on_drive(std::uint64_t sequence) const { return under_way_.empty() || *under_way_.begin() > sequence; }
  [[nodiscard]] Picoseconds stalled_time() const { return stalled_.time(timeline_.now()); }

  // log_host_cleaner.cpp
  void clean();
  [[nodiscard]] bool must_clean() const { return zones_.free_zones() < config_.clean_below; }
  [[nodiscard]] bool pays_in_idle_time(std::uint32_t zone) const;
  void read_live();
  void read_of(std::uint32_t zone, std::uint32_t first, std::uint32_t sectors);
  void live_read(std::uint32_t zone, std::uint32_t first, HostRequest& command);
  void move_live();
  void reset_cleaned();
  [[nodiscard]] std::vector<LogSector> take_lost();

  // log_host_checkpoint.cpp
  void checkpoint_if_due();
  void begin_checkpoint(std::function<void()> then);
  void write_checkpoint();
  void end_checkpoint();

  // log_host_recovery.cpp
  void zones_reported(const HostRequest& report);
  void read_next_of_recovery();
  void verify_ends();
  void look_for_end(std::uint32_t sectors);
  void rebuild();
  [[nodiscard]] std::uint64_t header_tag(std::uint64_t sequence) const;

  [[nodiscard]] HostRun drive_blocks(std::uint64_t place, std::uint32_t sectors) const;
  [[nodiscard]] HostRun area_blocks(std::uint32_t area, std::uint64_t sector, std::uint32_t sectors) const;

  LogHostConfig config_;
  HostCpuConfig cpu_cost_;
  DriveZones drive_;
  SectorView view_;
  LogLayout layout_;
  Timeline& timeline_;
  DriveCommands commands_;
  ApplicationSide application_;
  LogZones zones_;
  SectorBuffer buffer_;
  std::uint64_t dirty_limit_;

  std::vector<Request> requests_;     // by tag
  std::deque<std::uint32_t> writes_;  // tags, in order of arrival: what is not all in the buffer
  std::deque<Flush> flushes_;
  std::deque<Trim> trims_;    // that no record holds yet
  std::uint64_t forced_ = 0;  // data that became dirty until then is written at once
  bool trims_forced_ = false;

  std::optional<std::uint32_t> open_[streams];
  std::uint32_t in_flight_[streams] = {};  // records
  std::uint64_t sequence_ = 0;             // of the last record formed
  std::uint64_t durable_record_ = 0;       // a FLUSH of the drive came after it and all before it
  std::set<std::uint64_t> under_way_;      // records

  Cleaning cleaning_;
  Checkpoint checkpoint_;
  Image images_[2];
  std::uint32_t next_area_ = 1;
  std::uint64_t since_checkpoint_ = 0;  // sectors
  std::uint64_t all_trims_ = 0;
  std::uint64_t kept_trims_ = 0;  // of these, that a valid checkpoint knows of
  std::unique_ptr<Recovery> recovery_;

  bool ended_ = false;
  bool dirty_alarm_ = false;
  Rounds rounds_;
  StallClock stalled_;
  std::uint32_t least_free_;
  HostCpu cpu_;
  Counts counts_;
};

}  // namespace tessera
