#include "base/waveform.hpp"

#include <algorithm>

namespace tessera {

namespace {

// Changes held back, to be brought into order: 1.5 MB. CPU and devices of a busy drive differ by a few hundred changes at most.
constexpr std::size_t reorder_changes = std::size_t{1} << 16;
constexpr std::size_t told_changes = 256;  // brought into order together
constexpr std::size_t most_touches = 256;  // of a time step, until one has more

}  // namespace

Waveform::Waveform(std::vector<WaveWriter*> writers, std::vector<WaveWindow> windows)
    : writers_(std::move(writers)), windows_(std::move(windows)) {
  TESSERA_CHECK(!windows_.empty(), "a recorder needs a window");
  for (std::size_t i = 0; i < windows_.size(); ++i)
    TESSERA_CHECK(windows_[i].begin < windows_[i].end && (i == 0 || windows_[i - 1].end < windows_[i].begin),
                  "the windows of a recorder do not follow each other");
  begin_ = windows_.front().begin;
  pending_from_ = begin_ + Picoseconds(1);
  last_end_ = windows_.back().end;
  told_.resize(told_changes);
  touched_.resize(most_touches);
  lay_down_in(told_);
}

Waveform::Waveform(std::vector<WaveWriter*> writers, WaveTrigger trigger)
    : writers_(std::move(writers)), last_end_(Picoseconds::max()), before_(trigger.before), after_(trigger.after), armed_(true) {
  TESSERA_CHECK(trigger.ring_changes > 0, "a waveform trigger needs a ring");
  told_.resize(told_changes);
  touched_.resize(most_touches);
  ring_.emplace(trigger.ring_changes);
  lay_down_in(ring_->room());
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
  TESSERA_CHECK(!begun_ && told().empty(), "a waveform signal is declared after the first change");
  for (const WaveTrace& other : traces_)
    TESSERA_CHECK(other.scope != scope || other.info->name != info.name, "a waveform signal is declared twice");
  traces_.push_back({std::string(scope), &info});
  const std::uint64_t mask = info.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << info.width) - 1;
  states_.push_back({info.value.value_or(0), {}, mask, info.value.has_value()});
  return {static_cast<std::uint32_t>(traces_.size() - 1)};
}

void Waveform::full() {
  if (!armed_) return sort_told();
  ring_->next_room([this](const SignalChange& change) { keep(change.signal, change.value, change.time); });
  lay_down_in(ring_->room());
}

void Waveform::sort_told() {
  std::span<const SignalChange> changes = told();
  if (pending_from_ > Picoseconds(0) || last_end_ != Picoseconds::max()) changes = told_for_windows();
  constexpr std::size_t most_of_one = 3;
  if (pending_.held() + most_of_one * changes.size() < reorder_changes) [[likely]] {
    for (const SignalChange& change : changes) pending_.append(change);
  } else {
    for (const SignalChange& change : changes)
      change.each([this](Picoseconds time, std::uint64_t value, std::uint64_t signal) {
        pending_.append({time, value, signal});
        if (pending_.held() >= reorder_changes) write_older(reorder_changes / 2);
      });
  }
  lay_down_in(told_);
}

std::span<const SignalChange> Waveform::told_for_windows() {
  shown_.clear();
  for (const SignalChange& told : told())
    told.each([this](Picoseconds time, std::uint64_t value, std::uint64_t signal) {
      if (time >= last_end_) return;
      if (time < pending_from_) return keep(signal, value, time);
      shown_.push_back({time, value, signal});
    });
  return shown_;
}

void Waveform::withdraw(std::uint32_t id, Picoseconds at) {
  if (armed_) {
    ring_->withdraw(id, at, told().size());
  } else {
    sort_told();
    pending_.withdraw(id, at);
  }
  State& state = states_[id];
  state.since = std::min(state.since, at);
}

void Waveform::trigger(Picoseconds time) {
  if (!armed_) return;
  armed_ = false;
  const auto to_values = [this](const SignalChange& change) { keep(change.signal, change.value, change.time); };
  ring_->end(told().size(), to_values);
  begin_ = std::max(time > before_ ? time - before_ : Picoseconds(0), ring_->lost_until());
  pending_from_ = begin_ + Picoseconds(1);
  last_end_ = Picoseconds::max() - time < after_ ? Picoseconds::max() : time + after_;
  windows_ = {{begin_, last_end_}};
  ring_->take_rest([&](const SignalChange& change) {
    if (change.time <= begin_)
      to_values(change);
    else if (change.time < last_end_)
      pending_.append(change);
  });
  ring_.reset();
  lay_down_in(told_);
}

void Waveform::begin() {
  if (begun_) return;
  begun_ = true;
  for (WaveWriter* writer : writers_) writer->begin(traces_);
}

void Waveform::finish(Picoseconds now) {
  begin();
  if (!armed_) {
    sort_told();
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
  pending_.take(keep_newest, [this](const SignalChange& change) { write(change); });
  if (open_) write_step();
}

inline void Waveform::write(const SignalChange& change) {
  if (change.time != open_step_ && !turn_to(change)) return;
  State& state = states_[change.signal];
  state.since = change.time;
  state.next = change.value;
  if (touches_ == touched_.size()) [[unlikely]]
    touched_.resize(2 * touches_);
  touched_[touches_++] = static_cast<std::uint32_t>(change.signal);
}

inline bool Waveform::turn_to(const SignalChange& change) {
  if (change.time > step_time_ && (!open_ || change.time >= windows_[window_].end)) pass(change.time);
  if (!open_) {
    if (window_ < windows_.size()) keep(change.signal, change.value, change.time);
    return false;
  }
  if (change.time < written_until_) ++late_changes_;
  // Late, and a newer value is written already.
  if (change.time < step_time_) return change.time >= states_[change.signal].since;
  write_step();
  step_time_ = open_step_ = change.time;
  return true;
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
  pending_from_ = Picoseconds(0);
  written_until_ = step_time_ = open_step_ = begin_;
  for (std::uint32_t index = 0; index < traces_.size(); ++index) {
    traces_[index].known = states_[index].known;
    traces_[index].value = states_[index].next & states_[index].mask;
  }
  for (WaveWriter* writer : writers_) writer->open(begin_);
}

void Waveform::close_window(Picoseconds at, bool last) {
  write_step();
  open_ = false;
  open_step_ = Picoseconds::max();
  if (++window_ < windows_.size()) begin_ = windows_[window_].begin;
  pending_from_ = begin_ + Picoseconds(1);
  for (WaveWriter* writer : writers_) writer->close(std::max(at, written_until_), last);
}

void Waveform::write_step() {
  std::size_t changed = 0;  // stay in the list, each once
  for (std::size_t i = 0; i < touches_; ++i) {
    const std::uint32_t index = touched_[i];
    State& state = states_[index];
    WaveTrace& trace = traces_[index];
    const std::uint64_t value = state.next & state.mask;
    if (trace.known && trace.value == value) continue;
    state.known = trace.known = true;
    trace.value = value;
    touched_[changed++] = index;
  }
  touches_ = 0;
  if (changed == 0) return;
  written_until_ = std::max(written_until_, step_time_);
  for (WaveWriter* writer : writers_) writer->step(written_until_, {touched_.data(), changed});
}

}  // namespace tessera
