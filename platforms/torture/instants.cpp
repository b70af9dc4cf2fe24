#include "platforms/torture/instants.hpp"

namespace tessera {

using namespace literals;

std::string Instant::in_words() const {
  switch (kind) {
    case Kind::before: return "before a " + operation.in_words();
    case Kind::inside: return "inside a " + operation.in_words();
    case Kind::after: return "after a " + operation.in_words();
    case Kind::random: break;
  }
  return "at random";
}

void Instants::enumerate(const PersistentOperation& operation) {
  post(operation.begin, {Instant::Kind::before, operation});
  if (operation.begin + 1_ps < operation.end) post(inside(operation), {Instant::Kind::inside, operation});
  post(operation.end, {Instant::Kind::after, operation});
}

void Instants::draw_of(const PersistentOperation& operation) {
  switch (random_.below(3)) {
    case 0: return post(operation.begin, {Instant::Kind::before, operation});
    case 1:
      if (operation.begin + 1_ps < operation.end) return post(inside(operation), {Instant::Kind::inside, operation});
      [[fallthrough]];
    default: return post(operation.end, {Instant::Kind::after, operation});
  }
}

/// Any picosecond inside, or one at or right after the border of two sectors.
Picoseconds Instants::inside(const PersistentOperation& operation) {
  const std::uint64_t length = (operation.end - operation.begin).value();
  const std::uint32_t sectors = operation.run.count;
  if (sectors < 2 || random_.below(2) == 0) return operation.begin + Picoseconds(1 + random_.below(length - 1));
  const std::uint64_t passed = 1 + random_.below(sectors - 1);
  return operation.begin + Picoseconds(length / sectors * passed + random_.below(2));
}

void Instants::draw(Picoseconds within) {
  post(timeline_.now() + Picoseconds(1 + random_.below(within.value() + 1)), {Instant::Kind::random, {}});
}

void Instants::draw_after(Picoseconds from) {
  const std::uint64_t most = std::uint64_t{1} << (20 + random_.below(21));  // 1 us to 1 s
  post(from + Picoseconds(random_.below(most)), {Instant::Kind::random, {}});
}

void Instants::post(Picoseconds when, Instant instant) {
  if (!times_.insert(when.value()).second) return;
  std::uint64_t place = instants_.size();
  if (free_.empty()) {
    instants_.push_back(instant);
  } else {
    place = free_.back();
    free_.pop_back();
    instants_[place] = instant;
  }
  timeline_.post(when, *this, place);
}

void Instants::on_time(std::uint64_t argument) {
  if (!timeline_.empty() && timeline_.next() == timeline_.now()) return timeline_.post(timeline_.now(), *this, argument);
  times_.erase(timeline_.now().value());
  free_.push_back(argument);
  const Instant instant = instants_[argument];
  reached_(instant);
}

void Instants::forget() {
  timeline_.withdraw(*this);
  times_.clear();
  instants_.clear();
  free_.clear();
}

}  // namespace tessera
