#include "base/waveform.hpp"

#include <algorithm>

namespace tessera {

namespace {

// Changes held back for sorting: 1.5 MB. CPU and devices of a busy drive differ by a few hundred changes at most.
constexpr std::size_t reorder_changes = std::size_t{1} << 16;

}  // namespace

/// Changes are told in runs in order, each of which begins a little before the end of the one before: neighbouring runs are merged where
/// they overlap, over and over until one is left.
void Waveform::sort_changes() {
  runs_.clear();
  runs_.push_back(0);
  for (std::size_t i = 1; i < changes_.size(); ++i)
    if (changes_[i].time < changes_[i - 1].time) runs_.push_back(i);
  runs_.push_back(changes_.size());
  while (runs_.size() > 2) {
    std::size_t kept = 1;
    for (std::size_t i = 1; i + 1 < runs_.size(); i += 2) {
      merge_runs(runs_[i - 1], runs_[i], runs_[i + 1]);
      runs_[kept++] = runs_[i + 1];
    }
    if (runs_.size() % 2 == 0) runs_[kept++] = runs_.back();
    runs_.resize(kept);
  }
}

void Waveform::merge_runs(std::size_t begin, std::size_t middle, std::size_t end) {
  const Picoseconds first = changes_[middle].time;
  std::size_t from = middle;
  while (from > begin && changes_[from - 1].time > first) --from;
  scratch_.assign(changes_.data() + from, changes_.data() + middle);
  Change* to = changes_.data() + from;
  const Change* later = changes_.data() + middle;
  const Change* const last = changes_.data() + end;
  for (const Change& earlier : scratch_) {
    while (later != last && later->time < earlier.time) *to++ = *later++;
    *to++ = earlier;
  }
}

Waveform::Waveform(std::vector<WaveWriter*> writers, std::vector<WaveWindow> windows)
    : writers_(std::move(writers)), windows_(std::move(windows)) {
  TESSERA_CHECK(!windows_.empty(), "a recorder needs a window");
  for (std::size_t i = 0; i < windows_.size(); ++i)
    TESSERA_CHECK(windows_[i].begin < windows_[i].end && (i == 0 || windows_[i - 1].end < windows_[i].begin),
                  "the windows of a recorder do not follow each other");
  begin_ = windows_.front().begin;
  last_end_ = windows_.back().end;
}

Waveform::Waveform(std::vector<WaveWriter*> writers, WaveTrigger trigger)
    : writers_(std::move(writers)),
      last_end_(Picoseconds::max()),
      before_(trigger.before),
      after_(trigger.after),
      ring_changes_(trigger.ring_changes),
      armed_(true) {
  TESSERA_CHECK(ring_changes_ > 0, "a waveform trigger needs a ring");
}

WaveSignal Waveform::bit(std::string_view scope, std::string_view name) {
  return declare(scope, {std::string(name), SignalKind::bit, 1, {}, std::nullopt});
}

WaveSignal Waveform::vector(std::string_view scope, std::string_view name, std::uint32_t width) {
  return declare(scope, {std::string(name), SignalKind::number, width, {}, std::nullopt});
}

WaveSignal Waveform::state(std::string_view scope, std::string_view name, std::vector<std::string> names) {
  return declare(scope, {std::string(name), SignalKind::state, 16, std::move(names), std::nullopt});
}

WaveSignal Waveform::declare(std::string_view scope, SignalInfo info) {
  const auto one_word = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  };
  TESSERA_CHECK(info.width >= 1 && info.width <= 64, "a waveform vector has 1 to 64 bits");
  TESSERA_CHECK(std::all_of(info.words.begin(), info.words.end(), one_word), "the states of a signal are words without blanks");
  TESSERA_CHECK(one_word(scope) && one_word(info.name), "scope and name of a waveform signal are words without blanks");
  own_.push_back(std::move(info));
  return record(scope, own_.back());
}

WaveSignal Waveform::record(std::string_view scope, const SignalInfo& info) {
  TESSERA_CHECK(!begun_ && changes_.empty(), "a waveform signal is declared after the first change");
  for (const WaveTrace& other : traces_)
    TESSERA_CHECK(other.scope != scope || other.info->name != info.name, "a waveform signal is declared twice");
  traces_.push_back({std::string(scope), &info});
  states_.push_back({info.value.value_or(0), {}, info.value.has_value(), false});
  return {static_cast<std::uint32_t>(traces_.size() - 1)};
}

Waveform::Change* Waveform::pending(std::uint64_t place) {
  if (place == 0) return nullptr;
  if (!armed_) return &changes_[place - 1];
  return appended_ - place >= changes_.size() ? nullptr : &changes_[(place - 1) % ring_changes_];
}

void Waveform::link(Change& change) {
  State& state = states_[change.signal];
  const Change* const before = pending(state.newest);
  change.back = 0;
  if (before != nullptr) change.back = static_cast<std::uint32_t>(appended_ + 1 - state.newest);
  state.ordered = before == nullptr || (state.ordered && before->time <= change.time);
}

void Waveform::relink() {
  for (State& state : states_) state.newest = 0;
  appended_ = 0;
  for (Change& change : changes_) {
    if (change.signal != withdrawn) link(change);
    ++appended_;
    if (change.signal != withdrawn) states_[change.signal].newest = appended_;
  }
}

