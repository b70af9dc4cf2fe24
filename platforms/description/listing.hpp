#pragma once
// What there is to set: the parameters of configuration structs with value, unit, range and documentation, as aligned text, JSON,
// JSON Schema, a Markdown page, and as a TOML description that reads back to the same values. All from the one declaration of
// each field (base/parameter.hpp).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameter.hpp"
#include "platforms/description/quantity.hpp"

namespace tessera {

enum class ParameterKind : std::uint8_t { section, boolean, count, real, quantity, text, choice, table };

/// One declared field or section.
struct Parameter {
  std::string section;  ///< dotted path of the section it is in, "" at the top
  std::string name;
  ParameterKind kind = ParameterKind::section;
  Dimension dimension = Dimension::time;  ///< of a quantity
  std::string value;                      ///< as TOML; "" for a section
  Range range;
  std::vector<std::string> names;  ///< of a choice: the values it takes; of a table: its columns
  std::string doc;
  std::string unused;  ///< why it has no effect beside the other values; "" where it may have one

  [[nodiscard]] std::string path() const { return section.empty() ? name : section + "." + name; }
};

/// "whole number", "time", "one of a, b", "table of first, last": the type as a user reads it.
[[nodiscard]] std::string type_text(const Parameter& parameter);
/// "60 rpm to 100000 rpm", "at least 1", or "" where nothing is bounded.
[[nodiscard]] std::string range_text(const Parameter& parameter);

/// A visitor that writes down what a configuration declares and holds; it changes no value.
class ParameterCollector : public ParameterVisitor {
 public:
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

  void field(std::string_view name, bool& value, std::string_view doc) override;
  void field(std::string_view name, std::uint32_t& value, Range range, std::string_view doc) override;
  void field(std::string_view name, std::uint64_t& value, Range range, std::string_view doc) override;
  void field(std::string_view name, double& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Picoseconds& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Bytes& value, Range range, std::string_view doc) override;
  void field(std::string_view name, BytesPerSecond& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Hertz& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Rpm& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Microwatts& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Picojoules& value, Range range, std::string_view doc) override;
  void field(std::string_view name, std::string& value, std::string_view doc) override;
  void choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view doc) override;
  void table(std::string_view name, std::vector<NumberRow>& rows, const std::vector<std::string>& columns, std::string_view doc) override;
  void enter(std::string_view name, std::string_view doc) override;
  void leave() override;
  void begin_unused(std::string_view why) override;
  void end_unused() override;

 private:
  Parameter& add(std::string_view name, ParameterKind kind, std::string value, std::string_view doc);
  void add_quantity(std::string_view name, Dimension dimension, std::uint64_t amount, Range range, std::string_view doc);

  std::vector<Parameter> parameters_;
  std::vector<std::string> sections_;
  std::vector<std::string> unused_;  ///< reasons, the outermost first: it holds whatever the inner ones depend on
};

/// Aligned columns, one parameter a line: path, value, type, range, documentation. Where `defaults` (the same configuration,
/// untouched) is given, a value that differs from its default is followed by `(default ...)`.
[[nodiscard]] std::string parameters_as_text(const std::vector<Parameter>& parameters, const std::vector<Parameter>* defaults = nullptr);

/// A JSON array of objects with path, value, type, range and documentation.
[[nodiscard]] std::string parameters_as_json(const std::vector<Parameter>& parameters);

/// A JSON Schema (2020-12) of the description file, for editors that check TOML.
[[nodiscard]] std::string parameters_as_schema(const std::vector<Parameter>& parameters, std::string_view title);

/// The reference page: one Markdown table a section.
[[nodiscard]] std::string parameters_as_markdown(const std::vector<Parameter>& parameters, std::string_view title);

/// The effective description: TOML that reads back to exactly these values.
[[nodiscard]] std::string parameters_as_toml(const std::vector<Parameter>& parameters, std::string_view summary);

}  // namespace tessera
