#pragma once
// The files of one recording by blktrace: NAME.blktrace.0 to NAME.blktrace.N, one a CPU.
#include <string>
#include <vector>

namespace tessera {

/// The files that `path` is one of, `path` itself first and the others in order of their CPUs; `path` alone where it has no such name.
[[nodiscard]] std::vector<std::string> blktrace_files(const std::string& path);

/// "disk.blktrace.2, ..." of the CPUs below the highest one whose files are missing; "" where none is.
[[nodiscard]] std::string missing_blktrace_files(const std::vector<std::string>& files);

}  // namespace tessera
