#pragma once
// Reads the `[media]` section of a drive file, so that the shipped descriptions are tested without the platform.
#include <toml++/toml.h>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>

#include "media/media_config.hpp"

namespace tessera::test {

class MediaSectionReader : public ParameterVisitor {
 public:
  explicit MediaSectionReader(const toml::table& media) : tables_{&media} {}

  void field(std::string_view name, bool& value, std::string_view) override { plain(name, value); }
  void field(std::string_view name, std::uint32_t& value, Range range, std::string_view) override { number(name, value, range); }
  void field(std::string_view name, std::uint64_t& value, Range range, std::string_view) override { number(name, value, range); }
  void field(std::string_view name, double& value, Range, std::string_view) override { plain(name, value); }
  void field(std::string_view name, Picoseconds& value, Range range, std::string_view) override { amount(name, value, "ms", 1e9, range); }
  void field(std::string_view name, Bytes& value, Range range, std::string_view) override { amount(name, value, "B", 1, range); }
  void field(std::string_view name, BytesPerSecond& value, Range range, std::string_view) override { amount(name, value, "B/s", 1, range); }
  void field(std::string_view name, Hertz& value, Range range, std::string_view) override { amount(name, value, "Hz", 1, range); }
  void field(std::string_view name, Rpm& value, Range range, std::string_view) override { amount(name, value, "rpm", 1, range); }
  void field(std::string_view name, Microwatts& value, Range range, std::string_view) override { amount(name, value, "W", 1e6, range); }
  void field(std::string_view name, Picojoules& value, Range range, std::string_view) override { amount(name, value, "J", 1e12, range); }
  void field(std::string_view name, std::string& value, std::string_view) override { plain(name, value); }
  void choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view) override {
    std::string text(names[value]);
    plain(name, text);
    const auto at = std::find(names.begin(), names.end(), text);
    REQUIRE(at != names.end());
    value = static_cast<std::uint32_t>(at - names.begin());
  }
  void table(std::string_view name, std::vector<NumberRow>& rows, const std::vector<std::string>& columns, std::string_view) override {
    const toml::array* array = (*tables_.back())[name].as_array();
    if (array == nullptr) return;
    seen_.insert(std::string(name));
    rows.clear();
    for (const toml::node& row : *array) {
      rows.emplace_back();
      for (const toml::node& cell : *row.as_array()) rows.back().push_back(cell.value<double>().value());
      REQUIRE(rows.back().size() == columns.size());
    }
  }
  void enter(std::string_view name, std::string_view) override {
    static const toml::table none;
    const toml::table* section = (*tables_.back())[name].as_table();
    if (section != nullptr) seen_.insert(std::string(name));
    tables_.push_back(section != nullptr ? section : &none);
  }
  void leave() override { tables_.pop_back(); }

  void require_all_used() const {
    for (const auto& [key, value] : *tables_.front()) {
      INFO("key '" << key.str() << "' of [media]");
      REQUIRE(seen_.count(std::string(key.str())) == 1);
    }
  }

 private:
  template <class T>
  void plain(std::string_view name, T& value) {
    if (const auto found = (*tables_.back())[name].template value<T>()) {
      value = *found;
      seen_.insert(std::string(name));
    }
  }
  template <class T>
  void number(std::string_view name, T& value, Range range) {
    double found = static_cast<double>(value);
    plain(name, found);
    REQUIRE((found >= range.min && found <= range.max));
    value = static_cast<T>(found);
  }
  template <class A>
  void amount(std::string_view name, A& value, const std::string& unit, double scale, Range range) {
    std::string text;
    plain(name, text);
    if (text.empty()) return;
    std::size_t end = 0;
    const double found = std::stod(text, &end) * scale;
    REQUIRE(text.substr(text.find_first_not_of(' ', end)) == unit);
    REQUIRE((found >= range.min && found <= range.max));
    value = A(static_cast<std::uint64_t>(std::llround(found)));
  }

  std::vector<const toml::table*> tables_;
  std::set<std::string> seen_;
};

/// The media of a shipped drive file, with what it extends.
inline MediaConfig media_of_drive(const std::string& drive) {
  const toml::table file = toml::parse_file(std::string(TESSERA_DRIVES) + "/" + drive + ".toml");
  MediaConfig config;
  if (const auto base = file["extends"].value<std::string>()) config = media_of_drive(*base);
  if (const toml::table* media = file["media"].as_table()) {
    MediaSectionReader reader(*media);
    config.describe(reader);
    reader.require_all_used();
  }
  return config;
}

}  // namespace tessera::test
