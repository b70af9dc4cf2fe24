#include "platforms/output/timeline_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <utility>

namespace tessera {

namespace {

// Half of what an output file collects: whole events go out in one system call.
constexpr std::size_t text_chunk = std::size_t{1} << 15;

/// Beside a state, the numbers whose change means another piece of work, although the state stays.
bool names_the_work(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {"tag", "request", "serial", "block", "page", "subject"};
  return std::ranges::find(names, name) != names.end();
}

bool is_track(SignalKind kind) { return kind == SignalKind::state || kind == SignalKind::text; }

/// The block of a scope: drive.nand of drive.nand.die_3.
std::string block_of(const std::string& scope) {
  const std::size_t first = scope.find('.');
  return first == std::string::npos ? scope : scope.substr(0, scope.find('.', first + 1));
}

/// What a thread is called within its block's process.
std::string thread_name(const WaveTrace& trace) {
  const std::string block = block_of(trace.scope);
  if (trace.scope == block) return trace.info->name;
  const std::string part = trace.scope.substr(block.size() + 1);
  return trace.info->kind == SignalKind::bit ? part + "." + trace.info->name : part;
}

}  // namespace

void TimelineWriter::begin(const std::vector<WaveTrace>& signals) {
  signals_ = &signals;
  shown_ = signals;
  uses_.resize(signals.size());
  text_ += '[';
  make_tracks();
  for (std::uint32_t process = 0; process < processes_.size(); ++process) {
    begin_event('M', process, 0, {});
    text_ += R"(,"name":"process_name","args":{"name":")" + processes_[process] + "\"}}";
  }
  for (const Track& track : tracks_) describe(track);
}

/// The first state of a scope is its track, further ones and the numbers are its arguments. Bits stand for themselves.
void TimelineWriter::make_tracks() {
  std::uint32_t main = none;
  for (std::uint32_t index = 0; index < shown_.size(); ++index) {
    const WaveTrace& trace = shown_[index];
    if (index == 0 || shown_[index - 1].scope != trace.scope) main = none;
    const std::string& name = trace.info->name;
    if (trace.info->kind == SignalKind::level) {
      static_cast<void>(process_of(trace.scope));
    } else if (trace.info->kind == SignalKind::bit || (main == none && is_track(trace.info->kind))) {
      if (is_track(trace.info->kind)) main = static_cast<std::uint32_t>(tracks_.size());
      uses_[index].push_back({static_cast<std::uint32_t>(tracks_.size()), false});
      tracks_.push_back({index, process_of(trace.scope), {}});
    } else if (main != none) {
      Track& track = tracks_[main];
      track.arguments.push_back(index);
      uses_[index].push_back({main, names_the_work(name)});
      if (name == "tag" && shown_[track.signal].info->kind == SignalKind::state) track.tag = index;
      if (name == "op") track.op = index;
      if (name == "request") {
        track.request = index;
        lanes_.push_back(main);
      }
    }
  }
}

std::uint32_t TimelineWriter::process_of(const std::string& scope) {
  const std::string block = block_of(scope);
  const auto known = std::find(processes_.begin(), processes_.end(), block);
  if (known != processes_.end()) return static_cast<std::uint32_t>(known - processes_.begin());
  processes_.push_back(block);
  return static_cast<std::uint32_t>(processes_.size() - 1);
}

void TimelineWriter::describe(const Track& track) {
  begin_event('M', track.process, thread_of(track), {});
  text_ += R"(,"name":"thread_name","args":{"name":")" + thread_name(shown_[track.signal]) + "\"}}";
  begin_event('M', track.process, thread_of(track), {});
  text_ += R"(,"name":"thread_sort_index","args":{"sort_index":)" + std::to_string(thread_of(track)) + "}}";
}

void TimelineWriter::open(Picoseconds at) {
  shown_ = *signals_;
  for (Track& track : tracks_) update(track, at);
  for (std::uint32_t index = 0; index < shown_.size(); ++index) count(index, at);
  begun_.clear();
}

void TimelineWriter::touch(std::uint32_t signal) {
  for (const Use& use : uses_[signal]) {
    Track& track = tracks_[use.track];
    if (!track.touched) touched_.push_back(use.track);
    track.touched = true;
    track.again = track.again || use.renews;
  }
}

void TimelineWriter::changes(std::span<const SignalChange> changed) {
  for (auto first = changed.begin(); first != changed.end();) {
    const auto end = std::find_if(first, changed.end(), [first](const SignalChange& change) { return change.time != first->time; });
    step({first, end});
    first = end;
  }
}

void TimelineWriter::step(std::span<const SignalChange> changed) {
  const Picoseconds at = changed.front().time;
  for (const SignalChange& change : changed) {
    shown_[change.signal].value = change.value;
    shown_[change.signal].known = true;
  }
  for (const SignalChange& change : changed) {
    const auto index = static_cast<std::uint32_t>(change.signal);
    touch(index);
    count(index, at);
  }
  std::sort(touched_.begin(), touched_.end());
  for (const std::uint32_t index : touched_) update(tracks_[index], at);
  touched_.clear();
  // Behind every slice that begins now: an arrow binds to the slices that are open where it starts and ends.
  for (const std::uint32_t index : begun_) draw_arrow(tracks_[index], at);
  begun_.clear();
  hand_over(text_chunk);
}

