#include "platforms/run/run_command.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>

#include "base/error.hpp"
#include "base/random.hpp"
#include "platforms/cli/run_document.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/drive/drive_image.hpp"
#include "platforms/gdb/drive_debugger.hpp"
#include "platforms/output/firmware_log.hpp"
#include "platforms/output/program_name.hpp"
#include "platforms/output/progress.hpp"
#include "platforms/output/run_folder.hpp"
#include "platforms/output/summary.hpp"
#include "platforms/output/terminal_summary.hpp"
#include "platforms/plugin/plugin_policy.hpp"
#include "platforms/run/firmware_profile.hpp"
#include "platforms/run/input.hpp"
#include "platforms/run/input_files.hpp"
#include "platforms/run/output_check.hpp"
#include "platforms/run/probes.hpp"
#include "platforms/run/promise.hpp"
#include "platforms/run/simulation.hpp"
#include "platforms/run/stop_signals.hpp"
#include "platforms/run/used_caches.hpp"
#include "platforms/state/drive_state_module.hpp"
#include "platforms/state/state_file.hpp"
#include "stimuli/readers/byte_stream.hpp"

namespace tessera {

namespace {

constexpr std::string_view unstable_note = "unstable: requests piled up to the end, so latencies measure the length of the run";
constexpr std::string_view unsteady_note = "not steady: latencies still changed in the second half of the run";
constexpr std::string_view pointers_note =
    "zones take whole sectors at their write pointers alone: give the workload zonemode = \"zbd\", or run with --layer zoned:log "
    "(zoned:lsm, zoned:dmz), a host in between that writes anywhere for the application";
constexpr int exit_good = 0;
constexpr int exit_failed_requests = 1;
constexpr int exit_model_bug = 3;

ContentMode content_mode(const cli::RunOptions& options) {
  switch (options.content) {
    case cli::ContentOption::none: return options.check ? ContentMode::tags : ContentMode::none;
    case cli::ContentOption::tags: return ContentMode::tags;
    case cli::ContentOption::bytes: return ContentMode::bytes;
  }
  return ContentMode::none;
}

SimulationConfig simulation_config(const cli::RunOptions& options, const DriveConfig& drive) {
  SimulationConfig config;
  config.player.policy = ReplayPolicy{static_cast<ReplayKind>(options.replay.mode), options.replay.depth};
  config.player.tags = drive.host.tags;
  config.player.warmup = options.warmup;
  config.player.percentiles = options.percentiles;
  config.player.zone_blocks = drive.visible_zone_size() / Bytes(host_block_bytes);
  config.player.errors = {drive.host.command_timeout, drive.host.abort_timeout, drive.host.retry_delay, drive.host.command_retries};
  config.content = content_mode(options);
  config.promise = promise_of(drive);
  config.check = options.check;
  config.looks_apart = options.check;
  config.prefill_percent = options.prefill_percent;
  config.cuts = options.cut_at;
  config.boot_cuts = options.boot_cuts;
  config.restarts = options.restarts;
  config.player.age = options.age;
  if (!options.record && !options.gdb) config.rest_after = drive.rest_after;
  // The seed also says where the spindle stands when the replay starts: runs of a recorded trace differ by it alone.
  const std::uint64_t turn = revolution(drive.media.speed).value();
  config.start_delay = Picoseconds(RandomStream(options.seed, "run.spindle_phase").below(turn));
  return config;
}

/// The progress line, and the end of a run of which a file can no longer be written: that is not worth simulating on.
class RunWatch final : public RequestObserver {
 public:
  RunWatch(Simulation& simulation, const Probes& probes, std::optional<std::uint64_t> expected_requests)
      : simulation_(simulation), probes_(probes), progress_(expected_requests) {}

  void on_complete(const HostRequest&, Picoseconds now) override {
    progress_.update(simulation_.rested() + now, simulation_.player().completions());
    if (probes_.failed()) simulation_.stop();
  }
  void end() { progress_.clear(); }

