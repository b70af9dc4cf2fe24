#pragma once
// What a command would write is no file that it reads, nor twice the same file. Checked before anything is written or removed.
#include <filesystem>
#include <string>
#include <vector>

#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// InputError where a run has two outputs that are one file, or would overwrite what it reads.
void require_own_outputs(const cli::RunOptions& run, const SearchPath& search);
/// The same of a drive that is served. Its image is an output too.
void require_own_outputs(const cli::ServeOptions& serve, const SearchPath& search);
/// The same of one output, that `option` names.
void require_own_output(const std::string& option, const std::filesystem::path& output, const cli::RunOptions& run,
                        const SearchPath& search);

}  // namespace tessera
