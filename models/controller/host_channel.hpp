#pragma once
// Host commands inside the controller: buffer, DMA, the firmware task that serves the command, completion.
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/timeline.hpp"
#include "controller/device_links.hpp"
#include "controller/executor.hpp"
#include "controller/memory_controller.hpp"
#include "firmware/firmware_entry.hpp"

namespace tessera {

class HostChannel final : public HostPort, private TimelineListener {
 public:
  HostChannel(Timeline& timeline, Executor& executor, MemoryController& memory, HostLinkUp& link, std::uint32_t tags);

  /// A request arrived over the link at now(), a write's data with it. The firmware must be booted.
  void arrived(HostRequest& request, FirmwareEntry& firmware);

  /// From here on the firmware hears of writes in the order in which they came (host/host_interface.hpp). Otherwise one whose data the
  /// firmware asks for, or is sooner in the DRAM, overtakes others.
  void tell_writes_in_order() { writes_in_order_ = true; }

  /// Tells the firmware that the host gave up a request; one that is not here is not known.
  void abort(const HostRequest& request, FirmwareEntry& firmware);

  // HostPort
  void complete(HostCommand& command, Status status) override;
  void report(HostCommand& command, const ZoneDescriptor& zone) override;
  void fetch(HostCommand& command) override;
  void submit(HostReceipt& receipt) override;
  void begin(HostPiece& piece) override;
  void submit(HostPiece& piece) override;
  [[nodiscard]] std::uint32_t outstanding() const override { return outstanding_; }
  [[nodiscard]] Picoseconds last_activity() const override { return last_activity_; }
  [[nodiscard]] bool write_waiting(LogicalSector first, LogicalSector end, HostTag in_hand) const override;

  /// The command that `life` belongs to; null where it was answered.
  [[nodiscard]] const HostRequest* request_of(const RequestLife* life) const;

  /// Answers nothing more; buffers stay where devices may still need them.
  void halt();
  void power_off();
  [[nodiscard]] bool idle() const { return outstanding_ == 0; }

 private:
  struct Slot {
    HostCommand command;
    HostRequest* request = nullptr;      // null: free
    bool done = false;                   // completed by the firmware, on its way to the host
    bool good = true;                    // all that was read could be fetched from the buffer
    bool fetching = false;               // a write's data that the firmware asked for crosses the link, or has crossed it
    HostReceipt* receipt = nullptr;      // a task that waits for its data
    std::array<HostPiece*, 2> pieces{};  // that cross the link, by half of the buffer
    std::uint64_t extent = 0;            // of what came last, where it is moved in bursts
    FirmwareEntry* firmware = nullptr;   // which serves a write when its data is stored
    std::optional<Picoseconds> ready;    // of a write that is told in order: when it could be
    Picoseconds piece_told;              // when the newest of them has been asked for
  };
  // For tag T: T * alarms + what; of the pieces, what + the half of the buffer.
  enum Alarm : std::uint64_t {
    answer,
    data_wanted,
    data_here,
    fetched,
    piece_wanted,
    piece_fetched = 6,
    piece_crossed = 8,
    write_here = 10,
    alarms = 12
  };

  void on_time(std::uint64_t argument) override;
  void begin_service(Slot& slot, FirmwareEntry& firmware, Picoseconds ready);
  void stored(Slot& slot, Picoseconds ready);
  void post_when_stored(const Slot& slot, Picoseconds at, HostTag tag);
  void post_when_moved(Picoseconds at, std::uint64_t alarm);
  void begin_answer(Slot& slot, HostTag tag);
  void end(Slot& slot);
  void begin_fetch(Slot& slot, HostTag tag);
  void move_piece(Slot& slot, std::uint64_t alarm);
  void carry_piece(Slot& slot, const HostPiece& piece);
  void fetch_piece(Slot& slot, HostPiece& piece);
  void end_piece(HostPiece*& piece);
  void copy_content(Slot& slot, const HostPiece& piece) const;
  [[nodiscard]] std::uint32_t offset_of(const HostPiece& piece) const;
  void fill(Slot& slot, HostRequest& request);
  [[nodiscard]] LogicalRun enclosing(const HostRun& blocks) const;

  Timeline& timeline_;
  Executor& executor_;
  MemoryController& memory_;
  HostLinkUp& link_;
  std::uint32_t blocks_per_sector_;
  std::vector<Slot> slots_;  // by tag
  std::uint32_t outstanding_ = 0;
  bool halted_ = false;
  bool writes_in_order_ = false;
  std::deque<HostTag> untold_writes_;  // in the order in which they came, where they are told in order
  Picoseconds last_write_told_;
  Picoseconds last_activity_;
};

}  // namespace tessera
