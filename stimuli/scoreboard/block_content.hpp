#pragma once
// The kept content of one host block: a tag alone, or a tag followed by a pattern that only this tag has.
#include <optional>

#include "base/content.hpp"

namespace tessera {

/// Fills the kept content of one block (kept_per_block(mode) bytes; mode tags or bytes) for the write that made `tag`, or with what it
/// held before the simulation (`tag` is its prefill mark).
void write_block(ContentSpan block, Tag tag);

/// The tag of a block, or nothing if the rest of its bytes is not what that tag's write wrote (never written: zeros; a destroyed
/// block: anything).
[[nodiscard]] std::optional<Tag> read_block(ConstContentSpan block);

}  // namespace tessera
