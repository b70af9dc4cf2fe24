#include "platforms/torture/persistent_operation.hpp"

namespace tessera {

std::string PersistentOperation::in_words() const {
  switch (kind) {
    case Kind::page_program: return "page program on die " + std::to_string(die);
    case Kind::block_erase: return "block erase on die " + std::to_string(die);
    case Kind::media_write: break;
  }
  return "write of " + std::to_string(run.count) + " sectors to surface " + std::to_string(run.track.surface) + ", radius " +
         std::to_string(run.track.radius) + ", from sector " + std::to_string(run.first);
}

}  // namespace tessera
