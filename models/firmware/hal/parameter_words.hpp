#pragma once
// The values of a configuration as 64-bit words, one for each parameter in the order of describe(): how a drive's description reaches
// firmware on the target.
#include <cstdint>
#include <span>
#include <vector>

#include "base/parameter.hpp"

namespace tessera::hal {

/// What a parameter and its word are to each other: a number is itself, a double its bits, a choice its index.
class ParameterWords : public ParameterVisitor {
 public:
  void field(std::string_view name, bool& value, std::string_view doc) final;
  void field(std::string_view name, std::uint32_t& value, Range range, std::string_view doc) final;
  void field(std::string_view name, std::uint64_t& value, Range range, std::string_view doc) final;
  void field(std::string_view name, double& value, Range range, std::string_view doc) final;
  void field(std::string_view name, Picoseconds& value, Range range, std::string_view doc) final;
  void field(std::string_view name, Bytes& value, Range range, std::string_view doc) final;
  void field(std::string_view name, BytesPerSecond& value, Range range, std::string_view doc) final;
  void field(std::string_view name, Hertz& value, Range range, std::string_view doc) final;
  void field(std::string_view name, Rpm& value, Range range, std::string_view doc) final;
  void field(std::string_view name, Microwatts& value, Range range, std::string_view doc) final;
  void field(std::string_view name, Picojoules& value, Range range, std::string_view doc) final;
  void choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view doc) final;
  void enter(std::string_view, std::string_view) final {}
  void leave() final {}

  // Have no word: no firmware takes any.
  void field(std::string_view name, std::string& value, std::string_view doc) final;
  void table(std::string_view name, std::vector<NumberRow>& rows, const std::vector<std::string>& columns, std::string_view doc) final;

 protected:
  ~ParameterWords() override = default;

 private:
  /// Gives the word that the parameter is to have, which has `word` now.
  virtual std::uint64_t exchange(std::uint64_t word) = 0;
};

/// Takes the values down.
class ParameterWordWriter final : public ParameterWords {
 public:
  [[nodiscard]] const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::uint64_t exchange(std::uint64_t word) override;

  std::vector<std::uint64_t> words_;
};

/// Sets the values. There must be a word for each, and as many as there are values: a firmware of other parameters wrote them otherwise.
class ParameterWordReader final : public ParameterWords {
 public:
  explicit ParameterWordReader(std::span<const std::uint64_t> words) : words_(words) {}
  [[nodiscard]] bool at_end() const { return next_ == words_.size(); }

 private:
  std::uint64_t exchange(std::uint64_t word) override;

  std::span<const std::uint64_t> words_;
  std::size_t next_ = 0;
};

}  // namespace tessera::hal
