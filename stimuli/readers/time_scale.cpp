#include "stimuli/readers/time_scale.hpp"

#include <numeric>

#include "base/error.hpp"
#include "stimuli/readers/decimal.hpp"

namespace tessera {
namespace {

class ScaledTime final : public TraceAdaptation {
 public:
  ScaledTime(std::unique_ptr<TraceSource> inner, TimeScale scale) : TraceAdaptation(std::move(inner)), scale_(scale) {}

  bool next(TraceRecord& record) override {
    if (!inner_->next(record)) return false;
    record.arrive(LongTime(scaled(record.time())));
    if (record.think) record.think = think(*record.think);
    return true;
  }

 private:
  /// In two steps, since a product of 192 bits may come between.
  [[nodiscard]] LongTime::Rep scaled(LongTime time) const {
    const auto whole = time.value() / scale_.denominator;
    const auto rest = time.value() % scale_.denominator;
    return whole * scale_.numerator + (rest * scale_.numerator + scale_.denominator / 2) / scale_.denominator;
  }
  [[nodiscard]] Picoseconds think(Picoseconds time) const {
    const auto exact = scaled(time);
    if (exact > Picoseconds::max().value()) throw InputError(position() + ": the request's think time is above 213 days once it is scaled");
    return Picoseconds(static_cast<std::uint64_t>(exact));
  }

  const TimeScale scale_;
};

}  // namespace

TimeScale parse_time_scale(std::string_view text) {
  constexpr std::uint64_t billion = 1'000'000'000;
  TimeScale scale;
  const auto slash = text.find('/');
  bool good = false;
  if (slash != std::string_view::npos) {
    good = parse_unsigned(text.substr(0, slash), scale.numerator) == NumberFault::none &&
           parse_unsigned(text.substr(slash + 1), scale.denominator) == NumberFault::none;
  } else {
    const auto point = text.find('.');
    TraceTime billionths = 0;
    good = parse_time(text, billion, billionths) == NumberFault::none && billionths <= ~std::uint64_t{0} &&
           (point == std::string_view::npos || text.size() - point - 1 <= 9);
    scale = {static_cast<std::uint64_t>(billionths), billion};
  }
  if (!good || scale.numerator == 0 || scale.denominator == 0)
    throw InputError("--time-scale '" + std::string(text) +
                     "': expected a number above 0 such as 2, 0.5 or 1/3 (2 = twice as slow), at most nine decimals");
  const auto common = std::gcd(scale.numerator, scale.denominator);
  return {scale.numerator / common, scale.denominator / common};
}

std::unique_ptr<TraceSource> scale_time(std::unique_ptr<TraceSource> inner, TimeScale scale) {
  return std::make_unique<ScaledTime>(std::move(inner), scale);
}

}  // namespace tessera
