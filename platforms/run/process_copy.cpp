#include "platforms/run/process_copy.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "platforms/run/stop_signals.hpp"

namespace tessera {

ProcessCopy::ProcessCopy() {
  std::cout.flush();
  if (::pipe(pipe_.data()) != 0) throw std::system_error(errno, std::generic_category(), "a pipe cannot be made");
  // A signal comes before the copy is made, and both know of it, or after, and this process hands it on: the handler heeds the first alone.
  const sigset_t signals = stop_signal_set();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  told_to_stop_ = stop_signal() != 0;
  process_ = ::fork();
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "a copy of the process cannot be made");
  if (is_copy()) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  int& unused = pipe_.at(is_copy() ? 0 : 1);
  ::close(unused);
  unused = -1;
}

ProcessCopy::~ProcessCopy() {
  for (const int end : pipe_)
    if (end >= 0) ::close(end);
  if (!is_copy() && !waited_) {
    ::kill(process_, SIGKILL);
    static_cast<void>(wait());
  }
}

void ProcessCopy::close_files() const {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  std::vector<int> open;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    open.push_back(std::stoi(entry.path().filename().string()));
  for (const int file : open)
    if (file > STDERR_FILENO && file != pipe_[1] && file != nothing && ::fcntl(file, F_GETFD) >= 0) ::dup2(nothing, file);
}

void ProcessCopy::answer(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(pipe_[1], bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void ProcessCopy::end(int status) const { ::_exit(status); }

std::size_t ProcessCopy::hear(std::span<char> into) {
  constexpr int heed_signals_after = 200;  // ms
  for (;;) {
    pollfd end{.fd = pipe_[0], .events = POLLIN, .revents = 0};
    const int ready = ::poll(&end, 1, heed_signals_after);
    if (stop_signal() != 0 && !told_to_stop_) told_to_stop_ = ::kill(process_, stop_signal()) == 0;
    if (ready <= 0) continue;
    const ssize_t got = ::read(pipe_[0], into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return 0;
  }
}

int ProcessCopy::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  waited_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace tessera
