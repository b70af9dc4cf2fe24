#pragma once
// A unit that takes work at a doorbell and says in a ring when it is done. What the ring has no room for waits here.
#include <cstdint>

#include "firmware/hal/descriptors.hpp"
#include "firmware/hal/ring.hpp"

namespace tessera::hal {

/// The registers of such a unit.
struct SubmissionRegisters {
  Register submit;
  Register completions;
  Register entries;
  Register consumed;
};

/// Work for the unit, in a place that stays until its completion, whose number is its cookie. `descriptor`: the machine's address.
struct Submission {
  std::uint64_t descriptor = 0;
  Submission* next = nullptr;
};

class SubmissionQueue {
 public:
  /// Completions of which the unit may owe as many as there are `entries`.
  SubmissionQueue(RegisterFile& registers, const SubmissionRegisters& unit, std::uint32_t entries);

  void submit(Submission& submission);

  /// Calls `done(submission, completion)` for each completion that has come. True: the submission is over; false: another one will follow.
  template <class Done>
  void reap(Done done) {
    const std::uint64_t before = ring_.taken();
    while (const CompletionEntry* const entry = ring_.take())
      if (done(*by_number<Submission>(entry->cookie), *entry)) --at_unit_;
    if (ring_.taken() == before) return;
    registers_.write(unit_.consumed, ring_.taken());
    while (first_ != nullptr && at_unit_ < ring_.entries()) ring_bell(take_first());
  }

 private:
  void ring_bell(const Submission& submission);
  Submission& take_first();

  RegisterFile& registers_;
  SubmissionRegisters unit_;
  Ring<CompletionEntry> ring_;
  std::uint32_t at_unit_ = 0;
  Submission* first_ = nullptr;  // that wait for room, in order
  Submission* last_ = nullptr;
};

}  // namespace tessera::hal
