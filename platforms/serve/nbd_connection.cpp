#include "platforms/serve/nbd_connection.hpp"

#include <algorithm>

namespace tessera {

namespace {

// The protocol's magic numbers, in the order in which they come up.
constexpr std::uint64_t greeting_magic = 0x4e42444d41474943;  // "NBDMAGIC"
constexpr std::uint64_t option_magic = 0x49484156454f5054;    // "IHAVEOPT"
constexpr std::uint64_t option_reply_magic = 0x0003e889045565a9;
constexpr std::uint32_t request_magic = 0x25609513;
constexpr std::uint32_t reply_magic = 0x67446698;

constexpr std::uint16_t fixed_newstyle = 1;
constexpr std::uint16_t no_zeroes = 2;
constexpr std::size_t zeroes = 124;  // behind the answer to EXPORT_NAME

constexpr std::uint32_t option_export_name = 1, option_abort = 2, option_list = 3, option_info = 6, option_go = 7;
constexpr std::uint32_t reply_ack = 1, reply_server = 2, reply_info = 3, reply_unsupported = (1U << 31U) + 1,
                        reply_invalid = (1U << 31U) + 3;
constexpr std::uint16_t info_export = 0, info_block_size = 3;
constexpr std::uint32_t longest_option = 65'536;  // a name is at most 4,096 bytes

// HAS_FLAGS, SEND_FLUSH, SEND_FUA, ROTATIONAL, SEND_TRIM, CAN_MULTI_CONN: a flush covers what any connection was acknowledged.
constexpr std::uint16_t transmission_flags = 1U << 0U | 1U << 2U | 1U << 3U | 1U << 4U | 1U << 5U | 1U << 8U;
constexpr std::uint16_t command_fua = 1;

constexpr std::size_t option_header = 16;
constexpr std::size_t request_header = 28;

template <class Integer>
void put(std::vector<std::byte>& out, Integer value) {
  for (std::size_t byte = sizeof value; byte-- > 0;) out.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * byte)));
}

template <class Integer>
Integer get(std::span<const std::byte> in, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < sizeof(Integer); ++byte) value = value << 8U | std::to_integer<std::uint64_t>(in[at + byte]);
  return static_cast<Integer>(value);
}

}  // namespace

NbdConnection::NbdConnection(const NbdExport& exported) : export_(exported) {
  put(out_, greeting_magic);
  put(out_, option_magic);
  put<std::uint16_t>(out_, fixed_newstyle | no_zeroes);
}

void NbdConnection::feed(std::span<const std::byte> bytes) {
  if (ended()) return;
  if (taken_ == in_.size()) {
    in_.clear();
    taken_ = 0;
  } else if (taken_ > in_.size() / 2) {
    in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  in_.insert(in_.end(), bytes.begin(), bytes.end());
}

void NbdConnection::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < out_.size()) return;
  out_.clear();
  sent_ = 0;
}

bool NbdConnection::next(NbdRequest& request) {
  while (phase_ == Phase::flags || phase_ == Phase::options)
    if (!negotiate()) return false;
  while (phase_ == Phase::transmission && in().size() >= request_header) {
    const auto flags = get<std::uint16_t>(in(), 4);
    const auto type = get<std::uint16_t>(in(), 6);
    request = {static_cast<NbdCommand>(type), (flags & command_fua) != 0,   get<std::uint64_t>(in(), 8),
               get<std::uint64_t>(in(), 16),  get<std::uint32_t>(in(), 24), {}};
    const bool writes = request.command == NbdCommand::write;
    const bool lies = get<std::uint32_t>(in(), 0) != request_magic || (writes && request.length > export_.largest);
    if (lies || request.command == NbdCommand::disconnect) {
      phase_ = Phase::ended;
      return false;
    }
    const std::size_t payload = writes ? request.length : 0;
    if (in().size() < request_header + payload) return false;
    const NbdError error = refusal(request, flags);
    if (error == NbdError::none && writes) {
      const auto data = in().subspan(request_header, payload);
      request.data.assign(data.begin(), data.end());
    }
    take(request_header + payload);
    if (error == NbdError::none) return true;
    reply(request.cookie, error);
  }
  return false;
}

