#include "rtl/gated_clock_module.hpp"

#include "base/check.hpp"
#include "base/error.hpp"

namespace tessera {

GatedClock::GatedClock(sc_core::sc_module_name name, const sc_core::sc_time& period, Gate gate)
    : sc_core::sc_module(name), period_(period), gate_(gate) {
  if (period.value() == 0 || period.value() % 2 != 0)
    throw InputError(std::string(this->name()) + ": a period of " + period.to_string() + "; it has to be an even number of picoseconds");
  SC_HAS_PROCESS(GatedClock);
  SC_METHOD(tick);
  sensitive << requested_ << busy;
}

void GatedClock::request() {
  ++users_;
  requested_.notify(sc_core::SC_ZERO_TIME);
}

void GatedClock::release() {
  TESSERA_CHECK(users_ > 0, "a clock was released that nobody had asked for");
  --users_;
}

bool GatedClock::wanted() const {
  if (users_ > 0 || gate_ == Gate::always_open) return true;
  for (int i = 0; i < busy.size(); ++i)
    if (busy[i]->read()) return true;
  return false;
}

void GatedClock::tick() {
  const sc_core::sc_time half = sc_core::sc_time::from_value(period_.value() / 2);
  if (high_) {
    out.write(high_ = false);
    aligned_ = true;
    return next_trigger(half);
  }
  if (!wanted()) {
    aligned_ = false;
    return;
  }
  if (!aligned_) {
    aligned_ = true;
    return next_trigger(sc_core::sc_time::from_value(period_.value() - sc_core::sc_time_stamp().value() % period_.value()));
  }
  out.write(high_ = true);
  ++ran_;
  next_trigger(half);
}

}  // namespace tessera
