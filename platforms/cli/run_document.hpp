#pragma once
// A run as a file: the drive and the options of `run` by their names, in a TOML document whose only table is [run].
//
//   [run]
//   drive = "demo"
//   layer = "mu-rmw"
//   workload = "web-server"
//   limit = 60000
//   fold = true
//   cut-at = ["1 s", "5 s"]
//
//   [run.set]
//   "media.rpm" = "5400 rpm"
//
// A flag is true; what may be given several times is an array; the parameters of `--set` have a table, as a path or as tables in each
// other. A file is named from the folder of the document. What the command line says, too, counts instead. Every run leaves its own in its
// folder, with the paths of its files made absolute.
#include <string>
#include <vector>

#include "platforms/cli/options.hpp"

namespace tessera::cli {

class Arguments;

/// Whether a DRIVE is the file of a run document: a regular file with a table [run].
[[nodiscard]] bool is_run_document(const std::string& drive);

/// The words after `run` that say the same as the document, the drive first, and then those of `given`, the command line that names it.
/// InputError with file and line: an option that `run` does not have (with the nearest), one of the wrong kind, one that is no part of a
/// run, a table next to [run], no drive.
[[nodiscard]] std::vector<std::string> words_of_document(const std::string& file, const Arguments& given);

/// The document of a run. With `digest_of_code`, that of the library or image that it loads, the file is in a comment: folders of results
/// are mailed, and are data. Whoever runs the document names the file again.
[[nodiscard]] std::string run_document(const std::vector<NamedOption>& options, const std::string& digest_of_code = {});

}  // namespace tessera::cli
