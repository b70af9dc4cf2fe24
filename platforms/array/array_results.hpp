#pragma once
// What a run of an array leaves behind: summary.json of the host, one of each drive in a folder of its own, and the table on the terminal.
#include <boost/json/fwd.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "platforms/array/array_simulation.hpp"
#include "platforms/cli/options.hpp"
#include "platforms/run/input_files.hpp"

namespace tessera {

/// The folder of a drive's summary in that of the run: "drive-0".
[[nodiscard]] std::string drive_folder(std::size_t drive);

/// How the array is made, in a few lines: drives, capacity, what it survives.
[[nodiscard]] std::string array_text(const ArrayDescription& array, const ArrayDrives& drives, const ArrayLayout& layout);
/// The host's figures and a table with a line per drive; no line is longer than 80 characters but for names that are.
[[nodiscard]] std::string result_text(const ArrayDescription& array, const ArrayDrives& drives, const ArraySimulation& simulation);

/// "run" of a drive's summary.
[[nodiscard]] boost::json::object drive_facts(const DriveOfArray& drive, std::size_t number, const cli::ArrayOptions& options);

/// What there is to say of the run in addition to its figures: a sentence each.
[[nodiscard]] std::vector<std::string> run_notes(const ArraySimulation& simulation);

}  // namespace tessera
