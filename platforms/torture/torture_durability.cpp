#include "platforms/torture/torture_durability.hpp"

#include <algorithm>

#include "platforms/description/listing.hpp"

namespace tessera {

namespace {

using cli::TortureDurability;

constexpr const char* usual_cache = "64 KiB";

/// Layers with a buffer of their own have its durability among their parameters, under this path; "" for the others.
std::string own_durability(DriveConfig& drive, const std::string& layer) {
  const std::string path = layer_section(layer) + "durability";
  ParameterCollector collector;
  drive.describe(collector);
  const bool has = std::ranges::any_of(collector.parameters(), [&](const auto& parameter) { return parameter.path() == path; });
  return has ? path : "";
}

}  // namespace

const char* name_of(TortureDurability durability) {
  switch (durability) {
    case TortureDurability::plp: return "plp";
    case TortureDurability::journal: return "journal";
    case TortureDurability::volatile_memory: return "volatile";
    case TortureDurability::none: return "none";
  }
  return "";
}

std::vector<std::string> durability_settings(DriveConfig& plain, const std::string& layer, TortureDurability durability) {
  std::vector<std::string> set;
  const std::string own = own_durability(plain, layer);
  if (!own.empty() && durability != TortureDurability::none) set.push_back(own + "=" + name_of(durability));
  const bool journals_itself = !own.empty() && durability == TortureDurability::journal;
  if (durability == TortureDurability::none || journals_itself) {
    set.emplace_back("firmware.write_cache.capacity=0 B");
    return set;
  }
  if (plain.firmware.write_cache.capacity == Bytes(0)) set.push_back(std::string("firmware.write_cache.capacity=") + usual_cache);
  set.push_back(std::string("firmware.write_cache.durability=") + name_of(durability));
  return set;
}

}  // namespace tessera
