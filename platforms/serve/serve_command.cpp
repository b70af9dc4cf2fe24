#include "platforms/serve/serve_command.hpp"

#include <iostream>

#include "platforms/drive/drive_module.hpp"
#include "platforms/serve/serve_module.hpp"

namespace tessera {

int serve_command(const cli::ServeOptions& options, const SearchPath& search) {
  const DriveConfig config = load_drive(search.load(DescriptionFile::drive, options.drive), options.set, options.layer,
                                        {options.firmware.file, options.firmware.patience});
  const FormatPlan plan = plan_drive(config);
  DriveModule drive("drive", config, plan, ContentMode::bytes, options.seed);
  NbdServer server(options.nbd);
  const Pace pace = options.pace ? Pace(options.pace->numerator, options.pace->denominator) : Pace();
  ServeModule serve("serve", drive, server, pace, options.image);
  for (const std::string& warning : warnings(config, plan)) std::cout << "warning: " << warning << "\n";
  serve.run();
  const ServedFigures& figures = serve.figures();
  std::cout << "served " << figures.requests << " requests, " << figures.failed << " of them with an error; " << figures.bytes_read
            << " bytes read, " << figures.bytes_written << " written; " << figures.power_cuts << " power cuts; "
            << static_cast<double>(drive.timeline().now().value()) * 1e-12 << " s simulated\n";
  return figures.failed == 0 ? 0 : 1;
}

}  // namespace tessera
