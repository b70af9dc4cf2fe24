#include "platforms/serve/serve_command.hpp"

#include <csignal>
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/drive/drive_image.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/output/program_name.hpp"
#include "platforms/plugin/plugin_policy.hpp"
#include "platforms/run/output_check.hpp"
#include "platforms/serve/serve_module.hpp"
#include "platforms/state/drive_state_module.hpp"
#include "platforms/state/state_file.hpp"

namespace tessera {

namespace {

/// The drive of the server as that of a run.
cli::RunOptions as_run(const cli::ServeOptions& options) {
  cli::RunOptions run;
  run.drive = options.drive;
  run.firmware = options.firmware;
  run.seed = options.seed;
  run.load_state = options.load_state;
  return run;
}

/// As those of a run that keeps bytes.
StateFacts serve_facts(const cli::ServeOptions& options, DriveConfig& config) {
  return facts_of(as_run(options), config, ContentMode::bytes);
}

constexpr int exit_model_bug = 3;
constexpr const char* zones_behind_nbd =
    "NBD has no commands for zones: a write gets EINVAL unless it begins at a zone's write pointer and is of whole sectors, TRIM has no "
    "effect, and nothing resets a zone; --zones ADDRESS serves them all";

void check_zones(const cli::ServeOptions& options, const DriveConfig& config) {
  if (!options.zones.empty() && !config.has_zones())
    throw InputError("--zones: the layer " + config.layer + " has no zones; expected --layer zoned or host-aware");
  if (config.has_zones() && !options.image.empty())
    throw InputError("--image: its content lies anywhere, and what is past a write pointer of the layer " + config.layer +
                     " reads as zeros; --save-state and --load-state keep what such a drive holds");
}

}  // namespace

int serve_command(const cli::ServeOptions& options, const SearchPath& search) {
  require_own_outputs(options, search);
  DriveConfig config = load_drive(search.load(DescriptionFile::drive, options.drive), options.set, options.layer,
                                  {options.firmware.file, options.firmware.patience});
  load_image(config, options.firmware.image, options.layer);
  config.prefill_overridden = "a served drive holds what its image holds";
  config.caches_overridden = "a served drive begins with empty caches, or with those of --load-state";
  refuse_translating_host(config, "a served drive has its client for a host");
  check_zones(options, config);
  refuse_lun_volumes(config.logical_units, "a client of a served drive");
  const FormatPlan plan = plan_drive(config);
  ParameterCollector effective;
  config.describe(effective);
  DriveModule drive("drive", config, plan, ContentMode::bytes, options.seed, DriveParts::alone());
  std::optional<SavedState> saved;
  if (!options.load_state.empty()) {
    saved.emplace(options.load_state);
    saved->require_fit(serve_facts(options, config));
    saved->load(drive);
  }
  std::optional<ServedRun> run;
  if (!options.out.empty())
    run.emplace(options, drive, parameters_as_toml(effective.parameters(), "effective description of " + options.drive),
                input_files(as_run(options), config.document, search));
  DriveServer server({"--nbd", options.nbd}, {"--zones", options.zones});
  const Pace pace = options.pace ? Pace(options.pace->numerator, options.pace->denominator) : Pace();
  ServeModule serve("serve", drive, server, pace, options.image, saved.has_value());
  if (run) serve.record(*run);
  if (!options.save_state.empty())
    serve.shut_down_at_end([&] {
      StateFacts facts = serve_facts(options, config);
      facts.requests = serve.figures().requests;
      write_state(options.save_state, state_of(drive, nullptr, facts));
    });
  for (const std::string& warning : warnings(config, plan)) std::cout << "warning: " << warning << "\n";
  if (config.writes_in_order() && !options.nbd.empty()) std::cout << "warning: " << zones_behind_nbd << "\n";
  std::string fault;
  if (PluginPolicies* const policy = config.policy(); policy != nullptr)
    policy->on_fault([&fault](const std::string& sentence) {
      if (fault.empty()) fault = "firmware fault: " + sentence;
      std::raise(SIGTERM);  // as if it were asked to end
    });
  serve.run();
  if (run) run->finish(warnings(config, plan), fault);
  const ServedFigures& figures = serve.figures();
  std::cout << "served " << figures.requests << " requests, " << figures.failed << " of them with an error; ";
  if (figures.refused != 0) std::cout << figures.refused << " refused by the rules of zones; ";
  std::cout << figures.bytes_read << " bytes read, " << figures.bytes_written << " written; " << figures.power_cuts << " power cuts; "
            << static_cast<double>(drive.timeline().now().value()) * 1e-12 << " s simulated\n";
  if (!fault.empty()) {
    std::cerr << as_called("tessera-sim: " + fault + "\n");
    return exit_model_bug;
  }
  return figures.failed == 0 ? 0 : 1;
}

}  // namespace tessera
