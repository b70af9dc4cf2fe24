#include "platforms/torture/combined_command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <system_error>

#include "base/error.hpp"
#include "platforms/output/program_name.hpp"
#include "platforms/torture/children.hpp"
#include "platforms/torture/combined_minimise.hpp"
#include "platforms/torture/combined_report.hpp"
#include "platforms/torture/settings_in_vain.hpp"

namespace tessera {

namespace {

using cli::TortureOptions;

constexpr std::size_t most_failures_told = 200;

/// A folder that is gone with the campaign, or the user's.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& keep) : path_(keep), kept_(!keep.empty()) {
    if (kept_) {
      std::filesystem::create_directories(path_);
      return;
    }
    std::string name = (std::filesystem::temp_directory_path() / "tessera-campaign-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] bool kept() const { return kept_; }
  [[nodiscard]] CombinedFiles files(std::uint64_t seed, std::uint64_t run) const {
    const std::string name = std::to_string(seed) + "-" + std::to_string(run);
    return {path_ / (name + ".csv"), path_ / (name + ".state")};
  }
  void remove(std::uint64_t seed, std::uint64_t run) const {
    const CombinedFiles of_run = files(seed, run);
    std::error_code ignored;
    std::filesystem::remove(of_run.trace, ignored);
    std::filesystem::remove(of_run.state, ignored);
  }

 private:
  std::filesystem::path path_;
  bool kept_;
};

class Campaign {
 public:
  Campaign(const TortureOptions& options, const SearchPath& search)
      : options_(options),
        search_(search),
        folder_(options.keep),
        layers_(layers()),
        skipped_(refusing()),
        draw_(
            options.run.drive, options.run.seed, layers_, options.run.set,
            [this](const std::vector<std::string>& set, const std::string& layer) { return load(set, layer); }, can_be_made, options.draw) {
  }

  int run();

 private:
  [[nodiscard]] DriveConfig load(const std::vector<std::string>& set, const std::string& layer) const {
    return load_drive(search_.load(DescriptionFile::drive, options_.run.drive), set, layer,
                      {options_.run.firmware.file, options_.run.firmware.patience});
  }
  [[nodiscard]] std::vector<std::string> layers() const {
    DriveConfig plain = load(options_.run.set, "");
    const bool of_library = options_.layer.empty() && !options_.run.firmware.file.empty();
    if (of_library || (options_.layer != "all" && !options_.layer.empty())) {
      if (!of_library) plain.choose_layer(options_.layer);
      static_cast<void>(plain.selected());
      return {plain.layer_in_full()};
    }
    std::vector<std::string> names;
    names.reserve(plain.layers.size() + 2);
    for (const auto& layer : plain.layers) names.push_back(layer->name());
    names.emplace_back("zoned:log");
    names.emplace_back("zoned:lsm");
    return names;
  }
  /// The layers that refuse what was set for all of them, with what each of them says.
  [[nodiscard]] std::map<std::string, std::string> refusing() const {
    std::map<std::string, std::string> found;
    for (const std::string& layer : layers_) {
      try {
        static_cast<void>(plan_drive(load(options_.run.set, layer)));
      } catch (const InputError& error) {
        if (layers_.size() == 1) throw;
        found.emplace(layer, error.what());
      }
    }
    if (found.size() == layers_.size())
      throw InputError("no layer takes what was set; " + found.begin()->first + ": " + found.begin()->second);
    return found;
  }
  [[noreturn]] void run_all(int pipe);
  [[noreturn]] void run_one(std::uint64_t number, int pipe);
  [[nodiscard]] std::string told(const CombinedResult& result);
  [[nodiscard]] std::string made_short(const CombinedResult& result);

