#include "platforms/array/array_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <ctime>
#include <iostream>

#include "base/error.hpp"
#include "platforms/array/array_plan.hpp"
#include "platforms/array/array_results.hpp"
#include "platforms/array/drive_share.hpp"
#include "platforms/array/no_requests.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/output/apart.hpp"
#include "platforms/output/program_name.hpp"
#include "platforms/output/progress.hpp"
#include "platforms/output/run_folder.hpp"
#include "platforms/output/summary.hpp"
#include "platforms/plugin/plugin_policy.hpp"
#include "platforms/run/input.hpp"
#include "platforms/run/stop_signals.hpp"
#include "stimuli/readers/byte_stream.hpp"

namespace tessera {

namespace {

constexpr int exit_good = 0;
constexpr int exit_failed_requests = 1;
constexpr int exit_model_bug = 3;

class ShowProgress final : public RequestObserver {
 public:
  ShowProgress(const ArraySimulation& simulation, std::optional<std::uint64_t> expected)
      : player_(simulation.player()), progress_(expected, [&host = simulation.host()] { return sweep_of(host); }) {}
  void on_complete(const HostRequest&, Picoseconds now) override { progress_.update(now, player_.completions()); }
  void wait(Picoseconds now, std::string_view what) { progress_.wait(now, player_.completions(), what); }
  void end() { progress_.clear(); }

 private:
  static std::optional<WorkBesides> sweep_of(const ArrayHost& host) {
    if (host.rebuilding()) return WorkBesides{"a rebuild goes on", host.sweep_done()};
    if (host.scrubbing()) return WorkBesides{"a scrub goes on", host.sweep_done()};
    return std::nullopt;
  }

  const Player& player_;
  Progress progress_;
};

/// When each request came and was done, since the start of the replay: what runs of single drives are put together from. In an order that
/// needs no knowledge of other drives: by completion, and of one time by number.
class CompletionList final : public RequestObserver {
 public:
  CompletionList(Picoseconds begin, const std::vector<std::uint64_t>* numbers) : begin_(begin), numbers_(numbers) {}
  void on_complete(const HostRequest& request, Picoseconds now) override {
    const std::uint64_t number = numbers_ == nullptr ? request.number : (*numbers_)[request.number];
    rows_.push_back({(now - begin_).value(), number, (request.life.arrival - begin_).value(), request.status});
  }
  [[nodiscard]] std::string text() {
    std::ranges::sort(rows_, {}, [](const Row& row) { return std::pair(row.completion, row.number); });
    std::string text = "number,arrival_ps,completion_ps,status\n";
    for (const Row& row : rows_)
      text += std::to_string(row.number) + "," + std::to_string(row.arrival) + "," + std::to_string(row.completion) + "," +
              to_string(row.status) + "\n";
    return text;
  }

