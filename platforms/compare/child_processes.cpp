#include "platforms/compare/child_processes.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "platforms/output/output_file.hpp"
#include "platforms/run/stop_signals.hpp"

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int exit_not_started = 127;  // as shells say it

/// The signals that the comparison waits for: the end of a child, and those that ask it to stop. They are held back while it lives, so
/// that none can slip in between a look and the wait.
class SignalWait {
 public:
  SignalWait() : signals_(stop_signal_set()) {
    sigaddset(&signals_, SIGCHLD);
    std::signal(SIGCHLD, SIG_DFL);  // where it is ignored from outside, children leave no status
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~SignalWait() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalWait(const SignalWait&) = delete;
  SignalWait& operator=(const SignalWait&) = delete;

  [[nodiscard]] int next() const {
    int signal = 0;
    sigwait(&signals_, &signal);
    return signal;
  }
  /// Those that were held back before.
  [[nodiscard]] const sigset_t& outside() const { return before_; }

 private:
  sigset_t signals_;
  sigset_t before_{};
};

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace

struct ChildProcesses::Running {
  pid_t pid = -1;
  std::size_t child = 0;
  Clock::time_point begin;
};

ChildProcesses::Running ChildProcesses::start(std::size_t child, const sigset_t& held_back) const {
  std::vector<std::string> words{own_path()};
  words.insert(words.end(), children_[child].arguments.begin(), children_[child].arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string messages = children_[child].messages.string();
  const std::string output = children_[child].output.string();

  const Running running{::fork(), child, Clock::now()};
  if (running.pid < 0) throw output_error("start a process that writes", messages, errno);
  if (running.pid > 0) return running;
  // The child: only what is safe between fork and exec.
  sigprocmask(SIG_SETMASK, &held_back, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // it does not outlive the comparison
  constexpr int to_new_file = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  const int errors = ::open(messages.c_str(), to_new_file, 0666);
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(output.empty() ? nowhere : ::open(output.c_str(), to_new_file, 0666), STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execv(argv.front(), argv.data());
  ::_exit(exit_not_started);
}

int ChildProcesses::run(std::size_t jobs, const std::function<void(const ChildEnd&)>& ended) {
  const SignalWait signals;
  std::vector<Running> running;
  std::size_t next = 0;
  int stopped_by = 0;
  while (!running.empty() || (next < children_.size() && stopped_by == 0)) {
    if (running.size() < jobs && next < children_.size() && stopped_by == 0) {
      running.push_back(start(next++, signals.outside()));
      continue;
    }
    if (const int signal = signals.next(); signal != SIGCHLD) {
      stopped_by = signal;
      for (const Running& one : running) ::kill(one.pid, SIGTERM);
      continue;
    }
    int status = 0;
    for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG)) {
      const auto at = std::find_if(running.begin(), running.end(), [pid](const Running& one) { return one.pid == pid; });
      if (at == running.end()) continue;
      const std::chrono::duration<double> took = Clock::now() - at->begin;
      const int code = WIFSIGNALED(status) ? exit_stopped_by(WTERMSIG(status)) : WEXITSTATUS(status);
      const ChildEnd end{at->child, code, took.count()};
      running.erase(at);
      ended(end);
    }
  }
  return stopped_by;
}

std::size_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace tessera
