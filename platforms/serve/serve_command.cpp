#include "platforms/serve/serve_command.hpp"

#include <iostream>
#include <optional>

#include "platforms/drive/drive_image.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/serve/serve_module.hpp"
#include "platforms/state/drive_state_module.hpp"
#include "platforms/state/state_file.hpp"

namespace tessera {

namespace {

/// As those of a run that keeps bytes.
StateFacts serve_facts(const cli::ServeOptions& options, DriveConfig& config) {
  cli::RunOptions run;
  run.drive = options.drive;
  run.firmware = options.firmware;
  run.seed = options.seed;
  return facts_of(run, config, ContentMode::bytes);
}

}  // namespace

int serve_command(const cli::ServeOptions& options, const SearchPath& search) {
  DriveConfig config = load_drive(search.load(DescriptionFile::drive, options.drive), options.set, options.layer,
                                  {options.firmware.file, options.firmware.patience});
  load_image(config, options.firmware.image, options.layer);
  const FormatPlan plan = plan_drive(config);
  DriveModule drive("drive", config, plan, ContentMode::bytes, options.seed);
  std::optional<SavedState> saved;
  if (!options.load_state.empty()) {
    saved.emplace(options.load_state);
    saved->require_fit(serve_facts(options, config));
    saved->load(drive);
  }
  NbdServer server(options.nbd);
  const Pace pace = options.pace ? Pace(options.pace->numerator, options.pace->denominator) : Pace();
  ServeModule serve("serve", drive, server, pace, options.image);
  if (saved) serve.begin_restored();
  if (!options.save_state.empty())
    serve.shut_down_at_end([&] {
      StateFacts facts = serve_facts(options, config);
      facts.requests = serve.figures().requests;
      write_state(options.save_state, state_of(drive, nullptr, facts));
    });
  for (const std::string& warning : warnings(config, plan)) std::cout << "warning: " << warning << "\n";
  serve.run();
  const ServedFigures& figures = serve.figures();
  std::cout << "served " << figures.requests << " requests, " << figures.failed << " of them with an error; " << figures.bytes_read
            << " bytes read, " << figures.bytes_written << " written; " << figures.power_cuts << " power cuts; "
            << static_cast<double>(drive.timeline().now().value()) * 1e-12 << " s simulated\n";
  return figures.failed == 0 ? 0 : 1;
}

}  // namespace tessera
