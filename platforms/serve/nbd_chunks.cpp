// Structured replies: an answer in chunks, of data, of holes, of states, or of errors with a sentence.
#include <algorithm>

#include "platforms/serve/nbd_connection.hpp"

namespace tessera {

using nbd::put;

namespace {

constexpr std::uint32_t structured_magic = 0x668e33ef;
constexpr std::uint16_t chunk_done = 1;
constexpr std::uint16_t type_data = 1, type_hole = 2, type_status = 5, type_error = (1U << 15U) + 1, type_error_at = (1U << 15U) + 2;
constexpr std::size_t longest_sentence = 4096;

bool all_zero(std::span<const std::byte> data) {
  return std::all_of(data.begin(), data.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

void NbdConnection::chunk(std::uint64_t cookie, bool last, std::uint16_t type, std::size_t length) {
  put(to_send(), structured_magic);
  put(to_send(), last ? chunk_done : std::uint16_t{0});
  put(to_send(), type);
  put(to_send(), cookie);
  put(to_send(), static_cast<std::uint32_t>(length));
}

/// Runs of sectors that hold nothing but zeros are sent as holes.
void NbdConnection::read_chunks(const NbdRequest& request, std::span<const std::byte> data) {
  const std::size_t step = request.in_one ? data.size() : export_.preferred;
  for (std::size_t from = 0; from < data.size();) {
    const auto zero_at = [&](std::size_t at) { return !request.in_one && all_zero(data.subspan(at, std::min(step, data.size() - at))); };
    const bool hole = zero_at(from);
    std::size_t to = std::min(from + step, data.size());
    while (to < data.size() && zero_at(to) == hole) to = std::min(to + step, data.size());
    const bool last = to == data.size();
    if (hole) {
      chunk(request.cookie, last, type_hole, sizeof(std::uint64_t) + sizeof(std::uint32_t));
      put(to_send(), request.offset + from);
      put(to_send(), static_cast<std::uint32_t>(to - from));
    } else {
      chunk(request.cookie, last, type_data, sizeof(std::uint64_t) + (to - from));
      put(to_send(), request.offset + from);
      to_send().insert(to_send().end(), data.begin() + static_cast<std::ptrdiff_t>(from), data.begin() + static_cast<std::ptrdiff_t>(to));
    }
    from = to;
  }
}

void NbdConnection::error_chunk(const NbdRequest& request, NbdError error, std::string_view why, std::optional<std::uint64_t> at) {
  why = why.substr(0, longest_sentence);
  constexpr std::size_t fixed = sizeof(std::uint32_t) + sizeof(std::uint16_t);
  chunk(request.cookie, true, at ? type_error_at : type_error, fixed + why.size() + (at ? sizeof *at : 0));
  put(to_send(), static_cast<std::uint32_t>(error));
  put(to_send(), static_cast<std::uint16_t>(why.size()));
  for (const char c : why) to_send().push_back(static_cast<std::byte>(c));
  if (at) put(to_send(), *at);
}

void NbdConnection::status(const NbdRequest& request, std::span<const NbdExtent> extents) {
  begin_answer(request);
  if (output_ended_) return;
  chunk(request.cookie, true, type_status, sizeof NbdOptions::context_id + extents.size() * 2 * sizeof(std::uint32_t));
  put(to_send(), NbdOptions::context_id);
  for (const NbdExtent& extent : extents) {
    put(to_send(), extent.length);
    put(to_send(), extent.state);
  }
}

}  // namespace tessera
