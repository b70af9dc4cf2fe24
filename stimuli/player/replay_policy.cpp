#include "stimuli/player/replay_policy.hpp"

#include <charconv>
#include <string>

#include "base/error.hpp"

namespace tessera {

ReplayPolicy ReplayPolicy::parse(std::string_view text) {
  if (text == "timed") return {};
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  ReplayPolicy policy;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), policy.depth);
  const bool valid = error == std::errc() && end == number.data() + number.size() && policy.depth >= 1 && policy.depth <= 65'536;
  if (!valid || (kind != "queue" && kind != "closed"))
    throw InputError("replay '" + std::string(text) + "': expected timed, queue:N or closed:N with N from 1 to 65536");
  policy.kind = kind == "queue" ? ReplayKind::queue : ReplayKind::closed;
  return policy;
}

}  // namespace tessera
