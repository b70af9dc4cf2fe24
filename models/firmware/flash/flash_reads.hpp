#pragma once
// Batches of flash reads with one retry of each page that could not be read.
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// Runs a batch of read and read_oob commands; those that end in media_error are tried once more. Each command keeps its own
/// status; the result is the worst of them.
[[nodiscard]] Task<Status> run_reads(FlashPort& flash, std::span<FlashCommand> commands);

}  // namespace tessera
