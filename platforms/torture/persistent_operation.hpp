#pragma once
// An operation by which something becomes persistent: a write to the platters, a page program, an erase. Journal commits, superblocks and
// headers are such operations too.
#include <cstdint>
#include <string>

#include "base/address.hpp"
#include "base/units.hpp"

namespace tessera {

struct PersistentOperation {
  enum class Kind : std::uint8_t { media_write, page_program, block_erase };
  Kind kind = Kind::media_write;
  Picoseconds begin;      ///< the first bit
  Picoseconds end;        ///< the last one
  PhysicalRun run;        ///< of a media write
  std::uint32_t die = 0;  ///< of a flash operation

  [[nodiscard]] std::string in_words() const;
};

}  // namespace tessera
