#pragma once
// What a simulation says that runs in a process of its own, as a process has one SystemC kernel.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

namespace test {

/// The text that `simulate` gives; "failed" where its process did not end well.
inline std::string process_apart(const std::function<std::string()>& simulate) {
  int ends[2];
  if (pipe(ends) != 0) return "failed";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = simulate();
    const bool whole = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(whole ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> room{};
  for (ssize_t got = 0; (got = read(ends[0], room.data(), room.size())) > 0;) text.append(room.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? text : "failed";
}

}  // namespace test
