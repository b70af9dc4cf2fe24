#pragma once
// Where a recorder's changes go: a file format. Writers see signals in order of declaration, and changes in order of time.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/signal.hpp"
#include "base/signal_change.hpp"
#include "base/units.hpp"

namespace tessera {

/// A recorded signal and what it shows as a window begins.
struct WaveTrace {
  std::string scope;  ///< path of the block, dots between levels
  const SignalInfo* info;
  std::uint64_t value = 0;
  bool known = false;  ///< false: it has shown nothing yet
};

class WaveWriter {
 public:
  virtual ~WaveWriter() = default;
  /// The signals, which stay where they are; called once, first.
  virtual void begin(const std::vector<WaveTrace>& signals) = 0;
  /// A window begins, with these values.
  virtual void open(Picoseconds at) = 0;
  /// Inside a window, in order of time: each changes what its signal shows. Changes of single signals, each once at one time.
  virtual void changes(std::span<const SignalChange> changed) = 0;
  /// The window ends; `last`: none follows.
  virtual void close(Picoseconds at, bool last) = 0;
  /// There was no window at all.
  virtual void nothing(const std::string& why) = 0;
  /// The recording ends: everything that was given goes into the file.
  virtual void finish() = 0;
};

}  // namespace tessera