void TimelineWriter::update(Track& track, Picoseconds at) {
  const WaveTrace& trace = shown_[track.signal];
  const std::uint64_t state = trace.known ? trace.value : 0;
  const bool again = std::exchange(track.again, false);
  track.touched = false;
  if (state == track.shown && !again) return;
  const bool lane = track.request != none;
  // Of a lane, the command's own slice stays open from phase to phase.
  end_slices(track, lane && state != 0 && !again ? 1 : 0, at);
  track.shown = state;
  if (state == 0) return;
  if (lane && track.open == 0) begin_slice(track, (track.op == none ? "" : value_of(track.op) + " ") + value_of(track.request), at, true);
  begin_slice(track, name_of(track), at, !lane);
  if (track.tag != none) begun_.push_back(thread_of(track) - 1);
}

std::string_view TimelineWriter::name_of(const Track& track) const {
  const WaveTrace& trace = shown_[track.signal];
  return trace.info->words.empty() ? std::string_view(trace.info->name) : std::string_view(trace.info->words[trace.value]);
}

/// As JSON has it, without quotation marks: words hold none, nor anything that is to be escaped.
std::string TimelineWriter::value_of(std::uint32_t signal) const {
  const WaveTrace& trace = shown_[signal];
  return trace.info->words.empty() ? std::to_string(trace.value) : trace.info->words[trace.value];
}

void TimelineWriter::end_slices(Track& track, std::size_t keep, Picoseconds at) {
  for (; track.open > keep; --track.open) {
    begin_event('E', track.process, thread_of(track), at);
    text_ += '}';
  }
}

void TimelineWriter::begin_slice(Track& track, std::string_view name, Picoseconds at, bool with_arguments) {
  ++track.open;
  begin_event('B', track.process, thread_of(track), at);
  text_ += ",\"name\":\"";
  text_ += name;
  text_ += '"';
  char before = '{';
  for (const std::uint32_t index : with_arguments ? std::span<const std::uint32_t>(track.arguments) : std::span<const std::uint32_t>()) {
    const WaveTrace& trace = shown_[index];
    if (!trace.known) continue;
    text_ += before == '{' ? ",\"args\":{\"" : ",\"";
    before = ',';
    text_ += trace.info->name;
    text_ += trace.info->words.empty() ? "\":" : "\":\"";
    text_ += value_of(index);
    if (!trace.info->words.empty()) text_ += '"';
  }
  text_ += before == '{' ? "}" : "}}";
}

void TimelineWriter::draw_arrow(const Track& track, Picoseconds at) {
  const WaveTrace& tag = shown_[track.tag];
  if (!tag.known || tag.value >= lanes_.size()) return;
  const Track& lane = tracks_[lanes_[tag.value]];
  if (lane.open == 0) return;
  const std::string id = std::to_string(arrows_++);
  begin_event('s', lane.process, thread_of(lane), at);
  text_ += R"(,"cat":"work","name":"work","id":)" + id + "}";
  begin_event('f', track.process, thread_of(track), at);
  text_ += R"(,"cat":"work","name":"work","bp":"e","id":)" + id + "}";
}

void TimelineWriter::count(std::uint32_t signal, Picoseconds at) {
  const WaveTrace& trace = shown_[signal];
  if (trace.info->kind != SignalKind::level || !trace.known) return;
  begin_event('C', process_of(trace.scope), 0, at);
  const std::string block = block_of(trace.scope);
  const std::string part = trace.scope == block ? "" : trace.scope.substr(block.size() + 1) + ".";
  text_ += ",\"name\":\"" + part + trace.info->name + R"(","args":{"value":)" + std::to_string(trace.value) + "}}";
}

void TimelineWriter::begin_event(char kind, std::uint32_t process, std::uint32_t thread, Picoseconds at) {
  constexpr std::uint64_t ps_per_us = 1'000'000;
  char head[120];
  const int length = std::snprintf(head, sizeof head, "%s\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%06llu", first_ ? "" : ",",
                                   kind, process + 1, thread, static_cast<unsigned long long>(at.value() / ps_per_us),
                                   static_cast<unsigned long long>(at.value() % ps_per_us));
  first_ = false;
  text_.append(head, static_cast<std::size_t>(length));
}

void TimelineWriter::close(Picoseconds at, bool) {
  for (Track& track : tracks_) {
    end_slices(track, 0, at);
    track.shown = 0;
  }
}

void TimelineWriter::nothing(const std::string& why) {
  begin_event('i', 0, 0, {});
  text_ += R"(,"s":"g","name":"nothing was recorded: )" + why + "\"}";
}

void TimelineWriter::finish() {
  text_ += "\n]\n";
  hand_over(0);
}

void TimelineWriter::hand_over(std::size_t when_longer_than) {
  if (text_.size() <= when_longer_than) return;
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  out_.flush();
  text_.clear();
}

}  // namespace tessera
