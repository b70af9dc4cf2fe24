#include "host/debug_writes.hpp"

#include <algorithm>

namespace tessera {

namespace {

bool same(const DebugWrites::Block& block, std::span<const std::byte> bytes) { return std::ranges::equal(block, bytes); }

}  // namespace

void DebugWrites::put(HostBlock block, const Block& before, const Block& bytes) {
  Written& written = blocks_[block.value()];
  written.bytes = bytes;
  written.overwritten = false;
  if (std::ranges::find(written.before, before) == written.before.end()) written.before.push_back(before);
}

void DebugWrites::sent(HostBlock block) {
  const auto found = blocks_.find(block.value());
  if (found != blocks_.end()) found->second.overwritten = true;
}

/// What the host wrote is no sign any more that a power cut took it.
void DebugWrites::acknowledged(HostBlock block, std::span<const std::byte> bytes) {
  const auto found = blocks_.find(block.value());
  if (found == blocks_.end()) return;
  auto& before = found->second.before;
  std::erase_if(before, [bytes](const Block& held) { return same(held, bytes); });
  if (before.empty()) blocks_.erase(found);
}

/// As long as nobody wrote the block, whatever the drive gives is what it held before.
void DebugWrites::read(HostBlock block, std::span<std::byte> bytes) {
  const auto found = blocks_.find(block.value());
  if (found == blocks_.end()) return;
  Written& written = found->second;
  const bool held_before = std::ranges::any_of(written.before, [bytes](const Block& held) { return same(held, bytes); });
  if (!held_before && written.overwritten) return;
  if (!held_before) std::ranges::copy(bytes, written.before.emplace_back().begin());
  std::ranges::copy(written.bytes, bytes.begin());
}

}  // namespace tessera
