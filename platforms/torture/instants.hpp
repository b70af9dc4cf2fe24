#pragma once
// The instants at which a trial cuts the power, on the drive's timeline: before, inside and after each persistent operation, and any
// picosecond.
#include <functional>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "base/timeline.hpp"
#include "platforms/torture/persistent_operation.hpp"

namespace tessera {

struct Instant {
  enum class Kind : std::uint8_t { before, inside, after, random };
  Kind kind = Kind::random;
  PersistentOperation operation;  ///< that it was drawn for; none of kind `random`

  [[nodiscard]] std::string in_words() const;
};

class Instants final : private TimelineListener {
 public:
  /// `reached` is called at each instant, after everything else that happens then: as a cut of the command line comes.
  Instants(Timeline& timeline, std::uint64_t seed, std::function<void(const Instant&)> reached)
      : timeline_(timeline), random_(seed, "torture.instants"), reached_(std::move(reached)) {}

  /// Three instants of an operation that begins.
  void enumerate(const PersistentOperation& operation);
  /// One instant of an operation that begins: before it, inside it or after it.
  void draw_of(const PersistentOperation& operation);
  /// One instant, uniform up to `within` from now.
  void draw(Picoseconds within);
  /// One instant from `from` on, at a distance of any magnitude up to a second.
  void draw_after(Picoseconds from);
  /// None of those that are still to come.
  void forget();
  /// The numbers that a child draws are its own.
  void reseed(std::uint64_t seed) { random_ = RandomStream(seed, "torture.instants"); }
  RandomStream& random() { return random_; }

 private:
  void post(Picoseconds when, Instant instant);
  void on_time(std::uint64_t argument) override;
  [[nodiscard]] Picoseconds inside(const PersistentOperation& operation);

  Timeline& timeline_;
  RandomStream random_;
  std::function<void(const Instant&)> reached_;
  std::vector<Instant> instants_;
  std::vector<std::uint64_t> free_;
  std::set<std::uint64_t> times_;  // two instants at one time would wait for each other
};

}  // namespace tessera
