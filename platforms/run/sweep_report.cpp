#include "platforms/run/sweep_report.hpp"

#include <array>
#include <map>
#include <span>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"

namespace tessera {

namespace {

enum Told : std::uint8_t {
  told_issued,
  told_completed,
  told_lost,
  told_cut,
  told_destroyed,
  told_unreadable,
  told_doubt,
  told_untold,
  told_end,
  told_fault,
  told_bug,
  told_refusal
};
constexpr std::uint64_t kinds_told = told_refusal + 1;
constexpr std::uint64_t ends = static_cast<std::uint64_t>(SweepEnd::restarted) + 1;
constexpr std::size_t most_text = 1 << 16;
constexpr std::uint64_t most_content = std::uint64_t{1} << 32;  // of a request: far beyond what any drive takes

StateWriter told(Told what) {
  StateWriter words;
  words.number(what);
  return words;
}

/// A request of the sweep is known by its place in the copy's memory: it stays there until its end, and another may come there then.
StateWriter told(Told what, const HostRequest& request) {
  StateWriter words = told(what);
  words.number(reinterpret_cast<std::uintptr_t>(&request));
  return words;
}

void add(StateWriter& words, ConstContentSpan content) {
  words.number(content.size());
  words.bytes(content);
}

void add(StateWriter& words, HostRun blocks) {
  words.number(blocks.first.value());
  words.number(blocks.count);
}

HostRun run_in(StateReader& in) {
  const HostBlock first(in.number());
  return {first, static_cast<std::uint32_t>(in.number())};
}

std::vector<HostRun> runs_in(StateReader& in) {
  std::vector<HostRun> runs(in.count());
  for (HostRun& run : runs) run = run_in(in);
  return runs;
}

std::vector<std::byte> content_in(StateReader& in) {
  std::vector<std::byte> content(in.number(most_content));
  in.bytes(content);
  return content;
}

}  // namespace

void SweepReport::issued(HostRequest& request) {
  StateWriter words = told(told_issued, request);
  words.number(request.number);
  add(words, request.blocks);
  send(words);
  scoreboard_.issued(request);
}

void SweepReport::completed(const HostRequest& request) {
  StateWriter words = told(told_completed, request);
  words.number(static_cast<std::uint64_t>(request.status));
  add(words, request.content);
  send(words);
  scoreboard_.completed(request);
}

void SweepReport::lost(const HostRequest& request) {
  send(told(told_lost, request));
  scoreboard_.lost(request);
}

void SweepReport::power_cut() {
  send(told(told_cut));
  scoreboard_.power_cut();
}

void SweepReport::destroyed(ConstContentSpan sector) {
  StateWriter words = told(told_destroyed);
  add(words, sector);
  send(words);
  scoreboard_.destroyed(sector);
}

void SweepReport::unreadable(const HostRequest& request) {
  send(told(told_unreadable, request));
  scoreboard_.unreadable(request);
}

void SweepReport::in_doubt(HostRun blocks) {
  StateWriter words = told(told_doubt);
  add(words, blocks);
  send(words);
  scoreboard_.in_doubt(blocks);
}

void SweepReport::untold(std::span<const HostRun> blocks, Scoreboard::Piece piece) {
  StateWriter words = told(told_untold);
  words.number(piece.first);
  words.number(piece.second);
  words.number(blocks.size());
  for (const HostRun& run : blocks) add(words, run);
  send(words);
  scoreboard_.untold(blocks, piece);
}

void SweepReport::ended(SweepEnd how) {
  StateWriter words = told(told_end);
  words.number(static_cast<std::uint64_t>(how));
  send(words);
  copy_->end(0);
}

void SweepReport::failed(const std::exception& error) {
  const bool refused = dynamic_cast<const InputError*>(&error) != nullptr;
  const bool foreign = dynamic_cast<const FirmwareFault*>(&error) != nullptr;
  StateWriter words = told(refused ? told_refusal : foreign ? told_fault : told_bug);
  words.text(std::string_view(error.what()).substr(0, most_text - 1));
  send(words);
  copy_->end(0);
}

SweepEnd hear_sweep(ProcessCopy& copy, Scoreboard& scoreboard) {
  std::array<char, 1 << 16> piece{};
  const auto more = [&] {
    const std::size_t got = copy.hear(piece);
    if (got == 0) throw ModelBug("the process that verified what the drive holds was ended from outside");
    return std::string_view(piece.data(), got);
  };
  StateReader in(~std::uint64_t{0}, more, "the verification");
  std::map<std::uint64_t, HostRequest> requests;
  for (;;) {
    const auto what = static_cast<Told>(in.number(kinds_told));
    switch (what) {
      case told_issued: {
        HostRequest& request = requests[in.number()];
        request.number = in.number();
        request.blocks = run_in(in);
        scoreboard.issued(request);
        break;
      }
      case told_completed: {
        HostRequest& request = requests.at(in.number());
        request.status = static_cast<Status>(in.number());
        request.content = content_in(in);
        scoreboard.completed(request);
        break;
      }
      case told_lost: scoreboard.lost(requests.at(in.number())); break;
      case told_cut: scoreboard.power_cut(); break;
      case told_destroyed: scoreboard.destroyed(content_in(in)); break;
      case told_unreadable: scoreboard.unreadable(requests.at(in.number())); break;
      case told_doubt: scoreboard.in_doubt(run_in(in)); break;
      case told_untold: {
        const std::uint64_t position = in.number();
        const std::uint64_t generation = in.number();
        scoreboard.untold(runs_in(in), {position, generation});
        break;
      }
      case told_end: {
        const auto how = static_cast<SweepEnd>(in.number(ends));
        static_cast<void>(copy.wait());
        return how;
      }
      case told_fault: throw FirmwareFault(in.text(most_text));
      case told_bug: throw ModelBug(in.text(most_text));
      case told_refusal: throw InputError(in.text(most_text));
    }
  }
}

}  // namespace tessera
