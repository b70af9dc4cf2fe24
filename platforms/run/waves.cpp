#include "platforms/run/waves.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/vcd_writer.hpp"
#include "platforms/description/quantity.hpp"
#include "platforms/output/timeline_writer.hpp"

namespace tessera {

ValueTrigger::ValueTrigger(const FoundSignal& signal, Side side, std::uint64_t limit, std::function<void(Picoseconds)> fire)
    : scope_(*signal.declared_in),
      side_(side),
      limit_(limit),
      fire_(std::move(fire)),
      held_(!signal.info->value || holds(*signal.info->value)) {
  scope_.watch(signal.index, *this, 0);
}

void ValueTrigger::change(std::uint32_t, std::uint64_t value, Picoseconds at) {
  const bool held = std::exchange(held_, holds(value));
  if (held_ && !held) fire_(at);
}

namespace {

std::vector<FoundSignal> all_signals(const std::vector<DriveModule::SignalRoot>& roots) {
  std::vector<FoundSignal> all;
  for (const DriveModule::SignalRoot& root : roots) add_signals(root.name, root.signals, all);
  return all;
}

}  // namespace

Probes::Waves::Waves(const RecordConfig& config, DriveModule& drive)
    : roots_(drive.signal_roots()),
      all_(all_signals(roots_)),
      chosen_(select_signals(all_, config.signals)),
      triggered_(!config.trigger.empty()) {
  open_files(config);
  std::vector<WaveWriter*> writers;
  for (const auto& writer : writers_) writers.push_back(writer.get());
  if (!config.trigger.empty()) {
    recorder_ = std::make_unique<Waveform>(writers, WaveTrigger{config.before, config.after});
  } else {
    std::vector<WaveWindow> windows;
    for (const auto& [begin, end] : config.windows) {
      windows.push_back({begin, end});
      window_begins_.push_back(begin);
    }
    if (windows.empty()) windows.push_back({});
    recorder_ = std::make_unique<Waveform>(writers, std::move(windows));
  }
  std::set<SignalSource*> sources;
  for (const FoundSignal& signal : chosen_) {
    signal.declared_in->watch(signal.index, *recorder_, recorder_->record(signal.scope, *signal.info).index);
    if (SignalSource* const source = signal.declared_in->source(); source != nullptr && sources.insert(source).second)
      recorder_->follow(*source);
  }
}

Probes::Waves::~Waves() { unwatch(); }

void Probes::Waves::unwatch() {
  for (const DriveModule::SignalRoot& root : roots_) root.signals.unwatch(*recorder_);
}

void Probes::Waves::open_files(const RecordConfig& config) {
  if (!config.vcd.empty()) {
    files_.push_back(std::make_unique<OutputFile>(config.vcd));
    writers_.push_back(std::make_unique<VcdWriter>(files_.back()->stream(), config.vcd_words ? VcdForm::words : VcdForm::standard));
    save_beside_.push_back(config.vcd);
    if (!config.vcd_words) in_numbers_ = config.vcd;
  }
  if (!config.fst.empty()) {
    fst_ = std::make_unique<FstFile>(config.fst);
    writers_.push_back(std::make_unique<VcdWriter>(fst_->stream()));
    save_beside_.push_back(config.fst);
  }
  if (!config.timeline.empty()) {
    files_.push_back(std::make_unique<OutputFile>(config.timeline));
    writers_.push_back(std::make_unique<TimelineWriter>(files_.back()->stream()));
  }
}

bool Probes::Waves::failed() const {
  for (const auto& file : files_)
    if (file->failed()) return true;
  return fst_ != nullptr && fst_->failed();
}

void Probes::Waves::trigger_on(const std::string& signal, ValueTrigger::Side side, std::uint64_t limit) {
  value_trigger_ = std::make_unique<ValueTrigger>(find_signal(all_, signal), side, limit, [this](Picoseconds at) { trigger(at); });
}

std::vector<std::string> Probes::Waves::finish(Picoseconds now) {
  value_trigger_.reset();
  recorder_->finish(now);
  unwatch();
  for (const auto& file : files_) file->close();
  if (fst_ != nullptr) fst_->close();
  write_save_files();
  const auto in_words = [](Picoseconds time) { return print_quantity(Dimension::time, time.value()); };
  std::vector<std::string> notes;
  for (const Picoseconds begin : window_begins_)
    if (begin >= now)
      notes.push_back("--record-window: without effect, it begins at " + in_words(begin) + " and the run ended at " + in_words(now));
  if (recorder_->late_changes() != 0)
    notes.push_back(std::to_string(recorder_->late_changes()) +
                    " signal changes were recorded too late to be sorted: they are after their time in the file");
  return notes;
}

void Probes::Waves::event(FirmwareEvent::Edge edge, Picoseconds at) {
  if (event_end_ || recorder_->armed() || at < recorder_->start()) return;
  if (edge == FirmwareEvent::Edge::begin && !event_begin_) event_begin_ = at;
  if (edge == FirmwareEvent::Edge::end && event_begin_) event_end_ = at;
}

/// All of it; of more than the first event, that with as much before and after it as it takes, 10 ms at least.
ShownTime Probes::Waves::first_view() const {
  using namespace literals;
  const Picoseconds start = recorder_->start(), end = recorder_->end();
  if (triggered_ || start == Picoseconds::max() || !event_begin_ || *event_begin_ >= end) return {.start = start, .end = end};
  const Picoseconds length = std::min(event_end_.value_or(end), end) - *event_begin_;
  const Picoseconds around = std::max(length, 10_ms);
  const Picoseconds before = std::min(around, *event_begin_ - start);
  const Picoseconds behind = std::min(around, end - *event_begin_ - length);
  return {.start = *event_begin_ - before, .end = *event_begin_ + length + behind, .marker = *event_begin_};
}

/// Signals with the same words share a file.
void Probes::Waves::name_states(const std::filesystem::path& waves, std::vector<ShownSignal>& signals) const {
  std::map<std::pair<std::uint32_t, std::vector<std::string>>, std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::absolute(std::filesystem::path(waves).replace_extension(".words"));
  for (ShownSignal& signal : signals) {
    if (signal.info->words.empty()) continue;
    const auto [named, fresh] =
        files.try_emplace({signal.info->width, signal.info->words}, folder / (std::to_string(files.size()) + ".txt"));
    signal.words = named->second;
    if (!fresh) continue;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw output_error("create folder", folder, error.value());
    OutputFile file(named->second, Keep::record);
    write_words(file.stream(), *signal.info);
    file.close();
  }
}

/// Beside each file of waveforms, under its name with the ending .gtkw: how GTKWave is to show it.
void Probes::Waves::write_save_files() const {
  for (const std::filesystem::path& shown : save_beside_) {
    if (!replaceable(shown)) continue;  // a pipe or device has nothing beside it
    std::vector<ShownSignal> signals;
    for (const FoundSignal& signal : chosen_) signals.push_back({.scope = signal.scope, .info = signal.info});
    if (shown == in_numbers_) name_states(shown, signals);
    OutputFile file(std::filesystem::path(shown).replace_extension(".gtkw"));
    write_save_file(file.stream(), shown, signals, first_view());
    file.close();
  }
}

}  // namespace tessera