 private:
  Simulation& simulation_;
  const Probes& probes_;
  Progress progress_;
};

double cpu_seconds_used() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The kernel's high-water mark of this program. That of getrusage() counts what the process held before it became this program, as a
/// copy of whatever started it.
std::optional<double> peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;  // in KiB
  return std::nullopt;
}

/// The figures of the machine that ran it: the only ones that may differ between two runs of one description.
void add_machine_figures(MetricSet& metrics, std::uint64_t requests, double cpu_seconds) {
  metrics.add("run.cpu_seconds", cpu_seconds, "s", "CPU time of the simulation (of this machine)");
  metrics.add("run.requests_per_cpu_second", cpu_seconds > 0 ? std::optional(static_cast<double>(requests) / cpu_seconds) : std::nullopt,
              "1/s", "host requests simulated per CPU-second (of this machine)");
  metrics.add("run.peak_memory_bytes", peak_memory_bytes(), "B", "largest resident memory (of this machine)");
}

/// Null where the trace came through a pipe and was not read to its end.
boost::json::value input_hash(const std::vector<InputFile>& inputs) {
  const auto trace = std::ranges::find(inputs, "trace", &InputFile::role);
  return trace != inputs.end() && trace->bytes ? boost::json::value(trace->sha256) : nullptr;
}

/// What the run is, by name and as data: enough to make it again, and nothing that a reader would have to execute.
boost::json::object run_description(const cli::RunOptions& options, const std::vector<InputFile>& inputs) {
  boost::json::object named;
  for (const cli::NamedOption& option : options.named) {
    boost::json::value& value = named[option.name];
    if (option.values.empty())
      value = true;
    else if (option.repeated)
      value = boost::json::value_from(option.values);
    else
      value = option.values.front();
  }
  return {{"schema", 1}, {"tool", "tessera-sim " TESSERA_VERSION}, {"options", std::move(named)}, {"inputs", to_json(inputs)}};
}

std::string digest_of_code(const std::vector<InputFile>& inputs) {
  const auto code = std::ranges::find_if(inputs, [](const InputFile& input) { return input.role == "firmware" || input.role == "image"; });
  return code == inputs.end() ? "" : code->sha256;
}

/// Of the power cuts that were asked for, which were not made and why, and what those that were made lost.
std::vector<std::string> cut_notes(const Simulation& simulation, std::uint64_t asked) {
  std::vector<std::string> notes;
  const std::uint64_t dark = simulation.cuts_in_outage();
  const std::uint64_t late = asked - simulation.cuts_made() - dark;
  const std::string of_the_cuts = " of the power cuts that were asked for ";
  if (dark > 0) notes.push_back(std::to_string(dark) + of_the_cuts + "fell into an outage: there was no power to cut");
  if (const DumpEngine& engine = simulation.dump_engine(); engine.can_fail() && engine.size() == Bytes(0))
    notes.emplace_back("this drive dumps nothing at a power cut: dumps that fail have no effect");
  if (const Scoreboard* scoreboard = simulation.scoreboard(); scoreboard != nullptr && scoreboard->lost_in_dumps() > 0)
    notes.push_back("dumps that failed lost " + std::to_string(scoreboard->lost_in_dumps()) + " acknowledged blocks of 512 B");
  if (late > 0) notes.push_back(std::to_string(late) + of_the_cuts + "came too late: behind the start of the replay (boot+) or its end");
  return notes;
}

/// The drive's state that a run begins with. The prefilled share is then that of the run that saved it.
std::unique_ptr<SavedState> open_state(cli::RunOptions& options, DriveConfig& drive) {
  if (options.load_state.empty()) return nullptr;
  auto saved = std::make_unique<SavedState>(options.load_state);
  saved->require_fit(facts_of(options, drive, content_mode(options)), options.any_firmware);
  options.prefill_percent = saved->facts().prefill_percent;
  if (options.fold_prefilled && options.prefill_percent == 0)
    throw InputError("--fold-prefilled needs a prefilled drive, and that of " + options.load_state.string() + " was empty at its start");
  return saved;
}

boost::json::object run_facts(const cli::RunOptions& options, const DriveConfig& drive, const Simulation& simulation,
                              const std::vector<InputFile>& inputs, const std::vector<std::string>& notes, bool unstable,
                              std::uint64_t filling_requests) {
  boost::json::object run;
  run["tool"] = "tessera-sim " TESSERA_VERSION;
  run["drive"] = options.drive;
  run["layer"] = drive.layer_in_full();
  if (!options.firmware.file.empty()) run["firmware"] = options.firmware.file.filename().string();
  if (!options.firmware.image.empty()) run["image"] = options.firmware.image.filename().string();
  run["input"] = input_name(options);
  if (options.trace) run["input_hash"] = input_hash(inputs);
  run["seed"] = options.seed;
  if (!options.load_state.empty()) run["loaded_state"] = options.load_state.string();
  if (filling_requests != 0) run["cache_filling_requests"] = filling_requests;
  run["partial"] = simulation.partial();
  run["unstable"] = unstable;
  const std::optional<bool> steady = simulation.player().statistics().steady();
  run["steady"] = steady ? boost::json::value(*steady) : boost::json::value(nullptr);
  run["cleans"] = simulation.measurement().layer_cleans();
  run["power_cuts"] = simulation.cuts_made();
  run["restarts"] = simulation.restarts_made();
  boost::json::array list;
  for (const std::string& note : notes) list.emplace_back(note);
  run["notes"] = std::move(list);
  return run;
}

void print_result(const cli::RunOptions& options, const DriveConfig& drive, const MetricSet& metrics, const RunVerdict& verdict,
                  const std::vector<std::string>& notes) {
  std::cout << options.drive << ", layer " << drive.layer_in_full() << ", " << input_name(options) << ":\n"
            << terminal_summary(metrics, verdict);
  for (const std::string& note : notes)
    if (!note.starts_with(unstable_note) && !note.starts_with(unsteady_note)) std::cout << "  note: " << note << "\n";  // said at the top
  std::cout << "  results: " << options.out.string() << "\n";
}

/// A debugger may come to the drive's processor; its `kill` ends the run as a signal does.
void open_debugger(std::optional<DriveDebugger>& debugger, std::uint16_t port, DriveModule& drive) {
  debugger.emplace(port, drive.config().image->wide(),
                   DebuggedDrive{.now = [&drive] { return drive.timeline().now(); },
                                 .requests = [&drive] { return drive.controller().account(); },
                                 .cut_power = {},
                                 .end_run = [] { std::raise(SIGTERM); },
                                 .gives_up = [] { return stop_signal() != 0; }});
  drive.debug(&*debugger);
  std::cerr << "waiting for GDB: target remote 127.0.0.1:" << debugger->port() << std::endl;
}

/// `fault`: of a policy of the user's.
int exit_status(const Simulation& simulation, const std::string& fault) {
  if (simulation.scoreboard() != nullptr && simulation.scoreboard()->errors() > 0) return exit_model_bug;
  if (!fault.empty()) return exit_model_bug;
  if (simulation.partial()) return exit_stopped_by(stop_signal());
  return simulation.failed() > 0 || simulation.overdue() > 0 || !simulation.drain_failure().empty() ? exit_failed_requests : exit_good;
}

bool wrote_off_pointers(const DriveConfig& drive, const MetricSet& metrics) {
  const auto refused = [&metrics](Status status) { return metrics.find(std::string("host.failed.") + to_string(status)) != nullptr; };
  return drive.visible_zone_size() != Bytes(0) && !drive.selected().takes_writes_anywhere() &&
         (refused(Status::unaligned_write) || refused(Status::invalid_field));
}

/// For standard error: whoever sees the exit status alone is to know the reason, too. The first overdue command is there already.
std::string why_failed(const Simulation& simulation, const DriveConfig& drive, const MetricSet& metrics) {
  std::string why;
  constexpr std::string_view prefix = "host.failed.";
  for (const Metric& metric : metrics.all())
    if (metric.name.starts_with(prefix))
      why += (why.empty() ? "requests failed: " : ", ") + metric.name.substr(prefix.size()) + " " +
             std::to_string(static_cast<std::uint64_t>(metric.value.value_or(0)));
  if (why.empty()) why = simulation.drain_failure();
  if (why.empty()) return "";
  if (wrote_off_pointers(drive, metrics)) why += "; " + std::string(pointers_note);
  return "tessera-sim run: " + why + "\n";
}

}  // namespace

