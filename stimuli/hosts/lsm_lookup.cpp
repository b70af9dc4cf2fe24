// The host with a log-structured merge tree: where the newest data of a key is. Indexes and filters of all files are in host memory
// (max_open_files = -1), so that a lookup reads nothing from the drive but the data, and that of files whose filters are wrong.
#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

namespace {

/// Evenly spread bits of key and file: splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t scattered(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

}  // namespace

bool LsmHost::filter_is_wrong(std::uint64_t key, const LsmFile& file) const {
  return scattered(scattered(key) ^ file.id) % 65536 < wrong_per_65536_;
}

/// Adds the places that a get of this key reads in vain.
LsmHost::Found LsmHost::find(std::uint64_t key, std::vector<std::uint64_t>* in_vain) {
  const auto in_table = [&](const Table& table) -> const Value* {
    ++cpu_.sectors;
    const auto at = table.values.find(key);
    return at == table.values.end() ? nullptr : &at->second;
  };
  const auto of_value = [](const Value& value) {
    return Found{.known = true, .lost = value.lost, .value = value.deleted || value.lost ? nullptr : &value, .place = {}};
  };
  if (const Value* const value = in_table(active_)) return of_value(*value);
  for (auto table = immutable_.rbegin(); table != immutable_.rend(); ++table)
    if (const Value* const value = in_table(*table)) return of_value(*value);
  const auto in_file = [&](const LsmFile& file) -> Found {
    ++cpu_.sectors;
    Found found;
    found.known = true;
    if (const auto position = file.find(key)) {
      found.lost = file.lacks(key);
      if (!found.lost) found.place = file.run(*position, 1).place;
      return found;
    }
    if (file.deletes(key)) return found;
    if (in_vain != nullptr && file.keys.size() != 0 && filter_is_wrong(key, file))
      in_vain->push_back(file.run(std::min(file.keys.lower_bound(key), file.keys.size() - 1), 1).place);
    return {};
  };
  for (const LsmFilePtr& file : tree_.level(0))
    if (file->covers(key))
      if (const Found found = in_file(*file); found.known) return found;
  for (std::uint32_t level = 1; level < lsm_levels; ++level)
    if (const LsmFilePtr file = tree_.covering(level, key))
      if (const Found found = in_file(*file); found.known) return found;
  return {};
}

}  // namespace tessera
