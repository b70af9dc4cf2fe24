#include "base/waveform.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tessera {

namespace {

// Changes held back, to be brought into order: 1.5 MB. CPU and devices of a busy drive differ by a few hundred changes at most.
constexpr std::size_t reorder_changes = std::size_t{1} << 16;
constexpr std::size_t told_changes = 256;      // brought into order together
constexpr std::size_t written_changes = 2048;  // about as many are handed to the writers together

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
  lay_down_in(told_);
}

Waveform::Waveform(std::vector<WaveWriter*> writers, WaveTrigger trigger)
    : writers_(std::move(writers)), last_end_(Picoseconds::max()), before_(trigger.before), after_(trigger.after), armed_(true) {
  TESSERA_CHECK(trigger.ring_changes > 0, "a waveform trigger needs a ring");
  told_.resize(told_changes);
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
  states_.push_back({{}, info.value.value_or(0) & mask, mask, 0, info.value.has_value(), false});
  TESSERA_CHECK(traces_.size() < withdrawal_bit, "a waveform has too many signals");
  return {static_cast<std::uint32_t>(traces_.size() - 1)};
}

void Waveform::full() {
  if (!armed_) return sort_told();
  ring_->next_room();
  keep_leaving(ring_->leaving());
  lay_down_in(ring_->room());
}

/// Some ten instructions for each of a single signal: time and value move together, and the signal's bits are cut off when a window opens.
void Waveform::keep_leaving(std::span<const SignalChange> told) {
  constexpr std::size_t time_and_value = offsetof(SignalChange, signal);
  static_assert(offsetof(State, mask) == time_and_value && offsetof(State, value) == offsetof(SignalChange, value));
  State* const states = states_.data();
#pragma GCC unroll 4
  for (const SignalChange& change : told) {
    if (change.signal >= withdrawal_bit) {
      keep_more(change);
      continue;
    }
    State& state = states[change.signal];
    if (change.time < state.since) continue;
    std::memcpy(static_cast<void*>(&state), &change, time_and_value);
    state.known = true;
  }
}

/// A use, whose end is what stays of it, or a withdrawal.
void Waveform::keep_more(const SignalChange& told) {
  if (!told.is_use()) return keep_withdrawal(told.signal & ~withdrawal_bit, told.time);
  const std::uint64_t signal = told.signal & SignalChange::longest_use;
  keep(signal, 0, Picoseconds(told.time.value() + (told.signal >> SignalChange::number_bits)));
  keep(signal + 1, told.value, told.time);
}

void Waveform::take_told() {
  pending_.append(pending_from_ > Picoseconds(0) || last_end_ != Picoseconds::max() ? told_for_windows() : told());
  for (const SignalChange& withdrawal : pending_.withdrawals()) keep_withdrawal(withdrawal.signal, withdrawal.time);
  lay_down_in(told_);
}

void Waveform::sort_told() {
  take_told();
  if (asking_ || pending_.held() < reorder_changes) return;
  constexpr std::size_t newest = reorder_changes / 2;
  if (!sources_.empty()) ask_sources(pending_.all()[pending_.held() - newest - 1].time);
  write_older(newest);
}

void Waveform::ask_sources(Picoseconds at) {
  asking_ = true;
  for (SignalSource* const source : sources_) static_cast<void>(source->tell_until(at));
  asking_ = false;
  take_told();
}

std::span<const SignalChange> Waveform::told_for_windows() {
  shown_.clear();
  for (const SignalChange& change : told())
    each_told(
        change,
        [this](Picoseconds time, std::uint64_t value, std::uint64_t signal) {
          if (time >= last_end_) return;
          if (time < pending_from_) return keep(signal, value, time);
          shown_.push_back({time, value, signal});
        },
        [this](std::uint64_t signal, Picoseconds at) {
          keep_withdrawal(signal, at);
          shown_.push_back(withdrawal_of(signal, at));
        });
  return shown_;
}

