#include "firmware/defects/faulty_writes.hpp"

#include <algorithm>

#include "firmware/defects/step_part.hpp"

namespace tessera {

namespace {
constexpr std::uint32_t most_parts = MediaChain::max_steps;
}

FaultyWrites::FaultyWrites(MediaPort& media) : media_(media) { media_.supervise(this); }

FaultyWrites::~FaultyWrites() { media_.supervise(nullptr); }

Task<Status> FaultyWrites::carry_out(MediaChain& chain) {
  MediaChain rest(MediaClass::recovery, chain.lost);
  Status status = chain.status;
  while (true) {
    const MediaStep& stopped = chain.steps()[chain.steps_done];
    if (stopped.op == MediaOp::write && status == Status::media_error) status = co_await write_others(stopped);
    if (!chain.goes_on(status)) co_return status;
    rest.clear();
    for (const MediaStep& step : chain.steps().subspan(++chain.steps_done)) rest.add(step);
    if (rest.empty()) co_return Status::ok;
    status = co_await media_.run(rest);
    chain.steps_done += rest.steps_done;
    if (ok(status)) co_return status;
  }
}

/// `media_error` where a sector could not be written.
Task<Status> FaultyWrites::write_others(MediaStep step) {
  MediaChain chain(MediaClass::recovery);
  Status worst = Status::ok;
  std::uint32_t grain = step.run.count;
  for (std::uint32_t done = 0; done < step.run.count;) {
    chain.clear();
    for (std::uint32_t next = done; next < step.run.count && chain.steps().size() < most_parts; next += grain)
      chain.add(part_of_step(step, next, std::min(grain, step.run.count - next), media_));
    const Status status = co_await media_.run(chain);
    for (const MediaStep& part : chain.steps().first(chain.steps_done)) done += part.run.count;
    if (ok(status)) {
      grain = step.run.count;
      continue;
    }
    if (status != Status::media_error) co_return status;
    const std::uint32_t left = chain.steps()[chain.steps_done].run.count;
    if (left > 1) {
      grain = (left + most_parts - 1) / most_parts;  // look closer
      continue;
    }
    worst = status;
    step.header = nullptr;
    grain = step.run.count;
    ++done;
  }
  co_return worst;
}

}  // namespace tessera
