#include "stimuli/arrays/array_layout.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace tessera {

const char* to_string(ArrayKind kind) {
  constexpr const char* names[] = {"jbod", "mirror", "raid5", "raid6"};
  return names[static_cast<std::size_t>(kind)];
}

std::uint32_t failures_survived(ArrayKind kind, std::uint32_t drives) {
  switch (kind) {
    case ArrayKind::jbod: return 0;
    case ArrayKind::mirror: return drives - 1;
    case ArrayKind::raid5: return 1;
    case ArrayKind::raid6: return 2;
  }
  return 0;
}

std::uint32_t fewest_drives(ArrayKind kind) {
  switch (kind) {
    case ArrayKind::jbod:
    case ArrayKind::mirror: return 2;
    case ArrayKind::raid5: return 3;
    case ArrayKind::raid6: return 4;
  }
  return 2;
}

ArrayLayout::ArrayLayout(ArrayKind kind, std::uint32_t chunk_blocks, const std::vector<std::uint64_t>& drive_blocks, HostBlock first)
    : kind_(kind), chunk_(chunk_blocks), first_(first) {
  const auto drives = static_cast<std::uint32_t>(drive_blocks.size());
  TESSERA_CHECK(chunk_ > 0 && drives >= fewest_drives(kind), "an array without chunks or with too few drives");
  for (const std::uint64_t blocks : drive_blocks) rows_of_.push_back((blocks - std::min(blocks, first.value())) / chunk_);
  if (kind == ArrayKind::jbod) {
    rows_ = *std::ranges::max_element(rows_of_);
    columns_ = drives;
    ends_.resize(drives);
    std::partial_sum(rows_of_.begin(), rows_of_.end(), ends_.begin());
    user_blocks_ = ends_.back() * chunk_;
    alike_ = *std::ranges::min_element(rows_of_) == rows_;
    return;
  }
  rows_ = *std::ranges::min_element(rows_of_);
  parities_ = kind == ArrayKind::mirror ? 0 : failures_survived(kind, drives);
  columns_ = kind == ArrayKind::mirror ? 1 : drives - parities_;
  user_blocks_ = rows_ * columns_ * chunk_;
}

ArrayParts ArrayLayout::parts(ArrayBlock first, std::uint32_t count) const {
  TESSERA_CHECK(first.value() + count <= user_blocks_, "a request beyond the array");
  ArrayParts parts;
  std::uint64_t chunk = first.value() / chunk_;
  std::uint32_t drive = 0;  // of a jbod
  if (kind_ == ArrayKind::jbod) {
    drive = static_cast<std::uint32_t>(alike_ ? chunk / rows_ : std::ranges::upper_bound(ends_, chunk) - ends_.begin());
    chunk -= drive == 0 ? 0 : ends_[drive - 1];
  }
  auto begin = static_cast<std::uint32_t>(first.value() % chunk_);
  const bool in_row = kind_ != ArrayKind::jbod;
  if (count <= chunk_ - begin) {  // mostly
    parts.push_back(
        {ArrayRow(in_row ? chunk / columns_ : chunk), in_row ? static_cast<std::uint32_t>(chunk % columns_) : drive, begin, count, 0});
    return parts;
  }
  for (std::uint32_t offset = 0; offset < count;) {
    const std::uint32_t length = std::min(chunk_ - begin, count - offset);
    if (kind_ == ArrayKind::jbod)
      parts.push_back({ArrayRow(chunk), drive, begin, length, offset});
    else
      parts.push_back({ArrayRow(chunk / columns_), static_cast<std::uint32_t>(chunk % columns_), begin, length, offset});
    offset += length;
    begin = 0;
    ++chunk;
    while (kind_ == ArrayKind::jbod && offset < count && chunk >= rows_of_[drive]) {
      chunk = 0;
      ++drive;
    }
  }
  return parts;
}

DriveSlot ArrayLayout::slot_of(ArrayRow row, std::uint32_t member) const {
  if (parities_ == 0) return DriveSlot(member);
  const std::uint32_t n = drives();
  const auto p = static_cast<std::uint32_t>(n - 1 - row.value() % n);
  return DriveSlot(member < columns_ ? (p + parities_ + member) % n : (p + member - columns_) % n);
}

std::uint32_t ArrayLayout::member_of(ArrayRow row, DriveSlot slot) const {
  for (std::uint32_t member = 0; member < drives(); ++member)
    if (slot_of(row, member) == slot) return member;
  TESSERA_CHECK(false, "a slot that the array does not have");
  return 0;
}

}  // namespace tessera
