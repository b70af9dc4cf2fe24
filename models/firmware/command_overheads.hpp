#pragma once
// What the electronics of an old drive take for each command, as measured: by operation, by whether a cache serves it, and by the
// operation before. It is decided once the command is decoded and looked up, and passes before the arm moves or the cache is read.
#include "base/parameter.hpp"
#include "firmware/ports/host_port.hpp"

namespace tessera {

/// The parameters of the drives that DiskSim describes, under its names.
struct OverheadsConfig {
  Picoseconds read_hit_after_read;
  Picoseconds read_hit_after_write;
  Picoseconds read_miss_after_read;
  Picoseconds read_miss_after_write;
  Picoseconds write_hit_after_read;
  Picoseconds write_hit_after_write;
  Picoseconds write_miss_after_read;
  Picoseconds write_miss_after_write;

  void describe(ParameterVisitor& visitor);
  [[nodiscard]] bool of_read_hits() const { return read_hit_after_read + read_hit_after_write != Picoseconds(0); }
  [[nodiscard]] bool of_write_hits() const { return write_hit_after_read + write_hit_after_write != Picoseconds(0); }
  [[nodiscard]] bool any() const;
};

class CommandOverheads {
 public:
  explicit CommandOverheads(const OverheadsConfig& config) : config_(config), any_(config.any()) {}

  /// Whether a command has any: only then it must be known whether a cache serves it.
  [[nodiscard]] bool any() const { return any_; }
  /// Of a read or write that is begun now; what follows it comes after this one.
  [[nodiscard]] Picoseconds begin(HostOp op, bool hit);

 private:
  OverheadsConfig config_;
  bool any_;
  HostOp before_ = HostOp::read;
};

}  // namespace tessera
