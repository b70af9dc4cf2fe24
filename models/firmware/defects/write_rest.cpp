#include "firmware/defects/write_rest.hpp"

namespace tessera {

Task<void> write_rest(MediaPort& media, const MediaChain& failed) {
  MediaChain rest(failed.priority, failed.lost);
  for (std::size_t next = failed.steps_done + 1; next < failed.steps().size(); next += rest.steps_done + 1) {
    rest.clear();
    for (std::size_t i = next; i < failed.steps().size(); ++i) {
      MediaStep step = failed.steps()[i];
      step.header = nullptr;
      step.headers = {};
      rest.add(step);
    }
    const Status status = co_await media.run(rest);
    if (ok(status)) co_return;
  }
}

}  // namespace tessera
