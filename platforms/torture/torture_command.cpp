#include "platforms/torture/torture_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iomanip>
#include <iostream>

#include "base/error.hpp"
#include "platforms/drive/drive_image.hpp"
#include "platforms/output/output_file.hpp"
#include "platforms/output/program_name.hpp"
#include "platforms/run/input.hpp"
#include "platforms/run/output_check.hpp"
#include "platforms/torture/campaign.hpp"
#include "platforms/torture/children.hpp"
#include "platforms/torture/combined_command.hpp"
#include "platforms/torture/hurtful_workload.hpp"
#include "platforms/torture/minimise.hpp"
#include "platforms/torture/recorded_source.hpp"
#include "platforms/torture/settings_in_vain.hpp"
#include "platforms/torture/torture_durability.hpp"
#include "platforms/torture/trace_text.hpp"
#include "stimuli/hosts/zoned_workload.hpp"

namespace tessera {

namespace {

using cli::TortureDurability;
using cli::TortureOptions;

/// Trials of a minimiser, each a whole campaign over fewer requests.
constexpr std::size_t minimiser_tries = 200;
/// Requests after the one in hand at a cut are those that the copy still takes, and the queue.
constexpr std::uint64_t requests_behind = 64;

/// One drive to torture: a layer with a durability.
struct Case {
  std::string layer;
  TortureDurability durability = TortureDurability::none;
  std::uint32_t prefill = 0;
  DriveConfig drive;
  FormatPlan plan;
};

/// Of a dump every second fails, so that after a row of cuts dumps of both kinds were restored.
const char* setting_of(const std::string& fault) {
  if (fault == "torn") return "media.powerfail.sector=corrupt";
  if (fault == "paired") return "nand.paired_page=true";
  return "power.dump_failures=500000";
}

std::vector<std::string> settings(const TortureOptions& options, DriveConfig& plain, const std::string& layer,
                                  TortureDurability durability) {
  std::vector<std::string> set = options.run.set;
  for (const std::string& fault : options.faults) set.emplace_back(setting_of(fault));
  for (std::string& word : durability_settings(plain, layer, durability)) set.push_back(std::move(word));
  return set;
}

/// Empty drives, half full ones and full ones fail in different ways.
std::uint32_t drawn_prefill(std::uint64_t seed) { return static_cast<std::uint32_t>(RandomStream(seed, "torture.prefill").below(3) * 50); }

std::unique_ptr<TraceSource> open_source(const TortureOptions& options, const SearchPath& search, const TortureInput& drive) {
  if (options.run.trace || !options.run.workload.empty())
    return open_input(options.run, search, {Bytes(drive.blocks * host_block_bytes), drive.sector});
  // Where zones take writes anywhere, every second seed has a host that knows nothing of them.
  if (drive.zone_blocks != 0 && (!drive.anywhere || options.run.seed % 2 != 0))
    return std::make_unique<ZonedWorkload>(
        options.run.seed, ZonedWorkload::Drive{.blocks = drive.blocks,
                                               .zone_blocks = drive.zone_blocks,
                                               .sector_blocks = static_cast<std::uint32_t>(drive.sector.value() / host_block_bytes),
                                               .largest = static_cast<std::uint32_t>(drive.largest.value() / host_block_bytes),
                                               .anywhere = drive.anywhere,
                                               .may_forget = drive.may_forget,
                                               .faults = drive.faults});
  HurtfulWorkload::Drive shape;
  shape.blocks = drive.blocks;
  shape.sector_blocks = static_cast<std::uint32_t>(drive.sector.value() / host_block_bytes);
  shape.track_sectors = drive.track_sectors;
  shape.largest = static_cast<std::uint32_t>(drive.largest.value() / host_block_bytes);
  return std::make_unique<HurtfulWorkload>(options.run.seed, shape);
}

TrialConfig trial_config(const TortureOptions& options, const SearchPath& search, const Case& tortured) {
  TrialConfig trial;
  trial.drive = &tortured.drive;
  trial.plan = tortured.plan;
  trial.seed = options.run.seed;
  trial.prefill_percent = tortured.prefill;
  trial.input = [&options, &search](const TortureInput& drive) { return open_source(options, search, drive); };
  trial.operations = options.operations;
  trial.cuts = options.cuts;
  trial.jobs = options.jobs != 0 ? options.jobs : usable_cpus();
  trial.cut_at = options.run.cut_at;
  trial.boot_cuts = options.run.boot_cuts;
  trial.exact = !trial.cut_at.empty() || !trial.boot_cuts.empty();
  return trial;
}

/// The one command that does it again.
std::string command_again(const TortureOptions& options, const Case& tortured, const Finding& finding, const std::string& input) {
  std::string command = std::string(program_name()) + " torture " + options.run.drive + " --layer " + tortured.layer + " --durability " +
                        name_of(tortured.durability) + " --prefill " + std::to_string(tortured.prefill) + " --seed " +
                        std::to_string(options.run.seed);
  for (const std::string& word : options.words) command += word.find(' ') == std::string::npos ? " " + word : " '" + word + "'";
  command += input;
  for (const std::string& cut : finding.cuts) command += " --cut-at " + cut;
  return command;
}

void tell(std::ostream& out, const TortureOptions& options, const Case& tortured, const Finding& finding, const std::string& input) {
  out << to_string(finding.outcome) << ": " << tortured.layer << ", durability " << name_of(tortured.durability) << ", seed "
      << options.run.seed;
  if (finding.cuts.empty()) {
    out << ", without a cut\n";
  } else {
    out << ", cut in " << finding.stage << ", " << finding.instant << ", at " << finding.cuts.back() << "\n";
  }
  for (const std::string& message : finding.messages) out << "  " << message << "\n";
  out << "  again: " << command_again(options, tortured, finding, input) << "\n";
}

void write_trace(const std::filesystem::path& file, const std::vector<TraceRecord>& records) {
  OutputFile trace(file);
  trace.stream() << trace_text(records);
  trace.close();
}

/// Fewer requests that still lose something, with the cut that shows it.
void minimise(const TortureOptions& options, const SearchPath& search, const Case& tortured, const CampaignResult& result) {
  if (tortured.drive.visible_zone_size() != Bytes(0)) {
    std::cout << "  the minimiser replays requests, and the host of a zoned drive follows what the drive answers: nothing minimised\n";
    return;
  }
  TrialConfig trial = trial_config(options, search, tortured);
  const TortureInput drive{result.uncut.user_blocks, tortured.drive.media.sector_size,
                           tortured.drive.host.buffer - tortured.drive.media.sector_size, 1};
  const std::uint64_t taken = result.told.front().requests;
  const auto whole = trial.input(drive);
  Finding shown = result.told.front();
  const std::function<bool(const std::vector<TraceRecord>&)> fails = [&](const std::vector<TraceRecord>& records) {
    trial.input = [&records](const TortureInput&) { return std::make_unique<RecordedSource>(records); };
    const CampaignResult tried = run_campaign(trial, true);
    if (tried.failures > 0) shown = tried.told.front();
    return tried.failures > 0;
  };
  std::vector<TraceRecord> records = first_requests(*whole, taken + requests_behind);
  if (!fails(records)) {
    std::cout << "  the minimiser saw no failure in the first " << records.size() << " requests\n";
    return;
  }
  records = minimised(std::move(records), fails, minimiser_tries);
  write_trace(options.minimise, records);
  std::cout << "minimised to " << records.size() << " requests, in " << options.minimise.string() << ":\n";
  tell(std::cout, options, tortured, shown, " --trace " + options.minimise.string() + " --columns " + trace_columns);
}

constexpr const char* stages[] = {"format", "replay", "start", "recovery", "verification", "drain"};

void print_heading() {
  std::cout << std::left << std::setw(16) << "layer" << std::setw(10) << "durability" << std::right << std::setw(8) << "prefill"
            << std::setw(9) << "requests" << std::setw(11) << "operations";
  for (const char* stage : stages) std::cout << std::setw(std::string_view(stage).size() > 8 ? 13 : 9) << stage;
  std::cout << std::setw(9) << "in a row" << std::setw(9) << "failures" << std::setw(9) << "seconds"
            << "\n";
}

void print_row(const Case& tortured, const CampaignResult& result, double seconds) {
  std::cout << std::left << std::setw(16) << tortured.layer << std::setw(10) << name_of(tortured.durability) << std::right << std::setw(7)
            << tortured.prefill << "%" << std::setw(9) << result.uncut.requests << std::setw(11) << result.uncut.operations;
  for (const char* stage : stages) {
    const auto at = result.cuts.find(stage);
    std::cout << std::setw(std::string_view(stage).size() > 8 ? 13 : 9) << (at == result.cuts.end() ? 0 : at->second);
  }
  std::cout << std::setw(9) << result.in_a_row << std::setw(9) << result.failures << std::setw(9) << std::fixed << std::setprecision(1)
            << seconds << "\n"
            << std::flush;
}

boost::json::object as_json(const TortureOptions& options, const Case& tortured, const CampaignResult& result) {
  boost::json::object row;
  row["layer"] = tortured.layer;
  row["durability"] = name_of(tortured.durability);
  row["prefill"] = tortured.prefill;
  row["seed"] = options.run.seed;
  row["requests"] = result.uncut.requests;
  row["operations"] = result.uncut.operations;
  boost::json::object cuts;
  for (const auto& [stage, count] : result.cuts) cuts[stage] = count;
  row["cuts"] = std::move(cuts);
  row["in_a_row"] = result.in_a_row;
  row["failures"] = result.failures;
  boost::json::array told;
  for (const Finding& finding : result.told) {
    boost::json::object failure;
    failure["outcome"] = to_string(finding.outcome);
    failure["stage"] = finding.stage;
    failure["instant"] = finding.instant;
    failure["messages"] = boost::json::value_from(finding.messages);
    failure["again"] = command_again(options, tortured, finding, "");
    told.emplace_back(std::move(failure));
  }
  row["told"] = std::move(told);
  return row;
}

/// InputError where there is none of the name that was given.
std::vector<std::string> layers_of(const TortureOptions& options, DriveConfig& plain) {
  if (options.layer == "all") return plain.layer_names();
  if (!options.layer.empty()) plain.choose_layer(options.layer);
  static_cast<void>(plain.selected());
  return {plain.layer_in_full()};
}

}  // namespace

int torture_command(const TortureOptions& options, const SearchPath& search) {
  require_own_output("--minimise", options.minimise, options.run, search);
  if (options.runs != 0) return combined_command(options, search);
  const std::filesystem::path file = search.find(DescriptionFile::drive, options.run.drive);
  const FirmwareLibrary firmware{options.run.firmware.file, options.run.firmware.patience};
  DriveConfig plain = load_drive(file, options.run.set, "", firmware);
  load_image(plain, options.run.firmware.image, "");
  bool lost = false;
  bool bug = false;
  bool minimised_one = options.minimise.empty();
  boost::json::array rows;
  const std::vector<std::string> layers = layers_of(options, plain);
  std::string refused;  // by the last layer that took nothing
  bool ran = false;
  for (const std::string& sentence : settings_in_vain(options, search, layers)) std::cerr << "note: " << sentence << "\n";
  if (!options.json) print_heading();
  for (const std::string& layer : layers) {
    std::string refusal;
    bool offered = false;
    for (const TortureDurability durability : options.durability) {
      Case tortured{layer, durability, options.prefill.value_or(drawn_prefill(options.run.seed)), {}, {}};
      CampaignResult result;
      const auto begin = std::chrono::steady_clock::now();
      try {
        tortured.drive = load_drive(file, settings(options, plain, layer, durability), layer, firmware);
        load_image(tortured.drive, options.run.firmware.image, layer);
        refuse_lun_volumes(tortured.drive.logical_units, "torture");
        tortured.plan = plan_drive(tortured.drive);
        result = run_campaign(trial_config(options, search, tortured));
      } catch (const InputError& error) {
        result.refusal = error.what();
      }
      if (!result.refusal.empty()) {
        refusal = result.refusal;
        continue;
      }
      offered = true;
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (options.json)
        rows.push_back(as_json(options, tortured, result));
      else
        print_row(tortured, result, took.count());
      for (const Finding& finding : result.told) {
        (finding.outcome == Finding::Outcome::loss || finding.outcome == Finding::Outcome::failure ? lost : bug) = true;
        if (!options.json) tell(std::cout, options, tortured, finding, "");
      }
      if (result.failures > 0 && !minimised_one) {
        minimised_one = true;
        minimise(options, search, tortured, result);
      }
    }
    ran = ran || offered;
    if (offered) continue;
    refused = layer + ": " + refusal;
    if (layers.size() == 1) throw InputError(refusal);
    std::cerr << "skipped: " << refused << "\n";
  }
  if (!ran) throw InputError("no layer could be tortured; " + refused);
  if (options.json) std::cout << boost::json::serialize(rows) << "\n";
  return lost ? 1 : bug ? 3 : 0;
}

}  // namespace tessera
