#include "platforms/compare/compare_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <iostream>
#include <set>

#include "base/error.hpp"
#include "platforms/compare/capacity_query.hpp"
#include "platforms/compare/child_processes.hpp"
#include "platforms/compare/comparison_table.hpp"
#include "platforms/compare/run_result.hpp"
#include "platforms/compare/shared_hardware.hpp"
#include "platforms/compare/time_lines.hpp"
#include "platforms/description/former_names.hpp"
#include "platforms/drive/drive_config.hpp"
#include "platforms/output/run_folder.hpp"
#include "platforms/run/input.hpp"
#include "platforms/run/output_check.hpp"
#include "platforms/run/stop_signals.hpp"
#include "stimuli/readers/open_trace.hpp"

namespace tessera {

namespace {

constexpr int exit_good = 0;
constexpr int exit_other = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_model_bug = 3;

// Fewer seeds say too little of how far a difference would repeat.
constexpr std::uint64_t enough_seeds = 10;

/// Whether the name is that of a layer with zones and a host for it.
bool names_host(const std::string& name, const DriveConfig& drive) {
  const std::size_t colon = name.find(':');
  return colon != std::string::npos &&
         std::ranges::any_of(drive.layers,
                             [&](const auto& layer) { return layer->name() == name.substr(0, colon) && layer->zone_size() != Bytes(0); }) &&
         HostsConfig().choose(name.substr(colon + 1));
}

/// The layers asked for, of all those that take writes anywhere; InputError with the nearest name for one that there is not.
std::vector<std::string> chosen_layers(const cli::CompareOptions& options, const DriveConfig& drive) {
  std::vector<std::string> known = drive.layer_names();
  if (options.layers == std::vector<std::string>{"all"}) {
    std::vector<std::string> layers;
    for (const auto& layer : drive.layers)
      if (layer->zone_size() == Bytes(0)) layers.push_back(layer->name());
    return layers;
  }
  std::vector<std::string> names = known;
  names.emplace_back("all");
  for (const std::string& host : HostsConfig::names()) names.push_back("zoned:" + host);
  std::vector<std::string> chosen;
  for (const std::string& word : options.layers) {
    const std::string layer = current_name(word);
    if (layer == "all") throw InputError("--layers: 'all' stands alone");
    if (std::find(known.begin(), known.end(), layer) == known.end() && !names_host(layer, drive))
      throw InputError("--layers: " + unknown_name("layer", word, names));
    if (std::ranges::find(chosen, layer) == chosen.end()) chosen.push_back(layer);
  }
  return chosen;
}

/// InputError with the nearest name for a baseline that is not compared.
void check_baselines(const std::vector<std::string>& baselines, std::vector<std::string> layers) {
  layers.emplace_back(best_baseline);
  for (const std::string& baseline : baselines)
    if (std::ranges::find(layers, baseline) == layers.end()) throw InputError("--baseline: " + unknown_name("baseline", baseline, layers));
}

/// What would be wrong with the input whatever the layer is said once, before any run.
void check_input(const cli::RunOptions& options, const SearchPath& search) {
  if (!options.trace) {
    static_cast<void>(load_workload(search, options.workload));
    return;
  }
  if (std::filesystem::exists(options.trace->file) && !std::filesystem::is_regular_file(options.trace->file))
    throw InputError("--trace " + options.trace->file.string() + ": expected a file: every run reads it anew, which a pipe does not allow");
  TraceRecord record;
  static_cast<void>(open_trace(reading_of(*options.trace))->next(record));
}

struct Plan {
  std::vector<RunResult> runs;
  std::vector<std::filesystem::path> folders;
  std::vector<ChildProcess> children;
};

std::filesystem::path folder_of(const cli::CompareOptions& options, const std::string& layer, std::uint64_t seed) {
  return options.run.out / layer / std::to_string(seed);
}

std::vector<std::filesystem::path> folders_of(const cli::CompareOptions& options, const std::vector<std::string>& layers) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& layer : layers)
    for (std::uint64_t i = 0; i < options.seeds; ++i) folders.push_back(folder_of(options, layer, options.run.seed + i));
  return folders;
}

