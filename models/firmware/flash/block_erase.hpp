#pragma once
// Erasing blocks of a flash cache and giving them back to their pool.
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/flash/block_pool.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

class TagCheckpoint;

/// Erases `blocks` of the pool, as parallel as dies and planes allow, and puts them into it. A block that fails, or failed
/// before, is not used again. The pool's block 0 is block `first` of the flash. `commands` is working memory.
/// `checkpoint`, which may be null, is told.
[[nodiscard]] Task<void> erase_blocks(FlashPort& flash, BlockPool& pool, std::span<const std::uint32_t> blocks,
                                      std::vector<FlashCommand>& commands, std::uint32_t first = 0, TagCheckpoint* checkpoint = nullptr);

}  // namespace tessera
