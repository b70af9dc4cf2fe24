// The order of a recorder's changes.
#include "base/change_queue.hpp"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

using namespace tessera;

namespace {

/// A call: a change, or a withdrawal of what its signal was to show after `time`. The value is its place.
struct Told {
  std::uint64_t time;
  std::uint32_t signal;
  bool withdraws;
};

/// Times go forth and back, now and then far back, and some are equal.
std::vector<Told> some_calls() {
  std::vector<Told> calls;
  std::uint64_t now = 0;
  for (const auto& [step, ahead] : *rc::gen::arbitrary<std::vector<std::pair<std::uint8_t, std::uint8_t>>>()) {
    now = step % 32 == 31 ? now - std::min<std::uint64_t>(now, step) : now + step % 4;
    const bool withdraws = ahead % 4 == 3;
    calls.push_back({withdraws ? now : now + ahead % 7, step % 2U, withdraws});
  }
  return calls;
}

/// What is left of them by the end.
std::vector<SignalChange> plain_list(const std::vector<Told>& calls) {
  std::vector<SignalChange> list;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& [time, signal, withdraws] = calls[i];
    if (withdraws)
      std::erase_if(list, [&, signal = signal, time = time](const SignalChange& change) {
        return change.signal == signal && change.time > Picoseconds(time);
      });
    else
      list.push_back({Picoseconds(time), i, signal});
  }
  return list;
}

std::vector<std::uint64_t> values(const std::vector<SignalChange>& changes) {
  std::vector<std::uint64_t> found;
  for (const SignalChange& change : changes) found.push_back(change.value);
  return found;
}

}  // namespace

TEST_CASE("property: changes are taken in order of time, and of telling where times are equal") {
  CHECK(rc::check([] {
    const std::vector<Told> calls = some_calls();
    ChangeQueue queue;
    std::vector<SignalChange> together;
    const auto at_once = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
    const auto append = [&] {
      queue.append(together);
      together.clear();
    };
    for (std::size_t i = 0; i < calls.size(); ++i) {
      together.push_back({Picoseconds(calls[i].time), i, calls[i].signal | (calls[i].withdraws ? withdrawal_bit : 0)});
      if (together.size() == at_once) append();
    }
    append();
    std::vector<SignalChange> expected = plain_list(calls);
    std::ranges::stable_sort(expected, {}, &SignalChange::time);
    std::vector<SignalChange> taken;
    const auto rest = static_cast<std::size_t>(*rc::gen::inRange(0, 10));
    for (const std::size_t left : {rest, std::size_t{0}}) {
      const std::size_t leave = queue.held() - std::min(left, queue.held());
      const auto earliest = queue.all().first(leave);
      taken.insert(taken.end(), earliest.begin(), earliest.end());
      queue.drop(leave);
      RC_ASSERT(queue.held() == std::min(left, expected.size()));
    }
    RC_ASSERT(values(taken) == values(expected));
  }));
}