Plan plan_runs(const cli::CompareOptions& options, const std::vector<std::string>& layers) {
  Plan plan;
  for (const std::string& layer : layers) {
    for (std::uint64_t i = 0; i < options.seeds; ++i) {
      const std::uint64_t seed = options.run.seed + i;
      const std::filesystem::path path = folder_of(options, layer, seed);
      make_way(path.parent_path());
      make_way(path);
      RunFolder folder(path);  // without the results of an earlier comparison, whatever becomes of this run
      folder.begin();
      make_way(folder.file("messages.txt"));
      std::vector<std::string> words{"run", options.run.drive, "--layer", layer, "--seed", std::to_string(seed)};
      words.insert(words.end(), options.run_words.begin(), options.run_words.end());
      words.insert(words.end(), {"--out", path.string()});
      const std::filesystem::path state = std::filesystem::path(layer) / (std::to_string(seed) + ".state");
      if (!options.run.load_state.empty()) words.insert(words.end(), {"--load-state", (options.run.load_state / state).string()});
      if (!options.run.save_state.empty()) {
        make_way(options.run.save_state / state);
        words.insert(words.end(), {"--save-state", (options.run.save_state / state).string()});
      }
      RunResult& run = plan.runs.emplace_back();
      run.layer = layer;
      run.seed = seed;
      plan.folders.push_back(path);
      plan.children.push_back({std::move(words), folder.file("messages.txt")});
    }
  }
  return plan;
}

/// DRIVE, its firmware and its parameters, as `check` takes them.
std::vector<std::string> drive_words(const cli::RunOptions& run) {
  std::vector<std::string> words{run.drive};
  if (!run.firmware.file.empty())
    words.insert(words.end(), {"--firmware", run.firmware.file.string(), "--firmware-patience", std::to_string(run.firmware.patience)});
  if (!run.firmware.digest.empty()) words.insert(words.end(), {"--firmware-digest", run.firmware.digest});
  for (const std::string& setting : run.set) words.insert(words.end(), {"--set", setting});
  return words;
}

/// Where addresses wrap at the drive's end and the layers end at unlike places, all wrap at the end of the smallest. Gives the note that
/// says so, and the signal that stopped it.
std::pair<std::string, int> fold_alike(cli::CompareOptions& options, const std::vector<std::string>& layers, std::size_t jobs) {
  if (!options.run.fold || options.run.fold_at || layers.size() < 2) return {};
  std::vector<std::filesystem::path> folders;
  for (const std::string& layer : layers) {
    folders.push_back(options.run.out / layer);
    make_way(folders.back());
    std::filesystem::create_directories(folders.back());
  }
  const CapacityQuery asked = ask_capacities(layers, drive_words(options.run), folders, jobs);
  const std::optional<LayerCapacity> smallest = smallest_of_unlike(asked.layers);
  if (!smallest || asked.stopped_by != 0) return {"", asked.stopped_by};
  options.run_words.insert(options.run_words.end(), {"--fold-at", std::to_string(smallest->capacity.value()) + " B"});
  return {shared_fold_note(*smallest), 0};
}

void print_progress(const RunResult& run, std::size_t done, std::size_t all, double seconds) {
  char took[32];
  std::snprintf(took, sizeof took, "%.1f s", seconds);
  std::cerr << "[" << done << "/" << all << "] " << run.layer << ", seed " << run.seed << ": "
            << (run.status == exit_good ? "done after " + std::string(took) : run.message) << "\n";
}

/// What the runs say of their input, each sentence once; of the layers that say it where not all do.
std::vector<std::string> notes_of_runs(const std::vector<RunResult>& runs) {
  std::vector<std::pair<std::string, std::vector<std::string>>> said;  // in order of appearance
  std::set<std::string> measured;
  for (const RunResult& run : runs) {
    if (run.measured()) measured.insert(run.layer);
    for (const std::string& note : run.notes) {
      if (note.starts_with("unstable")) continue;  // the legend says so
      auto at = std::find_if(said.begin(), said.end(), [&note](const auto& entry) { return entry.first == note; });
      if (at == said.end()) at = said.insert(said.end(), {note, {}});
      if (at->second.empty() || at->second.back() != run.layer) at->second.push_back(run.layer);
    }
  }
  std::vector<std::string> notes;
  for (const auto& [note, layers] : said) {
    std::string who;
    if (layers.size() < measured.size())
      for (const std::string& layer : layers) who += (who.empty() ? " (" : ", ") + layer;
    notes.push_back(note + who + (who.empty() ? "" : ")"));
  }
  return notes;
}

/// What holds of the whole table: first what keeps it from being a ranking.
std::vector<std::string> notes_of(const cli::CompareOptions& options, const std::vector<RunResult>& runs) {
  std::vector<std::string> notes;
  if (options.seeds < enough_seeds)
    notes.push_back("a ranking takes at least " + std::to_string(enough_seeds) + " seeds (--seeds), this has " +
                    std::to_string(options.seeds));
  if (options.run.prefill_percent == 0 && options.run.load_state.empty())
    notes.emplace_back("the drive was empty at the start; --prefill puts it into its used state");
  for (std::string& note : notes_of_runs(runs)) notes.push_back(std::move(note));
  return notes;
}

