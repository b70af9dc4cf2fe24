#pragma once
// Writes a value change dump (IEEE 1364-2005, 18; $timescale 1 ps).
//
// Words of states and texts are GTKWave's extension ($var string). Whoever does not read it finds the same signal as a number beside it,
// under the name with `_code` behind.
#include <iosfwd>

#include "base/wave_writer.hpp"

namespace tessera {

class VcdWriter final : public WaveWriter {
 public:
  /// `out` must outlive the writer. Its state is the caller's to check: nothing here throws on a full disk.
  explicit VcdWriter(std::ostream& out) : out_(out) {}

  void begin(const std::vector<WaveTrace>& signals) override;
  void open(Picoseconds at) override;
  void step(Picoseconds at, std::span<const std::uint32_t> changed) override;
  void close(Picoseconds at, bool last) override;
  void nothing(const std::string& why) override;
  void finish() override;

  /// What the numeric twin of a state or text is called.
  [[nodiscard]] static std::string twin_of(const std::string& name) { return name + "_code"; }

 private:
  void write_time(Picoseconds at);
  void write_all(const char* keyword, bool known);
  void write_value(std::size_t index, bool known);
  void write_number(std::uint64_t value, bool known);
  void end_definitions();
  void hand_over(std::size_t when_longer_than);

  std::ostream& out_;
  const std::vector<WaveTrace>* signals_ = nullptr;
  std::vector<std::string> codes_;  // VCD identifiers: of the signals, then of the twins
  std::string text_;                // formatted, not yet handed to out_
  Picoseconds written_until_;
  bool opened_ = false;
};

}  // namespace tessera
