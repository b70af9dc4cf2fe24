// How far a calendar runs ahead of the kernel: to its quantum where nothing else can become active, otherwise to the next activity, whoever
// brings that about.
#include <sysc/kernel/sc_dynamic_processes.h>

#include <catch2/catch.hpp>
#include <functional>
#include <systemc>
#include <vector>

#include "base/timeline_module.hpp"

using namespace tessera;
using namespace tessera::literals;
using sc_core::sc_time;
using sc_core::SC_US;

namespace {

/// Entries at 1, 2 and 3 us, of which each calls `action`.
struct Bench final : private TimelineListener {
  TimelineModule drive{"drive", 1_s};
  std::function<void()> action;
  std::vector<sc_time> kernel;  // when each was carried out

  void run() {
    for (const Picoseconds when : {1_us, 2_us, 3_us}) drive.post(when, *this, 0);
    sc_core::sc_start();
    drive.rethrow_failure();
  }

 private:
  void on_time(std::uint64_t) override {
    kernel.push_back(sc_core::sc_time_stamp());
    if (action) action();
  }
};

std::vector<sc_time> microseconds(std::initializer_list<double> values) {
  std::vector<sc_time> times;
  for (const double value : values) times.emplace_back(value, SC_US);
  return times;
}

/// A module that holds another, in which a process waits for an event.
struct Outer : sc_core::sc_module {
  struct Inner : sc_core::sc_module {
    sc_core::sc_event event;
    std::vector<sc_time> seen;
    explicit Inner(const sc_core::sc_module_name& name) : sc_module(name) {
      SC_HAS_PROCESS(Inner);
      SC_METHOD(see);
      sensitive << event;
      dont_initialize();
    }
    void see() { seen.push_back(sc_core::sc_time_stamp()); }
  } inner{"inner"};
  explicit Outer(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// A channel without a process, of a class of somebody else's that calls itself SystemC's.
struct Channel : sc_core::sc_prim_channel {
  [[nodiscard]] const char* kind() const override { return "sc_signal"; }
};

}  // namespace

TEST_CASE("a calendar that is declared alone runs ahead to its quantum") {
  Bench bench;
  bench.drive.declare_alone();
  bench.run();
  CHECK(bench.kernel == microseconds({1, 1, 1}));
}

TEST_CASE("an event that an entry notifies reaches a process of an inner module before the next entry") {
  Bench bench;
  Outer outer("outer");
  bench.action = [&] { outer.inner.event.notify(0.5, SC_US); };
  bench.run();
  CHECK(outer.inner.seen == microseconds({1.5, 2.5, 3.5}));
  CHECK(bench.kernel == microseconds({1, 2, 3}));
}

TEST_CASE("an event that an entry notifies reaches a process that was spawned before the simulation") {
  Bench bench;
  sc_core::sc_event event;
  std::vector<sc_time> seen;
  sc_core::sc_spawn([&] {
    for (;;) {
      sc_core::wait(event);
      seen.push_back(sc_core::sc_time_stamp());
    }
  });
  bench.action = [&] { event.notify(sc_core::SC_ZERO_TIME); };
  bench.run();
  CHECK(seen == microseconds({1, 2, 3}));
}

TEST_CASE("a channel that an entry writes is updated before the next entry, though no process looks at it") {
  Bench bench;
  bench.drive.declare_alone();
  sc_core::sc_signal<int> channel("channel");
  std::vector<int> values;
  bench.action = [&] {
    values.push_back(channel.read());
    channel.write(channel.read() + 1);
  };
  bench.run();
  CHECK(values == std::vector<int>{0, 1, 2});
}

TEST_CASE("beside a channel that may bring requests of another thread, a calendar never runs ahead") {
  Bench bench;
  const Channel channel;
  bench.run();
  CHECK(bench.kernel == microseconds({1, 2, 3}));
}

TEST_CASE("a host whose process is spawned at run time is not run past, though nobody was there when the simulation began") {
  Bench bench;
  std::vector<sc_time> seen;
  bench.action = [&] {
    if (bench.kernel.size() != 1) return;
    sc_core::sc_spawn([&] {
      CHECK(bench.drive.effective(sc_core::SC_ZERO_TIME) == 1_us);
      sc_core::wait(1.5, SC_US);
      CHECK(bench.drive.effective(sc_core::SC_ZERO_TIME) == 2500_ns);
      seen.push_back(sc_core::sc_time_stamp());
    });
  };
  bench.run();
  CHECK(seen == microseconds({2.5}));
  CHECK(bench.kernel == microseconds({1, 2, 3}));
}

TEST_CASE("a host whose process is spawned at run time is refused in a sentence where a calendar that was declared alone has run past it") {
  Bench bench;
  bench.drive.declare_alone();
  bench.action = [&bench] {
    if (bench.kernel.size() == 3) sc_core::sc_spawn([&bench] { static_cast<void>(bench.drive.effective(sc_core::SC_ZERO_TIME)); });
  };
  try {
    bench.run();
    FAIL("the late transaction was taken");
  } catch (const sc_core::sc_report& report) {
    CHECK(std::string(report.get_msg_type()) == late_initiator_report);
    CHECK_THAT(
        report.get_msg(),
        Catch::Matchers::Contains("drive: a transaction takes effect at 1000000 ps, before the drive's local time of "
                                  "3000000 ps: its process was spawned after the simulation began, in which the drive was declared alone"));
  }
}

TEST_CASE("a host whose process is spawned at run time and comes in time is not run past again") {
  struct Nothing final : TimelineListener {
    void on_time(std::uint64_t) override {}
  } nothing;
  Bench bench;
  bench.drive.declare_alone();
  std::vector<sc_time> seen;
  bench.action = [&] {
    if (bench.kernel.size() != 1) return;
    bench.drive.pause();  // the kernel has a say
    sc_core::sc_spawn([&] {
      bench.drive.post(bench.drive.effective(sc_time(0.5, SC_US)), nothing, 0);
      sc_core::wait(1.5, SC_US);
      seen.push_back(sc_core::sc_time_stamp());
    });
  };
  bench.run();
  sc_core::sc_start();
  CHECK(seen == microseconds({2.5}));
  CHECK(bench.kernel == microseconds({1, 1.5, 3}));  // the host is active next at 2.5
}
