#include "platforms/run/waves.hpp"

#include <cerrno>

namespace tessera {

namespace {

enum CpuState : std::uint64_t { cpu_idle, cpu_host, cpu_background };

}  // namespace

Probes::Waves::Waves(const WaveformConfig& config, DriveModule& drive)
    : path_(config.file), file_(config.file), drive_(drive), revolution_(drive.media().device().geometry().revolution()) {
  if (!file_) throw output_error("write", path_, errno);
  if (config.window)
    wave_ = std::make_unique<Waveform>(file_, WaveWindow{config.window->first, config.window->second});
  else
    wave_ = std::make_unique<Waveform>(file_, WaveTrigger{config.before, config.after});
  declare();
  start_at_rest();
  drive.media().device().observe(this);
  drive.dram().device().observe(this);
  if (drive.nand() != nullptr) drive.nand()->device().observe(this);
}

Probes::Waves::~Waves() {
  drive_.media().device().observe(nullptr);
  drive_.dram().device().observe(nullptr);
  if (drive_.nand() != nullptr) drive_.nand()->device().observe(nullptr);
}

void Probes::Waves::declare() {
  head_state_ = wave_->state("drive.media", "state", {"idle", "seek", "rotate", "read", "write", "off"});
  head_radius_ = wave_->vector("drive.media", "head_radius", 32);
  head_surface_ = wave_->vector("drive.media", "head_surface", 8);
  spindle_ = wave_->bit("drive.media", "spindle_index");
  queue_ = wave_->vector("drive.host", "outstanding", 16);
  cpu_ = wave_->state("drive.controller", "cpu", {"idle", "host_task", "background_task"});
  firmware_ = wave_->vector("drive.firmware", "cleaning", 8);
  firmware_subject_ = wave_->vector("drive.firmware", "cleaning_subject", 40);
  dram_bank_ = wave_->vector("drive.dram", "open_bank", 8);
  dram_row_ = wave_->vector("drive.dram", "open_row", 32);
  if (drive_.nand() == nullptr) return;
  const NandConfig& nand = drive_.nand()->device().config();
  for (std::uint32_t die = 0; die < nand.total_dies(); ++die)
    dies_.push_back(
        wave_->state("drive.nand", "die_" + std::to_string(die), {"idle", "loading", "reading", "programming", "erasing", "unloading"}));
  for (std::uint32_t channel = 0; channel < nand.channels; ++channel)
    channels_.push_back(wave_->bit("drive.nand", "channel_" + std::to_string(channel) + "_busy"));
}

void Probes::Waves::start_at_rest() {
  for (const WaveSignal signal : {head_state_, head_radius_, head_surface_, spindle_, queue_, cpu_, firmware_}) wave_->set(signal, 0, {});
  for (const WaveSignal signal : dies_) wave_->set(signal, 0, {});
  for (const WaveSignal signal : channels_) wave_->set(signal, 0, {});
}

void Probes::Waves::state(MediaState state, PhysicalTrack head, Picoseconds at) {
  wave_->set(head_state_, static_cast<std::uint64_t>(state), at);
  wave_->set(head_radius_, head.radius, at);
  wave_->set(head_surface_, head.surface, at);
  // The turn that has just begun, as a pulse of a hundredth of a revolution; idle turns in between are left out.
  const Picoseconds index = revolution_ * (at / revolution_);
  wave_->set(spindle_, 1, index);
  wave_->set(spindle_, 0, index + revolution_ / 100);
}

void Probes::Waves::die_changed(std::uint32_t die, DieState state, Picoseconds now) {
  wave_->set(dies_[die], static_cast<std::uint64_t>(state), now);
}

void Probes::Waves::channel_changed(std::uint32_t channel, bool busy, Picoseconds now) { wave_->set(channels_[channel], busy, now); }

void Probes::Waves::row_opened(std::uint32_t bank, std::uint64_t row, Picoseconds at) {
  wave_->set(dram_bank_, bank, at);
  wave_->set(dram_row_, row, at);
}

void Probes::Waves::cpu_ran(Picoseconds from, Picoseconds to, bool background) {
  wave_->set(cpu_, background ? cpu_background : cpu_host, from);
  wave_->set(cpu_, cpu_idle, to);
}

void Probes::Waves::firmware_event(const FirmwareEvent& event, Picoseconds at) {
  if (event.edge == FirmwareEvent::Edge::begin) ++open_events_;
  if (event.edge == FirmwareEvent::Edge::end && open_events_ > 0) --open_events_;
  wave_->set(firmware_, open_events_, at);
  wave_->set(firmware_subject_, event.subject, at);
}

void Probes::Waves::finish(Picoseconds now) {
  wave_->finish(now);
  file_.close();
  if (!file_) throw output_error("write", path_, errno);
}

}  // namespace tessera
