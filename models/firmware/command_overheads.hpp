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
  [[nodiscard]] bool any() const;
  /// Whether a read, or a write, has others where a cache serves it.
  [[nodiscard]] bool ask_for_read_hits() const;
  [[nodiscard]] bool ask_for_write_hits() const;
};

class CommandOverheads {
 public:
  explicit CommandOverheads(const OverheadsConfig& config)
      : config_(config), any_(config.any()), of_read_hits_(config.ask_for_read_hits()), of_write_hits_(config.ask_for_write_hits()) {}

  /// Whether a command has any.
  [[nodiscard]] bool any() const { return any_; }
  /// Whether it must be known of an operation, a read or a write, if a cache serves it: finding out takes time too.
  [[nodiscard]] bool ask_for_hits(HostOp op) const { return op == HostOp::read ? of_read_hits_ : of_write_hits_; }
  /// Of a read or write that is begun now; what follows it comes after this one.
  [[nodiscard]] Picoseconds begin(HostOp op, bool hit);

 private:
  OverheadsConfig config_;
  bool any_;
  bool of_read_hits_;
  bool of_write_hits_;
  HostOp before_ = HostOp::read;
};

}  // namespace tessera
