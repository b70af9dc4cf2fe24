#include "platforms/run/used_caches.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "platforms/output/progress.hpp"
#include "platforms/run/input.hpp"
#include "platforms/run/process_copy.hpp"
#include "platforms/state/state_file.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

namespace {

/// How the process that fills the caches ends; what it says is the state, or what went wrong.
enum ChildStatus : int { child_filled = 0, child_refused = 2, child_found_bug = 3 };

constexpr const char* filled = "the drive with used caches";
constexpr const char* without = "; --caches empty begins without";

std::string all_that(ProcessCopy& copy) {
  std::string bytes;
  std::array<char, 1 << 16> piece{};
  while (const std::size_t got = copy.hear(piece)) bytes.append(piece.data(), got);
  return bytes;
}

/// What fills the caches: until they are full, or, of a recording's past, to its end.
class FillingInput final : public TraceAdaptation {
 public:
  FillingInput(std::unique_ptr<TraceSource> inner, const CacheFilling& filling, bool to_the_end)
      : TraceAdaptation(std::move(inner)), filling_(filling), to_the_end_(to_the_end) {}

  bool next(TraceRecord& record) override {
    if ((full() && !to_the_end_) || !inner_->next(record)) return false;
    if (record.op == HostOp::write) wrote_ += record.size;
    if (record.op == HostOp::write || record.op == HostOp::read) moved_ += record.size;
    return true;
  }
  /// The share that is done, where it ends when the caches are full.
  [[nodiscard]] double share() const {
    const auto of = [](Bytes part, Bytes whole) { return static_cast<double>(part.value()) / static_cast<double>(whole.value()); };
    return std::min(1.0, std::max(of(wrote_, filling_.to_write()), of(moved_, filling_.to_move())));
  }
  [[nodiscard]] bool full() const { return wrote_ >= filling_.to_write() || moved_ >= filling_.to_move(); }

 private:
  CacheFilling filling_;
  bool to_the_end_;
  Bytes wrote_;
  Bytes moved_;
};

/// How far the caches are, on standard error.
class ShowFilling final : public RequestObserver {
 public:
  ShowFilling(const Simulation& simulation, std::function<double()> share)
      : simulation_(simulation), progress_({}, [share = std::move(share)] {
          return WorkBesides{"the caches fill", share()};
        }) {}
  void on_complete(const HostRequest&, Picoseconds now) override { progress_.update(now, simulation_.player().completions()); }

 private:
  const Simulation& simulation_;
  Progress progress_;
};

constexpr char filled_whole = 'w';
constexpr char filled_in_part = 'p';

/// How it ended, then the state as it goes into a file. InputError where the drive failed.
std::string state_after(const CacheFilling& filling, const cli::RunOptions& options, DriveConfig& drive_config, const FormatPlan& plan,
                        const SimulationConfig& config, const SearchPath& search, bool past) {
  DriveModule drive("drive", drive_config, plan, config.content, options.seed, DriveParts::alone());
  const FillingInput* input = nullptr;
  Simulation simulation(drive, config, [&](Bytes capacity) {
    auto filling_input = std::make_unique<FillingInput>(
        open_input(options, search,
                   {capacity,
                    drive_config.media.sector_size,
                    drive_config.logical_units,
                    lun_ends(drive),
                    {drive_config.visible_zone_size(), drive_config.media.sector_size, [&drive] { return drive.zones(); }}}),
        filling, past);
    input = filling_input.get();
    return filling_input;
  });
  ShowFilling shown(simulation, [&] {
    return past ? static_cast<double>(simulation.player().completions()) / static_cast<double>(*options.limit) : input->share();
  });
  simulation.add_observer(shown);
  std::string state;
  simulation.shut_down_at_end([&] {
    StateFacts facts = facts_of(options, drive_config, config.content);
    facts.requests = simulation.player().completions();
    state = state_of(drive, simulation.scoreboard(), facts);
  });
  simulation.run();
  if (!state.empty()) return (input->full() ? filled_whole : filled_in_part) + state;
  throw InputError("the caches cannot be filled: " +
                   (simulation.drain_failure().empty() ? std::string("the drive did not shut down") : simulation.drain_failure()) +
                   without);
}

[[noreturn]] void fill_in_copy(const ProcessCopy& copy, const std::function<std::string()>& fill) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  ChildStatus status = child_filled;
  std::string answer;
  try {
    answer = fill();
  } catch (const ModelBug& bug) {
    answer = bug.what();
    status = child_found_bug;
  } catch (const std::exception& error) {
    answer = error.what();
    status = child_refused;
  }
  copy.answer(answer);
  copy.end(status);
}

}  // namespace

