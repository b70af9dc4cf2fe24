#pragma once
// Where ranges are held, coarsely: a count for each of a few places, which share the numbers by turns of a stretch. Who finds none where it
// wants to go need not look at the held ranges one by one.
#include <algorithm>
#include <array>
#include <cstdint>

namespace tessera {

/// `Range` has `first` and `end`, numbers or addresses. Where `places` are some times the ranges held at once, hardly any meets another by
/// chance.
template <class Range, std::uint64_t places>
class HeldPlaces {
 public:
  /// Counts the range; gives whether it may overlap one that is counted already.
  bool add(const Range& range) {
    const Stretches its(range);
    if (its.many()) return wide_++ + narrow_ > 0;
    bool met = wide_ > 0;
    for (std::uint64_t stretch = its.first; stretch <= its.last; ++stretch) met = held_[stretch % places]++ > 0 || met;
    ++narrow_;
    return met;
  }
  void remove(const Range& range) {
    const Stretches its(range);
    if (its.many()) {
      --wide_;
      return;
    }
    for (std::uint64_t stretch = its.first; stretch <= its.last; ++stretch) --held_[stretch % places];
    --narrow_;
  }

 private:
  static constexpr unsigned stretch_bits = 6;         // a stretch of 64: a usual request lies in one or two
  static constexpr std::uint64_t most_stretches = 8;  // of a range that is counted by places

  [[nodiscard]] static constexpr std::uint64_t number(std::uint64_t plain) { return plain; }
  [[nodiscard]] static constexpr std::uint64_t number(auto address) { return address.value(); }

  struct Stretches {
    explicit Stretches(const Range& range)
        : first(number(range.first) >> stretch_bits), last(std::max(first, (number(range.end) - 1) >> stretch_bits)) {}
    [[nodiscard]] bool many() const { return last - first >= most_stretches; }
    std::uint64_t first;
    std::uint64_t last;
  };

  std::array<std::uint16_t, places> held_{};  // no more than the locks in a drive
  std::uint64_t narrow_ = 0;                  // ranges counted by places
  std::uint64_t wide_ = 0;                    // ranges that reach over too many
};

/// Of ranges that have no place on one line: any two may overlap.
struct AnyPlace {
  template <class Range>
  static bool add(const Range&) {
    return true;
  }
  template <class Range>
  static void remove(const Range&) {}
};

}  // namespace tessera
