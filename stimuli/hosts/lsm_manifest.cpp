// The host with a log-structured merge tree: the manifest. Changes of the tree are written to it, a sector each, and hold when they are on
// the drive. A full manifest is followed by the other one, which begins with all that there is. Each is there twice, in zones of their own.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

HostRun LsmHost::manifest_blocks(std::uint32_t manifest, std::uint32_t copy, std::uint32_t sector, std::uint32_t sectors) const {
  const std::uint64_t zone = layout_.first_manifest_zone + manifest * lsm_copies + copy;
  return {HostBlock((zone * layout_.zone_sectors + sector) * drive_.sector_blocks), sectors * drive_.sector_blocks};
}

/// To each copy; `then` when all have ended.
void LsmHost::send_copies(HostOp op, std::uint32_t manifest, std::uint32_t sector, std::uint32_t sectors, std::function<void()> then) {
  counts_.manifest += lsm_copies * sectors;
  const auto left = std::make_shared<std::uint32_t>(lsm_copies);
  for (std::uint32_t copy = 0; copy < lsm_copies; ++copy)
    commands_.send(op, manifest_blocks(manifest, copy, sector, sectors), CommandPriority::background, [left, then](HostRequest&) {
      if (--*left == 0) then();
    });
}

/// With the sector that makes it valid, the last one.
std::uint32_t LsmHost::snapshot_sectors() const {
  return static_cast<std::uint32_t>((tree_.files() * lsm_file_bytes + layout_.sector_bytes - 1) / layout_.sector_bytes) + 1;
}

void LsmHost::commit(Edit edit) {
  edits_.push_back(std::move(edit));
  rounds_.again();
}

void LsmHost::write_manifest() {
  if (manifest_busy_ || edits_.empty()) return;
  manifest_busy_ = true;
  if (manifests_[manifest_].pointer == layout_.zone_sectors) return write_snapshot([this] { write_edits(); });
  write_edits();
}

/// As many as a sector holds go together. What they name is on the drive, and is flushed first.
void LsmHost::write_edits() {
  const std::size_t most = std::max<std::size_t>(1, layout_.sector_bytes / lsm_file_bytes);
  for (std::size_t changes = 0; !edits_.empty() && (changes == 0 || changes + edits_.front().changes.size() <= most); edits_.pop_front()) {
    changes += edits_.front().changes.size();
    written_edits_.push_back(std::move(edits_.front()));
  }
  commands_.send(HostOp::flush, {}, CommandPriority::background, [this](HostRequest&) {
    edit_sector_ = manifests_[manifest_].pointer++;
    send_copies(HostOp::write, manifest_, *edit_sector_, 1, [this] {
      commands_.settle(CommandPriority::background, [this] {
        edit_sector_.reset();
        manifest_busy_ = false;
        for (Edit& edit : std::exchange(written_edits_, {})) apply(edit);
        proceed();
      });
    });
  });
}

void LsmHost::write_snapshot(std::function<void()> then) {
  Manifest& other = manifests_[1 - manifest_];
  other = {};
  other.snapshot = snapshot_sectors();
  send_copies(HostOp::zone_reset, 1 - manifest_, 0, 0, [this, then = std::move(then)] { write_snapshot_from(0, then); });
}

void LsmHost::write_snapshot_from(std::uint32_t sector, std::function<void()> then) {
  Manifest& other = manifests_[1 - manifest_];
  const std::uint32_t body = other.snapshot - 1;
  const std::uint32_t sectors = sector == body ? 1 : std::min(body - sector, layout_.record_sectors);
  const auto write = [this, sector, sectors, body, then = std::move(then)] {
    manifests_[1 - manifest_].pointer = sector + sectors;
    send_copies(HostOp::write, 1 - manifest_, sector, sectors, [this, sector, sectors, body, then] {
      if (sector != body) return write_snapshot_from(sector + sectors, then);
      commands_.settle(CommandPriority::background, [this, then] {
        manifest_ = 1 - manifest_;
        manifests_[manifest_].valid = true;
        manifests_[1 - manifest_].valid = false;
        then();
      });
    });
  };
  if (sector != body) return write();
  commands_.send(HostOp::flush, {}, CommandPriority::background, [write](HostRequest&) { write(); });
}

/// It is on the drive: the tree is as it says from now on.
void LsmHost::apply(Edit& edit) {
  for (const LsmChange& change : edit.changes) {
    if (change.kind == LsmChange::Kind::add)
      for (const LsmExtent& extent : change.file->extents) zones_.settle(extent);
    for (const LsmExtent& extent : change.to) zones_.settle(extent);
    for (const LsmExtent& extent : tree_.apply(change)) zones_.release(extent);
  }
  tree_changed_ = true;
  counts_.peak_entries = std::max(counts_.peak_entries, tree_.entries());
  counts_.peak_sectors = std::max(counts_.peak_sectors, tree_.sectors());
  if (edit.flushed) {
    forget_log(*edit.flushed);
    while (!immutable_.empty() && immutable_.front().generation <= *edit.flushed) immutable_.pop_front();
  }
  if (edit.then) edit.then();
}

}  // namespace tessera
