#pragma once
// GTKWave's save file: which signals it shows of a file of waveforms, in groups by block, with radix, form and colour by kind.
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/signal.hpp"

namespace tessera {

/// A signal of the file that is to be shown.
struct ShownSignal {
  std::string scope;  ///< path, dots between levels
  const SignalInfo* info;
};

/// `signals` in the order in which they are to be shown; [start, end]: what was recorded, which a window of the size that the file asks for
/// shows whole. Nothing of that where `start` is max().
void write_save_file(std::ostream& out, const std::filesystem::path& shown, const std::vector<ShownSignal>& signals, Picoseconds start,
                     Picoseconds end);

}  // namespace tessera
