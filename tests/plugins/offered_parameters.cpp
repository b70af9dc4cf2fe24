#include "offered_parameters.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"

namespace tessera {

namespace {

[[noreturn]] void not_offered() { model_bug(__FILE__, __LINE__, "a parameter of a kind that the firmware interface does not have"); }

}  // namespace

void OfferedParameters::add(std::string_view name, std::string_view doc, std::uint32_t kind, Range range, tessera_value initial) {
  parameters_.push_back({.name = kept(prefix_ + std::string(name)),
                         .what = kept(std::string(doc)),
                         .kind = kind,
                         .choice_count = 0,
                         .choices = nullptr,
                         .low = range.min,
                         .high = range.max,
                         .initial = initial});
}

void OfferedParameters::field(std::string_view name, bool& value, std::string_view doc) {
  if (const tessera_value* given = next(); given != nullptr) {
    value = given->integer != 0;
  } else {
    add(name, doc, TESSERA_FLAG, {0, 1}, {value ? 1U : 0U, 0});
  }
}

void OfferedParameters::field(std::string_view name, std::uint32_t& value, Range range, std::string_view doc) {
  range.max = std::min<double>(range.max, std::numeric_limits<std::uint32_t>::max());
  if (const tessera_value* given = next(); given != nullptr) {
    value = static_cast<std::uint32_t>(given->integer);
  } else {
    add(name, doc, TESSERA_COUNT, range, {value, 0});
  }
}

void OfferedParameters::field(std::string_view name, std::uint64_t& value, Range range, std::string_view doc) {
  if (const tessera_value* given = next(); given != nullptr) {
    value = given->integer;
  } else {
    add(name, doc, TESSERA_COUNT, range, {value, 0});
  }
}

void OfferedParameters::field(std::string_view name, double& value, Range range, std::string_view doc) {
  if (const tessera_value* given = next(); given != nullptr) {
    value = given->real;
  } else {
    add(name, doc, TESSERA_REAL, range, {0, value});
  }
}

void OfferedParameters::field(std::string_view name, Picoseconds& value, Range range, std::string_view doc) {
  if (const tessera_value* given = next(); given != nullptr) {
    value = Picoseconds(given->integer);
  } else {
    add(name, doc, TESSERA_TIME, range, {value.value(), 0});
  }
}

void OfferedParameters::field(std::string_view name, Bytes& value, Range range, std::string_view doc) {
  if (const tessera_value* given = next(); given != nullptr) {
    value = Bytes(given->integer);
  } else {
    add(name, doc, TESSERA_SIZE, range, {value.value(), 0});
  }
}

void OfferedParameters::choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view doc) {
  if (const tessera_value* given = next(); given != nullptr) {
    value = static_cast<std::uint32_t>(given->integer);
    return;
  }
  add(name, doc, TESSERA_CHOICE, {0, static_cast<double>(names.size() - 1)}, {value, 0});
  std::vector<const char*>& kept_names = choices_.emplace_back();
  for (const std::string_view one : names) kept_names.push_back(kept(std::string(one)));
  parameters_.back().choices = kept_names.data();
  parameters_.back().choice_count = static_cast<std::uint32_t>(kept_names.size());
}

void OfferedParameters::enter(std::string_view name, std::string_view) { prefix_ += std::string(name) + "."; }
void OfferedParameters::leave() {
  prefix_.pop_back();
  prefix_.erase(prefix_.rfind('.') == std::string::npos ? 0 : prefix_.rfind('.') + 1);
}

void OfferedParameters::field(std::string_view, BytesPerSecond&, Range, std::string_view) { not_offered(); }
void OfferedParameters::field(std::string_view, Hertz&, Range, std::string_view) { not_offered(); }
void OfferedParameters::field(std::string_view, Rpm&, Range, std::string_view) { not_offered(); }
void OfferedParameters::field(std::string_view, Microwatts&, Range, std::string_view) { not_offered(); }
void OfferedParameters::field(std::string_view, Picojoules&, Range, std::string_view) { not_offered(); }
void OfferedParameters::field(std::string_view, std::string&, std::string_view) { not_offered(); }
void OfferedParameters::table(std::string_view, std::vector<NumberRow>&, const std::vector<std::string>&, std::string_view) {
  not_offered();
}

}  // namespace tessera
