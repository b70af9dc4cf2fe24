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

// --- Parameters ---

void OverheadsConfig::describe(ParameterVisitor& visitor) {
  constexpr Range range{0, 1e12};
  visitor.field("read_hit_after_read", read_hit_after_read, range, "electronics' time for a read that a cache serves, after a read");
  visitor.field("read_hit_after_write", read_hit_after_write, range, "electronics' time for a read that a cache serves, after a write");
  visitor.field("read_miss_after_read", read_miss_after_read, range, "electronics' time for a read that no cache serves, after a read");
  visitor.field("read_miss_after_write", read_miss_after_write, range, "electronics' time for a read that no cache serves, after a write");
  visitor.field("write_hit_after_read", write_hit_after_read, range, "electronics' time for a write that the cache takes, after a read");
  visitor.field("write_hit_after_write", write_hit_after_write, range, "electronics' time for a write that the cache takes, after a write");
  visitor.field("write_miss_after_read", write_miss_after_read, range, "electronics' time for a write that no cache takes, after a read");
  visitor.field("write_miss_after_write", write_miss_after_write, range,
                "electronics' time for a write that no cache takes, after a write");
}

bool OverheadsConfig::any() const {
  return read_hit_after_read + read_hit_after_write + read_miss_after_read + read_miss_after_write + write_hit_after_read +
             write_hit_after_write + write_miss_after_read + write_miss_after_write !=
         Picoseconds(0);
}

bool OverheadsConfig::ask_for_read_hits() const {
  return read_hit_after_read != read_miss_after_read || read_hit_after_write != read_miss_after_write;
}

bool OverheadsConfig::ask_for_write_hits() const {
  return write_hit_after_read != write_miss_after_read || write_hit_after_write != write_miss_after_write;
}

}  // namespace tessera
