#include "platforms/output/save_file.hpp"

#include <cmath>
#include <ostream>

namespace tessera {

namespace {

// Bits of a trace's flags, from GTKWave's analyzer.h; the file has them in hexadecimal.
constexpr unsigned hexadecimal = 1U << 1;
constexpr unsigned decimal = 1U << 2;
constexpr unsigned binary = 1U << 3;
constexpr unsigned right_justified = 1U << 5;
constexpr unsigned blank = 1U << 9;
constexpr unsigned analog_step = 1U << 15;
constexpr unsigned stretch_above = 1U << 17;  ///< a blank line that the analog trace above it takes up
constexpr unsigned closed = 1U << 22;
constexpr unsigned group_begin = 1U << 23;
constexpr unsigned group_end = 1U << 24;

constexpr int analog_lines = 2;  ///< that a level is high, beyond its own

struct Form {
  unsigned flags;
  int colour;  ///< GTKWave's: 1 red, 2 orange, 3 yellow, 4 green, 5 blue, 6 indigo, 7 violet
};

Form form_of(SignalKind kind) {
  switch (kind) {
    case SignalKind::bit: return {binary | right_justified, 4};
    case SignalKind::number: return {decimal | right_justified, 2};
    case SignalKind::level: return {decimal | right_justified | analog_step, 3};
    case SignalKind::state: return {hexadecimal | right_justified, 5};
    case SignalKind::text: return {hexadecimal | right_justified, 7};
  }
  return {decimal | right_justified, 2};
}

void write_flags(std::ostream& out, unsigned flags) { out << '@' << std::hex << flags << std::dec << '\n'; }

void write_group(std::ostream& out, const std::string& scope, unsigned flags) {
  write_flags(out, flags | blank);
  out << '-' << scope << '\n';
}

void write_signal(std::ostream& out, const ShownSignal& signal) {
  const SignalInfo& info = *signal.info;
  const Form form = form_of(info.kind);
  write_flags(out, form.flags);
  out << "[color] " << form.colour << '\n' << signal.scope << '.' << info.name;
  if (info.words.empty() && info.width > 1) out << '[' << info.width - 1 << ":0]";
  out << '\n';
  if (info.kind != SignalKind::level) return;
  write_flags(out, blank | stretch_above);
  for (int line = 0; line < analog_lines; ++line) out << "-\n";
}

constexpr int window_pixels = 1600;
constexpr int name_pixels = 600;  ///< of it that the tree and the names take

/// GTKWave's zoom: minus the logarithm to base 2 of the time that 200 pixels show.
double zoom_of(Picoseconds length) { return -std::log2(200.0 * static_cast<double>(length.value()) / (window_pixels - name_pixels)); }

/// A drive has many tags, dies and banks: the groups of one of several alike are closed at first.
bool one_of_many(const std::string& scope) { return scope.back() >= '0' && scope.back() <= '9' && !scope.ends_with("core0"); }

}  // namespace

void write_save_file(std::ostream& out, const std::filesystem::path& shown, const std::vector<ShownSignal>& signals, Picoseconds start,
                     Picoseconds end) {
  out << "[*] Tessera\n[dumpfile] \"" << std::filesystem::absolute(shown).string() << "\"\n";
  out << "[size] " << window_pixels << " 900\n";
  if (start != Picoseconds::max()) {
    out << "[timestart] " << start.value() << '\n';
    if (end > start) out << '*' << zoom_of(end - start) << " -1\n";  // no marker
  }
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const std::string& scope = signals[i].scope;
    const unsigned folded = one_of_many(scope) ? closed : 0;
    if (i == 0 || signals[i - 1].scope != scope) write_group(out, scope, group_begin | folded);
    write_signal(out, signals[i]);
    if (i + 1 == signals.size() || signals[i + 1].scope != scope) write_group(out, scope, group_end | folded);
  }
}

}  // namespace tessera
