#include "base/signal_trace_module.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/timeline_module.hpp"

namespace tessera {

class SignalTraces::Mirror final : public sc_core::sc_module, private SignalSink {
 public:
  explicit Mirror(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Mirror);
    SC_METHOD(carry_out);
    sensitive << wake_;
    dont_initialize();
  }

  void add(sc_core::sc_trace_file* file, const std::string& path, SignalScope& scope, std::uint32_t index, const SignalInfo& info) {
    values_.push_back(info.value.value_or(0));
    sc_core::sc_trace(file, values_.back(), path + "." + info.name, static_cast<int>(info.width));
    scope.watch(index, *this, static_cast<std::uint32_t>(values_.size() - 1));
    if (scope.source() != nullptr && std::ranges::find(sources_, scope.source()) == sources_.end()) sources_.push_back(scope.source());
  }

 private:
  struct Change {
    Picoseconds at;
    std::uint64_t order;
    std::uint32_t signal;
    std::uint64_t value;
    bool operator>(const Change& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void change(std::uint32_t id, std::uint64_t value, Picoseconds at) override {
    coming_.push_back({at, orders_++, id, value});
    std::push_heap(coming_.begin(), coming_.end(), std::greater<>());
    wake_for_next();
  }

  void withdraw(std::uint32_t id, Picoseconds at) override {
    std::erase_if(coming_, [id, at](const Change& change) { return change.signal == id && change.at > at; });
    std::make_heap(coming_.begin(), coming_.end(), std::greater<>());
  }

  /// What sources tell is asked for at its own time.
  void start_of_simulation() override {
    if (!sources_.empty()) wake_.notify(sc_core::SC_ZERO_TIME);
  }

  void carry_out() {
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    told_next_ = Picoseconds::max();
    for (SignalSource* const source : sources_) told_next_ = std::min(told_next_, source->tell_until(now));
    while (!coming_.empty() && coming_.front().at <= now) {
      values_[coming_.front().signal] = coming_.front().value;
      std::pop_heap(coming_.begin(), coming_.end(), std::greater<>());
      coming_.pop_back();
    }
    wake_for_next();
  }

  void wake_for_next() {
    const Picoseconds at = coming_.empty() ? told_next_ : std::min(told_next_, coming_.front().at);
    if (at == Picoseconds::max()) return;
    const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
    wake_.notify(to_sc_time(at > now ? at - now : Picoseconds(0)));
  }

  std::deque<sc_dt::uint64> values_;  // stay where they are: the trace file holds their addresses
  std::vector<Change> coming_;        // min-heap
  std::uint64_t orders_ = 0;
  std::vector<SignalSource*> sources_;
  Picoseconds told_next_ = Picoseconds::max();
  sc_core::sc_event wake_;
};

SignalTraces::SignalTraces(SignalScope& signals) : signals_(signals) {}
SignalTraces::~SignalTraces() = default;

void SignalTraces::add(sc_core::sc_trace_file* file, const char* module_name) {
  if (mirror_ == nullptr) mirror_ = std::make_unique<Mirror>(sc_core::sc_gen_unique_name("signal_traces"));
  signals_.each(module_name, [this, file](const std::string& path, SignalScope& declared, std::uint32_t index, const SignalInfo& info) {
    mirror_->add(file, path, declared, index, info);
  });
}

}  // namespace tessera
