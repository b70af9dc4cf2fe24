#pragma once
// What clients are told of the drive's content without reading it: what was never written reads as zeros; what was trimmed is a hole, and
// what it reads as is the layer's affair; the rest is data.
#include "platforms/serve/nbd_protocol.hpp"
#include "platforms/serve/range_set.hpp"

namespace tessera {

class AllocationMap {
 public:
  void write(std::uint64_t offset, std::uint64_t length) {
    written_.add(offset, offset + length);
    trimmed_.remove(offset, offset + length);
  }
  /// Of what was never written nothing changes.
  void trim(std::uint64_t offset, std::uint64_t length) {
    const std::uint64_t end = offset + length;
    for (std::uint64_t at = offset; at < end;) {
      const auto [in, next] = written_.run(at, end);
      if (in) trimmed_.add(at, next);
      at = next;
    }
  }
  [[nodiscard]] bool never_written(std::uint64_t offset, std::uint64_t length) const {
    return written_.run(offset, offset + length) == std::pair(false, offset + length);
  }
  /// Of [offset, offset + length), from its begin on, no more than `most`.
  [[nodiscard]] std::vector<NbdExtent> extents(std::uint64_t offset, std::uint64_t length, std::size_t most) const {
    std::vector<NbdExtent> all;
    const std::uint64_t end = offset + length;
    for (std::uint64_t at = offset; at < end && all.size() < most;) {
      const auto [written, next] = written_.run(at, end);
      const auto [trimmed, first_other] = trimmed_.run(at, next);
      all.push_back({static_cast<std::uint32_t>(first_other - at), !written  ? NbdExtent::hole | NbdExtent::zero
                                                                   : trimmed ? NbdExtent::hole
                                                                             : NbdExtent::data});
      at = first_other;
    }
    return all;
  }

 private:
  RangeSet written_;
  RangeSet trimmed_;  ///< of what was written, and not since
};

}  // namespace tessera