  const TortureOptions& options_;
  const SearchPath& search_;
  Folder folder_;
  std::vector<std::string> layers_;
  std::map<std::string, std::string> skipped_;
  CombinedDraw draw_;
};

/// The processes of all runs, in one of their own.
void Campaign::run_all(int pipe) {
  const auto jobs = options_.jobs != 0 ? options_.jobs : usable_cpus();
  Children children(jobs, [&](const std::string& name, int signal, int status) {
    CombinedResult bad = CombinedResult::from_line(name);
    bad.outcome = Finding::Outcome::crash;
    bad.messages = {how_it_ended(signal, status)};
    write_line(pipe, bad.to_line());
  });
  const std::uint64_t first = options_.only.value_or(0);
  const std::uint64_t end = options_.only ? first + 1 : options_.runs;
  for (std::uint64_t number = first; number < end; ++number) {
    CombinedResult blank;
    blank.run = number;
    blank.layer = draw_.layer_of(number);
    if (skipped_.contains(blank.layer)) {
      blank.outcome = Finding::Outcome::refused;
      write_line(pipe, blank.to_line());
      continue;
    }
    draw_.prepare(number);
    if (children.fork(blank.to_line(), stalls_after)) run_one(number, pipe);
  }
  children.wait_for_all();
  _exit(0);
}

void Campaign::run_one(std::uint64_t number, int pipe) {
  limit_processor_time();
  CombinedResult refused;
  try {
    CombinedDraw::Drawn drawn = draw_.draw(number);
    write_line(pipe, run_parts(drawn, search_, folder_.files(options_.run.seed, number)).to_line());
    _exit(0);
  } catch (const InputError& error) {
    refused.messages = {error.what()};
  }
  refused.run = number;
  refused.layer = draw_.layer_of(number);
  refused.outcome = Finding::Outcome::refused;
  write_line(pipe, refused.to_line());
  _exit(0);
}

std::string Campaign::told(const CombinedResult& result) {
  const CombinedRun run = draw_.draw(result.run).run;
  std::string text = std::string(to_string(result.outcome)) + ": run " + std::to_string(result.run) + " of seed " +
                     std::to_string(options_.run.seed) + ", " + run.options.layer + ", durability " + run.durability + ", faults";
  for (const std::string& fault : run.faults) text += " " + fault;
  if (run.faults.empty()) text += " none";
  text += ", " + std::to_string(result.all_cuts()) + " cuts" + (run.saved_after != 0 ? ", a saved state" : "") + "\n";
  for (const std::string& message : result.messages) text += "  " + message + "\n";
  for (const std::string& word : run.parameters) text += "  with " + word + "\n";
  text += "  again: " + std::string(program_name()) + " torture " + options_.run.drive + " --campaign --seed " +
          std::to_string(options_.run.seed) + " --only " + std::to_string(result.run);
  // A row depends on how many layers take turns.
  const std::string layer = draw_.rows_of(result.layer) == nullptr ? result.layer : options_.layer;
  if (!layer.empty()) text += " --layer " + layer;
  for (const std::string& word : options_.words) text += word.find(' ') == std::string::npos ? " " + word : " '" + word + "'";
  text += " --keep DIR\n";
  return text;
}

/// Once there is time for it: what the failure takes, and, where files are kept, commands that show it alone.
std::string Campaign::made_short(const CombinedResult& result) {
  const CombinedRun run = draw_.draw(result.run).run;
  const CombinedFiles files = folder_.files(options_.run.seed, result.run);
  MinimisedRun fewest{run, result};
  std::string text;
  if (!run.parameters.empty()) {
    fewest = with_fewest_parameters(run, result, draw_, search_, files);
    if (fewest.run.parameters.empty()) text += "  enough: none of the parameters\n";
    for (const std::string& word : fewest.run.parameters) text += "  enough: " + word + "\n";
  }
  if (!folder_.kept() || !std::filesystem::exists(files.trace)) return text;  // what goes to zones depends on the drive's answers
  const MinimisedRun shorter = minimised_run(fewest.run, fewest.result, draw_, search_, files);
  for (std::uint32_t part = 0; part <= shorter.result.part; ++part)
    text += "  alone: " + command_of(shorter.run, part, files.trace.string(), files.state.string(), shorter.result.cuts[part]) + "\n";
  for (const std::string& message : shorter.result.messages) text += "    " + message + "\n";
  return text;
}

int Campaign::run() {
  for (const auto& [layer, sentence] : skipped_) std::cerr << "skipped: " << layer << ": " << sentence << "\n";
  for (const std::string& sentence : settings_in_vain(options_, search_, layers_))
    if (sentence.starts_with("simulation.")) std::cerr << "note: " << sentence << "\n";  // what is drawn may need the others
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(ends[0]);
    run_all(ends[1]);
  }
  close(ends[1]);
  CombinedReport report;
  std::vector<std::string> failures;
  std::vector<CombinedResult> failed;
  std::string refusal;
  FILE* lines = fdopen(ends[0], "r");
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, lines) > 0) {
    CombinedResult result = CombinedResult::from_line(line);
    report.add(result);
    if (const DrawnRows* rows = draw_.rows_of(result.layer); rows != nullptr) report.add_pairs(result, rows->rows());
    if (result.outcome == Finding::Outcome::refused && !result.messages.empty()) refusal = result.layer + ": " + result.messages.front();
    if (result.outcome == Finding::Outcome::good || result.outcome == Finding::Outcome::refused) {
      folder_.remove(options_.run.seed, result.run);
      continue;
    }
    if (failures.size() >= most_failures_told) continue;
    failed.push_back(result);
    failures.push_back(told(result));
    if (!options_.json) std::cout << failures.back() << std::flush;
  }
  free(line);
  fclose(lines);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  for (std::size_t i = 0; i < failed.size(); ++i) {
    const std::string text = made_short(failed[i]);
    if (!options_.json && !text.empty()) std::cout << "run " << failed[i].run << ", made short\n" << text << std::flush;
    failures[i] += text;
  }
  const std::uint64_t asked = options_.only ? 1 : options_.runs;
  if (const auto& all = report.all(); all.runs + all.refused != asked)
    throw ModelBug("a campaign of " + std::to_string(asked) + " runs ended after " + std::to_string(all.runs + all.refused));
  if (report.all().runs == 0)
    throw InputError("none of the campaign's " + std::to_string(asked) + " runs could be made" + (refusal.empty() ? "" : "; " + refusal));
  if (options_.json)
    std::cout << report.json(options_.run.seed, failures) << "\n";
  else
    std::cout << report.text();
  return report.status();
}

}  // namespace

int combined_command(const TortureOptions& options, const SearchPath& search) { return Campaign(options, search).run(); }

}  // namespace tessera
