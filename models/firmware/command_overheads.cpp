#include "firmware/command_overheads.hpp"

namespace tessera {

Picoseconds CommandOverheads::begin(HostOp op, bool hit) {
  const bool after_read = before_ == HostOp::read;
  before_ = op;
  if (op == HostOp::read) {
    if (hit) return after_read ? config_.read_hit_after_read : config_.read_hit_after_write;
    return after_read ? config_.read_miss_after_read : config_.read_miss_after_write;
  }
  if (hit) return after_read ? config_.write_hit_after_read : config_.write_hit_after_write;
  return after_read ? config_.write_miss_after_read : config_.write_miss_after_write;
}

}  // namespace tessera
