#pragma once
// The life of one request in words and times, from the files of a run folder.
#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera {

/// What happened to request `number` of the run in `folder`: when it came, what it asked for, and where each part of its
/// latency went; with events.csv, also what the firmware did meanwhile. Throws InputError where requests.npy is missing,
/// is not ours, is cut off, or has no such request.
[[nodiscard]] std::string explain_request(const std::filesystem::path& folder, std::uint64_t number);

/// "1.250 ms", "83.3 us": a duration with a unit that suits it.
[[nodiscard]] std::string readable(std::uint64_t picoseconds);

}  // namespace tessera
