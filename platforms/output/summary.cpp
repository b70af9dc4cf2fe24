#include "platforms/output/summary.hpp"

#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/check.hpp"

namespace tessera {

namespace {

void write_number(std::string& text, double value) {
  TESSERA_CHECK(std::isfinite(value), "a metric is not a number; undefined figures are null");
  char digits[32];
  constexpr double whole_below = 1e15;  // counts read as counts: 100000, not 1e+05
  const bool whole = std::abs(value) < whole_below && value == std::trunc(value);
  const auto end = whole ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value))
                         : std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end.ptr);
}

// Boost's own serializer writes 1.5E0; people read this file.
void write_value(std::string& text, const boost::json::value& value, int depth, int deepest_break) {
  const auto write_items = [&](const auto& items, char open, char close, const auto& write_item) {
    const bool broken = depth < deepest_break && !items.empty();
    const std::string line = broken ? "\n" + std::string(2 * static_cast<std::size_t>(depth + 1), ' ') : "";
    text += open;
    bool first = true;
    for (const auto& item : items) {
      if (!first) text += broken ? "," : ", ";
      first = false;
      text += line;
      write_item(item);
    }
    if (broken) text += line.substr(0, line.size() - 2);
    text += close;
  };
  if (const auto* object = value.if_object()) {
    write_items(*object, '{', '}', [&](const auto& member) {
      text += boost::json::serialize(member.key()) + ": ";
      write_value(text, member.value(), depth + 1, deepest_break);
    });
  } else if (const auto* array = value.if_array()) {
    write_items(*array, '[', ']', [&](const auto& element) { write_value(text, element, depth + 1, deepest_break); });
  } else if (const auto* number = value.if_double()) {
    write_number(text, *number);
  } else {
    text += boost::json::serialize(value);
  }
}

}  // namespace

std::string summary_text(const boost::json::object& run, const boost::json::array& inputs, const MetricSet& metrics) {
  boost::json::object entries;
  for (const Metric& metric : metrics.all()) {
    boost::json::value value = nullptr;
    if (metric.value) value = *metric.value;
    entries[metric.name] = {{"value", value}, {"unit", metric.unit}, {"description", metric.description}};
  }
  constexpr int a_line_a_metric = 2;
  return json_text(boost::json::object{{"schema", 1}, {"run", run}, {"inputs", inputs}, {"metrics", std::move(entries)}}, a_line_a_metric);
}

std::string json_text(const boost::json::value& value, int deepest_break) {
  std::string text;
  write_value(text, value, 0, deepest_break);
  return text + "\n";
}

}  // namespace tessera
