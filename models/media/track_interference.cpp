#include "media/track_interference.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

void TrackInterference::save_state(StateWriter& out) const {
  std::vector<std::uint64_t> keys;
  keys.reserve(exposed_.size());
  for (const auto& [key, writes] : exposed_) keys.push_back(key);
  std::ranges::sort(keys);
  out.sorted(keys);
  for (const std::uint64_t key : keys) out.number(exposed_.find(key)->second);
}

void TrackInterference::load_state(StateReader& in, std::uint64_t tracks) {
  exposed_.clear();
  const std::vector<std::uint64_t> keys = in.sorted(tracks * stride_);
  for (const std::uint64_t key : keys) exposed_[key] = static_cast<std::uint32_t>(in.number(std::uint64_t{limit_} + 1));
}

}  // namespace tessera
