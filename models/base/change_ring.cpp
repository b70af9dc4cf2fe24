#include "base/change_ring.hpp"

namespace tessera {

ChangeRing::ChangeRing(std::size_t changes)
    : kept_(changes), chunk_(std::clamp<std::size_t>(changes / 16, 1, 4096)), changes_(((changes + chunk_ - 1) / chunk_ + 1) * chunk_) {}

void ChangeRing::withdraw(std::uint32_t signal, Picoseconds at, std::size_t laid) {
  if (withdrawals_.size() <= signal) withdrawals_.resize(signal + 1);
  auto& [all, first] = withdrawals_[signal];
  while (all.size() > first && all.back().at >= at) all.pop_back();
  if (2 * first > all.size()) {
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    first = 0;
  }
  all.push_back({begun_ + laid, at});
}

}  // namespace tessera
