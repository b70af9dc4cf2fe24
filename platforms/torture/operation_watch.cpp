#include "platforms/torture/operation_watch.hpp"

#include <utility>

namespace tessera {

OperationWatch::OperationWatch(DriveModule& drive, std::function<void(const PersistentOperation&)> begins)
    : drive_(drive), begins_(std::move(begins)) {
  drive.media().device().observe(this);
  if (drive.nand() != nullptr) drive.nand()->device().observe(this);
}

void OperationWatch::state(MediaState state, PhysicalTrack head, Picoseconds at) {
  if (state != MediaState::write) return;
  PersistentOperation operation;
  operation.kind = PersistentOperation::Kind::media_write;
  operation.begin = at;
  const MediaDevice& device = drive_.media().device();
  operation.end = device.timing(device.arm_of(head)).end;
  operation.run = device.step(device.arm_of(head)).run;
  begins_(operation);
}

void OperationWatch::die_changed(std::uint32_t die, DieState state, Picoseconds now) {
  if (state != DieState::programming && state != DieState::erasing) return;
  const NandConfig& nand = drive_.nand()->device().config();
  PersistentOperation operation;
  operation.kind = state == DieState::programming ? PersistentOperation::Kind::page_program : PersistentOperation::Kind::block_erase;
  operation.begin = now;
  operation.end = now + (state == DieState::programming ? nand.program_time : nand.erase_time);
  operation.die = die;
  begins_(operation);
}

}  // namespace tessera