int run_command(cli::RunOptions options, const SearchPath& search) {
  end_at_stop_signals(as_called("tessera-sim run: stopped by a signal before the drive was switched on: there are no results\n"));
  require_own_outputs(options, search);
  RunFolder folder(options.out);
  TomlDocument description = search.load(DescriptionFile::drive, options.drive);
  std::vector<InputFile> inputs = input_files(options, description, search);
  DriveConfig drive_config =
      load_drive(std::move(description), options.set, options.layer, {options.firmware.file, options.firmware.patience});
  load_image(drive_config, options.firmware.image, options.layer);
  choose_prefill(options, drive_config);
  const bool used_caches = choose_caches(options, drive_config);
  const FormatPlan plan = plan_drive(drive_config);
  ParameterCollector effective;
  drive_config.describe(effective);
  constexpr int an_option_a_line = 2;
  folder.write("run.toml", cli::run_document(options.named, digest_of_code(inputs)), Keep::record);
  folder.write("run.json", json_text(run_description(options, inputs), an_option_a_line), Keep::record);
  folder.write("drive.toml", parameters_as_toml(effective.parameters(), "effective description of " + options.drive), Keep::record);

  if (!options.load_state.empty() || !options.save_state.empty())
    refuse_translating_host(drive_config, "--load-state and --save-state keep what the drive holds");
  std::unique_ptr<SavedState> saved = open_state(options, drive_config);
  SimulationConfig config = simulation_config(options, drive_config);
  FilledDrive filled;
  if (const CacheFilling filling = filling_of(drive_config, plan); filling.caches != Bytes(0)) {
    if (used_caches)
      filled = use_caches(filling, options, drive_config, plan, config, search);
    else if (drive_config.caches == CachesAtStart::used && options.caches == cli::CachesOption::by_drive && saved == nullptr)
      filled.empty_because = drive_config.caches_overridden;
  }
  if (filled.state != nullptr) saved = std::move(filled.state);
  config.restored = saved != nullptr;

  ContentHash of_pipe;
  DriveParts parts = DriveParts::alone();
  parts.check_protocol = options.check_protocol;
  std::optional<DriveDebugger> debugger;
  DriveModule drive("drive", drive_config, plan, config.content, options.seed, parts);
  if (options.gdb) open_debugger(debugger, *options.gdb, drive);
  std::optional<riscv::HartProfile> profile;
  std::optional<OutputFile> profile_file;
  if (!options.firmware_profile.empty()) {
    profile_file.emplace(options.firmware_profile);
    drive.count_cycles(&profile.emplace([&drive](std::uint64_t at) { return drive.config().image->function_around(at).value_or(0); }));
  }
  FirmwareLog log(folder.file("firmware.log"));
  drive.on_uart_line([&log](const std::string& line, Picoseconds at) { log.record(line, at); });
  if (saved != nullptr) saved->load(drive);
  Simulation simulation(drive, config, [&](Bytes capacity) {
    const bool piped = options.trace && !std::filesystem::is_regular_file(options.trace->file);
    const InputLimits limits{capacity,
                             drive_config.media.sector_size,
                             drive_config.logical_units,
                             lun_ends(drive),
                             {drive_config.visible_zone_size(), drive_config.media.sector_size, [&drive] { return drive.zones(); }}};
    return open_input(options, search, limits, piped ? &of_pipe : nullptr);
  });
  if (saved != nullptr && simulation.scoreboard() != nullptr) {
    simulation.load_scoreboard(saved->rest());
    saved->require_end();
  } else if (saved != nullptr && !saved->facts().checked) {
    saved->require_end();
  }
  std::string state;
  if (!options.save_state.empty())
    simulation.shut_down_at_end([&] {
      StateFacts facts = facts_of(options, drive_config, content_mode(options));
      facts.requests = simulation.player().completions();
      state = state_of(drive, simulation.scoreboard(), facts);
    });
  if (debugger) debugger->can_cut([&simulation] { simulation.cut_soon(); });
  const std::vector<std::string> placement_notes = drive.controller().placement_notes();
  Probes probes(probes_config(options), drive, [&simulation] { return simulation.player().outstanding(); });
  RunWatch watch(simulation, probes, options.limit);
  simulation.add_observer(probes);
  simulation.add_observer(watch);
  simulation.set_rest_listener([&probes](Picoseconds by) { probes.rest(by); });
  simulation.set_cut_listener([&probes](const char* kind, Picoseconds at) { probes.power_event(kind, at); });

  folder.begin();
  watch_stop_signals();
  std::string fault;
  if (PluginPolicies* const policy = drive_config.policy(); policy != nullptr)
    policy->on_fault([&fault](const std::string& sentence) {
      if (fault.empty()) fault = sentence;
      stop_in_order();
    });
  stop_reads_when([] { return stop_signal() != 0; });
  const double before = cpu_seconds_used();
  simulation.run();
  const double cpu_seconds = cpu_seconds_used() - before;
  watch.end();
  log.close();
  if (profile) {
    write_firmware_profile(profile_file->stream(), *profile, drive_config.image->file(), drive_config.controller.clock);
    profile_file->close();
  }

  std::vector<std::string> notes = probes.finish();
  for (std::string& warning : warnings(drive_config, plan)) notes.push_back(std::move(warning));
  if (drive_config.media.interference_limit != 0 && simulation.scoreboard() == nullptr)
    notes.emplace_back("media.interference_limit: what neighbours spoil is known with --check alone; here no read failed of it");
  notes.insert(notes.end(), placement_notes.begin(), placement_notes.end());
  if (saved != nullptr && options.prefill_percent < 100)
    notes.push_back("the loaded drive was prefilled to " + std::to_string(options.prefill_percent) +
                    " % only: a layer that keeps no record of used tracks takes all of them for used after a boot");
  if (std::string note = filled.note(); !note.empty()) notes.push_back(std::move(note));
  for (std::string& note : simulation.source().notes()) notes.push_back(std::move(note));
  for (std::string& note : cut_notes(simulation, options.cut_at.size() + options.boot_cuts.size() + simulation.cuts_added()))
    notes.push_back(std::move(note));
  if (options.warmup != 0 && simulation.player().completions() <= options.warmup)
    notes.push_back("the warm-up of " + std::to_string(options.warmup) + " requests covers the whole run of " +
                    std::to_string(simulation.player().completions()) + ": nothing of it was measured");
  if (const std::size_t missed = options.restarts.size() - simulation.scheduled_restarts_made(); missed > 0)
    notes.push_back(std::to_string(missed) +
                    " of the restarts that were asked for found no firmware running: in an outage, another restart or behind the end");
  if (!simulation.drain_failure().empty()) notes.push_back(simulation.drain_failure());
  if (!fault.empty()) notes.push_back("firmware fault: " + fault + "; from then on the layer's own policy decided, and no more was read");
  if (const std::uint64_t overdue = simulation.overdue(); overdue > 0) {
    notes.push_back(std::to_string(overdue) +
                    " commands were overdue: the drive did not answer within host.timeout; the first is on standard error");
    std::cerr << simulation.first_overdue() << "\n";
  }
  if (simulation.verifications_restarted() != 0)
    notes.push_back("errors of the DRAM restarted the firmware in " + std::to_string(simulation.verifications_restarted()) +
                    " verifications: not all that was written was read back there");
  if (simulation.verification_stopped())
    notes.push_back(std::string(fault.empty() ? "a signal" : "that") + " ended the verification: not all that was written was read back");
  MetricSet& metrics = simulation.metrics();
  if (const Metric* ended = metrics.find("defects.read_only"); ended != nullptr && ended->value == 1)
    notes.emplace_back("the drive takes no more writes: a bad sector found no spare (read only)");
  if (wrote_off_pointers(drive_config, metrics)) notes.emplace_back(pointers_note);
  const bool unstable = simulation.player().statistics().backlog().unstable(drive_config.host.tags);
  if (unstable) notes.emplace_back(unstable_note);
  const std::optional<bool> steady = simulation.player().statistics().steady();
  const bool unsteady = steady == false;
  if (unsteady && !unstable) notes.push_back(std::string(unsteady_note) + ", so its figures depend on its length");
  if (const Scoreboard* scoreboard = simulation.scoreboard(); scoreboard != nullptr) {
    scoreboard->report(metrics);
    for (const std::string& message : scoreboard->messages()) std::cerr << "scoreboard: " << message << "\n";
  }
  metrics.add("run.simulated_seconds", simulation.duration().in_picoseconds() * 1e-12, "s",
              "simulated time from the start of the replay to the end of the drain");
  add_machine_figures(metrics, simulation.player().completions(), cpu_seconds);

  const int status = exit_status(simulation, fault);
  if (!options.save_state.empty()) {
    if (status == exit_good)
      write_state(options.save_state, state);
    else
      notes.emplace_back("the drive's state was not saved: the run did not end well");
  }
  add_digest_of_pipe(inputs, of_pipe);
  const std::string summary =
      summary_text(run_facts(options, drive_config, simulation, inputs, notes, unstable, filled.requests), to_json(inputs), metrics);
  folder.write("summary.json", summary, Keep::result);
  if (options.json)
    std::cout << summary;
  else
    print_result(options, drive_config, metrics,
                 {.partial = simulation.partial(),
                  .unstable = unstable,
                  .cleans = simulation.measurement().layer_cleans(),
                  .unsteady = unsteady,
                  .recovered = filled.requests == 0 || simulation.cuts_made() + simulation.restarts_made() > 0,
                  .power_cuts = simulation.cuts_made(),
                  .caches = filled.wrong(),
                  .dram = drive_config.dram.capacity,
                  .percentiles = options.percentiles},
                 notes);
  if (status == exit_failed_requests) std::cerr << as_called(why_failed(simulation, drive_config, metrics));
  if (!fault.empty()) std::cerr << as_called("tessera-sim: firmware fault: " + fault + "\n");
  if (debugger) debugger->exited(status);
  return status;
}

}  // namespace tessera
