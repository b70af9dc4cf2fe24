#include "base/waveform.hpp"

#include <algorithm>
#include <ostream>

namespace tessera {

namespace {

// Changes held back for sorting: 1.5 MB. CPU and devices of a busy drive differ by a few hundred changes at most.
constexpr std::size_t reorder_changes = std::size_t{1} << 16;
constexpr std::size_t text_chunk = std::size_t{1} << 16;

/// Identifiers are written in the 94 printable characters, least significant first.
std::string identifier(std::size_t index) {
  std::string code;
  do {
    code += static_cast<char>('!' + index % 94);
    index /= 94;
  } while (index != 0);
  return code;
}

bool one_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::uint64_t mask(std::uint32_t width) { return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

/// Signals grouped by block, in order of declaration.
struct Scope {
  std::string name;
  std::vector<Scope> inner;
  std::vector<std::string> declarations;

  Scope& at(std::string_view path) {
    if (path.empty()) return *this;
    const std::string_view head = path.substr(0, path.find('.'));
    const std::string_view tail = head.size() == path.size() ? std::string_view() : path.substr(head.size() + 1);
    for (Scope& scope : inner)
      if (scope.name == head) return scope.at(tail);
    inner.push_back({std::string(head), {}, {}});
    return inner.back().at(tail);
  }

  void write(std::string& text) const {
    for (const std::string& declaration : declarations) text += declaration;
    for (const Scope& scope : inner) {
      text += "$scope module " + scope.name + " $end\n";
      scope.write(text);
      text += "$upscope $end\n";
    }
  }
};

}  // namespace

Waveform::Waveform(std::ostream& out, WaveWindow window) : out_(out), begin_(window.begin), end_(window.end) {}

Waveform::Waveform(std::ostream& out, WaveTrigger trigger)
    : out_(out),
      end_(Picoseconds::max()),
      before_(trigger.before),
      after_(trigger.after),
      ring_changes_(trigger.ring_changes),
      armed_(true) {
  TESSERA_CHECK(ring_changes_ > 0, "a waveform trigger needs a ring");
}

WaveSignal Waveform::bit(std::string_view scope, std::string_view name) { return declare(scope, name, 1, {}); }

WaveSignal Waveform::vector(std::string_view scope, std::string_view name, std::uint32_t width) {
  TESSERA_CHECK(width >= 1 && width <= 64, "a waveform vector has 1 to 64 bits");
  return declare(scope, name, width, {});
}

WaveSignal Waveform::state(std::string_view scope, std::string_view name, std::vector<std::string> names) {
  TESSERA_CHECK(!names.empty() && std::all_of(names.begin(), names.end(), one_word), "the states of a signal are words without blanks");
  return declare(scope, name, 64, std::move(names));
}

WaveSignal Waveform::declare(std::string_view scope, std::string_view name, std::uint32_t width, std::vector<std::string> names) {
  TESSERA_CHECK(!started_ && changes_.empty(), "a waveform signal is declared after the first change");
  TESSERA_CHECK(one_word(scope) && one_word(name), "scope and name of a waveform signal are words without blanks");
  for (const Signal& other : signals_) TESSERA_CHECK(other.scope != scope || other.name != name, "a waveform signal is declared twice");
  Signal signal;
  signal.scope = scope;
  signal.name = name;
  signal.width = width;
  signal.names = std::move(names);
  signal.code = identifier(signals_.size());
  signals_.push_back(std::move(signal));
  return {static_cast<std::uint32_t>(signals_.size() - 1)};
}

void Waveform::append(const Change& change) {
  if (armed_) {
    append_to_ring(change);
    return;
  }
  changes_.push_back(change);
  if (changes_.size() >= reorder_changes) write_older(reorder_changes / 2);
}

void Waveform::append_to_ring(const Change& change) {
  if (changes_.size() < ring_changes_) {
    changes_.push_back(change);
    return;
  }
  Change& oldest = changes_[oldest_];
  keep(signals_[oldest.signal], oldest.value, oldest.time);
  lost_until_ = std::max(lost_until_, oldest.time);
  oldest = change;
  oldest_ = oldest_ + 1 == ring_changes_ ? 0 : oldest_ + 1;
}

void Waveform::trigger(Picoseconds time) {
  if (!armed_) return;
  armed_ = false;
  begin_ = std::max(time > before_ ? time - before_ : Picoseconds(0), lost_until_);
  end_ = Picoseconds::max() - time < after_ ? Picoseconds::max() : time + after_;
  std::rotate(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(oldest_), changes_.end());
  std::vector<Change> inside;
  for (const Change& change : changes_) {
    if (change.time <= begin_) {
      keep(signals_[change.signal], change.value, change.time);
    } else if (change.time < end_) {
      inside.push_back(change);
    }
  }
  changes_ = std::move(inside);
}

void Waveform::finish(Picoseconds now) {
  const Picoseconds last = std::min(now, end_);
  end_ = Picoseconds(0);  // ignores every later change
  if (armed_ || now < begin_) {
    write_header();
    text_ += "$comment nothing was recorded: ";
    text_ += armed_ ? "the trigger did not occur" : "the run ended before the window";
    text_ += " $end\n$enddefinitions $end\n";
  } else {
    write_older(0);
    if (last > written_until_) text_ += "#" + std::to_string(last.value()) + "\n";
  }
  hand_over(0);
  out_.flush();
}

void Waveform::write_older(std::size_t keep_newest) {
  if (!started_) write_start();
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  const std::size_t count = changes_.size() - std::min(keep_newest, changes_.size());
  Picoseconds step = written_until_;
  for (std::size_t i = 0; i < count; ++i) {
    const Change& change = changes_[i];
    if (change.time < written_until_) ++late_changes_;
    if (change.time > step) {
      write_step(step);
      step = change.time;
    }
    Signal& signal = signals_[change.signal];
    if (change.time < signal.since) continue;  // late, and a newer value is written already
    signal.since = change.time;
    signal.next = change.value & mask(signal.width);
    if (!signal.touched) step_.push_back(change.signal);
    signal.touched = true;
  }
  write_step(step);
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(count));
}

void Waveform::write_step(Picoseconds time) {
  for (const std::uint32_t index : step_) {
    Signal& signal = signals_[index];
    signal.touched = false;
    if (signal.known && signal.value == signal.next) continue;
    if (time > written_until_) {
      text_ += "#" + std::to_string(time.value()) + "\n";
      written_until_ = time;
    }
    signal.known = true;
    signal.value = signal.next;
    write_value(signal);
  }
  step_.clear();
  hand_over(text_chunk);
}

void Waveform::write_header() {
  text_ += "$version Tessera $end\n$timescale 1 ps $end\n";
  Scope top;
  for (const Signal& signal : signals_) {
    const bool text = !signal.names.empty();
    std::string range;
    if (!text && signal.width > 1) range = " [" + std::to_string(signal.width - 1) + ":0]";
    top.at(signal.scope)
        .declarations.push_back("$var " + std::string(text ? "string" : "wire") + " " + std::to_string(text ? 1 : signal.width) + " " +
                                signal.code + " " + signal.name + range + " $end\n");
  }
  top.write(text_);
}

void Waveform::write_start() {
  started_ = true;
  written_until_ = begin_;
  write_header();
  text_ += "$enddefinitions $end\n#" + std::to_string(begin_.value()) + "\n$dumpvars\n";
  for (Signal& signal : signals_) {
    signal.value &= mask(signal.width);
    write_value(signal);
  }
  text_ += "$end\n";
}

void Waveform::write_value(const Signal& signal) {
  if (!signal.names.empty()) {
    TESSERA_CHECK(signal.value < signal.names.size(), "a waveform state has no such value");
    text_ += "s" + (signal.known ? signal.names[signal.value] : std::string("unknown")) + " ";
  } else if (signal.width == 1) {
    text_ += !signal.known ? 'x' : signal.value != 0 ? '1' : '0';
  } else if (!signal.known) {
    text_ += "bx ";
  } else {
    char digits[64];
    std::size_t first = sizeof digits;
    std::uint64_t rest = signal.value;
    do {
      digits[--first] = static_cast<char>('0' + (rest & 1));
      rest >>= 1;
    } while (rest != 0);
    text_ += 'b';
    text_.append(digits + first, sizeof digits - first);
    text_ += ' ';
  }
  text_ += signal.code;
  text_ += '\n';
}

void Waveform::hand_over(std::size_t when_longer_than) {
  if (text_.size() <= when_longer_than) return;
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

}  // namespace tessera
