#pragma once
// What a run records of the drive's signals: which, when, and into which files.
#include <memory>
#include <vector>

#include "base/waveform.hpp"
#include "platforms/output/fst_file.hpp"
#include "platforms/output/output_file.hpp"
#include "platforms/output/save_file.hpp"
#include "platforms/run/probes.hpp"
#include "platforms/run/signal_selection.hpp"

namespace tessera {

/// A trigger on a value: it comes when the signal's value crosses the limit, having been on the other side of it.
class ValueTrigger final : private SignalSink {
 public:
  enum class Side : std::uint8_t { above, below };
  /// `fire` is called at each crossing.
  ValueTrigger(const FoundSignal& signal, Side side, std::uint64_t limit, std::function<void(Picoseconds)> fire);
  ~ValueTrigger() { scope_.unwatch(*this); }

 private:
  void change(std::uint32_t id, std::uint64_t value, Picoseconds at) override;
  void withdraw(std::uint32_t, Picoseconds) override {}
  [[nodiscard]] bool holds(std::uint64_t value) const { return side_ == Side::above ? value > limit_ : value < limit_; }

  SignalScope& scope_;
  Side side_;
  std::uint64_t limit_;
  std::function<void(Picoseconds)> fire_;
  bool held_;
};

class Probes::Waves {
 public:
  /// InputError for signals that there are not, OutputError where a file cannot be made.
  Waves(const RecordConfig& config, DriveModule& drive);
  ~Waves();

  void trigger(Picoseconds at) { recorder_->trigger(at); }
  /// A piece of firmware work begins or ends: the first is what a viewer shows at first.
  void event(FirmwareEvent::Edge edge, Picoseconds at);
  [[nodiscard]] bool armed() const { return recorder_->armed(); }
  [[nodiscard]] bool failed() const;
  /// Triggers when the value of the signal or gauge crosses the limit.
  void trigger_on(const std::string& signal, ValueTrigger::Side side, std::uint64_t limit);
  /// Writes the rest and closes; throws OutputError. Gives notes.
  std::vector<std::string> finish(Picoseconds now);

 private:
  void unwatch();
  void open_files(const RecordConfig& config);
  void write_save_files() const;
  [[nodiscard]] ShownTime first_view() const;
  /// Files that name the states of the signals, in a folder beside this one of waveforms.
  void name_states(const std::filesystem::path& waves, std::vector<ShownSignal>& signals) const;

  const std::vector<DriveModule::SignalRoot>& roots_;
  std::vector<FoundSignal> all_;
  std::vector<FoundSignal> chosen_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::unique_ptr<FstFile> fst_;
  std::vector<std::unique_ptr<WaveWriter>> writers_;
  std::vector<std::filesystem::path> save_beside_;  // files that a viewer of waveforms opens
  std::filesystem::path in_numbers_;                // of them, the one whose states are numbers
  bool triggered_;                                  // what is recorded lies around a trigger
  std::optional<Picoseconds> event_begin_, event_end_;
  std::unique_ptr<Waveform> recorder_;
  std::unique_ptr<ValueTrigger> value_trigger_;
  std::vector<Picoseconds> window_begins_;
};

}  // namespace tessera
