#include "platforms/state/drive_state_module.hpp"

#include "base/error.hpp"
#include "platforms/state/state_file.hpp"
#include "stimuli/readers/content_hash.hpp"

namespace tessera {

StateFacts facts_of(const cli::RunOptions& options, DriveConfig& config, ContentMode content) {
  StateFacts facts = StateFacts::of(config);
  facts.drive = options.drive;
  // With any policy a layer keeps its data in the same way.
  for (const auto& file : {options.firmware.file, options.firmware.image})
    if (!file.empty() && config.policy() == nullptr) facts.firmware = content_hash(file.string()).text();
  facts.content = content;
  facts.checked = options.check;
  facts.prefill_percent = options.prefill_percent;
  facts.seed = options.seed;
  return facts;
}

std::string state_of(const DriveModule& drive, const Scoreboard* scoreboard, const StateFacts& facts) {
  StateWriter out;
  facts.save(out);
  drive.save_state(out);
  if (scoreboard != nullptr) scoreboard->save_state(out);
  return packed_state(out.state());
}

SavedState::SavedState(std::unique_ptr<PackedState> state, std::string name)
    : name_(std::move(name)),
      state_(std::move(state)),
      in_(
          state_->bytes(), [this] { return state_->next(); }, name_),
      facts_(StateFacts::load(in_)) {}

void SavedState::require_fit(const StateFacts& run, bool any_firmware) const {
  if (const std::string misfit = facts_.misfit(run, any_firmware); !misfit.empty()) throw input_error(name_, 0, misfit);
}

void SavedState::require_end() const { in_.require(in_.left() == 0, "something follows its end"); }

}  // namespace tessera
