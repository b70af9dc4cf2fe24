#include "stimuli/arrays/array_shape.hpp"

namespace tessera {

const char* to_string(ArrayKind kind) {
  constexpr const char* names[] = {"jbod", "mirror", "raid10", "raid5", "raid6", "erasure"};
  return names[static_cast<std::size_t>(kind)];
}

std::uint32_t ArrayShape::parity_chunks() const {
  switch (kind) {
    case ArrayKind::jbod:
    case ArrayKind::mirror:
    case ArrayKind::raid10: return 0;
    case ArrayKind::raid5: return 1;
    case ArrayKind::raid6: return 2;
    case ArrayKind::erasure: return parities;
  }
  return 0;
}

std::uint32_t ArrayShape::width(std::uint32_t drives) const {
  if (kind == ArrayKind::raid10) return copies;
  if (kind != ArrayKind::erasure) return drives;
  return data == 0 ? drives - spare_places : data + parities;
}

std::uint32_t ArrayShape::failures_survived(std::uint32_t drives) const {
  if (kind == ArrayKind::mirror) return drives - 1;
  return kind == ArrayKind::raid10 ? copies - 1 : parity_chunks();
}

std::uint32_t ArrayShape::fewest_drives() const {
  switch (kind) {
    case ArrayKind::jbod:
    case ArrayKind::mirror: return 2;
    case ArrayKind::raid10: return copies + 1;
    case ArrayKind::raid5: return 3;
    case ArrayKind::raid6: return 4;
    case ArrayKind::erasure: return (data == 0 ? 2 : data) + parities + spare_places;
  }
  return 2;
}

std::string ArrayShape::text(std::uint32_t drives) const {
  std::string text = to_string(kind);
  if (kind == ArrayKind::raid10) text += " (" + std::to_string(copies) + " copies)";
  if (kind == ArrayKind::erasure) text += " " + std::to_string(width(drives) - parities) + "+" + std::to_string(parities);
  if (hashed()) text += " by hash";
  return text;
}

}  // namespace tessera
