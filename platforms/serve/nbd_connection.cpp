#include "platforms/serve/nbd_connection.hpp"

#include <algorithm>

namespace tessera {

using nbd::get;
using nbd::put;

namespace {

constexpr std::uint32_t request_magic = 0x25609513;
constexpr std::uint32_t reply_magic = 0x67446698;
constexpr std::size_t request_header = 28;

/// Flags that a command may have besides FUA, which any may have.
std::uint16_t flags_of(NbdCommand command, bool structured) {
  switch (command) {
    case NbdCommand::read: return structured ? nbd::flag_in_one_piece : 0;
    case NbdCommand::write_zeroes: return nbd::flag_no_hole | nbd::flag_fast_zero;
    case NbdCommand::block_status: return nbd::flag_one_extent;
    default: return 0;
  }
}

bool is_known(NbdCommand command, bool with_status) {
  switch (command) {
    case NbdCommand::read:
    case NbdCommand::write:
    case NbdCommand::flush:
    case NbdCommand::trim:
    case NbdCommand::write_zeroes: return true;
    case NbdCommand::block_status: return with_status;
    default: return false;
  }
}

NbdRequest request_of(std::span<const std::byte> header) {
  const auto flags = get<std::uint16_t>(header, 4);
  NbdRequest request;
  request.command = static_cast<NbdCommand>(get<std::uint16_t>(header, 6));
  request.force_unit_access = (flags & nbd::flag_fua) != 0;
  request.cookie = get<std::uint64_t>(header, 8);
  request.offset = get<std::uint64_t>(header, 16);
  request.length = get<std::uint32_t>(header, 24);
  request.keeps_space = (flags & nbd::flag_no_hole) != 0;
  request.only_if_fast = (flags & nbd::flag_fast_zero) != 0;
  request.in_one = (flags & (nbd::flag_in_one_piece | nbd::flag_one_extent)) != 0;
  return request;
}

}  // namespace

NbdConnection::NbdConnection(const NbdExport& exported) : export_(exported), options_(exported) { NbdOptions::greet(to_send()); }

void NbdConnection::feed(std::span<const std::byte> bytes) {
  if (ended()) return;
  came_in(bytes);
  looked_at_ = false;
}

void NbdConnection::end_of_output() {
  output_ended_ = true;
  sent(out().size());
}

bool NbdConnection::reads() const { return !ended() && !input_ended_ && out().size() < export_.largest && in().size() < whole_length(); }

bool NbdConnection::finished() const { return (ended() || (input_ended_ && looked_at_)) && under_way_ == 0 && out().empty(); }

/// Of what in() begins with, or more.
std::size_t NbdConnection::whole_length() const {
  if (!agreed()) return NbdOptions::longest_message;
  if (in().size() < request_header) return request_header;
  return request_header + payload_of(request_of(in()));
}

std::size_t NbdConnection::payload_of(const NbdRequest& request) const {
  return request.command == NbdCommand::write && request.length <= export_.largest ? request.length : 0;
}

bool NbdConnection::has_room(const NbdRequest& request) const {
  if (under_way_ == 0 && out().empty()) return true;
  const bool carries = request.command == NbdCommand::read || request.command == NbdCommand::write;
  const std::size_t needs = carries ? std::min(request.length, export_.largest) : request_header;
  return under_way_bytes_ + out().size() + needs <= export_.largest;
}

bool NbdConnection::haggle() {
  const std::size_t taken = options_.take(in(), to_send());
  take(taken);
  ended_ = options_.state() == NbdOptions::State::ended;
  if (output_ended_) sent(out().size());
  looked_at_ = taken == 0;
  return taken != 0 && !ended_;
}

bool NbdConnection::next(NbdRequest& request) {
  while (!ended() && !agreed())
    if (out().size() >= export_.largest || !haggle()) return false;  // the answers wait, or the rest of an option is not there
  while (!ended() && in().size() >= request_header) {
    const auto flags = get<std::uint16_t>(in(), 4);
    request = request_of(in());
    const bool writes = request.command == NbdCommand::write;
    const bool lies = get<std::uint32_t>(in(), 0) != request_magic || (writes && request.length > export_.largest);
    if (lies || request.command == NbdCommand::disconnect) {
      ended_ = true;
      return false;
    }
    const std::size_t payload = payload_of(request);
    if (in().size() < request_header + payload) break;
    if (!has_room(request)) return false;
    const bool only_asks = request.command == NbdCommand::read || request.command == NbdCommand::block_status;
    if (output_ended_ && only_asks) {
      take(request_header);
      continue;
    }
    const NbdError error = refusal(request, flags);
    if (error == NbdError::none && writes) {
      const auto data = in().subspan(request_header, payload);
      request.data.assign(data.begin(), data.end());
    }
    take(request_header + payload);
    if (error == NbdError::none) {
      ++under_way_;
      if (request.command == NbdCommand::read || writes) under_way_bytes_ += request.length;
      return true;
    }
    refuse(request, error);
  }
  looked_at_ = true;
  return false;
}

NbdError NbdConnection::refusal(const NbdRequest& request, std::uint16_t flags) const {
  if (!is_known(request.command, options_.block_status())) return NbdError::invalid;
  if ((flags & ~(nbd::flag_fua | flags_of(request.command, options_.structured_replies()))) != 0) return NbdError::invalid;
  if (request.command == NbdCommand::flush) return request.offset == 0 && request.length == 0 ? NbdError::none : NbdError::invalid;
  if (request.length == 0 || request.offset % export_.smallest != 0 || request.length % export_.smallest != 0) return NbdError::invalid;
  if (request.command == NbdCommand::read && request.length > export_.largest) return NbdError::invalid;
  const bool inside = request.offset <= export_.size && request.length <= export_.size - request.offset;
  if (inside) return NbdError::none;
  const bool writes = request.command == NbdCommand::write || request.command == NbdCommand::write_zeroes;
  return writes ? NbdError::no_space : NbdError::invalid;
}

void NbdConnection::refuse(const NbdRequest& request, NbdError error) {
  if (output_ended_) return;
  if (options_.structured_replies())
    error_chunk(request, error, "the request is not one that this drive can serve", std::nullopt);
  else
    simple(request.cookie, error);
}

void NbdConnection::begin_answer(const NbdRequest& request) {
  --under_way_;
  if (request.command == NbdCommand::read || request.command == NbdCommand::write) under_way_bytes_ -= request.length;
}

void NbdConnection::done(const NbdRequest& request, std::span<const std::byte> data) {
  begin_answer(request);
  if (output_ended_) return;
  if (options_.structured_replies() && request.command == NbdCommand::read)
    read_chunks(request, data);
  else
    simple(request.cookie, NbdError::none, data);
}

void NbdConnection::failed(const NbdRequest& request, NbdError error, std::string_view why, std::optional<std::uint64_t> at) {
  begin_answer(request);
  if (output_ended_) return;
  if (options_.structured_replies())
    error_chunk(request, error, why, at);
  else
    simple(request.cookie, error);
}

void NbdConnection::simple(std::uint64_t cookie, NbdError error, std::span<const std::byte> data) {
  put(to_send(), reply_magic);
  put(to_send(), static_cast<std::uint32_t>(error));
  put(to_send(), cookie);
  to_send().insert(to_send().end(), data.begin(), data.end());
}

}  // namespace tessera
