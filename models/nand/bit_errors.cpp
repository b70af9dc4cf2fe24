#include "nand/bit_errors.hpp"

#include <algorithm>

namespace tessera {

namespace {

using Wide = unsigned __int128;
constexpr std::uint64_t one = std::uint64_t{1} << 32;
constexpr std::uint64_t codeword_bits = 512 * 8;
constexpr std::uint64_t billion = 1'000'000'000;
constexpr std::uint64_t millisecond = 1'000'000'000;
constexpr std::uint64_t day = 86'400'000;  // ms
/// So many wrong bits no code corrects; sums are cut off here.
constexpr std::uint64_t most = one << 16;

/// exp(-mean) in units of 2^-32, for a mean of at most 8: (1 - mean / 2^16)^(2^16).
std::uint64_t exp_minus(std::uint64_t mean) {
  std::uint64_t power = (one << 31) - (mean << 15);  // in units of 2^-63
  for (int square = 0; square < 16; ++square) power = static_cast<std::uint64_t>((Wide{power} * power) >> 63);
  return power >> 31;
}

std::uint64_t below_eight(std::uint64_t mean, RandomStream& random) {
  const std::uint64_t limit = exp_minus(mean);
  std::uint64_t count = 0;
  for (std::uint64_t product = random() >> 32; product > limit; product = (product * (random() >> 32)) >> 32) ++count;
  return count;
}

}  // namespace

std::uint64_t poisson(std::uint64_t mean, RandomStream& random) {
  constexpr std::uint64_t part = 8 * one;
  std::uint64_t count = 0;
  for (; mean > part; mean -= part) count += below_eight(part, random);
  return count + below_eight(mean, random);
}

std::uint64_t BitErrors::codewords() const { return std::max<std::uint64_t>(1, config_.subpage_size().value() / 512); }

std::uint64_t BitErrors::mean(const PageAge& age, std::uint32_t retry) const {
  const auto grown = [&](std::uint64_t rate) { return Wide{rate} * age.erases * one / config_.endurance; };
  // Errors in 1e9 bits, in units of 2^-32.
  Wide rate = Wide{config_.bit_errors_fresh} * one + grown(config_.bit_errors_wear);
  rate += grown(config_.bit_errors_retention) * (age.retention.value() / millisecond) / day;
  rate += grown(config_.bit_errors_disturb) * age.reads / 1000;
  const std::uint64_t codewords = this->codewords();
  Wide errors = rate * (codewords * codeword_bits) / billion;
  for (; retry > 0; --retry) errors = errors * config_.read_retry_leaves / 100;
  return static_cast<std::uint64_t>(std::min<Wide>(errors + age.moved, most));
}

bool BitErrors::uncorrectable(const PageAge& age, std::uint32_t retry, RandomStream& random) const {
  const std::uint64_t codewords = this->codewords();
  const std::uint64_t mean_in_codeword = mean(age, retry) / codewords;
  if (mean_in_codeword / one > 2 * config_.ecc_bits + 64) return true;  // far out of reach
  for (std::uint64_t codeword = 0; codeword < codewords; ++codeword)
    if (poisson(mean_in_codeword, random) > config_.ecc_bits) return true;
  return false;
}

}  // namespace tessera
