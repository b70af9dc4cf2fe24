#include "platforms/serve/nbd_options.hpp"

namespace tessera {

using nbd::get;
using nbd::put;

namespace {

constexpr std::uint64_t greeting_magic = 0x4e42444d41474943;  // "NBDMAGIC"
constexpr std::uint64_t option_magic = 0x49484156454f5054;    // "IHAVEOPT"
constexpr std::uint64_t option_reply_magic = 0x0003e889045565a9;

constexpr std::uint16_t fixed_newstyle = 1;
constexpr std::uint16_t no_zeroes = 2;
constexpr std::size_t zeroes = 124;  // behind the answer to EXPORT_NAME

constexpr std::uint32_t option_export_name = 1, option_abort = 2, option_list = 3, option_info = 6, option_go = 7,
                        option_structured_reply = 8, option_list_contexts = 9, option_set_contexts = 10;
constexpr std::uint32_t error_bit = 1U << 31U;
constexpr std::uint32_t reply_ack = 1, reply_server = 2, reply_info = 3, reply_context = 4, reply_unsupported = error_bit + 1,
                        reply_invalid = error_bit + 3, reply_too_big = error_bit + 9;
constexpr std::uint16_t info_export = 0, info_block_size = 3;
constexpr std::size_t longest_text = 4096;  // of a name or a query

// Flags of the export. Several connections: a flush covers what any of them was acknowledged.
constexpr std::uint16_t has_flags = 1U << 0U, send_flush = 1U << 2U, send_fua = 1U << 3U, rotational = 1U << 4U, send_trim = 1U << 5U,
                        send_write_zeroes = 1U << 6U, send_in_one_piece = 1U << 7U, several_connections = 1U << 8U,
                        send_fast_zero = 1U << 11U;

constexpr std::string_view allocation = "base:allocation", name_space = "base:";

void reply(std::vector<std::byte>& out, std::uint32_t option, std::uint32_t type, std::span<const std::byte> data = {}) {
  put(out, option_reply_magic);
  put(out, option);
  put(out, type);
  put(out, static_cast<std::uint32_t>(data.size()));
  out.insert(out.end(), data.begin(), data.end());
}

std::string text_of(std::span<const std::byte> data) { return {reinterpret_cast<const char*>(data.data()), data.size()}; }

/// Takes a number off `data`; none where it is too short.
template <class Integer>
std::optional<Integer> take_number(std::span<const std::byte>& data) {
  if (data.size() < sizeof(Integer)) return std::nullopt;
  const auto value = get<Integer>(data, 0);
  data = data.subspan(sizeof(Integer));
  return value;
}

/// Takes a text behind its length off `data`; none where it is too short.
std::optional<std::string> take_text(std::span<const std::byte>& data) {
  const auto length = take_number<std::uint32_t>(data);
  if (!length || *length > data.size()) return std::nullopt;
  std::string text = text_of(data.first(*length));
  data = data.subspan(*length);
  return text;
}

}  // namespace

void NbdOptions::greet(Out& out) {
  put(out, greeting_magic);
  put(out, option_magic);
  put<std::uint16_t>(out, fixed_newstyle | no_zeroes);
}

std::size_t NbdOptions::take(Data in, Out& out) {
  if (state_ == State::flags) return take_flags(in);
  if (in.size() < option_header) return 0;
  const auto length = get<std::uint32_t>(in, 12);
  if (get<std::uint64_t>(in, 0) != option_magic || length > longest_option) {
    state_ = State::ended;
    return 0;
  }
  if (in.size() < option_header + length) return 0;
  answer(get<std::uint32_t>(in, 8), in.subspan(option_header, length), out);
  return option_header + length;
}

std::size_t NbdOptions::take_flags(Data in) {
  if (in.size() < sizeof(std::uint32_t)) return 0;
  const auto flags = get<std::uint32_t>(in, 0);
  without_zeroes_ = (flags & no_zeroes) != 0;
  state_ = (flags & ~std::uint32_t{fixed_newstyle | no_zeroes}) == 0 ? State::options : State::ended;
  return sizeof flags;
}

/// Whatever the name, it is the one drive that there is.
void NbdOptions::answer(std::uint32_t option, Data data, Out& out) {
  switch (option) {
    case option_export_name:
      agree(text_of(data));
      put(out, export_.size);
      put(out, transmission_flags());
      if (!without_zeroes_) out.resize(out.size() + zeroes);
      return;
    case option_abort:
      reply(out, option, reply_ack);
      state_ = State::ended;
      return;
    case option_list:
      if (!data.empty()) return reply(out, option, reply_invalid);
      reply(out, option, reply_server, std::vector<std::byte>(sizeof(std::uint32_t)));  // one export, with an empty name
      return reply(out, option, reply_ack);
    case option_structured_reply:
      if (!data.empty()) return reply(out, option, reply_invalid);
      structured_ = true;
      return reply(out, option, reply_ack);
    case option_list_contexts:
    case option_set_contexts: return answer_contexts(option, data, out);
    case option_info:
    case option_go: return answer_go(option, data, out);
    default: return reply(out, option, reply_unsupported);
  }
}

/// A name, and numbers of what the client wants to be told: it is told the size and the sizes of blocks in any case.
void NbdOptions::answer_go(std::uint32_t option, Data data, Out& out) {
  const auto name = take_text(data);
  const auto asked = name ? take_number<std::uint16_t>(data) : std::nullopt;
  if (!asked || data.size() != std::size_t{*asked} * sizeof(std::uint16_t)) return reply(out, option, reply_invalid);
  if (name->size() > longest_text) return reply(out, option, reply_too_big);
  if (option == option_go) agree(*name);
  Out information;
  put(information, info_export);
  put(information, export_.size);
  put(information, transmission_flags());
  reply(out, option, reply_info, information);
  information.clear();
  put(information, info_block_size);
  for (const std::uint32_t size : {export_.smallest, export_.preferred, export_.largest}) put(information, size);
  reply(out, option, reply_info, information);
  reply(out, option, reply_ack);
}

/// A name, and queries: base:allocation is what there is. LIST finds it by no query and by its name space, too. A choice that is refused
/// leaves nothing chosen.
void NbdOptions::answer_contexts(std::uint32_t option, Data data, Out& out) {
  const bool chooses = option == option_set_contexts;
  if (chooses) status_of_.reset();
  auto name = take_text(data);
  const auto queries = name ? take_number<std::uint32_t>(data) : std::nullopt;
  if (!queries || (chooses && !structured_)) return reply(out, option, reply_invalid);
  bool found = !chooses && *queries == 0;
  bool too_long = name->size() > longest_text;
  for (std::uint32_t query = 0; query < *queries; ++query) {
    const auto text = take_text(data);
    if (!text) return reply(out, option, reply_invalid);
    too_long = too_long || text->size() > longest_text;
    found = found || *text == allocation || (!chooses && *text == name_space);
  }
  if (!data.empty()) return reply(out, option, reply_invalid);
  if (too_long) return reply(out, option, reply_too_big);
  if (found) {
    if (chooses) status_of_ = std::move(*name);
    Out context;
    put(context, chooses ? context_id : 0U);
    for (const char c : allocation) context.push_back(static_cast<std::byte>(c));
    reply(out, option, reply_context, context);
  }
  reply(out, option, reply_ack);
}

/// A context is chosen for an export by its name: another name has none.
void NbdOptions::agree(const std::string& name) {
  if (status_of_ != name) status_of_.reset();
  state_ = State::agreed;
}

std::uint16_t NbdOptions::transmission_flags() const {
  constexpr std::uint16_t always =
      has_flags | send_flush | send_fua | rotational | send_trim | send_write_zeroes | several_connections | send_fast_zero;
  return structured_ ? always | send_in_one_piece : always;
}

}  // namespace tessera
