#pragma once
// The front end of the firmware: boots the layer and serves host commands with it. It keeps overlapping commands apart,
// turns 512 B blocks into whole drive sectors, and completes every command exactly once. A command with more data than its buffer streams
// through it in pieces of half a buffer, under one lock.
#include "firmware/command_overheads.hpp"
#include "firmware/firmware_entry.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

class CommandServer final : public FirmwareEntry {
 public:
  /// `zones`: those of the layer below all caches, or null. `zeros_after_trim`: as FirmwareConfig has it.
  CommandServer(const Ports& ports, TranslationLayer& layer, const OverheadsConfig& overheads = {}, ZoneCommands* zones = nullptr,
                bool zeros_after_trim = false)
      : ports_(ports), layer_(layer), zones_(zones), locks_(ports.cpu), overheads_(overheads), zeros_after_trim_(zeros_after_trim) {}

  [[nodiscard]] Task<Status> boot(bool after_power_cut) override;
  /// A command that the host gave up before it had its locks ends without effect.
  /// A command that reaches past the user capacity ends with `rule_violation`, one for zones where there are none with `unsupported`.
  [[nodiscard]] Task<void> serve(HostCommand& command) override;
  [[nodiscard]] bool idle() const override { return locks_.empty() && layer_.idle(); }

  void report(MetricSet& metrics) const;

 private:
  Task<Status> read(HostCommand& command);
  Task<Status> write(HostCommand& command);
  Task<Status> complete_edges(HostRun blocks, LogicalRun run, DataSpan data);
  class Stream;
  Task<Status> stream(HostCommand& command, LogicalRun run, WriteOptions options);
  Task<void> stream_beside(Stream& stream, std::uint32_t first);
  Task<void> stream_pieces(Stream& stream, std::uint32_t first);
  Task<Status> stream_in(Stream& stream, std::uint32_t number);
  Task<Status> stream_out(Stream& stream, std::uint32_t number);
  Task<Status> trim(HostCommand& command);
  Task<Status> trim_to_zeros(HostCommand& command);
  Task<Status> write_zeros(HostRun blocks, HostTag tag);
  Task<Status> write_to_zone(HostCommand& command);
  Task<Status> serve_zones(HostCommand& command);
  Status report_zones(HostCommand& command);
  Task<Status> manage_zone(HostCommand& command, std::uint32_t zone);
  Task<Status> manage_all_zones(HostCommand& command);
  /// The whole drive sectors that enclose the blocks.
  [[nodiscard]] LogicalRun enclosing(HostRun blocks) const;
  [[nodiscard]] bool whole_sectors(HostRun blocks) const;
  /// Host blocks of the first and of the last sector that the command leaves out.
  struct Edges {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
  };
  [[nodiscard]] Edges edges_of(HostRun blocks, LogicalRun run) const;
  [[nodiscard]] bool inside(HostRun blocks) const;

  Ports ports_;
  TranslationLayer& layer_;
  ZoneCommands* zones_;
  CommandLocks locks_;
  CommandOverheads overheads_;
  bool zeros_after_trim_;
  std::uint64_t unaligned_ = 0;
  std::uint64_t zeros_written_ = 0;
};

}  // namespace tessera