 private:
  struct Row {
    std::uint64_t completion = 0;  // ps
    std::uint64_t number = 0;
    std::uint64_t arrival = 0;  // ps
    Status status = Status::ok;
  };
  Picoseconds begin_;
  const std::vector<std::uint64_t>* numbers_;  // in the array's input, of a drive that is simulated alone
  std::vector<Row> rows_;
};

bool has_input(const cli::RunOptions& run) { return run.trace.has_value() || !run.workload.empty(); }

std::string input_of(const cli::RunOptions& run) { return has_input(run) ? input_name(run) : "no requests"; }

ContentMode content_of(const cli::RunOptions& run) {
  switch (run.content) {
    case cli::ContentOption::none: return ContentMode::none;
    case cli::ContentOption::tags: return ContentMode::tags;
    case cli::ContentOption::bytes: return ContentMode::bytes;
  }
  return ContentMode::none;
}

ArraySimulationConfig simulation_config(const cli::RunOptions& run, const ArrayDescription& array) {
  ArraySimulationConfig config;
  config.player.policy = ReplayPolicy{static_cast<ReplayKind>(run.replay.mode), run.replay.depth};
  config.player.tags = array.host.requests;
  config.player.warmup = run.warmup;
  config.player.percentiles = run.percentiles;
  config.content = content_of(run);
  config.check = run.check;
  config.seed = run.seed;
  if (run.prefill_given) config.prefill_percent = run.prefill_percent;
  return config;
}

/// The array's file, those of its drives, and the input.
std::vector<InputFile> inputs_of(const cli::ArrayOptions& options, const ArrayDescription& array, const SearchPath& search) {
  cli::RunOptions run = options.run;
  std::vector<InputFile> inputs = input_files(run, array.document, search);
  for (InputFile& input : inputs)
    if (input.role == "drive") input.role = "array";
  for (const ArrayDriveEntry& entry : array.drives) {
    run.drive = entry.description;
    run.firmware.file = entry.firmware;
    run.trace.reset();
    run.workload.clear();
    for (InputFile& input : input_files(run, entry.document, search))
      if (std::ranges::find(inputs, input.path, &InputFile::path) == inputs.end()) inputs.push_back(std::move(input));
  }
  return inputs;
}

void require_own_outputs(const cli::ArrayOptions& options, const std::vector<InputFile>& inputs, std::size_t drives) {
  std::vector<NamedPath> outputs;
  for (const std::string_view name : RunFolder::names()) {
    outputs.push_back({"the result", options.run.out / name});
    for (std::size_t i = 0; i < drives; ++i) outputs.push_back({"the result", options.run.out / drive_folder(i) / name});
  }
  std::vector<NamedPath> read;
  read.reserve(inputs.size());
  for (const InputFile& input : inputs) read.push_back({"its own input (" + input.role + ")", input.path});
  require_apart(outputs, read);
}

boost::json::object run_facts(const cli::ArrayOptions& options, const ArrayDescription& array, const ArraySimulation& simulation,
                              const std::vector<std::string>& notes) {
  boost::json::object run;
  run["tool"] = "tessera-sim " TESSERA_VERSION;
  run["array"] = options.run.drive;
  run["kind"] = to_string(array.host.shape.kind);
  run["drives"] = array.members();
  run["spares"] = array.spares();
  run["input"] = input_of(options.run);
  run["seed"] = options.run.seed;
  run["partial"] = simulation.partial();
  if (!simulation.failure().empty()) run["failure"] = simulation.failure();
  run["power_cuts"] = simulation.cuts_made();
  run["notes"] = boost::json::value_from(notes);
  return run;
}

/// A block that is wrong is a bug of the model, unless the write hole can be its cause, or more failed than the array survives.
/// `fault`: of a policy of the user's.
int exit_status(const ArraySimulation& simulation, const std::string& fault) {
  const Scoreboard* scoreboard = simulation.scoreboard();
  const bool wrong = (scoreboard != nullptr && scoreboard->errors() > 0) || simulation.rows_differing() > 0;
  const ArrayCounts& counts = simulation.host().counts();
  if (wrong) return counts.rows_left_wrong > 0 || counts.unreadable > 0 ? exit_failed_requests : exit_model_bug;
  if (!fault.empty()) return exit_model_bug;
  if (simulation.partial()) return exit_stopped_by(stop_signal());
  return simulation.player().statistics().failed() > 0 || !simulation.failure().empty() ? exit_failed_requests : exit_good;
}

void add_machine_figures(MetricSet& metrics, std::uint64_t requests, double cpu_seconds) {
  metrics.add("run.cpu_seconds", cpu_seconds, "s", "CPU time of the simulation (of this machine)");
  metrics.add("run.requests_per_cpu_second", cpu_seconds > 0 ? std::optional(static_cast<double>(requests) / cpu_seconds) : std::nullopt,
              "1/s", "host requests simulated per CPU-second (of this machine)");
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Requests of a closed loop wait for those of other drives, and a check asks for more than a window has.
void require_window(const cli::RunOptions& run, const ArrayDescription& array) {
  if (!array.host.window.used()) return;
  if (run.replay.mode != cli::ReplayMode::timed)
    throw InputError("window.length is of requests that come at their own times; expected --replay timed");
  if (run.check || run.warmup != 0) throw InputError("window.length: expected no --check and no --warmup");
}

int print_plan(const ArrayPlan& plan, const cli::RunOptions& run) {
  if (run.json) {
    boost::json::object object{
        {"capacity", plan.capacity.value()}, {"input", input_of(run)}, {"notes", boost::json::value_from(plan.notes)}};
    boost::json::array& drives = object["drives"].emplace_array();
    for (const Bytes drive : plan.drives) drives.emplace_back(drive.value());
    std::cout << boost::json::serialize(object) << "\n";
    return exit_good;
  }
  std::cout << plan.text;
  for (const std::string& note : plan.notes) std::cout << "note: " << note << "\n";
  return exit_good;
}

}  // namespace

int list_array_inputs(const cli::ArrayOptions& options, const SearchPath& search) {
  return print_input_files(inputs_of(options, load_array(options.run.drive, options.run.set, search), search));
}

int array_command(const cli::ArrayOptions& options, const SearchPath& search) {
  const cli::RunOptions& run = options.run;
  end_at_stop_signals(as_called("tessera-sim array: stopped by a signal before the drives were switched on: there are no results\n"));
  if (options.plan) {
    ArrayPlan plan = plan_array(run.drive, run.set, search);
    if (!plan.shares.empty() && has_input(run)) {
      const auto input = open_input(run, search, {plan.capacity, plan.sector});
      write_shares(*input, plan.drives, plan.window, plan.shares);
      for (std::string& note : input->notes()) plan.notes.push_back(std::move(note));
    }
    return print_plan(plan, run);
  }
  const ArrayDescription array = load_array(run.drive, run.set, search);
  if (options.parameters) {
    std::cout << array_parameters(run.json ? cli::ListFormat::json : cli::ListFormat::text, &array);
    return exit_good;
  }
  ArrayDrives drives(array, content_of(run), run.seed, run.check_protocol);
  const std::vector<InputFile> inputs = inputs_of(options, array, search);
  require_own_outputs(options, inputs, drives.size());
  std::vector<std::uint64_t> numbers;
  require_window(run, array);
  ArraySimulation simulation(array, drives, simulation_config(run, array), [&](Bytes capacity) -> std::unique_ptr<TraceSource> {
    const WindowConfig& window = array.host.window;
    if (!window.drive.empty()) return std::make_unique<DriveShare>(std::filesystem::path(window.shares) / (window.drive + ".csv"), numbers);
    if (!has_input(run)) return std::make_unique<NoRequests>();
    return open_input(run, search, {capacity, drives.sector()});
  });
  std::vector<std::string> notes = drives.notes(array, simulation.host().layout());
  RunFolder folder(run.out);
  std::vector<std::unique_ptr<RunFolder>> drive_folders;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    make_way(run.out / drive_folder(array.first_number + i));
    ParameterCollector effective;
    drives[i].config.describe(effective);
    drive_folders.push_back(std::make_unique<RunFolder>(run.out / drive_folder(array.first_number + i)));
    drive_folders.back()->write(
        "drive.toml", parameters_as_toml(effective.parameters(), "effective description of " + drives[i].description), Keep::record);
  }
  ShowProgress progress(simulation, run.limit);
  simulation.add_observer(progress);
  simulation.set_wait_listener([&](std::string_view what) { progress.wait(drives.timeline().now(), what); });
  CompletionList completions(array.host.window.begin, array.host.window.drive.empty() ? nullptr : &numbers);
  if (array.host.window.used()) simulation.add_observer(completions);
  watch_stop_signals();
  stop_reads_when([] { return stop_signal() != 0; });
  std::string fault;
  for (std::size_t i = 0; i < drives.size(); ++i)
    if (PluginPolicies* const policy = drives[i].config.policy(); policy != nullptr)
      policy->on_fault([&fault, number = array.first_number + i](const std::string& sentence) {
        if (fault.empty()) fault = "firmware fault in drive " + std::to_string(number) + ": " + sentence;
        stop_in_order();
      });
  folder.begin();
  for (const auto& drive_folder : drive_folders) drive_folder->begin();
  const double before = cpu_seconds();
  simulation.run();
  progress.end();
  MetricSet metrics = simulation.metrics();
  add_machine_figures(metrics, simulation.player().completions(), cpu_seconds() - before);

