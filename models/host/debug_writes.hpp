#pragma once
// Blocks that were written without time, on top of what the drive holds. Where the bytes of a block lie in a drive at work (write cache,
// flash, log, platters, and copies of these) is the firmware's affair, so that they stay here: a read that brings what the block held
// before gives them instead. A write of the host takes their place, and where a power cut takes that back, they are what is left.
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "base/address.hpp"
#include "base/content.hpp"

namespace tessera {

class DebugWrites {
 public:
  using Block = std::array<std::byte, host_block_bytes>;

  [[nodiscard]] bool empty() const { return blocks_.empty(); }
  /// The block, of which the drive would give `before`, holds `bytes` from here on. Nothing of it may be under way.
  void put(HostBlock block, const Block& before, const Block& bytes);
  /// A write or trim of the block was sent to the drive.
  void sent(HostBlock block);
  /// It was acknowledged; of a trim, with zeros.
  void acknowledged(HostBlock block, std::span<const std::byte> bytes);
  /// Puts right what a read brought of the block.
  void read(HostBlock block, std::span<std::byte> bytes);

 private:
  struct Written {
    Block bytes;
    std::vector<Block> before;  ///< what the drive may give in their place
    bool overwritten = false;   ///< a write was sent, which may be what the drive gives
  };
  boost::unordered_flat_map<std::uint64_t, Written> blocks_;
};

}  // namespace tessera
