#include "firmware/flash/flash_reads.hpp"
#include "firmware/flash/shared_pages.hpp"

#include <algorithm>

namespace tessera {

Task<Status> run_reads(FlashPort& flash, std::span<FlashCommand> commands) {
  if (commands.empty()) co_return Status::ok;
  join_pages(commands, flash.shape());
  FlashBatch batch(commands);
  const Status first_try = co_await flash.run(batch);
  if (ok(first_try)) co_return first_try;
  const std::uint32_t levels = flash.shape().read_retries;
  Status worst = Status::ok;
  for (FlashCommand& command : commands) {
    do {
      if (command.status != Status::media_error) break;
      if (levels != 0) ++command.retry;
      command.led = false;
      command.next = nullptr;
      FlashBatch again(std::span<FlashCommand>(&command, 1));
      const Status next_try = co_await flash.run(again);
      command.status = next_try;
    } while (command.retry < levels);
    worst = std::max(worst, command.status);
  }
  co_return worst;
}

}  // namespace tessera
