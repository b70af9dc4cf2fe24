#include "platforms/torture/campaign.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <numeric>
#include <system_error>

namespace tessera {

namespace {

constexpr std::size_t most_told = 5;

void count(CampaignResult& result, bool exact, Finding finding) {
  if (finding.outcome == Finding::Outcome::refused) {
    result.refusal = finding.messages.front();
    return;
  }
  if (finding.cuts.empty() || exact) result.uncut = finding;
  if (!finding.cuts.empty()) {
    ++result.cuts[finding.stage];
    if (finding.cuts.size() > 1) ++result.in_a_row;
  }
  if (finding.outcome == Finding::Outcome::good) return;
  ++result.failures;
  if (result.told.size() < most_told) result.told.push_back(std::move(finding));
}

}  // namespace

std::uint64_t CampaignResult::all_cuts() const {
  return std::accumulate(cuts.begin(), cuts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& entry) { return sum + entry.second; });
}

CampaignResult run_campaign(const TrialConfig& config, bool first_only) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(ends[0]);
    run_trial(config, ends[1]);
  }
  close(ends[1]);
  CampaignResult result;
  FILE* lines = fdopen(ends[0], "r");
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, lines) > 0) {
    count(result, config.exact, Finding::from_line(line));
    if (first_only && result.failures > 0) break;
  }
  free(line);
  if (first_only && result.failures > 0) kill(child, SIGKILL);  // its copies die with it
  fclose(lines);
  int state = 0;
  while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(state) && !(first_only && result.failures > 0)) {
    Finding crash;
    crash.outcome = Finding::Outcome::crash;
    crash.messages.push_back(std::string("the run without cuts ended by ") + strsignal(WTERMSIG(state)));
    count(result, config.exact, crash);
  }
  return result;
}

}  // namespace tessera
