#include "platforms/torture/operation_watch.hpp"

#include <utility>

namespace tessera {

std::string PersistentOperation::in_words() const {
  switch (kind) {
    case Kind::page_program: return "page program on die " + std::to_string(die);
    case Kind::block_erase: return "block erase on die " + std::to_string(die);
    case Kind::media_write: break;
  }
  return "write of " + std::to_string(run.count) + " sectors to surface " + std::to_string(run.track.surface) + ", radius " +
         std::to_string(run.track.radius) + ", from sector " + std::to_string(run.first);
}

OperationWatch::OperationWatch(DriveModule& drive, std::function<void(const PersistentOperation&)> begins)
    : drive_(drive), begins_(std::move(begins)) {
  drive.media().device().observe(this);
  if (drive.nand() != nullptr) drive.nand()->device().observe(this);
}

void OperationWatch::state(MediaState state, PhysicalTrack, Picoseconds at) {
  if (state != MediaState::write) return;
  PersistentOperation operation;
  operation.kind = PersistentOperation::Kind::media_write;
  operation.begin = at;
  operation.end = drive_.media().device().timing().end;
  operation.run = drive_.media().device().step().run;
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
