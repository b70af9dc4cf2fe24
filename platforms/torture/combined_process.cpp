#include "platforms/torture/combined_process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/error.hpp"
#include "platforms/run/drive_host.hpp"
#include "platforms/torture/children.hpp"

namespace tessera {

namespace {

/// Of one part of a run, which takes some 50 ms, under a sanitizer a second.
constexpr rlim_t hangs_after = 60;

CombinedResult run_part(CombinedDraw::Drawn& drawn, const SearchPath& search, const CombinedFiles& files, std::uint32_t part,
                        const CombinedResult& before) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  CombinedResult result = before;
  result.part = part;
  Children child(1, [&](const std::string&, int signal, int status) {
    result.outcome = Finding::Outcome::crash;
    result.messages = {how_it_ended(signal, status)};
  });
  if (child.fork("", stalls_after)) {
    limit_processor_time();
    try {
      CombinedTrial trial(drawn, search, files, part, before);
      result = trial.run();
    } catch (const InputError& error) {
      result.outcome = Finding::Outcome::refused;
      result.messages = {error.what()};
    } catch (const std::exception& error) {  // before it began
      result.outcome = Finding::Outcome::bug;
      result.messages = {error.what()};
    }
    write_line(ends[1], result.to_line());
    _exit(0);
  }
  close(ends[1]);
  FILE* lines = fdopen(ends[0], "r");
  char* line = nullptr;
  std::size_t size = 0;
  if (getline(&line, &size, lines) > 0) result = CombinedResult::from_line(line);
  free(line);
  fclose(lines);
  child.wait_for_all();
  return result;
}

}  // namespace

std::string how_it_ended(int signal, int status) {
  if (signal == SIGXCPU) return "it hung: more than " + std::to_string(hangs_after) + " s of processor time";
  if (signal == SIGALRM) return "it hung: more than " + std::to_string(stalls_after.count()) + " s";
  if (signal != 0) return std::string("it ended by ") + strsignal(signal);
  return "it ended with status " + std::to_string(status);
}

void limit_processor_time() {
  const rlimit limit{hangs_after, hangs_after + 1};
  setrlimit(RLIMIT_CPU, &limit);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

bool can_be_made(const DriveConfig& drive, const FormatPlan& plan) {
  bool refused = false;
  Children child(1, [&](const std::string&, int, int) { refused = true; });
  if (child.fork("", stalls_after)) {
    limit_processor_time();
    int status = 0;
    try {
      DriveModule module("drive", drive, plan, ContentMode::tags, 0, DriveParts::alone());
      module.power_on(false, [](Status) {});           // its firmware reserves memory
      static_cast<void>(application_sectors(module));  // a host that translates may refuse it
    } catch (const InputError&) {
      status = 1;
    } catch (const std::exception&) {  // what else is wrong a run tells
    }
    _exit(status);
  }
  child.wait_for_all();
  return !refused;
}

CombinedResult run_parts(CombinedDraw::Drawn& drawn, const SearchPath& search, const CombinedFiles& files) {
  CombinedResult result;
  result.run = drawn.run.number;
  result.layer = drawn.run.options.layer;
  result.faults = drawn.run.faults;
  result.met = drawn.run.met;
  std::error_code ignored;
  std::filesystem::remove(files.state, ignored);
  result = run_part(drawn, search, files, 0, result);
  const bool goes_on = result.outcome == Finding::Outcome::good && drawn.run.saved_after != 0 && std::filesystem::exists(files.state);
  return goes_on ? run_part(drawn, search, files, 1, result) : result;
}

}  // namespace tessera
