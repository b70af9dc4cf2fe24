#pragma once
// The signals of a drive's waveforms, grouped by block.
#include <fstream>
#include <memory>

#include "base/waveform.hpp"
#include "platforms/run/probes.hpp"

namespace tessera {

class Probes::Waves final : private MediaObserver, private NandObserver, private DramObserver {
 public:
  Waves(const WaveformConfig& config, DriveModule& drive);
  ~Waves();

  void firmware_event(const FirmwareEvent& event, Picoseconds at);
  void cpu_ran(Picoseconds from, Picoseconds to, bool background);
  void queue_depth(std::uint64_t depth, Picoseconds at) { wave_->set(queue_, depth, at); }
  void trigger(Picoseconds at) { wave_->trigger(at); }
  [[nodiscard]] bool armed() const { return wave_->armed(); }
  /// Writes the rest and closes; throws OutputError.
  void finish(Picoseconds now);

 private:
  void state(MediaState state, PhysicalTrack head, Picoseconds at) override;
  void die_changed(std::uint32_t die, DieState state, Picoseconds now) override;
  void channel_changed(std::uint32_t channel, bool busy, Picoseconds now) override;
  void row_opened(std::uint32_t bank, std::uint64_t row, Picoseconds at) override;
  void declare();
  void start_at_rest();

  std::filesystem::path path_;
  std::ofstream file_;
  DriveModule& drive_;
  Picoseconds revolution_;
  std::unique_ptr<Waveform> wave_;
  WaveSignal head_state_, head_radius_, head_surface_, spindle_, queue_, cpu_, firmware_, firmware_subject_, dram_bank_, dram_row_;
  std::vector<WaveSignal> dies_, channels_;
  std::uint64_t open_events_ = 0;
};

}  // namespace tessera
