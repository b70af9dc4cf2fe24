#pragma once
// Batches of flash reads with retries of each page that could not be read.
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// Runs a batch of read and read_oob commands; those that end in media_error are tried at one level of read retry after the
/// other, or once more where the flash has none. Each command keeps its own status and the level at which it was read; the result is the
/// worst of them.
[[nodiscard]] Task<Status> run_reads(FlashPort& flash, std::span<FlashCommand> commands);

}  // namespace tessera