NbdError NbdConnection::refusal(const NbdRequest& request, std::uint16_t flags) const {
  if (request.command > NbdCommand::trim || (flags & ~command_fua) != 0) return NbdError::invalid;
  if (request.command == NbdCommand::flush) return request.offset == 0 && request.length == 0 ? NbdError::none : NbdError::invalid;
  if (request.length == 0 || request.offset % export_.smallest != 0 || request.length % export_.smallest != 0) return NbdError::invalid;
  if (request.command == NbdCommand::read && request.length > export_.largest) return NbdError::invalid;
  const bool inside = request.offset <= export_.size && request.length <= export_.size - request.offset;
  if (inside) return NbdError::none;
  return request.command == NbdCommand::write ? NbdError::no_space : NbdError::invalid;
}

void NbdConnection::reply(std::uint64_t cookie, NbdError error, std::span<const std::byte> data) {
  put(out_, reply_magic);
  put(out_, static_cast<std::uint32_t>(error));
  put(out_, cookie);
  if (error == NbdError::none) out_.insert(out_.end(), data.begin(), data.end());
}

bool NbdConnection::negotiate() { return phase_ == Phase::flags ? take_flags() : take_option(); }

bool NbdConnection::take_flags() {
  if (in().size() < sizeof(std::uint32_t)) return false;
  const auto flags = get<std::uint32_t>(in(), 0);
  take(sizeof flags);
  without_zeroes_ = (flags & no_zeroes) != 0;
  phase_ = (flags & ~std::uint32_t{fixed_newstyle | no_zeroes}) == 0 ? Phase::options : Phase::ended;
  return true;
}

bool NbdConnection::take_option() {
  if (in().size() < option_header) return false;
  const auto length = get<std::uint32_t>(in(), 12);
  if (get<std::uint64_t>(in(), 0) != option_magic || length > longest_option) {
    phase_ = Phase::ended;
    return false;
  }
  if (in().size() < option_header + length) return false;
  const auto option = get<std::uint32_t>(in(), 8);
  const auto data = in().subspan(option_header, length);
  take(option_header + length);
  answer_option(option, data);
  return true;
}

/// Whatever the name, it is the one drive that there is.
void NbdConnection::answer_option(std::uint32_t option, std::span<const std::byte> data) {
  switch (option) {
    case option_export_name:
      put(out_, export_.size);
      put(out_, transmission_flags);
      if (!without_zeroes_) out_.resize(out_.size() + zeroes);
      phase_ = Phase::transmission;
      return;
    case option_abort:
      option_reply(option, reply_ack);
      phase_ = Phase::ended;
      return;
    case option_list:
      option_reply(option, reply_server, std::vector<std::byte>(sizeof(std::uint32_t)));  // one export, with an empty name
      return option_reply(option, reply_ack);
    case option_info:
    case option_go: return answer_go(option, data);
    default: return option_reply(option, reply_unsupported);
  }
}

void NbdConnection::answer_go(std::uint32_t option, std::span<const std::byte> data) {
  constexpr std::size_t fixed = sizeof(std::uint32_t) + sizeof(std::uint16_t);  // length of the name, number of requests for information
  const std::uint64_t name = data.size() < fixed ? 0 : get<std::uint32_t>(data, 0);
  if (data.size() < fixed || name > data.size() - fixed) return option_reply(option, reply_invalid);
  const auto asked = get<std::uint16_t>(data, sizeof(std::uint32_t) + name);
  if (data.size() != fixed + name + std::size_t{asked} * sizeof(std::uint16_t)) return option_reply(option, reply_invalid);
  std::vector<std::byte> information;
  put(information, info_export);
  put(information, export_.size);
  put(information, transmission_flags);
  option_reply(option, reply_info, information);
  information.clear();
  put(information, info_block_size);
  for (const std::uint32_t size : {export_.smallest, export_.preferred, export_.largest}) put(information, size);
  option_reply(option, reply_info, information);
  option_reply(option, reply_ack);
  if (option == option_go) phase_ = Phase::transmission;
}

void NbdConnection::option_reply(std::uint32_t option, std::uint32_t type, std::span<const std::byte> data) {
  put(out_, option_reply_magic);
  put(out_, option);
  put(out_, type);
  put(out_, static_cast<std::uint32_t>(data.size()));
  out_.insert(out_.end(), data.begin(), data.end());
}

}  // namespace tessera