bool choose_caches(const cli::RunOptions& options, DriveConfig& drive) {
  using cli::CachesOption;
  const auto empty = [&drive](const char* why) {
    drive.caches_overridden = why;
    return false;
  };
  if (!options.load_state.empty()) return empty("--load-state brings caches that were filled before");
  if (options.caches == CachesOption::empty) return empty("--caches says what they hold");
  if (options.caches == CachesOption::used) {
    if (options.prefill_percent < 100)
      throw InputError("--caches used needs a full drive, and this one is prefilled to " + std::to_string(options.prefill_percent) +
                       " %: layers that keep no record of used tracks take all of them for used then; give --prefill 100");
    if (options.trace && !std::filesystem::is_regular_file(options.trace->file))
      throw InputError("--caches used reads the trace twice, and " + options.trace->file.string() + " can be read only once");
    drive.caches_overridden = "--caches says what they hold";
    return true;
  }
  if (options.trace && !std::filesystem::is_regular_file(options.trace->file))
    return empty("an input that can be read only once fills none");
  if (options.prefill_percent < 100) return empty("only those of a full drive are filled (--prefill 100)");
  if (!options.firmware.image.empty()) return empty("those of a firmware image are filled on request (--caches used)");
  return drive.caches == CachesAtStart::used;
}

CacheFilling filling_of(const DriveConfig& drive, const FormatPlan& plan) {
  if (!drive.selected().takes_writes_anywhere()) return {};
  const DriveGeometry geometry = geometry_of(drive.media);
  std::uint64_t sectors = 0;
  for (const char* name : {"cache", "buffer"}) sectors += sectors_in(regions_named(plan, name), geometry);
  return {Bytes(sectors * geometry.sector_bytes) + drive.flash_in_use()};
}

std::string FilledDrive::note() const {
  if (!empty_because.empty()) return "it began with empty caches: " + empty_because;
  if (requests == 0) return "";
  const std::string input = recorded ? "the same input" : "other requests of the same workload";
  std::string how = input + (in_part ? ", served once before, filled them in part" : " had filled them before");
  if (past != 0) how = "the " + std::to_string(past) + " requests before " + (in_part ? "filled them in part" : "filled them");
  return "it began with used caches: " + how + " (--caches empty begins without)";
}

std::string FilledDrive::wrong() const {
  if (!recorded || requests == 0) return "";
  if (past == 0) return "best case: these very requests had filled the caches before (with --skip N the first N fill them)";
  return in_part ? "too short a past: the requests before these filled the caches in part only" : "";
}

FilledDrive use_caches(const CacheFilling& filling, const cli::RunOptions& options, DriveConfig& drive, const FormatPlan& plan,
                       SimulationConfig config, const SearchPath& search) {
  cli::RunOptions once = options;
  once.age.reset();
  once.replay = {cli::ReplayMode::closed, CacheFilling::depth};
  config.player.policy = ReplayPolicy{ReplayKind::closed, CacheFilling::depth};
  config.player.warmup = 0;
  config.player.age.reset();
  config.restored = false;
  config.rest_after.reset();
  config.cuts.clear();
  config.boot_cuts.clear();
  config.restarts.clear();
  FilledDrive end;
  end.recorded = options.trace.has_value();
  if (end.recorded && options.skip > 0) {
    end.past = options.skip;
    once.skip = 0;
    once.limit = options.skip;
  } else if (!end.recorded) {
    once.limit = options.limit.value_or(std::max(load_workload(search, options.workload).requests, options.skip) - options.skip);
    once.skip = options.skip + *once.limit;
  }
  ProcessCopy copy;
  if (copy.is_copy()) fill_in_copy(copy, [&] { return state_after(filling, once, drive, plan, config, search, end.past != 0); });
  const std::string answer = all_that(copy);
  const int status = copy.wait();
  if (status < 0 || answer.empty())
    throw InputError(std::string("the caches cannot be filled: the process that does so was ended from outside") + without);
  if (status == child_found_bug) throw ModelBug(answer);
  if (status == child_refused) throw InputError(answer);
  end.in_part = answer.front() == filled_in_part;
  end.state = std::make_unique<SavedState>(std::make_unique<PackedState>(answer.substr(1), filled), filled);
  end.requests = end.state->facts().requests;
  return end;
}

}  // namespace tessera
