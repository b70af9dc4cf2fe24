// When the drive rests, and what is told of it.
#include "platforms/run/simulation.hpp"

namespace tessera {

using namespace literals;

namespace {

/// Without any action before a rest: all that the parts have reserved ahead is over then.
constexpr Picoseconds quiet_before_rest = 10_ms;

}  // namespace

Picoseconds Simulation::quiet() {
  const bool may = config_.rest_after && phase_ == Phase::on && drive_.timeline().now() - origin_ >= *config_.rest_after;
  if (!may) return Picoseconds(0);
  drive_.stand_down();
  return quiet_before_rest;
}

bool Simulation::rest(Picoseconds by) {
  if (!idle()) return false;
  drive_.rest(by);
  measurement_.rest(by);
  rested_ += by;
  if (rest_listener_) rest_listener_(by);
  return true;
}

}  // namespace tessera
