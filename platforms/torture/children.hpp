#pragma once
// fork() as a snapshot: a process that simulates makes a copy of itself at an instant, which goes another way from there.
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace tessera {

class Children {
 public:
  /// At most `most` at once; `ended_badly(pid's name, signal or 0, status)` is told of each that did not end with status 0.
  Children(std::uint32_t most, std::function<void(const std::string& name, int signal, int status)> ended_badly)
      : most_(most), ended_badly_(std::move(ended_badly)) {}

  /// Waits for a place, then forks. True in the child, which has no children of its own yet and dies with its parent, or when its time
  /// is over (SIGALRM): `limit` of wall-clock time.
  [[nodiscard]] bool fork(const std::string& name, std::chrono::seconds limit);
  void wait_for_all();
  /// Of a child: how many of its own it may have at once.
  void limit(std::uint32_t most) { most_ = most; }

 private:
  void wait_for_one();

  std::uint32_t most_;
  std::function<void(const std::string&, int, int)> ended_badly_;
  std::map<int, std::string> running_;  // by process id
};

/// CPUs that this process may run on.
[[nodiscard]] std::uint32_t usable_cpus();

/// Writes the whole line; a reader that is gone ends the process.
void write_line(int pipe, const std::string& line);

}  // namespace tessera
