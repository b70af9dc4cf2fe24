#pragma once
// A copy of this process, as it is at one instant, that goes another way from there and answers through a pipe. What it does moves nothing
// here.
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace tessera {

class ProcessCopy {
 public:
  /// Both processes return from here. The copy does not outlive the other one: it ends by SIGTERM then. std::system_error where there can
  /// be none.
  ProcessCopy();
  ~ProcessCopy();
  ProcessCopy(const ProcessCopy&) = delete;
  ProcessCopy& operator=(const ProcessCopy&) = delete;

  [[nodiscard]] bool is_copy() const { return process_ == 0; }

  // Of the copy
  /// Every other file that is open, but for the standard ones, takes what is written to it and keeps nothing.
  void close_files() const;
  /// An answer to a process that has ended is dropped.
  void answer(std::string_view bytes) const;
  [[noreturn]] void end(int status) const;

  // Of the other one
  /// What it has answered next: as much as there is, at most all of `into`; 0 bytes at its end. A stop signal that came here alone is
  /// handed on to the copy.
  [[nodiscard]] std::size_t hear(std::span<char> into);
  /// Waits for its end: its exit status, or -1 where a signal ended it.
  [[nodiscard]] int wait();

 private:
  std::array<int, 2> pipe_{-1, -1};
  pid_t process_ = 0;
  bool told_to_stop_ = false;
  bool waited_ = false;
};

}  // namespace tessera
