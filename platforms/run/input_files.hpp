#pragma once
// Which files a command reads, each by what is in it: two runs with the same words and the same list are the same run.
#include <boost/json/fwd.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"
#include "stimuli/readers/content_hash.hpp"

namespace tessera {

struct InputFile {
  std::string role;  ///< drive, workload, offsets, trace, columns, firmware, image or state
  std::string name;  ///< as the command line gives it; of a file that another one names, as that one gives it
  std::filesystem::path path;
  std::optional<std::uint64_t> bytes;  ///< nothing, and no digest, of a pipe: it can be read only once
  std::string sha256;
};

/// All that a run with these options reads; none of it is executed. InputError where a file is not there or cannot be read.
[[nodiscard]] std::vector<InputFile> input_files(const cli::RunOptions& options, const SearchPath& search);
/// The same where the drive's description was read already: it may have come through a pipe.
[[nodiscard]] std::vector<InputFile> input_files(const cli::RunOptions& options, const TomlDocument& drive, const SearchPath& search);

/// The same without looking at what is in them, and without those that cannot be found: the run that reads them says what is wrong.
[[nodiscard]] std::vector<InputFile> input_paths(const cli::RunOptions& options, const SearchPath& search);

/// What came through a pipe is known once it was read to its end.
void add_digest_of_pipe(std::vector<InputFile>& files, const ContentHash& of_pipe);

[[nodiscard]] boost::json::array to_json(const std::vector<InputFile>& files);

/// InputError unless the library or image is the one whose digest was asked for. Called before anything of it is loaded.
void require_digest(const cli::FirmwareOption& firmware);

/// `--list-inputs`: prints the list and gives the exit status.
[[nodiscard]] int print_input_files(const std::vector<InputFile>& files);

}  // namespace tessera
