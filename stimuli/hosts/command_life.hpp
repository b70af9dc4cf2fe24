#pragma once
// The life of a request whose host carries it out by commands of its own.
#include "base/check.hpp"
#include "base/request_life.hpp"

namespace tessera {

/// Has a request go on as the command that was made for it: from where it is, to where the command ends.
inline void append(RequestLife& request, const RequestLife& command) {
  TESSERA_CHECK(request.mark == command.arrival, "a request goes on as a command that did not begin where it was");
  for (std::size_t phase = 0; phase < life_phases; ++phase) request.parts[phase] += command.parts[phase];
  for (std::size_t cause = 0; cause < causes; ++cause)
    if (cause != static_cast<std::size_t>(Cause::host)) request.held_up_by[cause] += command.held_up_by[cause];
  request.mark = command.mark;
}

}  // namespace tessera
