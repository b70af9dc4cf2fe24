#include "platforms/kernel/signal_condition.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace tessera {

namespace {

/// Longer ones first.
constexpr std::array<std::pair<std::string_view, Comparison>, 6> comparisons{{{"<=", Comparison::at_most},
                                                                              {">=", Comparison::at_least},
                                                                              {"==", Comparison::equal},
                                                                              {"!=", Comparison::not_equal},
                                                                              {"<", Comparison::less},
                                                                              {">", Comparison::more}}};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool has_words(const SignalInfo& info) { return info.kind == SignalKind::state || info.kind == SignalKind::text; }

template <class Value>
bool compare(const Value& left, Comparison comparison, const Value& right) {
  switch (comparison) {
    case Comparison::less: return left < right;
    case Comparison::at_most: return left <= right;
    case Comparison::equal: return left == right;
    case Comparison::not_equal: return left != right;
    case Comparison::at_least: return left >= right;
    case Comparison::more: return left > right;
  }
  return false;
}

}  // namespace

bool SignalCondition::is_one(std::string_view text) { return text.find_first_of("<>=!") != std::string_view::npos; }

SignalCondition SignalCondition::parse(std::string_view text) {
  for (const auto& [sign, comparison] : comparisons) {
    const std::size_t at = text.find(sign);
    if (at == std::string_view::npos) continue;
    SignalCondition read{std::string(trimmed(text.substr(0, at))), comparison, std::string(trimmed(text.substr(at + sign.size())))};
    if (!read.signal.empty() && !read.against.empty()) return read;
    break;
  }
  throw InputError("expected a condition such as \"flash.free_blocks < 20\" or \"media.state == seek\", found \"" + std::string(text) +
                   "\"");
}

void SignalCondition::check(const SignalInfo& info) const {
  const std::string found = ", found \"" + against + "\"";
  if (!has_words(info)) {
    if (!number_of(against)) throw InputError("the signal " + signal + " is a number: expected one to compare it with" + found);
    return;
  }
  if (comparison != Comparison::equal && comparison != Comparison::not_equal)
    throw InputError("the signal " + signal + " has words: expected == or != and a word" + found);
  if (info.kind == SignalKind::state && std::ranges::find(info.words, against) == info.words.end())
    throw InputError(unknown_name("value of the signal " + signal, against, info.words));
}

bool SignalCondition::holds(std::uint64_t value, const SignalInfo& info) const {
  if (!has_words(info)) return compare(static_cast<double>(value), comparison, *number_of(against));
  return compare(value < info.words.size() ? info.words[value] : std::string(), comparison, against);
}

}  // namespace tessera
