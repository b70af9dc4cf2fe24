#pragma once
// The parts that a drive is built of, by socket and small interfaces. What is not given, the drive makes: today's modules. A part that is
// given lives as long as the drive and stays whose it is; docs/guide/parts.md shows one of each kind.
//
// `signals` of a part appear beside the drive's, under the SystemC name of the module that its socket belongs to.
#include <functional>
#include <optional>
#include <span>
#include <tlm>

#include "base/drive_part.hpp"
#include "base/media_address.hpp"
#include "base/positioning.hpp"
#include "base/signal.hpp"
#include "base/timeline_module.hpp"
#include "bus/ftr_writer.hpp"
#include "controller/burst_shape.hpp"
#include "controller/disk_channel.hpp"
#include "controller/flash_channel.hpp"

namespace tessera {

using PartSocket = tlm::tlm_base_target_socket_b<32>;
using PartInitiator = tlm::tlm_base_initiator_socket_b<32>;

/// A head-disk assembly: approximately timed, one step at a time (MediaExtension).
struct MediaPart {
  PartSocket& socket;
  const Positioning& positioning;  ///< what the disk channel's scheduler knows of it
  const TrackCapacity& tracks;
  MediaAddressing addressing;
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
  SignalScope* signals = nullptr;
};

/// A NAND array: approximately timed, any number of commands at once (FlashExtension).
struct FlashPart {
  PartSocket& socket;
  const FlashCatalogue& catalogue;
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
  SignalScope* signals = nullptr;
};

/// A DRAM: b_transport; with `bursts`, for the extents of devices, nb_transport as well.
struct DramPart {
  PartSocket& socket;
  /// Its bytes by address, zeros at power-on; empty where it shows none: then the bytes of tables stay with the controller, and accesses
  /// carry data that means nothing.
  std::span<std::byte> bytes;
  bool waits = false;  ///< its b_transport may call wait(): the drive's calendar then runs in a thread
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
  SignalScope* signals = nullptr;
  /// The engines of host, disk and flash send their extents as bursts of one size, several of each engine under way. The CPU's own
  /// accesses, its copies and the entries of rings stay b_transport, one at a time.
  BurstShape bursts{};
};

/// Stands between the controller's CPU, which goes on to run the firmware, and the bus: whatever the CPU loads, stores, fetches, reads and
/// writes of registers comes to `socket` as b_transport, at its address on the bus; `bus` may send transactions of its own beside.
struct CpuPart {
  PartSocket& socket;
  PartInitiator& bus;
  bool waits = false;  ///< as of a DramPart
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
  SignalScope* signals = nullptr;
};

/// A processor with software of its own in place of our controller, its firmware and its disk and flash channels: host commands come to
/// `mailbox` (MailboxSlot, HostExtension) and are answered there; over `bus` it reaches DRAM, media and NAND by address.
struct ControllerPart {
  PartSocket& mailbox;
  PartInitiator& bus;
  std::function<Bytes()> capacity;  ///< user data, for whoever mounts the drive by byte offset
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
  SignalScope* signals = nullptr;
};

/// A processor of somebody else's for the firmware, in place of our CPU and what would run on it: it has software of its own, and drives
/// the units of the controller through their registers (DriveModule::processor_port(), docs/reference/registers.md).
struct ProcessorPart {
  Bytes memory;  ///< at the DRAM's begin, for its own code and data: the drive lays nothing there but the boot data behind
};

/// What brings host commands to the mailbox slots of their tags, in place of our link and its interface.
struct HostInterfacePart {
  PartSocket& socket;
  PartInitiator& bus;
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
  SignalScope* signals = nullptr;
};

struct DriveParts {
  std::optional<MediaPart> media;
  std::optional<FlashPart> flash;
  std::optional<DramPart> dram;
  std::optional<CpuPart> cpu;
  std::optional<ControllerPart> controller;  ///< with it `cpu` and `processor` stay empty
  std::optional<ProcessorPart> processor;    ///< on a drive without a firmware image
  std::optional<HostInterfacePart> host_interface;
  /// Puts a ProtocolCheckerModule on every socket; a violation ends the run as a bug of the model.
  bool check_protocol = false;
  /// Puts a TransactionRecorderModule on every socket, of strangers too; the writer stays as long as the drive. Null: none.
  FtrWriter* transactions = nullptr;
  /// That several drives share (platforms/array); null: the drive has one of its own.
  TimelineModule* calendar = nullptr;
  /// Simulated seconds per second of real time (PaceModule); 0: as fast as it goes.
  double pace = 0;
  /// Whether the module shows the drive's parameters as attributes (parameter_attributes_module.hpp), which takes some 2 ms.
  bool attributes = true;

  /// Whether no process but a drive's ever acts in this kernel, one that is spawned later included: the drive need not ask for the others'
  /// next activity, and runs faster. A transaction that comes from one all the same, too late, ends the simulation (late_initiator_report).
  bool only_drives = false;

  /// Of a program that holds drives and nothing else, and walks no objects.
  [[nodiscard]] static DriveParts alone() {
    DriveParts parts;
    parts.attributes = false;
    parts.only_drives = true;
    return parts;
  }
  /// Whether somebody looks at the payloads between the parts.
  [[nodiscard]] bool watched() const { return check_protocol || transactions != nullptr; }

  /// Calls visit(part) for each that is there.
  template <class Visit>
  void each(Visit visit) const {
    const auto one = [&visit](const auto& part) {
      if (part) visit(*part);
    };
    one(media);
    one(dram);
    one(flash);
    one(cpu);
    one(controller);
    one(host_interface);
  }
};

}  // namespace tessera
