#pragma once
// Declaration of parameters. Each configuration struct names each of its fields once, with range and one line of
// documentation, in `describe(ParameterVisitor&)`; the member's initialiser is the default and its type the unit.
// Reading a description, listing parameters, the JSON Schema and the reference page are visitors of that one list.
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace tessera {

/// Bounds of a number in the field's base unit (ps, B, B/s, Hz, rpm, uW, pJ, or the plain count); both ends are allowed.
struct Range {
  double min = 0;
  double max = std::numeric_limits<double>::infinity();
};

/// One table row of numbers, as in a zone table or a seek curve; the columns are named by the declaration.
using NumberRow = std::vector<double>;

/// Of an enumeration's values, while it is declared.
using ChoiceNames = std::span<const std::string_view>;

class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  virtual void field(std::string_view name, bool& value, std::string_view doc) = 0;
  virtual void field(std::string_view name, std::uint32_t& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, std::uint64_t& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, double& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, Picoseconds& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, Bytes& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, BytesPerSecond& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, Hertz& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, Rpm& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, Microwatts& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, Picojoules& value, Range range, std::string_view doc) = 0;
  virtual void field(std::string_view name, std::string& value, std::string_view doc) = 0;
  /// An enumeration: `value` indexes `names`.
  virtual void choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view doc) = 0;
  /// A table: an array of rows with these columns, plain numbers in the units that `doc` states.
  virtual void table(std::string_view name, std::vector<NumberRow>& rows, const std::vector<std::string>& columns,
                     std::string_view doc) = 0;
  /// Fields until the matching leave() belong to the section `name`.
  virtual void enter(std::string_view name, std::string_view doc) = 0;
  virtual void leave() = 0;
  /// What is declared until the matching end_unused() has no effect, because of what `why` says: see unused_where(). Of no concern to
  /// visitors that only read or write values.
  virtual void begin_unused(std::string_view /*why*/) {}
  virtual void end_unused() {}

  /// Declares a nested struct that has its own describe().
  template <class Config>
  void section(std::string_view name, Config& config, std::string_view doc) {
    enter(name, doc);
    config.describe(*this);
    leave();
  }

  /// Calls `declare`, whose fields have no effect while `unused` holds. `why` then ends the sentence "NAME: without effect, ..." and names
  /// the parameters that it depends on: "moves is off". The values are those that the visitor finds: only one that changes none may ask.
  template <class Declare>
  void unused_where(bool unused, std::string_view why, Declare declare);

  /// Declares an enumerator type whose values are 0, 1, 2, ... in the order of `names`.
  template <class Enum>
  void enumeration(std::string_view name, Enum& value, std::initializer_list<std::string_view> names, std::string_view doc) {
    auto index = static_cast<std::uint32_t>(value);
    choice(name, index, ChoiceNames(names.begin(), names.size()), doc);
    value = static_cast<Enum>(index);
  }
};

/// What is declared while it lives has no effect while `unused` holds: unused_where() without a function, for declarations that are part of
/// a small image. An image tells nobody what is set in vain.
class UnusedWhere {
 public:
#ifdef TESSERA_ON_TARGET
  UnusedWhere(ParameterVisitor&, bool, std::string_view) {}
#else
  UnusedWhere(ParameterVisitor& visitor, bool unused, std::string_view why) : visitor_(unused ? &visitor : nullptr) {
    if (visitor_ != nullptr) visitor_->begin_unused(why);
  }
  ~UnusedWhere() {
    if (visitor_ != nullptr) visitor_->end_unused();
  }

 private:
  ParameterVisitor* visitor_;

 public:
#endif
  UnusedWhere(const UnusedWhere&) = delete;
  UnusedWhere& operator=(const UnusedWhere&) = delete;
};

template <class Declare>
void ParameterVisitor::unused_where(bool unused, std::string_view why, Declare declare) {
  const UnusedWhere where(*this, unused, why);
  declare();
}

}  // namespace tessera