void Waveform::trigger(Picoseconds time) {
  if (!armed_) return;
  armed_ = false;
  for (State& state : states_) {
    state.value &= state.mask;
    begin_ = std::max(begin_, state.since);
  }
  begin_ = std::max(time > before_ ? time - before_ : Picoseconds(0), begin_);
  pending_from_ = begin_ + Picoseconds(1);
  last_end_ = Picoseconds::max() - time < after_ ? Picoseconds::max() : time + after_;
  windows_ = {{begin_, last_end_}};
  ring_->take(told().size(), [this](const SignalChange& change) {
    each_told(
        change,
        [this](Picoseconds at, std::uint64_t value, std::uint64_t signal) {
          if (at <= begin_)
            keep(signal, value, at);
          else if (at < last_end_)
            pending_.append({at, value, signal});
        },
        [this](std::uint64_t signal, Picoseconds at) {
          keep_withdrawal(signal, at);
          pending_.append(withdrawal_of(signal, at));
        });
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
    ask_sources(now);
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
  const std::span<const SignalChange> all = pending_.all();
  const SignalChange* const newest = all.data() + all.size() - std::min(keep_newest, all.size());
  const SignalChange* next = all.data();
  while (next < newest) {
    const SignalChange* end = next + std::min<std::ptrdiff_t>(newest - next, written_changes);
    while (end != all.data() + all.size() && end->time == end[-1].time) ++end;
    write({next, end});
    next = end;
  }
  pending_.drop(static_cast<std::size_t>(next - all.data()));
}

void Waveform::write(std::span<const SignalChange> steps) {
  if (written_.size() < steps.size()) written_.resize(steps.size());
  const SignalChange* const end = steps.data() + steps.size();
  for (const SignalChange* next = steps.data(); next != end;) {
    if (next->time > step_time_ && next->time >= open_until_) pass(next->time);
    if (next->time > step_time_ && next->time < open_until_) [[likely]]
      next = write_step(next, end);
    else
      next = write_apart(next, end);
  }
  hand_over();
}

inline const SignalChange* Waveform::write_step(const SignalChange* change, const SignalChange* end) {
  const SignalChange* const first = change;
  const std::size_t written_before = writes_;
  const Picoseconds time = step_time_ = change->time;
  do {
    State& state = states_[change->signal];
    if (state.since == time) [[unlikely]] {
      write_again(*change, first, written_before);
    } else {
      state.since = time;
      show(state, *change, time);
    }
  } while (++change != end && change->time == time);
  return change;
}

/// The last value counts, and stands where the signal's first one would.
void Waveform::write_again(const SignalChange& change, const SignalChange* first, std::size_t written_before) {
  State& state = states_[change.signal];
  const std::uint64_t value = change.value & state.mask;
  const std::uint64_t shown = state.value;
  if (shown == value && state.known) return;
  const auto begin = written_.begin() + static_cast<std::ptrdiff_t>(written_before);
  const auto end = written_.begin() + static_cast<std::ptrdiff_t>(writes_);
  state.value = value;
  auto place = end;
  while (place != begin && place[-1].signal != change.signal) --place;
  if (place != begin) {
    --place;
    place->value = value;
    if (value != state.before || !state.known_before) return;
    std::move(place + 1, end, place);
    --writes_;
    return;
  }
  for (; first->signal != change.signal; ++first)
    if (place != end && place->signal == first->signal) ++place;
  state.before = shown;
  state.known_before = state.known;
  state.known = true;
  std::move_backward(place, end, end + 1);
  *place = {std::max(written_until_, step_time_), value, change.signal};
  ++writes_;
}

const SignalChange* Waveform::write_apart(const SignalChange* change, const SignalChange* end) {
  if (!open_) {
    if (window_ < windows_.size()) keep(change->signal, change->value, change->time);
    return change + 1;
  }
  const SignalChange* const first = change;
  for (; change != end && change->time <= step_time_; ++change) {
    State& state = states_[change->signal];
    if (change->time < written_until_) ++late_changes_;
    if (change->time < state.since) continue;  // a newer value is written already
    state.since = change->time;
    write_again(*change, first, 0);
  }
  return change;
}

void Waveform::hand_over() {
  if (writes_ == 0) return;
  written_until_ = written_[writes_ - 1].time;
  for (WaveWriter* writer : writers_) writer->changes({written_.data(), writes_});
  writes_ = 0;
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
  written_until_ = step_time_ = begin_;
  open_until_ = windows_[window_].end;
  for (std::uint32_t index = 0; index < traces_.size(); ++index) {
    traces_[index].known = states_[index].known;
    traces_[index].value = states_[index].value;
  }
  for (WaveWriter* writer : writers_) writer->open(begin_);
}

void Waveform::close_window(Picoseconds at, bool last) {
  hand_over();
  open_ = false;
  open_until_ = Picoseconds(0);
  if (++window_ < windows_.size()) begin_ = windows_[window_].begin;
  pending_from_ = begin_ + Picoseconds(1);
  for (WaveWriter* writer : writers_) writer->close(std::max(at, written_until_), last);
}

}  // namespace tessera
