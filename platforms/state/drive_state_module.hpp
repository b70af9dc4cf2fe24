#pragma once
// A drive's state on its way out of a run or into one: the facts, what the drive keeps without power, what the scoreboard knows.
#include <filesystem>
#include <optional>
#include <string>

#include "platforms/cli/options.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/state/state_facts.hpp"
#include "platforms/state/state_file.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera {

/// The facts of a run with these options.
[[nodiscard]] StateFacts facts_of(const cli::RunOptions& options, DriveConfig& config, ContentMode content);

/// As it goes into a file, of a drive that is off; `scoreboard` is null where the run has none.
[[nodiscard]] std::string state_of(const DriveModule& drive, const Scoreboard* scoreboard, const StateFacts& facts);

class SavedState {
 public:
  /// InputError where the file is no state that can be read.
  explicit SavedState(const std::filesystem::path& file) : SavedState(read_state(file), file.string()) {}
  /// `name`: for messages.
  SavedState(std::unique_ptr<PackedState> state, std::string name);
  SavedState(const SavedState&) = delete;
  SavedState& operator=(const SavedState&) = delete;

  [[nodiscard]] const StateFacts& facts() const { return facts_; }
  /// InputError where it is not one of the drive that `run` has, or of other firmware unless that may be.
  void require_fit(const StateFacts& run, bool any_firmware = false) const;
  /// Into a drive that was never on. Then what is left is the scoreboard's.
  void load(DriveModule& drive) { drive.load_state(in_); }
  [[nodiscard]] StateReader& rest() { return in_; }
  /// After all that the facts announce was read.
  void require_end() const;

 private:
  std::string name_;
  std::unique_ptr<PackedState> state_;
  StateReader in_;
  StateFacts facts_;
};

}  // namespace tessera