/// What the drives of the runs that left results have in common, and what not.
std::string terms_of(const Plan& plan, const DriveConfig& drive) {
  std::vector<LayerHardware> layers;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const RunResult& run = plan.runs[i];
    const std::filesystem::path file = plan.folders[i] / "drive.toml";
    if (!run.measured() || (!layers.empty() && layers.back().layer == run.layer) || !std::filesystem::exists(file)) continue;
    const auto factory = std::ranges::find_if(drive.layers, [&](const auto& layer) { return layer->name() == run.layer; });
    const bool own_buffer = factory != drive.layers.end() && (*factory)->has_write_buffer();
    layers.push_back(hardware_of(TomlDocument::load(file).root(), run.layer, layer_section(run.layer), own_buffer));
  }
  return shared_hardware(layers);
}

int exit_status(const std::vector<RunResult>& runs, int stopped_by) {
  if (stopped_by != 0) return exit_stopped_by(stopped_by);
  const auto any = [&runs](auto wanted) {
    return std::any_of(runs.begin(), runs.end(), [&](const RunResult& run) { return wanted(run.status); });
  };
  if (any([](auto status) { return status == exit_model_bug; })) return exit_model_bug;
  if (any([](auto status) { return status != exit_good && status != exit_bad_input; })) return exit_other;
  return any([](auto status) { return status == exit_bad_input; }) ? exit_bad_input : exit_good;
}

}  // namespace

int compare_command(cli::CompareOptions options, const SearchPath& search) {
  if (!options.run.firmware.image.empty())
    throw InputError("--elf " + options.run.firmware.image.string() + ": an image is of one layer; run it by itself ('run')");
  DriveConfig drive = load_drive(search.load(DescriptionFile::drive, options.run.drive), options.run.set, "",
                                 {options.run.firmware.file, options.run.firmware.patience});
  choose_prefill(options.run, drive);
  const std::vector<std::string> layers = chosen_layers(options, drive);
  if (!options.run.percentiles.empty()) show_percentiles(options.run.percentiles);
  for (std::string& baseline : options.baselines) baseline = current_name(baseline);
  check_baselines(options.baselines, layers);
  check_input(options.run, search);
  require_own_outputs(options.run, folders_of(options, layers), search);
  RunFolder folder(options.run.out);
  if (!options.run.save_state.empty())
    for (const std::string& layer : layers) {
      make_way(options.run.save_state / layer);
      std::filesystem::create_directories(options.run.save_state / layer);
    }
  const std::size_t jobs = options.jobs == 0 ? usable_cpus() : options.jobs;
  const std::vector<std::string> words = options.run_words;
  const auto [fold_note, asking_stopped_by] = fold_alike(options, layers, jobs);
  if (asking_stopped_by != 0) return exit_stopped_by(asking_stopped_by);
  Plan plan = plan_runs(options, layers);
  folder.begin();

  std::size_t done = 0;
  const int stopped_by = ChildProcesses(plan.children).run(jobs, [&](const ChildEnd& end) {
    RunResult& run = plan.runs[end.child];
    read_run(run, plan.folders[end.child], plan.children[end.child].messages, end.status);
    print_progress(run, ++done, plan.runs.size(), end.seconds);
  });

  const std::vector<Row> rows = compare_layers(plan.runs);
  std::vector<BaselineTable> baselines;
  for (const std::string& baseline : options.baselines) baselines.push_back(against_baseline(plan.runs, rows, baseline));
  std::vector<std::string> notes = notes_of(options, plan.runs);
  if (!fold_note.empty()) notes.push_back(fold_note);
  const std::string terms = terms_of(plan, drive);
  const boost::json::object facts{{"tool", "tessera-sim " TESSERA_VERSION},
                                  {"drive", options.run.drive},
                                  {"input", input_name(options.run)},
                                  {"options", boost::json::value_from(words)},
                                  {"terms", terms},
                                  {"first_seed", options.run.seed},
                                  {"seeds", options.seeds},
                                  {"partial", stopped_by != 0}};
  folder.write("compare.json", comparison_json(facts, rows, plan.runs, baselines, notes), Keep::result);
  if (!terms.empty()) std::cout << terms << "\n\n";
  std::cout << comparison_text(rows, notes);
  for (const BaselineTable& table : baselines) std::cout << "\n" << baseline_text(table);
  std::cout << time_lines(plan.runs);
  std::cout << "\nResults: " << folder.file("compare.json").string() << "\n";
  return exit_status(plan.runs, stopped_by);
}

}  // namespace tessera
