#pragma once
// Packets of a log (firmware/layers/media_cache) of which a boot cannot read any header, and a later one can.
#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "platforms/run/medium_truth.hpp"
#include "support/firmware_bench.hpp"

namespace tessera::test {

/// The sectors of the log that a write of `count` sectors meets, in their order: its data, padding, and the end of the packet.
template <class Drive>
std::vector<PhysicalSector> packet_of(Drive& drive, std::uint64_t sector, std::uint32_t count) {
  drive.bench().steps.clear();
  drive.write(sector, count, true);
  std::vector<PhysicalSector> sectors;
  for (const auto& step : drive.bench().steps_in("cache"))
    for (std::uint32_t i = 0; step.op == MediaOp::write && i < step.run.count; ++i) sectors.push_back({step.run.track, step.run.first + i});
  return sectors;
}

/// The scoreboard excuses what the boot that has just ended could not know of.
template <class Drive>
std::vector<MissedPacket> excuse_missed(Drive& drive) {
  const std::vector<MissedPacket> missed = missed_packets(drive.bench().media());
  for (const auto& [position, after, run, sectors] : missed) {
    const HostRun blocks{HostBlock(run.first.value() * blocks_per_sector), static_cast<std::uint32_t>(run.count * blocks_per_sector)};
    drive.bench().scoreboard().untold({&blocks, 1}, {position, after});
  }
  return missed;
}

template <class Drive>
std::vector<MissedPacket> cut_and_excuse(Drive& drive) {
  drive.bench().media().forget_unread();
  drive.cut_now();
  return excuse_missed(drive);
}

/// Everything is right, or fails where a fault took it.
template <class Drive>
void check_right(Drive& drive) {
  FirmwareBench& bench = drive.bench();
  bench.verify_all();
  INFO((bench.scoreboard().messages().empty() ? "" : bench.scoreboard().messages().front()));
  REQUIRE(bench.scoreboard().errors() == 0);
  REQUIRE(bench.unreadable_blocks() == 0);
}

/// A drive whose newest packet cannot be read any more, until it is shown again. Sector numbers are those of bands of 24 sectors.
template <class Drive, class Setup>
class MissedPacketDrive {
 public:
  static constexpr std::uint64_t first = 48;  ///< of the packet's data

  MissedPacketDrive(const Setup& setup, std::uint32_t count) : drive_(setup) {
    drive_.write(first, 6, true);
    packet_ = packet_of(drive_, first, count);
    headers_ = {packet_[count - 1], packet_.back()};
    fail(~std::uint32_t{0});
  }
  Drive& operator*() { return drive_; }
  Drive* operator->() { return &drive_; }
  [[nodiscard]] const std::vector<PhysicalSector>& packet() const { return packet_; }
  void show() { fail(0); }

 private:
  void fail(std::uint32_t reads) {
    for (const PhysicalSector& header : headers_) drive_.bench().media().add_transient(header, reads);
  }

  Drive drive_;
  std::vector<PhysicalSector> packet_;
  std::vector<PhysicalSector> headers_;
};

/// One boot misses the packet, others are written where it lies, and the next boot can read what is left of it.
template <class Drive, class Setup>
void missed_once(const Setup& setup, std::uint32_t count) {
  MissedPacketDrive<Drive, Setup> drive(setup, count);
  REQUIRE(cut_and_excuse(*drive).size() == 1);
  drive->write(72, 1, true);
  drive->write(49, 1, true);
  static_cast<void>(cut_and_excuse(*drive));  // the headers of one of these may lie where nothing can be read
  check_right(*drive);
  drive.show();
  REQUIRE(cut_and_excuse(*drive).empty());
  check_right(*drive);
}

/// The same on a drive without spares, of which each sector of the packet in turn cannot be written again. Gives how many of these were
/// met.
template <class Drive, class Setup>
std::uint32_t missed_once_unwritable(Setup setup, std::uint32_t count) {
  setup.bench.media.spare_tracks = 0;
  const std::vector<PhysicalSector> places = MissedPacketDrive<Drive, Setup>(setup, count).packet();
  std::uint32_t met = 0;
  for (const PhysicalSector& place : places) {
    INFO("sector " << place.index << " of track " << place.track.radius << " cannot be written");
    MissedPacketDrive<Drive, Setup> drive(setup, count);
    drive->bench().media().add_write_fault(place);
    static_cast<void>(cut_and_excuse(*drive));
    for (const std::uint64_t sector : {72, 49})
      static_cast<void>(drive->bench().write(sector * blocks_per_sector, blocks_per_sector, true));
    check_right(*drive);
    drive.show();
    static_cast<void>(cut_and_excuse(*drive));
    check_right(*drive);
    met += drive->bench().metric("media.faults.write") != 0;
  }
  return met;
}

/// The same with a cut after each action of the first write after that boot: while the map is written down, and while the packet is.
/// Gives how many cuts there were.
template <class Drive, class Setup>
std::uint64_t missed_once_and_cut(const Setup& setup, std::uint32_t count) {
  for (std::uint64_t cut = 0;; ++cut) {
    INFO("cut after " << cut << " actions");
    MissedPacketDrive<Drive, Setup> drive(setup, count);
    static_cast<void>(cut_and_excuse(*drive));
    drive->bench().submit(HostOp::write, 49 * blocks_per_sector, 2 * blocks_per_sector, true);
    drive->bench().media().forget_unread();
    if (!drive->bench().cut_after_actions(cut)) return cut;
    static_cast<void>(excuse_missed(*drive));
    check_right(*drive);
    drive->write(72, 1, true);
    drive.show();
    static_cast<void>(cut_and_excuse(*drive));
    check_right(*drive);
  }
}

}  // namespace tessera::test
