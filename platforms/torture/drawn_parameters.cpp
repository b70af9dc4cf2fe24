#include "platforms/torture/drawn_parameters.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "platforms/drive/drive_config.hpp"

namespace tessera {

namespace {

struct Undrawn {
  std::string_view begin;  ///< of the path; all of it, where it does not end in '.' or '_'
  std::string_view why;
};

constexpr std::array undrawn{
    Undrawn{"layer", "the campaign chooses the layer"},
    Undrawn{"host.timeout", "a host that gives up early finds every drive guilty"},
    Undrawn{"host.command_timeout", "drawn as timeouts"},
    Undrawn{"host.abort_timeout", "drawn as timeouts"},
    Undrawn{"host.retry_delay", "drawn as timeouts"},
    Undrawn{"firmware.write_cache.durability", "the campaign draws the promise"},
    Undrawn{"firmware.write_cache.capacity", "the campaign draws it with the promise"},
    Undrawn{"firmware.defects.spares", "what a drive without spares owes is drawn with its faults"},
    Undrawn{"firmware.flash_cache.paired_pages", "it weakens the promise"},
    Undrawn{"media.power_conditions.", "drawn as idle-states, with recoveries that a host waits for"},
    Undrawn{"media.interference_", "drawn as interference, with refresh"},
    Undrawn{"media.force_skew", "it shows what skewed tracks destroy"},
    Undrawn{"media.fail_slow", "drawn as fail-slow"},
    Undrawn{"power.", "the campaign draws faults of dumps"},
    Undrawn{"logical_units.", "a campaign sees one unit"},
    Undrawn{"simulation.", "no parameter of the drive"},
};

/// Of layers, by the last part of the path.
constexpr std::array undrawn_of_layers{
    Undrawn{"durability", "the campaign draws the promise"},
    Undrawn{"crash_safe", "without it the layer promises nothing after a cut"},
    Undrawn{"crash", "without it the layer promises nothing after a cut"},
    Undrawn{"ack_early", "it weakens the promise"},
    Undrawn{"dump_tags", "it weakens the promise"},
    Undrawn{"paired_pages", "it weakens the promise"},
    Undrawn{"rewrite_guard", "it weakens the promise"},
    Undrawn{"guard_sectors", "it weakens the promise"},
    Undrawn{"unrestricted_reads", "it changes what a host may read"},
    Undrawn{"paper", "it shows what a paper did, losses included"},
};

/// Of layers, by the last part of the path: values that no row has.
constexpr std::array unsafe_values{
    Undrawn{"checkpoint=0 B", "without checkpoints an unreadable page takes its whole group (docs/layers/mu-rmw.md)"},
};

/// Parameters that draws of sizes leave out: what undrawn_of_layers says, and what only counts, or a later draw sets.
constexpr std::array unsized{
    "durability", "crash_safe", "paper",         "paired_pages",       "dump_tags",   "ack_early", "layout",      "overlap",
    "slot_bytes", "ecc_bytes",  "rewrite_guard", "read_order",         "flash",       "zones",     "bands",       "top_ratio",
    "spare",      "crash",      "guard_sectors", "unrestricted_reads", "write_cache", "cache_run", "cache_depth", "cache_idle_after"};

constexpr std::uint64_t longest_drawn = 1'000'000'000'000;  // ps: of times; more delays a run and shows nothing else

std::string unquoted(const std::string& text) { return text.size() > 1 && text.front() == '"' ? text.substr(1, text.size() - 2) : text; }

/// Another value of a parameter: a multiple of what it is, another word. "" where it is neither a number nor a choice.
std::string other_value(const Parameter& parameter, RandomStream& random) {
  constexpr std::array<std::uint64_t, 5> eighths{2, 4, 16, 32, 64};
  const std::uint64_t factor = eighths[random.below(eighths.size())];
  switch (parameter.kind) {
    case ParameterKind::boolean: return parameter.value == "true" ? "false" : "true";
    case ParameterKind::choice: return parameter.names[random.below(parameter.names.size())];
    case ParameterKind::count: return std::to_string((std::stoull(parameter.value) * factor + 7) / 8);
    case ParameterKind::quantity: {
      const std::uint64_t amount = read_quantity(parameter.dimension, unquoted(parameter.value)).amount;
      std::uint64_t other = amount / 8 * factor;
      if (parameter.dimension == Dimension::size && other > 4096) other = other / 4096 * 4096;
      return print_quantity(parameter.dimension, other);
    }
    case ParameterKind::section:
    case ParameterKind::real:
    case ParameterKind::text:
    case ParameterKind::table: break;
  }
  return "";
}

std::uint64_t within(std::uint64_t value, Range range) {
  const std::uint64_t most = range.max < 9e18 ? static_cast<std::uint64_t>(range.max) : std::uint64_t{9'000'000'000'000'000'000};
  return std::clamp(value, static_cast<std::uint64_t>(range.min), most);
}

/// An end of the range, a power of two within it, or next to the value or a multiple of it.
std::uint64_t other_amount(std::uint64_t value, Range range, RandomStream& random) {
  const std::uint64_t far = 64 * within(value, {0, 1e17});
  std::uint64_t drawn = 0;
  switch (random.below(6)) {
    case 0: drawn = 0; break;
    case 1: drawn = std::max<std::uint64_t>(far, 64); break;
    case 2: drawn = std::uint64_t{1} << random.below(64 - static_cast<unsigned>(std::countl_zero(std::max<std::uint64_t>(far, 64)))); break;
    case 3: drawn = value + 1 - std::min<std::uint64_t>(value, 2 * random.below(2)); break;
    default: drawn = value / 8 * (1 + random.below(64)); break;
  }
  return within(drawn, range);
}

bool is_speed(Dimension dimension) {
  return dimension == Dimension::rate || dimension == Dimension::frequency || dimension == Dimension::speed;
}

std::string drawn_value(const Parameter& parameter, RandomStream& random) {
  switch (parameter.kind) {
    case ParameterKind::count: return std::to_string(other_amount(std::stoull(parameter.value), parameter.range, random));
    case ParameterKind::quantity: {
      const std::uint64_t amount = read_quantity(parameter.dimension, unquoted(parameter.value)).amount;
      std::uint64_t other = 0;
      if (parameter.dimension == Dimension::time)
        other = std::min(other_amount(std::max<std::uint64_t>(amount, 1000), parameter.range, random), std::max(amount, longest_drawn));
      else if (is_speed(parameter.dimension))  // at the end of its range a drive never answers
        other = within((amount == 0 ? std::uint64_t{1} << 24 : amount) / 16 * (1 + random.below(256)), parameter.range);
      else
        other = other_amount(amount, parameter.range, random);
      return print_quantity(parameter.dimension, other);
    }
    case ParameterKind::real: {
      const double value = std::stod(parameter.value);
      const double other = random.below(4) == 0 ? parameter.range.min : value * static_cast<double>(1 + random.below(64)) / 8;
      return std::to_string(std::clamp(other, parameter.range.min, parameter.range.max));
    }
    case ParameterKind::boolean:
    case ParameterKind::choice:
    case ParameterKind::section:
    case ParameterKind::text:
    case ParameterKind::table: break;
  }
  return other_value(parameter, random);
}

/// Of a number that is counted in a parameter's base unit.
struct Amount {
  std::uint64_t value = 0;
  std::uint64_t most = 0;  ///< of what is drawn
};

Amount amount_of(const Parameter& parameter) {
  if (parameter.kind == ParameterKind::count) return {std::stoull(parameter.value), ~std::uint64_t{0}};
  const std::uint64_t amount = read_quantity(parameter.dimension, unquoted(parameter.value)).amount;
  return {amount, parameter.dimension == Dimension::time ? std::max(amount, longest_drawn) : ~std::uint64_t{0}};
}

std::string printed(const Parameter& parameter, std::uint64_t amount) {
  const std::uint64_t legal = within(std::min(amount, amount_of(parameter).most), parameter.range);
  return parameter.kind == ParameterKind::count ? std::to_string(legal) : print_quantity(parameter.dimension, legal);
}

/// What is multiplied: the value, or something to begin with where that is 0 and thus switches something off.
std::uint64_t unit_of(const Parameter& parameter) {
  const std::uint64_t value = amount_of(parameter).value;
  if (value != 0 || parameter.kind == ParameterKind::count) return std::max<std::uint64_t>(value, 1);
  if (parameter.dimension == Dimension::time) return 1'000'000;  // 1 us
  return parameter.dimension == Dimension::size ? 16384 : 1 << 24;
}

/// So many eighths of the value.
std::string multiple(const Parameter& parameter, std::uint64_t eighths) {
  if (parameter.kind == ParameterKind::real)
    return std::to_string(
        std::clamp(std::stod(parameter.value) * static_cast<double>(eighths) / 8, parameter.range.min, parameter.range.max));
  const std::uint64_t unit = unit_of(parameter);
  const auto rounded = [up = eighths > 8](std::uint64_t amount, std::uint64_t to) { return (amount + (up ? to - 1 : 0)) / to * to; };
  const std::uint64_t amount = unit < 8192 ? rounded(unit * eighths, 8) / 8 : unit / 8 * eighths;
  constexpr std::uint64_t page = 4096;
  return printed(parameter, parameter.dimension == Dimension::size && amount > page ? rounded(amount, page) : amount);
}

/// Whether the text says what the parameter has.
bool is_value(const Parameter& parameter, const std::string& text) {
  if (text.empty() || parameter.kind != ParameterKind::real) return unquoted(parameter.value) == unquoted(text);
  return std::stod(parameter.value) == std::stod(text);
}

/// The only value of a class that has one; "" of the others.
std::string fixed_value(const Parameter& parameter, ValueClass one) {
  if (parameter.kind == ParameterKind::real) {
    const double most = parameter.range.max < 1e18 ? parameter.range.max : std::max(std::stod(parameter.value), 1.0) * 64;
    if (one == ValueClass::lowest) return std::to_string(parameter.range.min);
    return one == ValueClass::highest ? std::to_string(most) : "";
  }
  const std::uint64_t value = amount_of(parameter).value;
  switch (one) {
    case ValueClass::lowest: return printed(parameter, 0);
    case ValueClass::highest: return printed(parameter, 64 * within(unit_of(parameter), {0, 1e17}));
    case ValueClass::below: return printed(parameter, value - std::min<std::uint64_t>(value, 1));
    case ValueClass::above: return printed(parameter, value + 1);
    case ValueClass::smaller:
    case ValueClass::larger:
    case ValueClass::named: break;
  }
  return "";
}

bool is_of_layers(const Parameter& parameter) { return parameter.section.starts_with("layers."); }

/// Of the layer that runs, of the host that translates for it, or of what every layer has.
bool may_concern(const Parameter& parameter, const std::string& layer) {
  const std::size_t colon = layer.find(':');
  if (is_of_layers(parameter)) return (parameter.section + ".").starts_with(layer_section(layer.substr(0, colon)));
  if (!parameter.section.starts_with("hosts.")) return true;
  const std::string part = parameter.section.substr(6);
  if (colon == std::string::npos) return false;
  const std::string host = layer.substr(colon + 1);  // or one of its variants, as log-cost-benefit
  return part == "cpu" || part.starts_with(host) || host.starts_with(part + "-");
}

}  // namespace

std::string why_undrawn(const Parameter& parameter) {
  for (const auto& [begin, why] : undrawn) {
    const bool of_several = begin.ends_with('.') || begin.ends_with('_');
    if (of_several ? parameter.path().starts_with(begin) : parameter.path() == begin) return std::string(why);
  }
  for (const auto& [name, why] : undrawn_of_layers)
    if (is_of_layers(parameter) && parameter.name == name) return std::string(why);
  if (parameter.kind == ParameterKind::table) return "tables of places are drawn by kinds that know the geometry";
  if (parameter.kind == ParameterKind::text) return "a name has no range";
  return "";
}

std::vector<const Parameter*> drawn_for(const std::vector<Parameter>& parameters, const std::string& layer) {
  std::vector<const Parameter*> all;
  for (const Parameter& parameter : parameters)
    if (parameter.kind != ParameterKind::section && may_concern(parameter, layer) && why_undrawn(parameter).empty())
      all.push_back(&parameter);
  return all;
}

std::vector<std::string> draw_own_sizes(const std::vector<Parameter>& parameters, const std::string& layer, RandomStream& random) {
  const std::string section = layer_section(layer);
  std::vector<const Parameter*> own;
  for (const Parameter& parameter : parameters)
    if (parameter.path().starts_with(section) && std::ranges::find(unsized, parameter.name) == unsized.end()) own.push_back(&parameter);
  std::vector<std::string> set;
  for (std::uint64_t left = random.below(3); left > 0 && !own.empty(); --left) {
    const Parameter& parameter = *own[random.below(own.size())];
    const std::string value = other_value(parameter, random);
    if (!value.empty()) set.push_back(parameter.path() + "=" + value);
  }
  return set;
}

std::vector<std::string> draw_parameters(const std::vector<Parameter>& parameters, const std::string& layer, RandomStream& random) {
  std::vector<const Parameter*> all = drawn_for(parameters, layer);
  std::erase_if(all, [](const Parameter* parameter) { return is_of_layers(*parameter); });  // as draws 8 were
  std::vector<std::string> set;
  for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
    const Parameter& parameter = *all[random.below(all.size())];
    const std::string value = drawn_value(parameter, random);
    if (!value.empty()) set.push_back(parameter.path() + "=" + value);
  }
  return set;
}

