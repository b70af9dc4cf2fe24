#pragma once
// GTKWave's save file: which signals it shows of a file of waveforms, in groups by block, with radix, form and colour by kind. A first
// group has what one looks at first: the head, the platters, the firmware and its processor.
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/signal.hpp"

namespace tessera {

/// A signal of the file that is to be shown.
struct ShownSignal {
  std::string scope;  ///< path, dots between levels
  const SignalInfo* info;
  std::filesystem::path words{};  ///< file of write_words(), of a signal whose states are numbers in the file of waveforms; "": none
};

/// What GTKWave shows at first: [start, end], whole in a window of the size that the file asks for, with a marker. Nothing of that where
/// `start` is max().
struct ShownTime {
  Picoseconds start;
  Picoseconds end;
  std::optional<Picoseconds> marker{};
};

/// `signals` in the order in which they are to be shown.
void write_save_file(std::ostream& out, const std::filesystem::path& shown, const std::vector<ShownSignal>& signals, const ShownTime& time);

/// GTKWave's filter file: what it shows in place of the numbers of a state or text.
void write_words(std::ostream& out, const SignalInfo& info);

}  // namespace tessera