void Waveform::append(Change change) {
  link(change);
  states_[change.signal].newest = ++appended_;
  if (armed_) {
    append_to_ring(change);
    return;
  }
  changes_.push_back(change);
  if (appended_ >= reorder_changes) write_older(reorder_changes / 2);
}

void Waveform::append_to_ring(const Change& change) {
  if (changes_.size() < ring_changes_) {
    changes_.push_back(change);
    return;
  }
  Change& oldest = changes_[oldest_];
  if (oldest.signal != withdrawn) keep(oldest.signal, oldest.value, oldest.time);
  lost_until_ = std::max(lost_until_, oldest.time);
  oldest = change;
  oldest_ = oldest_ + 1 == ring_changes_ ? 0 : oldest_ + 1;
}

void Waveform::withdraw(std::uint32_t id, Picoseconds at) {
  State& state = states_[id];
  bool newest = true;
  for (std::uint64_t place = state.newest; Change* const change = pending(place);) {
    const std::uint64_t before = change->back == 0 ? 0 : place - change->back;
    if (change->time > at) {
      change->signal = withdrawn;
      if (newest) state.newest = before;
    } else if (state.ordered) {
      break;
    } else {
      newest = false;
    }
    place = before;
  }
  state.since = std::min(state.since, at);
}

void Waveform::trigger(Picoseconds time) {
  if (!armed_) return;
  armed_ = false;
  begin_ = std::max(time > before_ ? time - before_ : Picoseconds(0), lost_until_);
  last_end_ = Picoseconds::max() - time < after_ ? Picoseconds::max() : time + after_;
  windows_ = {{begin_, last_end_}};
  std::rotate(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(oldest_), changes_.end());
  std::vector<Change> inside;
  for (const Change& change : changes_) {
    if (change.signal == withdrawn) continue;
    if (change.time <= begin_) {
      keep(change.signal, change.value, change.time);
    } else if (change.time < last_end_) {
      inside.push_back(change);
    }
  }
  changes_ = std::move(inside);
  relink();
}

void Waveform::begin() {
  if (begun_) return;
  begun_ = true;
  for (WaveWriter* writer : writers_) writer->begin(traces_);
}

void Waveform::finish(Picoseconds now) {
  begin();
  if (!armed_) {
    write_older(0);
    pass(now);
    if (!open_ && window_ < windows_.size() && now == begin_) open_window();
    if (open_) close_window(now, true);
  }
  if (armed_ || now < windows_.front().begin)
    for (WaveWriter* writer : writers_) writer->nothing(armed_ ? "the trigger did not occur" : "the run ended before the window");
  ended_ = std::min(last_end_, now);
  last_end_ = Picoseconds(0);  // ignores every later change
  for (WaveWriter* writer : writers_) writer->finish();
}

void Waveform::write_older(std::size_t keep_newest) {
  begin();
  std::erase_if(changes_, [](const Change& change) { return change.signal == withdrawn; });
  sort_changes();
  const std::size_t count = changes_.size() - std::min(keep_newest, changes_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Change& change = changes_[i];
    if (change.time > step_time_) pass(change.time);
    if (!open_) {
      if (window_ < windows_.size()) keep(change.signal, change.value, change.time);
      continue;
    }
    if (change.time < written_until_) ++late_changes_;
    if (change.time > step_time_) {
      write_step();
      step_time_ = change.time;
    }
    State& state = states_[change.signal];
    if (change.time < state.since) continue;  // late, and a newer value is written already
    state.since = change.time;
    state.next = change.value;
    if (!state.touched) touched_.push_back(change.signal);
    state.touched = true;
  }
  if (open_) write_step();
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(count));
  relink();
}

void Waveform::pass(Picoseconds time) {
  while (window_ < windows_.size()) {
    if (!open_) {
      if (time <= begin_) return;
      open_window();
    }
    if (time < windows_[window_].end) return;
    close_window(windows_[window_].end, window_ + 1 == windows_.size());
  }
}

void Waveform::open_window() {
  open_ = true;
  written_until_ = step_time_ = begin_;
  for (std::uint32_t index = 0; index < traces_.size(); ++index) {
    traces_[index].known = states_[index].known;
    traces_[index].value = masked(index);
  }
  for (WaveWriter* writer : writers_) writer->open(begin_);
}

void Waveform::close_window(Picoseconds at, bool last) {
  write_step();
  open_ = false;
  if (++window_ < windows_.size()) begin_ = windows_[window_].begin;
  for (WaveWriter* writer : writers_) writer->close(std::max(at, written_until_), last);
}

std::uint64_t Waveform::masked(std::uint32_t signal) const {
  const std::uint32_t width = traces_[signal].info->width;
  return width == 64 ? states_[signal].next : states_[signal].next & ((std::uint64_t{1} << width) - 1);
}

void Waveform::write_step() {
  step_.clear();
  for (const std::uint32_t index : touched_) {
    State& state = states_[index];
    WaveTrace& trace = traces_[index];
    state.touched = false;
    const std::uint64_t value = masked(index);
    if (trace.known && trace.value == value) continue;
    state.known = trace.known = true;
    trace.value = value;
    step_.push_back(index);
  }
  touched_.clear();
  if (step_.empty()) return;
  written_until_ = std::max(written_until_, step_time_);
  for (WaveWriter* writer : writers_) writer->step(written_until_, step_);
}

}  // namespace tessera
