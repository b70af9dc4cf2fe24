#pragma once
// Runs of this program in processes of their own, several at a time.
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct ChildProcess {
  std::vector<std::string> arguments;  ///< behind the program's name
  std::filesystem::path messages;      ///< takes its standard error
  std::filesystem::path output{};      ///< takes its standard output; "": it is dropped
};

/// A process that a signal ended counts as 128 + signal, as shells say it.
struct ChildEnd {
  std::size_t child = 0;
  int status = 0;
  double seconds = 0;  ///< from start to end, by the clock on the wall
};

class ChildProcesses {
 public:
  explicit ChildProcesses(std::vector<ChildProcess> children) : children_(std::move(children)) {}

  /// Starts the children in order, at most `jobs` at a time, and tells `ended` of each. After a stop signal the children are told to
  /// end in order, no further one is started, and the result is that signal; else it is 0. OutputError where a process cannot be made.
  [[nodiscard]] int run(std::size_t jobs, const std::function<void(const ChildEnd&)>& ended);

 private:
  struct Running;
  [[nodiscard]] Running start(std::size_t child, const sigset_t& held_back) const;

  std::vector<ChildProcess> children_;
};

/// CPUs that this process may run on.
[[nodiscard]] std::size_t usable_cpus();

}  // namespace tessera
