#pragma once
// The parts that a drive is built of, by socket and small interfaces. What is not given, the drive makes: today's modules. A part that is
// given lives as long as the drive and stays whose it is; docs/guide/parts.md shows one of each kind.
#include <optional>
#include <span>
#include <tlm>

#include "base/drive_part.hpp"
#include "base/media_address.hpp"
#include "base/positioning.hpp"
#include "controller/disk_channel.hpp"
#include "controller/flash_channel.hpp"

namespace tessera {

using PartSocket = tlm::tlm_base_target_socket_b<32>;

/// A head-disk assembly: approximately timed, one step at a time (MediaExtension).
struct MediaPart {
  PartSocket& socket;
  const Positioning& positioning;  ///< what the disk channel's scheduler knows of it
  const TrackCapacity& tracks;
  MediaAddressing addressing;
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
};

/// A NAND array: approximately timed, any number of commands at once (FlashExtension).
struct FlashPart {
  PartSocket& socket;
  const FlashCatalogue& catalogue;
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
};

/// A DRAM: b_transport.
struct DramPart {
  PartSocket& socket;
  /// Its bytes by address, zeros at power-on; empty where it shows none: then the bytes of tables stay with the controller, and accesses
  /// carry data that means nothing.
  std::span<std::byte> bytes;
  bool waits = false;  ///< its b_transport may call wait(): the drive's calendar then runs in a thread
  PoweredPart* power = nullptr;
  const ReportingPart* report = nullptr;
};

struct DriveParts {
  std::optional<MediaPart> media;
  std::optional<FlashPart> flash;
  std::optional<DramPart> dram;
  /// Puts a ProtocolCheckerModule on every socket; a violation ends the run as a bug of the model.
  bool check_protocol = false;
};

}  // namespace tessera
