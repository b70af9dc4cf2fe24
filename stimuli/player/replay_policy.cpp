#include "stimuli/player/replay_policy.hpp"

#include <charconv>
#include <string>

#include "base/error.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

ReplayPolicy ReplayPolicy::parse(std::string_view text) {
  if (text == "timed") return {};
  if (text == "think") return {ReplayKind::think, 1};
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  ReplayPolicy policy;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), policy.depth);
  const bool valid = error == std::errc() && end == number.data() + number.size() && policy.depth >= 1 && policy.depth <= 65'536;
  if (!valid || (kind != "queue" && kind != "closed"))
    throw InputError("replay '" + std::string(text) + "': expected timed, think, queue:N or closed:N with N from 1 to 65536");
  policy.kind = kind == "queue" ? ReplayKind::queue : ReplayKind::closed;
  return policy;
}

ReplayPolicy ReplayPolicy::settled(const TraceSource& input) const {
  const bool told = input.tells_think_times();
  if (kind == ReplayKind::by_input) return told ? ReplayPolicy{ReplayKind::think, 1} : ReplayPolicy{};
  if (kind != ReplayKind::think) return *this;
  if (!told)
    throw InputError(
        "--replay think: the input tells no think times (from a completion to the next arrival); DiskSim's validation format, hpval, does");
  return {ReplayKind::think, 1};
}

}  // namespace tessera