  for (std::string& note : run_notes(simulation)) notes.push_back(std::move(note));
  if (!fault.empty()) notes.push_back(fault + "; from then on the layer's own policy decided, and no more was read");
  for (std::size_t i = 0; i < drives.size(); ++i)
    drive_folders[i]->write("summary.json", summary_text(drive_facts(drives[i], array.first_number + i, options), {}, drives[i].metrics),
                            Keep::result);
  const std::string summary = summary_text(run_facts(options, array, simulation, notes), to_json(inputs), metrics);
  folder.write("summary.json", summary, Keep::result);
  if (array.host.window.used()) folder.write("completions.csv", completions.text(), Keep::result);
  if (run.json) {
    std::cout << summary;
  } else {
    std::cout << run.drive << ": " << array_text(array, drives, simulation.host().layout()) << result_text(array, drives, simulation);
    for (const std::string& note : notes) std::cout << "  note: " << note << "\n";
    std::cout << "  results: " << run.out.string() << "\n";
  }
  for (const std::string& message : simulation.scoreboard() == nullptr ? std::vector<std::string>() : simulation.scoreboard()->messages())
    std::cerr << "scoreboard: " << message << "\n";
  if (!fault.empty()) std::cerr << as_called("tessera-sim: " + fault + "\n");
  return exit_status(simulation, fault);
}

}  // namespace tessera
