#include "platforms/output/save_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <string_view>

namespace tessera {

namespace {

// Bits of a trace's flags, from GTKWave's analyzer.h; the file has them in hexadecimal.
constexpr unsigned hexadecimal = 1U << 1;
constexpr unsigned decimal = 1U << 2;
constexpr unsigned binary = 1U << 3;
constexpr unsigned right_justified = 1U << 5;
constexpr unsigned blank = 1U << 9;
constexpr unsigned by_file = 1U << 13;  ///< values are shown as a filter file says
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

/// `name`: in place of its own, which is the last part of its path; "": none.
void write_signal(std::ostream& out, const ShownSignal& signal, const std::string& name = {}) {
  const SignalInfo& info = *signal.info;
  const Form form = form_of(info.kind);
  const bool numbers = info.words.empty() || !signal.words.empty();
  write_flags(out, form.flags | (signal.words.empty() ? 0 : by_file));
  out << "[color] " << form.colour << '\n';
  if (!signal.words.empty()) out << "^1 " << signal.words.string() << '\n';
  if (!name.empty()) out << "+{" << name << "} ";
  out << signal.scope << '.' << info.name;
  if (numbers && info.width > 1) out << '[' << info.width - 1 << ":0]";
  out << '\n';
  if (info.kind != SignalKind::level) return;
  write_flags(out, blank | stretch_above);
  for (int line = 0; line < analog_lines; ++line) out << "-\n";
}

constexpr int window_pixels = 1600;
constexpr int tree_pixels = 280;
constexpr int signal_pixels = 320;  ///< names and values

/// GTKWave's zoom: minus the logarithm to base 2 of the time that 200 pixels show.
double zoom_of(Picoseconds length) {
  return -std::log2(200.0 * static_cast<double>(length.value()) / (window_pixels - tree_pixels - signal_pixels));
}

/// A drive has many tags, dies and banks: the groups of one of several alike are closed at first.
bool one_of_many(const std::string& scope) { return scope.back() >= '0' && scope.back() <= '9' && !scope.ends_with("core0"); }

/// What one looks at first, without the drive's name in front, in this order.
constexpr std::array<std::string_view, 26> first_looks{"media.state",
                                                       "media.head_radius",
                                                       "media.head_surface",
                                                       "media.spindle_index",
                                                       "controller.disk_channel.queue",
                                                       "controller.disk_channel.command.op",
                                                       "controller.disk_channel.command.class",
                                                       "controller.disk_channel.command.tag",
                                                       "controller.disk_channel.command.radius",
                                                       "controller.firmware.work_0.kind",
                                                       "controller.firmware.work_0.subject",
                                                       "controller.firmware.work_1.kind",
                                                       "controller.firmware.work_1.subject",
                                                       "controller.cpu.core0.task",
                                                       "controller.cpu.core0.tag",
                                                       "processor.works",
                                                       "processor.function",
                                                       "processor.interrupt_host",
                                                       "processor.interrupt_disk",
                                                       "processor.interrupt_flash",
                                                       "processor.interrupt_timer",
                                                       "nand.die_0.state",
                                                       "host_interface.tags_in_use",
                                                       "host_interface.tag_00.phase",
                                                       "host_interface.tag_00.request",
                                                       "power.rail"};

/// GTKWave shows what follows the last dot.
std::string path_in_words(const ShownSignal& signal) {
  std::string path = signal.scope + " " + signal.info->name;
  path.erase(0, path.find_first_of(". ") + 1);
  std::replace(path.begin(), path.end(), '.', ' ');
  return path;
}

std::vector<ShownSignal> first_signals(const std::vector<ShownSignal>& signals) {
  std::vector<ShownSignal> first;
  for (const std::string_view look : first_looks) {
    const auto found = std::find_if(signals.begin(), signals.end(), [look](const ShownSignal& signal) {
      const std::string path = signal.scope + "." + signal.info->name;
      return std::string_view(path).substr(path.find('.') + 1) == look;
    });
    if (found != signals.end()) first.push_back(*found);
  }
  return first;
}

}  // namespace

void write_words(std::ostream& out, const SignalInfo& info) {
  constexpr std::uint32_t digit_bits = 4;
  const auto digits = static_cast<int>((info.width + digit_bits - 1) / digit_bits);
  for (std::size_t value = 0; value < info.words.size(); ++value)
    out << std::hex << std::setw(digits) << std::setfill('0') << value << std::dec << ' ' << info.words[value] << '\n';
}

void write_save_file(std::ostream& out, const std::filesystem::path& shown, const std::vector<ShownSignal>& signals,
                     const ShownTime& time) {
  const auto& [start, end, marker] = time;
  out << "[*] Tessera\n[dumpfile] \"" << std::filesystem::absolute(shown).string() << "\"\n";
  out << "[size] " << window_pixels << " 900\n[sst_width] " << tree_pixels << "\n[signals_width] " << signal_pixels << "\n";
  if (start != Picoseconds::max()) {
    out << "[timestart] " << start.value() << '\n';
    if (end > start) {
      out << '*' << zoom_of(end - start) << ' ';
      if (marker)
        out << marker->value() << '\n';
      else
        out << "-1\n";
    }
  }
  if (const std::vector<ShownSignal> first = first_signals(signals); first.size() > 1) {
    write_group(out, "first look", group_begin);
    for (const ShownSignal& signal : first) write_signal(out, signal, path_in_words(signal));
    write_group(out, "first look", group_end);
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
