#include "firmware/flash/block_erase.hpp"

#include "firmware/flash/tag_checkpoint.hpp"

namespace tessera {

Task<void> erase_blocks(FlashPort& flash, BlockPool& pool, std::span<const std::uint32_t> blocks, std::vector<FlashCommand>& commands,
                        std::uint32_t first, TagCheckpoint* checkpoint) {
  commands.clear();
  for (const std::uint32_t block : blocks) {
    if (pool.retired(block)) continue;
    FlashCommand& command = commands.emplace_back();
    command.op = FlashOp::erase;
    command.block = NandBlock(first + block);
    if (checkpoint != nullptr) checkpoint->erased(first + block);
  }
  if (commands.empty()) co_return;
  FlashBatch batch(commands);
  const Status worst = co_await flash.run(batch);
  for (const FlashCommand& command : commands) {
    const auto block = static_cast<std::uint32_t>(command.block.value()) - first;
    if (!ok(worst) && !ok(command.status)) pool.retire(block);
    pool.put(block);
  }
}

}  // namespace tessera
