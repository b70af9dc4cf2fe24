#pragma once
// The file of a drive's state: a line that names it and its schema, then one zstd frame with its length and checksum.
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

/// As it is written to a file.
[[nodiscard]] std::string packed_state(std::string_view state);

/// What packed_state() was given. InputError where it is anything else: no state, one of another schema, a truncated or damaged one.
[[nodiscard]] std::string unpacked_state(std::string_view file, std::string_view name);

/// InputError too where the file cannot be read.
[[nodiscard]] std::string read_state(const std::filesystem::path& file);

/// Throws OutputError.
void write_state(const std::filesystem::path& file, std::string_view packed);

}  // namespace tessera
