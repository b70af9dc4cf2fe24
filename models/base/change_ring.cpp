#include "base/change_ring.hpp"

#include <algorithm>

namespace tessera {

ChangeRing::ChangeRing(std::size_t changes)
    : chunk_(std::clamp<std::size_t>(changes / 16, 1, 4096)), chunks_((changes + chunk_ - 1) / chunk_ + 1), changes_(chunks_ * chunk_) {}

}  // namespace tessera
