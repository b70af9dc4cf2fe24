#include "platforms/torture/children.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/check.hpp"

namespace tessera {

bool Children::fork(const std::string& name, std::chrono::seconds limit) {
  while (running_.size() >= most_) wait_for_one();
  const pid_t parent = getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child > 0) {
    running_.emplace(child, name);
    return false;
  }
  running_.clear();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before it could take this one with it
  alarm(static_cast<unsigned>(limit.count()));
  return true;
}

void Children::wait_for_one() {
  int state = 0;
  pid_t child = 0;
  do child = waitpid(-1, &state, 0);
  while (child < 0 && errno == EINTR);
  TESSERA_CHECK(child > 0, "there is no child to wait for");
  const auto at = running_.find(child);
  if (at == running_.end()) return;
  const std::string name = at->second;
  running_.erase(at);
  if (WIFSIGNALED(state)) return ended_badly_(name, WTERMSIG(state), 0);
  if (WEXITSTATUS(state) != 0) ended_badly_(name, 0, WEXITSTATUS(state));
}

void Children::wait_for_all() {
  while (!running_.empty()) wait_for_one();
}

void write_line(int pipe, const std::string& line) {
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = ::write(pipe, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
}

std::uint32_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace tessera
