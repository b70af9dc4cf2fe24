#pragma once
// A drive behind an NBD server. Everything happens in one entry of the drive's calendar, pump(): it looks at the sockets, hands what came
// in to the drive, and sends what the drive has answered.
//
// Unpaced, simulated time passes only while the drive has something to do for a client; paced, entries of the calendar wait for the clock.
#include <filesystem>
#include <memory>
#include <vector>

#include "platforms/drive/drive_module.hpp"
#include "platforms/serve/disk_image.hpp"
#include "platforms/serve/nbd_server.hpp"
#include "platforms/serve/pace.hpp"
#include "stimuli/player/host_module.hpp"

namespace tessera {

struct ServedFigures {
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t power_cuts = 0;
};

class ServeModule : public sc_core::sc_module, private TimelineListener {
 public:
  /// `image`: the file that content comes from and is kept in; "" for none.
  ServeModule(sc_core::sc_module_name name, DriveModule& drive, NbdServer& server, const Pace& pace, std::filesystem::path image);

  /// The drive has loaded a state: it boots as after a power cut.
  void begin_restored() { restored_ = true; }
  /// Whether the drive is to be shut down at the end, and who is called then, when it is without power: its state can be saved.
  void shut_down_at_end(std::function<void()> is_off) { is_off_ = std::move(is_off); }

  /// Boots, serves until a signal asks for the end, and flushes; throws what the model threw.
  void run();

  [[nodiscard]] const ServedFigures& figures() const { return figures_; }

 private:
  enum class State : std::uint8_t { starting, loading, serving, outage, flushing, saving };
  enum Event : std::uint64_t { pump_sockets, boot_again, look_whether_idle };

  /// What the drive has in hand, by host tag.
  struct Command {
    HostRequest request;
    std::uint64_t client = 0;
    std::uint64_t cookie = 0;
    bool then_flush = false;  ///< a TRIM that is to be durable
  };

  void on_time(std::uint64_t event) override;
  void pump();
  void post_pump(Picoseconds when);
  void take_signal();
  void take_requests();
  void issue(std::uint64_t client, NbdRequest& request);
  void send(Command& command, HostOp op);
  void completed(HostRequest& request);
  void booted(Status status);
  void cut_power();
  void begin_serving();
  void begin_end();
  [[nodiscard]] Command& take_command();
  [[nodiscard]] bool idle() const { return free_.size() == commands_.size(); }
  void go_on_loading();
  void loaded(const HostRequest& request);
  void saved(const HostRequest& request);
  void go_on_saving();
  void end();

  DriveModule& drive_;
  NbdServer& server_;
  Pace pace_;
  std::filesystem::path image_file_;
  std::unique_ptr<DiskImage> image_;
  HostModule host_;
  std::vector<Command> commands_;
  std::vector<std::uint32_t> free_;  ///< tags
  State state_ = State::starting;
  bool pump_posted_ = false;
  bool ending_ = false;
  bool restored_ = false;
  std::function<void()> is_off_;
  std::uint64_t numbers_ = 0;
  ServedFigures figures_;
};

}  // namespace tessera