bool is_own(const Parameter& parameter) { return is_of_layers(parameter) || parameter.section.starts_with("hosts."); }

std::vector<DrawnClass> classes_of(const Parameter& parameter) {
  std::vector<DrawnClass> classes;
  const auto add = [&](ValueClass one, const std::string& value) {
    const auto has = [&](const DrawnClass& other) { return !value.empty() && other.fixed == value; };
    const auto is_this = [&](const Undrawn& unsafe) { return unsafe.begin == parameter.name + "=" + value; };
    if (is_of_layers(parameter) && std::ranges::any_of(unsafe_values, is_this)) return;
    if (!is_value(parameter, value) && std::ranges::none_of(classes, has)) classes.push_back({one, value});
  };
  if (parameter.kind == ParameterKind::boolean) {
    add(ValueClass::named, parameter.value == "true" ? "false" : "true");
  } else if (parameter.kind == ParameterKind::choice) {
    for (const std::string& name : parameter.names) add(ValueClass::named, name);
  } else if (parameter.kind == ParameterKind::quantity && is_speed(parameter.dimension)) {  // at an end of its range a drive never answers
    add(ValueClass::smaller, "");
    add(ValueClass::larger, "");
  } else {
    const bool whole = parameter.kind != ParameterKind::real;
    add(ValueClass::lowest, fixed_value(parameter, ValueClass::lowest));
    add(ValueClass::highest, fixed_value(parameter, ValueClass::highest));
    if (whole) add(ValueClass::below, fixed_value(parameter, ValueClass::below));
    if (whole) add(ValueClass::above, fixed_value(parameter, ValueClass::above));
    const bool zero = whole ? amount_of(parameter).value == 0 : std::stod(parameter.value) == 0;
    const auto differs = [&](std::uint64_t eighths) { return !is_value(parameter, multiple(parameter, eighths)); };
    if (!zero && differs(7)) add(ValueClass::smaller, "");
    if ((!zero || whole) && differs(9)) add(ValueClass::larger, "");
  }
  return classes;
}

std::string value_of(const Parameter& parameter, const DrawnClass& one, RandomStream& random) {
  if (!one.fixed.empty()) return one.fixed;
  const bool smaller = one.value == ValueClass::smaller;
  return multiple(parameter, smaller ? 1 + random.below(7) : 9 + random.below(56));
}

}  // namespace tessera
