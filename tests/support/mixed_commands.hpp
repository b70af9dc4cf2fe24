#pragma once
// Commands of every kind, drawn by a seed, through a controller: reads, writes with and without FUA, zeros, TRIMs and flushes of all sizes
// that overlap each other, some of them aborted, between resets of the controller and cuts of the power, and each block that a read gives
// held against BlockHistory. `Device` is how a controller is spoken to:
//   bool bring_up();                                             after a power-on or reset
//   void start(unsigned slot, const MixedCommand&);              with the slot's data at data_of(slot)
//   std::vector<std::pair<unsigned, MixedEnding>> take();        what has ended since
//   bool abort(unsigned slot);                                   false where the controller knows no aborts
//   void reset();  void pass();  unsigned char* data_of(unsigned slot);
//   unsigned slots() const;  bool alone(MixedCommand::Kind) const;   a kind that nothing else may be in flight with
#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/block_history.hpp"

namespace test {

struct MixedCommand {
  enum class Kind { read, write, zeros, trim, flush };
  Kind kind = Kind::read;
  std::uint64_t first = 0;
  std::uint32_t blocks = 0;
  bool fua = false;
};
enum class MixedEnding { done, aborted, failed };

/// What surrounds the device, and what it promises.
struct MixedSetting {
  std::uint64_t blocks = 0;  ///< of 512 B
  bool is_volatile = false;  ///< its write cache
  bool zeros_after_trim = false;
  unsigned commands = 200;
  bool aborts = true, resets = true, cuts = true;
  std::function<void()> cut;  ///< of the power, now; comes back after the boot
};

template <class Device>
class MixedCommands {
 public:
  static constexpr std::uint32_t largest = 96, block_bytes = 512;

  MixedCommands(Device& device, MixedSetting setting, unsigned seed) : device_(device), setting_(std::move(setting)), draw_(seed) {
    for (std::uint64_t& place : places_) place = below(setting_.blocks - places_.size() * largest) / 8 * 8;
    running_.resize(device_.slots());
  }

