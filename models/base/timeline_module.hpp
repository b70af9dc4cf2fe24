#pragma once
// Runs a Timeline under the SystemC kernel.
//
// One event and one method serve a whole drive. When the method wakes, it carries out entries in order of time, beyond
// the kernel's own time, as far as nothing else in the simulation can observe it: never past the kernel's next pending
// activity and never more than `quantum` ahead. It asks the kernel for that at each entry, so that it does not matter who the others are,
// nor when they are spawned. Only where a platform says that there are none (declare_alone()) the kernel is not asked, unless there is
// another process or a channel when the simulation begins. Results do not depend on the quantum (a test compares quantum 0 with the
// default). Where a channel of somebody else's may bring requests of another thread (async_request_update), which the kernel does not know
// beforehand, it never runs ahead. While entries run, the drive's time is timeline().now(); TLM calls carry now() - sc_time_stamp() as
// annotated delay. What other initiators and targets send takes effect at kernel time plus their annotated delay: it is posted into the
// calendar for that instant.
#include <array>
#include <atomic>
#include <exception>
#include <optional>
#include <systemc>

#include "base/timeline.hpp"

namespace tessera {

/// Exact conversions; the SystemC resolution is 1 ps.
[[nodiscard]] inline sc_core::sc_time to_sc_time(Picoseconds time) { return sc_core::sc_time::from_value(time.value()); }
[[nodiscard]] inline Picoseconds from_sc_time(const sc_core::sc_time& time) { return Picoseconds(time.value()); }

/// Gives times; those that it gave lately it has at hand, as SystemC takes longer to make one than to compute with it.
class TimeMaker {
 public:
  [[nodiscard]] const sc_core::sc_time& operator()(Picoseconds time) {
    constexpr std::uint64_t spread = 0x9E37'79B9'7F4A'7C15;  // 2^64 over the golden ratio: the upper bits of a product differ
    sc_core::sc_time& made = made_[time.value() * spread >> (64 - bits)];
    if (from_sc_time(made) != time) made = to_sc_time(time);
    return made;
  }

 private:
  static constexpr unsigned bits = 5;
  std::array<sc_core::sc_time, 1U << bits> made_;
};

/// Id of the SystemC report, an error, that ends a simulation in which an action of a drive failed. By its default action it is thrown out
/// of sc_start(). Who sets SC_DO_NOTHING for it calls rethrow_failure() after sc_start().
inline constexpr const char* failure_report = "/tessera/failure";

/// Id of the SystemC report, an error, that ends a simulation with a transaction of a process that was spawned later, after a drive that
/// was declared alone has run ahead of it.
inline constexpr const char* late_initiator_report = "/tessera/late-initiator";

class TimelineModule : public sc_core::sc_module {
 public:
  /// What the calendar runs in. A method is quicker; in a thread, a target that is called from the calendar may wait(), and the calendar
  /// stands still for that time: what was due meanwhile is carried out afterwards, at its own instant.
  enum class Process : std::uint8_t { method, thread };

  /// `quantum`: how far local time may run ahead of kernel time; 0 enters the kernel for every entry. InputError where the kernel's time
  /// resolution is not 1 ps.
  TimelineModule(sc_core::sc_module_name name, Picoseconds quantum, Process process = Process::method);

  [[nodiscard]] Timeline& timeline() { return timeline_; }

  /// now() - sc_time_stamp(), what a TLM call made at now() has to annotate.
  [[nodiscard]] sc_core::sc_time ahead() const { return ahead(timeline_.now()); }
  /// The same for a call that takes effect at `when`; none where kernel time has passed that, because an entry waited.
  [[nodiscard]] sc_core::sc_time ahead(Picoseconds when) const {
    const Picoseconds kernel = kernel_time();
    const Picoseconds delay = when > kernel ? when - kernel : Picoseconds(0);
    // An action makes several calls at its instant, and SystemC takes its time to make a time.
    if (from_sc_time(annotated_) != delay) annotated_ = to_sc_time(delay);
    return annotated_;
  }
  /// The platform's word that no process but the drives' ever acts in this kernel, one that is spawned later included.
  void declare_alone() { declared_alone_ = true; }
  /// Whether nothing else in the kernel can become active, by that word and by what is there; once the simulation runs.
  [[nodiscard]] bool alone() const { return alone_.value_or(false); }
  /// The instant that this annotated delay means now.
  [[nodiscard]] Picoseconds instant(const sc_core::sc_time& delay) const { return kernel_time() + Picoseconds(delay.value()); }

  /// When a call that comes with this annotated delay takes effect; a model bug where that lies before the drive's local time. Where kernel
  /// time has passed the instant of the action in hand, because one before it waited, a call that the action makes without a delay is for
  /// its own instant: ahead() has no delay for that.
  [[nodiscard]] Picoseconds effective(const sc_core::sc_time& delay) const {
    const Picoseconds when = instant(delay);
    if (when < timeline_.now()) [[unlikely]]
      refuse(when);
    if (thread_ && running_ && delay == sc_core::SC_ZERO_TIME && in_own_process()) return timeline_.now();
    return when;
  }
  /// Whether what is called from the calendar may wait().
  [[nodiscard]] bool may_wait() const { return thread_; }
  /// Whether what takes effect at `when` may be carried out in place: the call was made by the action in hand, for its own instant.
  [[nodiscard]] bool in_hand(Picoseconds when) const { return running_ && when == timeline_.now() && (!thread_ || in_own_process()); }
  /// Has `listener` called at `when`; from any process.
  void post(Picoseconds when, TimelineListener& listener, std::uint64_t argument);

  /// Carries out what is due up to kernel time, and makes that the timeline's now(): for who acts on a drive from outside its calendar.
  void catch_up();

  /// Ends the simulation after the entry in hand.
  void stop();
  /// Has sc_start() return after the entry in hand; another sc_start() goes on with the next.
  void pause();
  /// The same from a signal handler or another thread: soon.
  void pause_soon() { leaving_.store(true, std::memory_order_relaxed); }

  /// Throws again what an entry threw: the kernel would turn it into a report of its own and lose its type. To be called
  /// when sc_start() returns.
  void rethrow_failure() const;
  [[nodiscard]] bool failed() const { return failure_ != nullptr; }

  /// Must be called after entries were posted from outside the timeline's own actions (start of simulation, other initiators).
  void reschedule();

 private:
  void run();
  void run_thread();
  void fail(std::exception_ptr failure);
  void run_ahead();
  void look_around();
  [[nodiscard]] bool in_own_process() const;
  [[nodiscard]] bool others_before(const sc_core::sc_simcontext& context, Picoseconds when) const;
  [[noreturn]] void refuse(Picoseconds when) const;
  /// While a method runs, kernel time stands still.
  [[nodiscard]] Picoseconds kernel_time() const { return running_ && !thread_ ? kernel_ : Picoseconds(sc_core::sc_time_stamp().value()); }

  Timeline timeline_;
  Picoseconds quantum_;
  sc_core::sc_event wake_;
  Picoseconds kernel_;  // time at which the method woke
  bool thread_;
  sc_core::sc_object* process_ = nullptr;
  bool declared_alone_ = false;
  std::optional<bool> alone_;  // nothing else in the kernel can become active; known once the simulation runs
  bool running_ = false;
  bool stopping_ = false;
  std::atomic<bool> leaving_ = false;  // the kernel is to have a say after the entry in hand
  std::exception_ptr failure_;
  mutable sc_core::sc_time annotated_;  // what ahead() gave last
};

}  // namespace tessera
