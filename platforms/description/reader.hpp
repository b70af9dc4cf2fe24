#pragma once
// Fills configuration structs from a description. A key that is absent keeps the struct's default; a key that no struct
// declares is an error, so that a misspelt parameter never silently keeps its default.
//
//   DescriptionReader reader(document);
//   reader.section("media", config.media, "");
//   for (auto& layer : every_layer) reader.section(...);  // also the layers not selected: their sections are checked as well
//   reader.finish();
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameter.hpp"
#include "platforms/description/quantity.hpp"
#include "platforms/description/toml_document.hpp"

namespace tessera {

class DescriptionReader : public ParameterVisitor {
 public:
  /// `document` must outlive the reader. The top-level key `summary` is always known.
  explicit DescriptionReader(const TomlDocument& document);
  /// Reads `table` alone, a part of the document, which messages call `path`.
  DescriptionReader(const TomlDocument& document, const DescriptionValue& table, std::string path);

  /// Each throws InputError `FILE:LINE: media.rpm: expected a speed such as "7200 rpm" between 60 rpm and 100000 rpm, found "7200": the
  /// unit is missing` where the value has another type or unit or lies outside the range.
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

  /// Declares a key that the caller reads by himself; nullptr where it is absent.
  const DescriptionValue* unread(std::string_view name) { return take(name); }

  /// To be called after every section was visited. Throws InputError at the first key that none of them declared:
  /// `FILE:LINE: unknown key 'media.rmp'; did you mean 'media.rpm'?`.
  void finish() const;

  /// Where the value at a dotted path was written, for checks that need several fields; the place of the nearest enclosing
  /// section that was written where it was not.
  [[nodiscard]] Place place_of(std::string_view path) const;

 private:
  struct Section {
    std::string path;               ///< "" at the top
    const DescriptionValue* table;  ///< nullptr where the description has no such section
  };

  const DescriptionValue* take(std::string_view name);
  [[nodiscard]] std::string path_of(std::string_view name) const;
  [[noreturn]] void reject(const DescriptionValue& value, std::string_view name, const std::string& expected,
                           const std::string& problem = "") const;
  std::uint64_t read_amount(std::string_view name, std::uint64_t value, Range range, Dimension dimension);
  std::uint64_t read_count(std::string_view name, std::uint64_t value, Range range, std::uint64_t limit);
  void check_known(const DescriptionValue& table, const std::string& path) const;
  [[nodiscard]] std::string suggestion(const std::string& section, const DescriptionEntry& entry) const;

  const TomlDocument& document_;
  const DescriptionValue& root_;
  std::string root_path_;
  std::vector<Section> sections_;
  std::map<std::string, std::vector<std::string>> fields_;  ///< of each section path: the keys it declares, sections included
};

}  // namespace tessera
