#pragma once
// The parameters of a layer in C++ as the table of the firmware interface, and the values that come back.
#include <deque>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

/// Takes down what a layer's describe() declares.
class OfferedParameters final : public ParameterVisitor {
 public:
  [[nodiscard]] const std::vector<tessera_parameter>& all() const { return parameters_; }

  void field(std::string_view name, bool& value, std::string_view doc) override;
  void field(std::string_view name, std::uint32_t& value, Range range, std::string_view doc) override;
  void field(std::string_view name, std::uint64_t& value, Range range, std::string_view doc) override;
  void field(std::string_view name, double& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Picoseconds& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Bytes& value, Range range, std::string_view doc) override;
  void choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view doc) override;
  void enter(std::string_view name, std::string_view doc) override;
  void leave() override;

  // Of kinds that no layer has.
  void field(std::string_view name, BytesPerSecond& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Hertz& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Rpm& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Microwatts& value, Range range, std::string_view doc) override;
  void field(std::string_view name, Picojoules& value, Range range, std::string_view doc) override;
  void field(std::string_view name, std::string& value, std::string_view doc) override;
  void table(std::string_view name, std::vector<NumberRow>& rows, const std::vector<std::string>& columns, std::string_view doc) override;

  /// Sets what describe() declares to `values`, in the same order, instead of taking it down.
  void assign(const tessera_value* values) { values_ = values; }

 private:
  /// The next value to assign, or null where parameters are taken down.
  const tessera_value* next() { return values_ == nullptr ? nullptr : values_++; }
  void add(std::string_view name, std::string_view doc, std::uint32_t kind, Range range, tessera_value initial);
  const char* kept(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  const tessera_value* values_ = nullptr;
  std::string prefix_;
  std::vector<tessera_parameter> parameters_;
  std::deque<std::string> texts_;
  std::deque<std::vector<const char*>> choices_;
};

}  // namespace tessera
