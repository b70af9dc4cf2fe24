#pragma once
// What the columns of a text hold, for those that guess what they mean.
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/probe.hpp"

namespace tessera {

/// What the values of one column have in common.
struct ColumnFacts {
  std::string name;  ///< in the header, in lower case
  std::size_t seen = 0;
  std::size_t numbers = 0;
  std::size_t rising = 0;     ///< not below the one before
  std::size_t by_one = 0;     ///< above the one before by exactly 1
  std::size_t multiples = 0;  ///< of 512
  std::size_t eighths = 0;    ///< multiples of 8
  std::size_t dates = 0;      ///< times of the calendar
  std::size_t days = 0;       ///< dates alone
  std::size_t digits = 0;     ///< of the first number, before its point
  bool fractions = false;
  bool hexadecimal = false;
  double least = 0;
  double most = 0;
  double first = 0;
  double last = 0;
  std::set<std::string> words;  ///< up to `most_words`

  static constexpr std::size_t most_words = 17;
  static constexpr double nearly_all = 0.95;
  [[nodiscard]] bool is_number() const { return seen > 0 && static_cast<double>(numbers) >= nearly_all * static_cast<double>(seen); }
  [[nodiscard]] bool is_date() const { return seen > 0 && dates == seen; }
  [[nodiscard]] bool is_day() const { return seen > 0 && days == seen; }
  [[nodiscard]] bool all_multiples() const { return numbers > 0 && multiples == numbers; }
  [[nodiscard]] bool rises() const {
    return is_number() && most > least && static_cast<double>(rising) >= nearly_all * static_cast<double>(numbers - 1);
  }
  /// A number of the line, not a time.
  [[nodiscard]] bool counts() const { return numbers > 2 && by_one == numbers - 1; }
};

/// Lines that repeat the requests of others: only those with `word` in the column count.
struct OneKind {
  std::size_t column = 0;  ///< from 1
  std::string word;
  std::string others;  ///< words of the lines that say the same again
};

struct TextColumns {
  char separator = ',';
  std::vector<ColumnFacts> columns;  ///< none where lines have no number of fields in common
  std::optional<OneKind> only;
};

[[nodiscard]] TextColumns columns_of(const Sample& sample);

[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace tessera
