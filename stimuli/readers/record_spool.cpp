#include "stimuli/readers/record_spool.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace tessera {
namespace {

constexpr std::size_t read_ahead = 1000;  // records of a run in memory: 64 KB

[[noreturn]] void refuse_temporary_file(const std::string& what) {
  throw std::system_error(errno, std::generic_category(),
                          "sorting a trace needs a temporary file in TMPDIR (or /tmp): it cannot be " + what);
}

int open_temporary_file() {
  std::string name = (std::filesystem::temp_directory_path() / "tessera_sort_XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) refuse_temporary_file("made");
  ::unlink(name.c_str());  // it goes with the descriptor, however the program ends
  return descriptor;
}

}  // namespace

struct RecordSpool::Entry {
  TraceTime time;
  std::uint64_t number;
  std::uint64_t offset;
  std::uint64_t size;
  std::uint32_t volume;
  std::uint32_t file;  ///< with `place`, where the record was found
  std::uint64_t place;
  HostOp op;
  bool force_unit_access;
  bool all_zones;
  ZoneAppend append;

  bool operator<(const Entry& other) const { return time != other.time ? time < other.time : number < other.number; }
};

struct RecordSpool::Run {
  std::uint64_t at = 0;  ///< of the next entry that is not in memory, in entries from the file's start
  std::uint64_t end = 0;
  std::vector<Entry> entries{};
  std::size_t given = 0;
};

RecordSpool::RecordSpool(std::size_t run) : run_(run) {}

RecordSpool::~RecordSpool() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RecordSpool::add(const RawRecord& raw, RecordPlace from) {
  if (entries_.size() == run_) write_run();
  entries_.push_back({raw.time, added_++, raw.offset, raw.size, raw.volume, from.file, from.number, raw.op, raw.force_unit_access,
                      raw.all_zones, raw.append});
}

void RecordSpool::write_run() {
  if (descriptor_ < 0) descriptor_ = open_temporary_file();
  std::ranges::sort(entries_, std::less<>());
  const std::uint64_t begin = runs_.empty() ? 0 : runs_.back().end;
  runs_.push_back({begin, begin + entries_.size()});
  const char* from = reinterpret_cast<const char*>(entries_.data());
  for (std::size_t left = entries_.size() * sizeof(Entry); left > 0;) {
    const ssize_t written = ::write(descriptor_, from, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) refuse_temporary_file("written");
    from += written;
    left -= static_cast<std::size_t>(written);
  }
  entries_.clear();
}

void RecordSpool::refill(Run& run) {
  run.entries.resize(std::min<std::uint64_t>(read_ahead, run.end - run.at));
  run.given = 0;
  char* to = reinterpret_cast<char*>(run.entries.data());
  auto at = static_cast<off_t>(run.at * sizeof(Entry));
  for (std::size_t left = run.entries.size() * sizeof(Entry); left > 0;) {
    const ssize_t got = ::pread(descriptor_, to, left, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) refuse_temporary_file("read");
    to += got;
    at += got;
    left -= static_cast<std::size_t>(got);
  }
  run.at += run.entries.size();
}

void RecordSpool::finish() {
  if (runs_.empty()) {
    std::ranges::sort(entries_, std::less<>());
    return;
  }
  if (!entries_.empty()) write_run();
  entries_ = {};
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    refill(runs_[i]);
    heap_.push_back(i);
  }
  std::ranges::make_heap(heap_, [this](std::size_t a, std::size_t b) { return runs_[b].entries.front() < runs_[a].entries.front(); });
}

bool RecordSpool::next(RawRecord& raw, RecordPlace& from) {
  Entry entry;
  if (runs_.empty()) {
    if (given_ == entries_.size()) return false;
    entry = entries_[given_++];
  } else {
    if (heap_.empty()) return false;
    const auto later = [this](std::size_t a, std::size_t b) { return runs_[b].entries[runs_[b].given] < runs_[a].entries[runs_[a].given]; };
    std::ranges::pop_heap(heap_, later);
    Run& run = runs_[heap_.back()];
    entry = run.entries[run.given++];
    if (run.given == run.entries.size()) refill(run);
    if (run.entries.empty())
      heap_.pop_back();
    else
      std::ranges::push_heap(heap_, later);
  }
  raw = {};
  raw.time = entry.time;
  raw.op = entry.op;
  raw.force_unit_access = entry.force_unit_access;
  raw.volume = entry.volume;
  raw.offset = entry.offset;
  raw.size = entry.size;
  from = {entry.place, entry.file};
  return true;
}

}  // namespace tessera
