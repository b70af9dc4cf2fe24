#pragma once
// The arguments of one command, by name, as the text they were given as; CLI11 splits the command line into them.
#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "platforms/cli/option_values.hpp"

namespace tessera::cli {

class Arguments {
 public:
  explicit Arguments(CLI::App& command) : command_(command) {}

  void positional(const std::string& name, const std::string& doc) { command_.add_option(name, words_[name], doc)->type_name(""); }
  void option(const std::string& name, const std::string& value, const std::string& doc) {
    command_.add_option(name, texts_[name], doc)->type_name(value)->allow_extra_args(false);
  }
  /// An option that may be given several times, with one value each time.
  void repeated(const std::string& name, const std::string& value, const std::string& doc) {
    option(name, value, doc);
    repeated_.insert(name);
  }
  void flag(const std::string& name, const std::string& doc) { command_.add_flag(name, flags_[name], doc)->disable_flag_override(); }

  enum class Kind : std::uint8_t { none, flag, single, repeated };
  /// What an option is; none: the command has no such option.
  [[nodiscard]] Kind kind(const std::string& name) const {
    if (flags_.contains(name)) return Kind::flag;
    if (repeated_.contains(name)) return Kind::repeated;
    return texts_.contains(name) ? Kind::single : Kind::none;
  }

  [[nodiscard]] const CLI::App& command() const { return command_; }
  [[nodiscard]] bool given(const std::string& name) const { return command_.count(name) != 0; }
  [[nodiscard]] bool set(const std::string& name) const { return flags_.at(name); }
  [[nodiscard]] const std::vector<std::string>& list(const std::string& name) const { return texts_.at(name); }
  /// Of an option or a positional; "" where it was not given.
  [[nodiscard]] std::string text(const std::string& name) const {
    if (const auto word = words_.find(name); word != words_.end()) return word->second;
    return list(name).empty() ? "" : list(name).front();
  }

  /// The options and flags that were given, as words of a command line that gives them again; but for those `without`.
  [[nodiscard]] std::vector<std::string> words(const std::set<std::string>& without) const {
    std::vector<std::string> words;
    for (const auto& [name, texts] : texts_) {
      if (without.contains(name)) continue;
      for (const auto& text : texts) words.insert(words.end(), {name, text});
    }
    for (const auto& [name, set] : flags_)
      if (set && !without.contains(name)) words.push_back(name);
    return words;
  }

  /// The same by name.
  [[nodiscard]] std::vector<NamedOption> named(const std::set<std::string>& without) const {
    std::vector<NamedOption> options;
    const auto bare = [](const std::string& name) { return name.substr(name.find_first_not_of('-')); };
    for (const auto& [name, texts] : texts_)
      if (!texts.empty() && !without.contains(name)) options.push_back({bare(name), texts, repeated_.contains(name)});
    for (const auto& [name, set] : flags_)
      if (set && !without.contains(name)) options.push_back({bare(name), {}, false});
    return options;
  }

  [[nodiscard]] std::uint64_t count(const std::string& name, std::uint64_t otherwise, std::uint64_t min, std::uint64_t max) const {
    return given(name) ? parse_count(name, text(name), min, max) : otherwise;
  }
  [[nodiscard]] std::size_t choice(const std::string& name, const std::vector<std::string>& names) const {
    return given(name) ? parse_name(name, text(name), names) : 0;
  }

  /// Each of these throws InputError `tessera-sim COMMAND: ...` unless the arguments fit together so.
  void check_values() const {
    for (const auto& [name, word] : words_)
      if (given(name) && word.empty()) fail(name + ": expected a value, found an empty one");
    for (const auto& [name, texts] : texts_) {
      if (texts.size() > 1 && !repeated_.contains(name))
        fail(name + " was given " + std::to_string(texts.size()) + " times, expected once");
      for (const auto& text : texts) {
        if (text.empty()) fail(name + ": expected a value after it, found an empty one");
        if (text.starts_with("--")) fail(name + ": expected a value after it, found the option '" + text + "'");
      }
    }
  }
  void require(const std::string& name, const std::string& what) const {
    if (!given(name)) fail("expected " + what);
  }
  void exclude(const std::string& one, const std::string& other) const {
    if (given(one) && given(other)) fail(one + " and " + other + " exclude each other: give one of them");
  }
  void needs(const std::string& name, const std::string& other) const {
    if (given(name) && !given(other)) fail(name + " needs " + other);
  }
  [[noreturn]] void fail(const std::string& message) const { throw InputError("tessera-sim " + command_.get_name() + ": " + message); }

 private:
  CLI::App& command_;
  std::map<std::string, std::string> words_;  // nodes of a map stay where they are: CLI11 keeps references
  std::map<std::string, std::vector<std::string>> texts_;
  std::map<std::string, bool> flags_;
  std::set<std::string> repeated_;
};

/// Help whose usage line says which arguments a command cannot do without.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  [[nodiscard]] std::string make_usage(const CLI::App* command, std::string /*name*/) const override {
    return "Usage: tessera-sim " + command->get_name() + " " + usage_ + "\n";
  }
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override {
    const std::string value = option->get_type_name();
    return value.empty() || option->get_positional() ? "" : " " + value;
  }

 private:
  std::string usage_;
};

}  // namespace tessera::cli
