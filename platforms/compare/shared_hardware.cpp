#include "platforms/compare/shared_hardware.hpp"

#include <algorithm>

namespace tessera {

namespace {

constexpr const char* none = "none";
constexpr const char* flash_cache = "flash cache";
constexpr const char* host_buffer = "write buffer in the host";

/// The value at a dotted path; null where there is none.
const DescriptionValue* value_at(const DescriptionValue& of, std::string_view path) {
  const DescriptionValue* value = &of;
  while (value != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    value = value->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return value;
}

std::string text_at(const DescriptionValue& drive, std::string_view path) {
  const DescriptionValue* const value = value_at(drive, path);
  const auto* const text = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  return text == nullptr ? none : *text;
}

std::int64_t number_at(const DescriptionValue& drive, std::string_view path) {
  const DescriptionValue* const value = value_at(drive, path);
  const auto* const number = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  return number == nullptr ? 0 : *number;
}

bool flag_at(const DescriptionValue& drive, std::string_view path) {
  const DescriptionValue* const value = value_at(drive, path);
  const auto* const flag = value == nullptr ? nullptr : std::get_if<bool>(&value->data);
  return flag != nullptr && *flag;
}

/// DRAM that takes the host's writes: the drive's write cache, or the layer's own buffer.
std::string write_buffer(const DescriptionValue& drive, std::string_view section, bool own_buffer) {
  std::string cache = text_at(drive, "firmware.write_cache.capacity");
  if (!own_buffer) return cache == "0 B" ? none : cache;
  if (cache != "0 B" && !flag_at(drive, "firmware.write_cache.yields")) return cache;
  const std::string memory = text_at(drive, std::string(section) + "memory");
  return memory == none ? text_at(drive, std::string(section) + "buffer") : memory;
}

/// Of a host that translates; the others acknowledge nothing from their memory.
std::string buffer_in_host(const DescriptionValue& drive) {
  if (text_at(drive, "hosts.translation") == "lsm")
    return std::to_string(number_at(drive, "hosts.lsm.memtables")) + " tables of " + text_at(drive, "hosts.lsm.memtable");
  return text_at(drive, "hosts." + text_at(drive, "hosts.translation") + ".write_buffer");
}

/// Few have these: that nobody has one is not worth a word.
bool not_worth_a_word(const std::string& part, const std::string& value) {
  return (part == flash_cache && value == "0 B") || (part == host_buffer && value == none);
}

std::string read_cache(const DescriptionValue& drive) {
  const std::int64_t segments = number_at(drive, "firmware.read_cache.segments");
  if (segments == 0) return none;
  return std::to_string(segments) + " segments of " + std::to_string(number_at(drive, "firmware.read_cache.segment_sectors")) + " sectors";
}

std::string flash(const DescriptionValue& drive) {
  std::string digits = std::to_string(number_at(drive, "nand.blocks"));
  if (digits == "0") return none;
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits + " blocks";
}

std::string queue(const DescriptionValue& drive) {
  std::string order = text_at(drive, "controller.scheduling");
  std::ranges::replace(order, '_', ' ');
  return order;
}

/// Each value of a part, with the layers that have it, in order of appearance.
using Holders = std::vector<std::pair<std::string, std::string>>;

Holders holders_of(std::span<const LayerHardware> layers, std::size_t part) {
  Holders holders;
  for (const LayerHardware& layer : layers) {
    const std::string& value = layer.parts[part].second;
    const auto at = std::ranges::find(holders, value, &Holders::value_type::first);
    if (at == holders.end())
      holders.emplace_back(value, layer.layer);
    else
      at->second += ", " + layer.layer;
  }
  return holders;
}

}  // namespace

LayerHardware hardware_of(const DescriptionValue& drive, const std::string& layer, std::string_view section, bool own_buffer) {
  const DescriptionValue* const cache = value_at(drive, "firmware.flash_cache.capacity");
  return {layer,
          {{flash_cache, cache == nullptr ? "0 B" : text_at(drive, "firmware.flash_cache.capacity")},
           {"write buffer", write_buffer(drive, section, own_buffer)},
           {host_buffer, buffer_in_host(drive)},
           {"read cache", read_cache(drive)},
           {"DRAM", text_at(drive, "dram.capacity")},
           {"flash", flash(drive)},
           {"queue", queue(drive)}}};
}

std::string shared_hardware(std::span<const LayerHardware> layers) {
  if (layers.empty()) return {};
  std::string text = "Equal for all: the platters";
  std::string unequal;
  for (std::size_t part = 0; part < layers.front().parts.size(); ++part) {
    const std::string& name = layers.front().parts[part].first;
    const Holders holders = holders_of(layers, part);
    if (holders.size() == 1) {
      if (!not_worth_a_word(name, holders.front().first)) text += ", " + name + " " + holders.front().first;
      continue;
    }
    unequal += " NOT equal: " + name + ": ";
    for (const auto& [value, who] : holders) unequal += (&value == &holders.front().first ? "" : "; ") + value + " (" + who + ")";
    unequal += ".";
  }
  return text + "." + unequal;
}

}  // namespace tessera
