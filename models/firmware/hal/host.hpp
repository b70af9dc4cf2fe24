#pragma once
// The host unit: commands from a ring, one task each, and what becomes of their data.
#include <array>
#include <vector>

#include "firmware/firmware_entry.hpp"
#include "firmware/hal/descriptors.hpp"
#include "firmware/hal/processor.hpp"
#include "firmware/hal/ring.hpp"

namespace tessera::hal {

class Host final : public HostPort {
 public:
  Host(RegisterFile& registers, Processor& processor, SectorShape shape, std::uint32_t tags);

  /// Takes what the unit has to say; commands go to `firmware`.
  void take(FirmwareEntry& firmware);

  // HostPort
  void complete(HostCommand& command, Status status) override;
  void fetch(HostCommand& command) override;
  void submit(HostReceipt& receipt) override;
  void begin(HostPiece& piece) override;
  void submit(HostPiece& piece) override;
  [[nodiscard]] std::uint32_t outstanding() const override;
  [[nodiscard]] Picoseconds last_activity() const override;
  [[nodiscard]] bool write_waiting(LogicalSector first, LogicalSector end, HostTag in_hand) const override;

 private:
  struct Slot {
    HostCommand command;
    HostReceipt* receipt = nullptr;      // a task that waits for its data
    std::array<HostPiece*, 2> pieces{};  // that cross the link, by half of the buffer
  };
  void arrived(Slot& slot, const HostEntry& entry, FirmwareEntry& firmware);
  void end_piece(Slot& slot, const HostEntry& entry);
  [[nodiscard]] HostPieceEntry* entry_of(const HostPiece& piece) const;

  RegisterFile& registers_;
  Processor& processor_;
  SectorShape shape_;
  Ring<HostEntry> ring_;
  std::vector<Slot> slots_;    // by tag
  SharedBytes piece_entries_;  // by tag and half
};

}  // namespace tessera::hal
