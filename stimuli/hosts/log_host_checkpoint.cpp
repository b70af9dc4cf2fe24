// The log-structured host: checkpoints. The map and the zone table as they were at one record go to the area that holds the older
// checkpoint; the last sector, written when the drive has the others, makes them valid. Until then the other area's holds.
#include <algorithm>
#include <utility>

#include "stimuli/hosts/log_host.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t writes_at_once = 2;

}  // namespace

HostRun LogHost::area_blocks(std::uint32_t area, std::uint64_t sector, std::uint32_t sectors) const {
  const std::uint64_t first = std::uint64_t{layout_.first_area_zone} * layout_.zone_sectors + area * layout_.area_distance + sector;
  return {HostBlock(first * drive_.sector_blocks), sectors * drive_.sector_blocks};
}

void LogHost::checkpoint_if_due() {
  const bool awaited = cleaning_.barrier && kept_trims_ < cleaning_.trims;
  if (!checkpoint_.running && (awaited || since_checkpoint_ >= layout_.checkpoint_every)) begin_checkpoint({});
  if (checkpoint_.running) write_checkpoint();
}

void LogHost::begin_checkpoint(std::function<void()> then) {
  checkpoint_ = {};
  checkpoint_.running = true;
  checkpoint_.sequence = sequence_;
  checkpoint_.trims = all_trims_;
  checkpoint_.map = zones_.map();
  checkpoint_.then = std::move(then);
  cpu_.sectors += layout_.image_sectors;
  since_checkpoint_ = 0;
}

/// Nothing of it is written before all that it names is on the drive.
void LogHost::write_checkpoint() {
  if (!on_drive(checkpoint_.sequence)) return;
  const auto written = [this](HostRequest&) {
    --checkpoint_.under_way;
    write_checkpoint();
  };
  if (!checkpoint_.begun) {
    checkpoint_.begun = true;
    images_[next_area_] = {};
    for (std::uint32_t zone = 0; zone < layout_.area_zones; ++zone) {
      ++checkpoint_.under_way;
      commands_.send(HostOp::zone_reset, area_blocks(next_area_, std::uint64_t{zone} * layout_.zone_sectors, 0),
                     CommandPriority::background, written);
    }
  }
  const bool resets_first = layout_.area_zones != 0 && checkpoint_.sent == 0 && checkpoint_.under_way != 0;
  const std::uint64_t body = layout_.image_sectors - 1;
  while (!resets_first && checkpoint_.sent < body && checkpoint_.under_way < writes_at_once) {
    const std::uint64_t in_zone =
        layout_.zone_sectors - (area_blocks(next_area_, checkpoint_.sent, 0).first.value() / drive_.sector_blocks) % layout_.zone_sectors;
    const auto sectors =
        static_cast<std::uint32_t>(std::min<std::uint64_t>({body - checkpoint_.sent, in_zone, std::uint64_t{layout_.record_sectors}}));
    ++checkpoint_.under_way;
    commands_.send(HostOp::write, area_blocks(next_area_, checkpoint_.sent, sectors), CommandPriority::background, written);
    checkpoint_.sent += sectors;
    counts_.checkpoint_sectors += sectors;
  }
  if (checkpoint_.sent != body || checkpoint_.under_way != 0) return;
  checkpoint_.sent = layout_.image_sectors;
  ++checkpoint_.under_way;
  commands_.send(HostOp::flush, {}, CommandPriority::background, [this](HostRequest&) {
    ++counts_.checkpoint_sectors;
    commands_.send(HostOp::write, area_blocks(next_area_, layout_.image_sectors - 1, 1), CommandPriority::background,
                   [this](HostRequest&) { commands_.settle(CommandPriority::background, [this] { end_checkpoint(); }); });
  });
}

void LogHost::end_checkpoint() {
  images_[next_area_] = {true, checkpoint_.sequence, std::move(checkpoint_.map)};
  durable_record_ = std::max(durable_record_, checkpoint_.sequence);
  kept_trims_ = checkpoint_.trims;
  next_area_ = 1 - next_area_;
  ++counts_.checkpoints;
  const auto then = std::move(checkpoint_.then);
  checkpoint_ = {};
  if (then) then();
  proceed();
}

}  // namespace tessera
