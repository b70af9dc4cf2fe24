#include "stimuli/arrays/parity.hpp"

#include <array>

#include "base/check.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t order = 255;  // of g in the group of GF(2^8)

struct Field {
  std::array<std::uint8_t, order> power{};  // of g
  std::array<std::uint8_t, 256> log{};
};

constexpr Field field = [] {
  Field made;
  std::uint32_t value = 1;
  for (std::uint32_t exponent = 0; exponent < order; ++exponent) {
    made.power[exponent] = static_cast<std::uint8_t>(value);
    made.log[value] = static_cast<std::uint8_t>(exponent);
    value = value << 1 ^ ((value & 0x80) != 0 ? 0x11D : 0);
  }
  return made;
}();

/// value * g^exponent.
std::byte scaled(std::byte value, std::uint32_t exponent) {
  const auto factor = std::to_integer<std::uint8_t>(value);
  return factor == 0 ? value : std::byte{field.power[(field.log[factor] + exponent) % order]};
}

/// The exponent of 1 / (g^0 + g^difference).
std::uint32_t inverse_of_sum(std::uint32_t difference) { return (order - field.log[1 ^ field.power[difference % order]]) % order; }

/// The exclusive or, or the sum of Q, of the data columns that are there, and of that parity: what the missing ones sum to.
Content syndrome(const RowContent& row, std::uint32_t columns, const std::vector<bool>& missing, std::uint32_t parity) {
  Content sum = row[columns + parity];
  for (std::uint32_t column = 0; column < columns; ++column) {
    if (missing[column]) continue;
    if (parity == 0)
      add_to(sum, row[column]);
    else
      add_scaled(sum, row[column], column);
  }
  return sum;
}

}  // namespace

void add_to(ContentSpan sum, ConstContentSpan addend) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= addend[i];
}

void add_scaled(ContentSpan sum, ConstContentSpan addend, std::uint32_t column) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= scaled(addend[i], column);
}

void encode(RowContent& row, std::uint32_t columns, std::uint32_t parity) {
  Content& sum = row[columns + parity];
  sum.assign(row[0].size(), std::byte{0});
  for (std::uint32_t column = 0; column < columns; ++column) {
    if (parity == 0)
      add_to(sum, row[column]);
    else
      add_scaled(sum, row[column], column);
  }
}

void recover(RowContent& row, std::uint32_t columns, const std::vector<bool>& missing) {
  std::vector<std::uint32_t> lost;
  for (std::uint32_t column = 0; column < columns; ++column)
    if (missing[column]) lost.push_back(column);
  if (lost.empty()) return;
  const bool p = !missing[columns];
  const bool q = columns + 1 < row.size() && !missing[columns + 1];
  TESSERA_CHECK(lost.size() <= (p ? 1U : 0U) + (q ? 1U : 0U), "more of a row is missing than its parity can give back");
  if (lost.size() == 1 && p) {
    row[lost[0]] = syndrome(row, columns, missing, 0);
    return;
  }
  Content of_q = syndrome(row, columns, missing, 1);
  if (lost.size() == 1) {
    for (std::byte& value : of_q) value = scaled(value, order - lost[0] % order);
    row[lost[0]] = std::move(of_q);
    return;
  }
  // P' = x + y and Q' = g^a x + g^b y: x = (Q' + g^b P') / (g^a + g^b) and y = P' + x.
  Content of_p = syndrome(row, columns, missing, 0);
  const std::uint32_t a = lost[0];
  const std::uint32_t b = lost[1];
  const std::uint32_t quotient = inverse_of_sum(b - a) + order - a % order;
  for (std::size_t i = 0; i < of_q.size(); ++i) of_q[i] = scaled(of_q[i] ^ scaled(of_p[i], b), quotient);
  add_to(of_p, of_q);
  row[a] = std::move(of_q);
  row[b] = std::move(of_p);
}

}  // namespace tessera
