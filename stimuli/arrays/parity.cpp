#include "stimuli/arrays/parity.hpp"

#include <array>
#include <utility>

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

constexpr std::uint8_t product(std::uint8_t a, std::uint8_t b) {
  return a == 0 || b == 0 ? 0 : field.power[(field.log[a] + field.log[b]) % order];
}

constexpr std::uint8_t inverse(std::uint8_t a) { return field.power[(order - field.log[a]) % order]; }

/// Factors by parity member that is used and by missing column: a square.
using Matrix = std::vector<std::vector<std::uint8_t>>;

/// By Gauss and Jordan. No part of what parity_factor() gives is singular.
Matrix inverse_of(Matrix matrix) {
  const std::size_t size = matrix.size();
  Matrix result(size, std::vector<std::uint8_t>(size));
  for (std::size_t i = 0; i < size; ++i) result[i][i] = 1;
  const auto add_line = [size](std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& from, std::uint8_t factor) {
    for (std::size_t i = 0; i < size; ++i) to[i] ^= product(from[i], factor);
  };
  for (std::size_t pivot = 0; pivot < size; ++pivot) {
    std::size_t line = pivot;
    while (line < size && matrix[line][pivot] == 0) ++line;
    TESSERA_CHECK(line < size, "parity whose factors cannot be inverted");
    std::swap(matrix[line], matrix[pivot]);
    std::swap(result[line], result[pivot]);
    const std::uint8_t scale = inverse(matrix[pivot][pivot]);
    for (std::size_t i = 0; i < size; ++i) {
      matrix[pivot][i] = product(matrix[pivot][i], scale);
      result[pivot][i] = product(result[pivot][i], scale);
    }
    for (std::size_t other = 0; other < size; ++other) {
      if (other == pivot) continue;
      const std::uint8_t factor = matrix[other][pivot];
      add_line(matrix[other], matrix[pivot], factor);
      add_line(result[other], result[pivot], factor);
    }
  }
  return result;
}

/// A parity member and its sum over the data columns that are there: what the missing ones sum to.
Content syndrome(const RowContent& row, std::uint32_t columns, const std::vector<bool>& missing, std::uint32_t parity) {
  const auto parities = static_cast<std::uint32_t>(row.size()) - columns;
  Content sum = row[columns + parity];
  for (std::uint32_t column = 0; column < columns; ++column)
    if (!missing[column]) add_scaled(sum, row[column], parity_factor(parities, parity, column));
  return sum;
}

}  // namespace

std::uint8_t parity_factor(std::uint32_t parities, std::uint32_t parity, std::uint32_t column) {
  if (parity == 0) return 1;
  if (parities <= 2) return field.power[column % order];
  // 1 / (x + y) with x for the parity member and y for the column, all different, times what makes the first line ones.
  const auto y = static_cast<std::uint8_t>(parities + column);
  return product(inverse(static_cast<std::uint8_t>(parity ^ y)), y);
}

void add_to(ContentSpan sum, ConstContentSpan addend) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= addend[i];
}

void add_scaled(ContentSpan sum, ConstContentSpan addend, std::uint8_t factor) {
  if (factor == 1) return add_to(sum, addend);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= std::byte{product(std::to_integer<std::uint8_t>(addend[i]), factor)};
}

void encode(RowContent& row, std::uint32_t columns, std::uint32_t parity) {
  const auto parities = static_cast<std::uint32_t>(row.size()) - columns;
  Content& sum = row[columns + parity];
  sum.assign(row[0].size(), std::byte{0});
  for (std::uint32_t column = 0; column < columns; ++column) add_scaled(sum, row[column], parity_factor(parities, parity, column));
}

void recover(RowContent& row, std::uint32_t columns, const std::vector<bool>& missing) {
  std::vector<std::uint32_t> lost;
  for (std::uint32_t column = 0; column < columns; ++column)
    if (missing[column]) lost.push_back(column);
  const auto parities = static_cast<std::uint32_t>(row.size()) - columns;
  std::vector<std::uint32_t> used;
  for (std::uint32_t parity = 0; parity < parities && used.size() < lost.size(); ++parity)
    if (!missing[columns + parity]) used.push_back(parity);
  TESSERA_CHECK(used.size() == lost.size(), "more of a row is missing than its parity can give back");
  Matrix factors;
  RowContent sums;
  for (const std::uint32_t parity : used) {
    std::vector<std::uint8_t>& line = factors.emplace_back();
    for (const std::uint32_t column : lost) line.push_back(parity_factor(parities, parity, column));
    sums.push_back(syndrome(row, columns, missing, parity));
  }
  const Matrix solved = inverse_of(std::move(factors));
  for (std::size_t i = 0; i < lost.size(); ++i) {
    Content& column = row[lost[i]];
    column.assign(sums[i].size(), std::byte{0});
    for (std::size_t j = 0; j < used.size(); ++j) add_scaled(column, sums[j], solved[i][j]);
  }
}

}  // namespace tessera
