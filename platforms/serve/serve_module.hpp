#pragma once
// A drive that is served by NBD and by the protocol of zones. Everything happens in one entry of the drive's calendar, pump(): it looks at
// the sockets, hands what came in to the drive, and sends what the drive has answered.
//
// Unpaced, simulated time passes only while the drive has something to do for a client; paced, entries of the calendar wait for the clock.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "platforms/drive/drive_module.hpp"
#include "platforms/serve/drive_server.hpp"
#include "platforms/serve/pace.hpp"
#include "platforms/serve/served_content.hpp"
#include "platforms/serve/served_run_module.hpp"
#include "stimuli/player/host_module.hpp"
#include "stimuli/player/lun_queues.hpp"

namespace tessera {

struct ServedFigures {
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  std::uint64_t refused = 0;  ///< by the rules of zones
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t power_cuts = 0;
};

class ServeModule : public sc_core::sc_module, private TimelineListener, private PowerOwner {
 public:
  /// `image`: the file that content comes from and is kept in; "" for none. `restored`: the drive has loaded a state; it boots as after a
  /// power cut, and what of it was ever written is not known.
  ServeModule(sc_core::sc_module_name name, DriveModule& drive, DriveServer& server, const Pace& pace, std::filesystem::path image,
              bool restored);

  /// Whether the drive is to be shut down at the end, and who is called then, when it is without power: its state can be saved.
  void shut_down_at_end(std::function<void()> is_off) { is_off_ = std::move(is_off); }

  /// What clients ask of the drive is measured.
  void record(ServedRun& run) { run_ = &run; }

  /// Boots, serves until a signal asks for the end, and flushes; throws what the model threw.
  void run();

  [[nodiscard]] const ServedFigures& figures() const { return figures_; }

 private:
  /// away: from a power cut, or a restart of the firmware, until the drive takes commands again. reading_back: what the image is to hold is
  /// read from the drive, after that or, with is_flushed_, at the end.
  enum class State : std::uint8_t { starting, loading, serving, away, flushing, reading_back, off };
  enum Event : std::uint64_t { pump_sockets, look_whether_idle };

  /// What the drive has in hand, by host tag.
  struct Command {
    HostRequest request;
    std::uint64_t client = 0;
    NbdRequest asked;                 ///< without its data
    std::optional<ZoneRequest> zone;  ///< the same of a client of the zone protocol, in place of `asked`
    std::uint64_t done = 0;           ///< bytes of WRITE_ZEROES that are written
    bool then_flush = false;          ///< a TRIM that is to be durable
    bool is_under_way = false;
    bool covers = false;  ///< a flush: see ServedContent
  };

  void on_time(std::uint64_t event) override;
  void link_lost(Why why) override;
  void power_lost(const PowerLoss& loss) override;
  void formats() override {}
  void recovered() override;
  void stays_dead(Status status) override;
  void gives_up() override;
  void pump();
  void post_pump(Picoseconds when);
  void take_signal();
  void take_snapshot();
  void take_requests();
  [[nodiscard]] bool can_take() const { return state_ == State::serving && !ending_ && !free_.empty(); }
  [[nodiscard]] bool take_from_nbd();
  [[nodiscard]] bool take_from_zones();
  void issue(std::uint64_t client, ZoneRequest& request);
  void answer_zones(Command& command);
  void issue(std::uint64_t client, NbdRequest& request);
  [[nodiscard]] bool answered_at_once(std::uint64_t client, const NbdRequest& request);
  void send(Command& command, HostOp op);
  void send_zeros(Command& command);
  void send_flush(Command& command);
  void completed(HostRequest& request);
  [[nodiscard]] bool goes_on(Command& command);
  void answer(Command& command);
  [[nodiscard]] NbdError keep(const Command& command);
  void lose_commands(Why why);
  void open_content();
  void begin_serving();
  void begin_end();
  [[nodiscard]] Command& take_command();
  void release(Command& command);
  void make_luns();
  [[nodiscard]] bool idle() const { return free_.size() == commands_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return drive_.firmware().user_sectors() * drive_.sector_shape().sector_bytes; }
  [[nodiscard]] static HostRun blocks_at(std::uint64_t offset, std::uint64_t length);
  void go_on_loading();
  void loaded(const HostRequest& request);
  void flushed(const Command& command);
  void begin_reading_back();
  void go_on_reading_back();
  void read_back(Command& command);
  void end_of_reading_back();
  void finish();
  void end();

  DriveModule& drive_;
  DriveServer& server_;
  Pace pace_;
  std::filesystem::path image_file_;
  ServedContent content_;
  ServedRun* run_ = nullptr;
  HostModule host_;
  PowerCycle power_;
  std::unique_ptr<LunQueues> luns_;  ///< of a drive of several; clients see one export of all
  std::vector<Command> commands_;
  std::vector<std::uint32_t> free_;  ///< tags
  State state_ = State::starting;
  bool pump_posted_ = false;
  bool ending_ = false;
  bool is_open_ = false;     ///< content_
  bool is_flushed_ = false;  ///< for good: the end
  bool is_loaded_ = false;   ///< the image is in the drive, and clients have been offered it
  bool restored_;
  std::function<void()> is_off_;
  std::uint64_t numbers_ = 0;
  ServedFigures figures_;
};

}  // namespace tessera
