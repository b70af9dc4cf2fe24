#include "base/cause.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tessera {

namespace {

struct Word {
  std::string_view word;
  Cause cause;
};

/// Names of tasks and kinds of events, those that come most often first.
constexpr Word words[] = {
    {"rmw", Cause::rmw},
    {"read_ahead", Cause::read_ahead},
    {"restore", Cause::rmw},
    {"clean", Cause::cleaning},
    {"merge", Cause::cleaning},
    {"collect", Cause::cleaning},
    {"reclaim", Cause::cleaning},
    {"evict", Cause::cleaning},
    {"erase", Cause::cleaning},
    {"append", Cause::cleaning},
    {"clean_ahead", Cause::cleaning},
    {"idle_clean", Cause::cleaning},
    {"keep_free", Cause::cleaning},
    {"destage", Cause::destage},
    {"checkpoint", Cause::checkpoint},
    {"flip", Cause::move},
    {"unflip", Cause::move},
    {"swap", Cause::move},
    {"promote", Cause::move},
    {"move", Cause::move},
    {"move_tracks", Cause::move},
};

}  // namespace

const char* to_string(Cause cause) {
  static constexpr const char* names[causes] = {"host",    "requests",   "cleaning", "rmw",        "checkpoint", "move",
                                                "destage", "read_ahead", "recovery", "background", "tags",       "flash"};
  return names[static_cast<std::size_t>(cause)];
}

std::optional<Cause> cause_of_work(const char* word) {
  const std::string_view whole(word);
  const auto* const found = std::ranges::find(words, whole.substr(0, whole.find('.')), &Word::word);
  if (found == std::end(words)) return std::nullopt;
  return found->cause;
}

}  // namespace tessera
