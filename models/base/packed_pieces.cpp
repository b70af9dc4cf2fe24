#include "base/packed_pieces.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string_view>

#include "base/check.hpp"
#include "base/sparse_bytes.hpp"

namespace tessera {

namespace {

/// 16 bytes at a time: sectors of zeros are what tables mostly write.
bool all_zeros(std::span<const std::byte> bytes) {
  using Vector = std::uint64_t __attribute__((vector_size(16), may_alias));
  constexpr std::size_t at_once = 32;
  if (bytes.size() % (at_once * sizeof(Vector)) != 0 || std::bit_cast<std::uintptr_t>(bytes.data()) % sizeof(Vector) != 0)
    return bytes.empty() || (bytes.front() == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
  const auto* const vectors = reinterpret_cast<const Vector*>(bytes.data());
  for (std::size_t first = 0; first < bytes.size() / sizeof(Vector); first += at_once) {
    Vector any = vectors[first];
#pragma GCC unroll 32
    for (std::size_t i = 1; i < at_once; ++i) any |= vectors[first + i];
    if ((any[0] | any[1]) != 0) return false;
  }
  return true;
}

std::uint64_t word_at(const std::byte* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

void put_word(std::byte* at, std::uint64_t word) { std::memcpy(at, &word, sizeof(word)); }

}  // namespace

PackedPieces::PackedPieces(std::size_t piece_bytes, std::size_t whole_bytes, std::size_t period)
    : piece_bytes_(piece_bytes),
      most_whole_(std::max<std::size_t>(whole_bytes / piece_bytes, 1)),
      period_(period),
      room_(most_packed(piece_bytes)),
      unpacked_(piece_bytes) {
  TESSERA_CHECK(period == piece_bytes || (period % 8 == 0 && piece_bytes % period == 0),
                "pieces cannot resemble themselves after so many bytes");
}

void PackedPieces::write(std::uint64_t number, std::span<const std::byte> piece) {
  TESSERA_CHECK(piece.size() == piece_bytes_, "a piece has another size");
  Held& held = held_[number];
  if (held.form != Form::whole) {
    let_go(held);
    held = {};
    if (all_zeros(piece)) return;
    make_whole(number, held);
  }
  std::ranges::copy(piece, whole_of(held).begin());
}

void PackedPieces::write_part(std::uint64_t number, std::size_t offset, std::span<const std::byte> part) {
  Held& held = held_[number];
  if (held.form != Form::whole) {
    unpack_into(held, unpacked_);
    let_go(held);
    std::ranges::copy(unpacked_, make_whole(number, held).begin());
  }
  std::ranges::copy(part, whole_of(held).subspan(offset, part.size()).begin());
}

void PackedPieces::read(std::uint64_t number, std::size_t offset, std::span<std::byte> bytes) const {
  const auto found = held_.find(number);
  if (found == held_.end() || found->second.form == Form::zeros) return std::ranges::fill(bytes, std::byte{0}), void();
  const Held& held = found->second;
  std::span<const std::byte> piece = unpacked_;
  if (held.form == Form::whole)
    piece = whole_of(held);
  else
    unpack_into(held, unpacked_);
  std::ranges::copy(piece.subspan(offset, bytes.size()), bytes.begin());
}

void PackedPieces::clear() {
  held_.clear();
  whole_.clear();
  packed_.clear();
  free_.clear();
  by_hash_.clear();
  packed_bytes_ = next_ = 0;
}

/// Where there are enough of them, in place of the one that has been whole for longest.
std::span<std::byte> PackedPieces::make_whole(std::uint64_t number, Held& held) {
  if (whole_.size() < most_whole_) {
    held.place = static_cast<std::uint32_t>(whole_.size());
    whole_.push_back({std::make_unique_for_overwrite<std::byte[]>(piece_bytes_), number});
  } else {
    pack_up(held_.find(whole_[next_].number)->second);
    held.place = static_cast<std::uint32_t>(next_);
    whole_[next_].number = number;
    next_ = (next_ + 1) % most_whole_;
  }
  held.form = Form::whole;
  return whole_of(held);
}

/// The whole piece's bytes are the next one's afterwards.
void PackedPieces::pack_up(Held& held) {
  const std::span<std::byte> piece = whole_of(held);
  mix(piece);
  const std::size_t size = pack(piece, room_);
  held = {};
  if (size == 0) return;
  const auto text = [](const std::byte* bytes, std::size_t count) { return std::string_view(reinterpret_cast<const char*>(bytes), count); };
  const std::size_t hash = std::hash<std::string_view>{}(text(room_.data(), size));
  const auto [like, first] = by_hash_.try_emplace(hash, 0);
  held.form = Form::packed;
  if (!first) {
    Packed& other = packed_[like->second];
    if (text(other.bytes.get(), other.size) == text(room_.data(), size)) {
      ++other.pieces;
      held.place = like->second;
      return;
    }
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(packed_.size()));
    packed_.emplace_back();
  }
  like->second = held.place = free_.back();
  free_.pop_back();
  packed_[held.place] = {std::make_unique_for_overwrite<std::byte[]>(size), static_cast<std::uint32_t>(size), 1, hash};
  std::copy_n(room_.begin(), size, packed_[held.place].bytes.get());
  packed_bytes_ += size;
}

void PackedPieces::unpack_into(const Held& held, std::span<std::byte> piece) const {
  if (held.form == Form::zeros) return std::ranges::fill(piece, std::byte{0}), void();
  const Packed& packed = packed_[held.place];
  unpack({packed.bytes.get(), packed.size}, piece);
  unmix(piece);
}

void PackedPieces::let_go(const Held& held) {
  if (held.form != Form::packed) return;
  Packed& packed = packed_[held.place];
  if (--packed.pieces != 0) return;
  if (const auto named = by_hash_.find(packed.hash); named != by_hash_.end() && named->second == held.place) by_hash_.erase(named);
  packed_bytes_ -= packed.size;
  packed = {};
  free_.push_back(held.place);
}

/// Leaves of each period how it differs from the one before, from the last one on.
void PackedPieces::mix(std::span<std::byte> piece) const {
  for (std::size_t at = piece_bytes_; at > period_; at -= 8)
    put_word(&piece[at - 8], word_at(&piece[at - 8]) ^ word_at(&piece[at - 8 - period_]));
}

void PackedPieces::unmix(std::span<std::byte> piece) const {
  for (std::size_t at = period_; at < piece_bytes_; at += 8) put_word(&piece[at], word_at(&piece[at]) ^ word_at(&piece[at - period_]));
}

}  // namespace tessera