  /// Empty, or the first fault.
  std::string run() {
    if (!device_.bring_up()) return "the controller does not come up";
    unsigned stuck = 0;
    while (fault_.empty() && (sent_ < setting_.commands || in_flight_ > 0)) {
      const unsigned before = sent_;
      if (sent_ < setting_.commands) something();
      if (const bool ended = take(); ended || sent_ > before)
        stuck = 0;
      else if (++stuck > 20'000)
        fail() << in_flight_ << " commands are never answered";
      else
        device_.pass();
    }
    read_all();
    return fault_;
  }

 private:
  using Kind = MixedCommand::Kind;
  struct Running {
    bool is_there = false, was_aborted = false;
    unsigned id = 0;
    MixedCommand command;
    BlockHistory::Instant asked = 0;
  };

  std::uint64_t below(std::uint64_t limit) { return draw_() % limit; }
  bool one_in(unsigned chance) { return below(chance) == 0; }
  std::ostream& fail() { return message_ << "after " << sent_ << " commands: "; }

  void something() {
    if (setting_.resets && one_in(90)) return all_lost([this] { device_.reset(); }, false);
    if (setting_.cuts && one_in(120)) return all_lost(setting_.cut, true);
    if (setting_.aborts && one_in(25) && in_flight_ > 0) abort_one();
    MixedCommand next = drawn();
    if (in_flight_ >= depth_ || (in_flight_ > 0 && (alone_ || device_.alone(next.kind)))) return;
    if (one_in(30)) depth_ = 1 + static_cast<unsigned>(below(device_.slots()));
    start(next);
  }
  MixedCommand drawn() {
    static constexpr std::array kinds{Kind::read,  Kind::read,  Kind::read,  Kind::read,  Kind::write, Kind::write,
                                      Kind::write, Kind::write, Kind::write, Kind::zeros, Kind::trim,  Kind::flush};
    MixedCommand command{.kind = kinds[below(kinds.size())]};
    if (command.kind == Kind::flush) return command;
    command.blocks = 1 + static_cast<std::uint32_t>(below(one_in(4) ? largest : 12));
    command.first = places_[below(places_.size())] + below(largest);
    command.fua = command.kind != Kind::trim && one_in(8);
    return command;
  }
  void start(const MixedCommand& command) {
    unsigned slot = static_cast<unsigned>(below(running_.size()));
    while (running_[slot].is_there) slot = slot + 1 == running_.size() ? 0 : slot + 1;
    Running& running = running_[slot];
    running = {true, false, ++sent_, command, 0};
    const std::uint32_t content = command.kind == Kind::write ? sent_ : 0;
    if (command.kind == Kind::write) {
      for (std::uint32_t i = 0; i < command.blocks; ++i) fill(device_.data_of(slot) + i * block_bytes, command.first + i, content);
    } else if (command.kind == Kind::read) {
      std::memset(device_.data_of(slot), 0xee, command.blocks * block_bytes);
    }
    if (command.kind == Kind::read || command.kind == Kind::flush)
      running.asked = history_.ask();
    else
      history_.begin(sent_, command.first, command.blocks, content, command.kind == Kind::trim && !setting_.zeros_after_trim);
    alone_ = device_.alone(command.kind);
    ++in_flight_;
    device_.start(slot, command);
  }
  bool take() {
    const auto ended = device_.take();
    for (const auto& [slot, ending] : ended) {
      Running& running = running_[slot];
      if (!running.is_there) {
        fail() << "slot " << slot << " is answered twice";
        continue;
      }
      if (ending == MixedEnding::failed || (ending == MixedEnding::aborted && !running.was_aborted))
        fail() << name(running.command) << " fails";
      over(slot, ending == MixedEnding::done);
    }
    fault_ = message_.str();
    return !ended.empty();
  }
  void over(unsigned slot, bool done) {
    Running& running = running_[slot];
    running.is_there = false;
    --in_flight_;
    const MixedCommand& command = running.command;
    if (command.kind == Kind::read) {
      if (done) check(slot);
    } else if (command.kind == Kind::flush) {
      if (done) history_.flushed(running.asked);
    } else {
      history_.end(running.id, done ? BlockHistory::Outcome::done : BlockHistory::Outcome::unknown,
                   done && (command.fua || !setting_.is_volatile));
    }
  }
  void check(unsigned slot, bool settles = false) {
    const Running& running = running_[slot];
    for (std::uint32_t i = 0; i < running.command.blocks; ++i) {
      const std::uint64_t block = running.command.first + i;
      const std::uint32_t found = content_of(device_.data_of(slot) + i * block_bytes, block);
      if (!history_.may_hold(block, found, running.asked)) {
        fail() << name(running.command) << ": block " << block << " holds ";
        (found == torn ? message_ << "a mixture" : message_ << found) << " instead of " << history_.expected(block, running.asked) << "\n";
        return;
      }
      if (settles) history_.settle(block, found);
    }
  }
  void abort_one() {
    for (unsigned slot = 0; slot < running_.size(); ++slot) {
      if (!running_[slot].is_there || !one_in(2)) continue;
      running_[slot].was_aborted = device_.abort(slot);
      return;
    }
  }
  void all_lost(const std::function<void()>& stroke, bool is_cut) {
    take();  // what has ended before it
    stroke();
    for (unsigned slot = 0; slot < running_.size(); ++slot)
      if (running_[slot].is_there) over(slot, false);
    if (is_cut) history_.cut();
    if (!device_.bring_up()) {
      fail() << "the controller does not come up after a " << (is_cut ? "cut" : "reset");
      fault_ = message_.str();
      return;
    }
    alone_ = false;
    if (is_cut) read_all(true);
  }
  /// Each place whole, one after the other.
  void read_all(bool settles = false) {
    for (const std::uint64_t place : places_)
      for (std::uint32_t part = 0; part < 2 && fault_.empty(); ++part) {
        running_[0] = {true, false, 0, {Kind::read, place + part * largest, largest, false}, history_.ask()};
        device_.start(0, running_[0].command);
        for (unsigned waited = 0; running_[0].is_there && waited < 20'000; ++waited) {
          for (const auto& [slot, ending] : device_.take()) {
            running_[slot].is_there = false;
            if (ending != MixedEnding::done) fail() << "a read of all fails";
          }
          if (running_[0].is_there) device_.pass();
        }
        if (running_[0].is_there) fail() << "a read of all is never answered";
        check(0, settles);
        fault_ = message_.str();
      }
  }

  static constexpr std::uint32_t torn = ~0U;
  static std::uint64_t word(std::uint64_t block, std::uint32_t content, std::uint32_t i) {
    return std::uint64_t{content} << 32 | (static_cast<std::uint32_t>(block) * 64 + i);
  }
  static void fill(unsigned char* at, std::uint64_t block, std::uint32_t content) {
    for (std::uint32_t i = 0; i < block_bytes / 8; ++i) {
      const std::uint64_t value = word(block, content, i);
      std::memcpy(at + i * 8, &value, 8);
    }
  }
  static std::uint32_t content_of(const unsigned char* at, std::uint64_t block) {
    std::uint64_t first = 0;
    std::memcpy(&first, at, 8);
    const auto content = static_cast<std::uint32_t>(first >> 32);
    for (std::uint32_t i = 0; i < block_bytes / 8; ++i) {
      const std::uint64_t expected = content == 0 ? 0 : word(block, content, i);
      if (std::memcmp(at + i * 8, &expected, 8) != 0) return torn;
    }
    return content;
  }
  static std::string name(const MixedCommand& command) {
    static constexpr std::array names{"read", "write", "zeros", "trim", "flush"};
    return std::string(names[static_cast<unsigned>(command.kind)]) + " of " + std::to_string(command.blocks) + " blocks at " +
           std::to_string(command.first);
  }

  Device& device_;
  MixedSetting setting_;
  std::mt19937_64 draw_;
  BlockHistory history_;
  std::array<std::uint64_t, 6> places_{};
  std::vector<Running> running_;
  unsigned sent_ = 0, in_flight_ = 0, depth_ = 1;
  bool alone_ = false;
  std::ostringstream message_;
  std::string fault_;
};

}  // namespace test
