#include "stimuli/arrays/array_layout.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace tessera {

ArrayLayout::ArrayLayout(const ArrayShape& shape, std::uint32_t chunk_blocks, const std::vector<std::uint64_t>& drive_blocks,
                         HostBlock first)
    : shape_(shape), chunk_(chunk_blocks), first_(first) {
  const auto drives = static_cast<std::uint32_t>(drive_blocks.size());
  TESSERA_CHECK(chunk_ > 0 && (drives >= shape.fewest_drives() || shape.kind == ArrayKind::jbod),
                "an array without chunks or with too few drives");
  for (const std::uint64_t blocks : drive_blocks) rows_of_.push_back((blocks - std::min(blocks, first.value())) / chunk_);
  width_ = shape.width(drives);
  if (shape.kind == ArrayKind::jbod) {
    rows_ = *std::ranges::max_element(rows_of_);
    columns_ = drives;
    ends_.resize(drives);
    std::partial_sum(rows_of_.begin(), rows_of_.end(), ends_.begin());
    user_blocks_ = ends_.back() * chunk_;
    alike_ = *std::ranges::min_element(rows_of_) == rows_;
    return;
  }
  parities_ = shape.parity_chunks();
  columns_ = has_parity() ? width_ - parities_ : 1;
  rows_ = *std::ranges::min_element(rows_of_);
  if (shape.hashed()) {
    hashed_.emplace(width_, shape.spare_places, shape.groups, rows_of_);
    rows_ = hashed_->rows();
  } else if (shape.narrow()) {
    narrow_.emplace(width_, drives, shape.spare_places, shape.kind == ArrayKind::erasure);
    rows_ = narrow_->rows(rows_);
  }
  user_blocks_ = rows_ * columns_ * chunk_;
}

HostBlock ArrayLayout::drive_end() const {
  const std::uint64_t chunks = hashed_      ? hashed_->most_lines()
                               : rows_ == 0 ? 0
                               : narrow_    ? narrow_->place_of(ArrayRow(rows_ - 1), width_ - 1).line + 1
                                            : rows_;
  return first_ + chunks * chunk_;
}

double ArrayLayout::share_used() const {
  const std::uint64_t chunks = std::accumulate(rows_of_.begin(), rows_of_.end(), std::uint64_t{0});
  return static_cast<double>(rows_ * (width_ + shape_.spare_places)) / static_cast<double>(std::max<std::uint64_t>(chunks, 1));
}

double ArrayLayout::rows_abreast() const {
  if (hashed_) return static_cast<double>(drives()) / width_;
  return narrow_ ? static_cast<double>(narrow_->used()) / width_ : 1;
}

ArrayParts ArrayLayout::parts(ArrayBlock first, std::uint32_t count) const {
  TESSERA_CHECK(first.value() + count <= user_blocks_, "a request beyond the array");
  ArrayParts parts;
  std::uint64_t chunk = first.value() / chunk_;
  std::uint32_t drive = 0;  // of a jbod
  if (kind() == ArrayKind::jbod) {
    drive = static_cast<std::uint32_t>(alike_ ? chunk / rows_ : std::ranges::upper_bound(ends_, chunk) - ends_.begin());
    chunk -= drive == 0 ? 0 : ends_[drive - 1];
  }
  auto begin = static_cast<std::uint32_t>(first.value() % chunk_);
  const bool in_row = kind() != ArrayKind::jbod;
  if (count <= chunk_ - begin) {  // mostly
    parts.push_back(
        {ArrayRow(in_row ? chunk / columns_ : chunk), in_row ? static_cast<std::uint32_t>(chunk % columns_) : drive, begin, count, 0});
    return parts;
  }
  for (std::uint32_t offset = 0; offset < count;) {
    const std::uint32_t length = std::min(chunk_ - begin, count - offset);
    if (kind() == ArrayKind::jbod)
      parts.push_back({ArrayRow(chunk), drive, begin, length, offset});
    else
      parts.push_back({ArrayRow(chunk / columns_), static_cast<std::uint32_t>(chunk % columns_), begin, length, offset});
    offset += length;
    begin = 0;
    ++chunk;
    while (kind() == ArrayKind::jbod && offset < count && chunk >= rows_of_[drive]) {
      chunk = 0;
      ++drive;
    }
  }
  return parts;
}

DriveSlot ArrayLayout::slot_of(ArrayRow row, std::uint32_t member) const {
  if (hashed_) return hashed_->slot_of(row, member);
  if (narrow_) return narrow_->place_of(row, member).slot;
  if (parities_ == 0) return DriveSlot(member);
  const std::uint32_t n = drives();
  const auto p = static_cast<std::uint32_t>(n - 1 - row.value() % n);
  return DriveSlot(member < columns_ ? (p + parities_ + member) % n : (p + member - columns_) % n);
}

std::optional<std::uint32_t> ArrayLayout::member_of(ArrayRow row, DriveSlot slot) const {
  for (std::uint32_t member = 0; member < width_; ++member)
    if (slot_of(row, member) == slot) return member;
  return std::nullopt;
}

HostBlock ArrayLayout::place_of(ArrayRow row, std::uint32_t member, DriveSlot holder) const {
  if (hashed_) return first_ + hashed_->line_on(row, holder) * chunk_;
  return first_ + (narrow_ ? narrow_->place_of(row, member).line : row.value()) * chunk_;
}

DriveSlot ArrayLayout::spare_for(ArrayRow row, std::uint32_t member, std::uint32_t number) const {
  if (hashed_) return hashed_->spare_for(row, number);
  return narrow_->spare_in(narrow_->place_of(row, member).line, number);
}

}  // namespace tessera
