#include "dram/command_spacing.hpp"

namespace tessera {

bool CommandSpacing::any(const DramConfig& config) {
  const Picoseconds in_group = config.activate_gap_in_group + config.column_gap_in_group + config.write_to_read_in_group;
  return config.activate_gap + config.four_activates + config.column_gap + config.write_to_read > Picoseconds(0) ||
         (config.bank_groups > 1 && in_group > Picoseconds(0));
}

CommandSpacing::CommandSpacing(const DramConfig& config)
    : activate_gap_(config.activate_gap),
      activate_gap_in_group_(config.bank_groups > 1 ? config.activate_gap_in_group : Picoseconds(0)),
      four_activates_(config.four_activates),
      column_gap_(config.column_gap),
      column_gap_in_group_(config.bank_groups > 1 ? config.column_gap_in_group : Picoseconds(0)),
      write_to_read_(config.write_to_read),
      write_to_read_in_group_(config.bank_groups > 1 ? config.write_to_read_in_group : Picoseconds(0)) {}

Picoseconds CommandSpacing::activate(Picoseconds wanted, std::size_t group) {
  const Picoseconds at = std::max({wanted, next_activate_, next_activate_of_group_[group], windows_[oldest_window_]});
  next_activate_ = at + activate_gap_;
  next_activate_of_group_[group] = at + activate_gap_in_group_;
  windows_[oldest_window_] = at + four_activates_;
  oldest_window_ = (oldest_window_ + 1) % windows_.size();
  return at;
}

Picoseconds CommandSpacing::column(Picoseconds wanted, std::size_t group, Access access) const {
  const Picoseconds at = std::max({wanted, next_column_, next_column_of_group_[group]});
  if (access == Access::write) return at;
  return after_writes(dma_, after_writes(cpu_, at, group, false), group, true);
}

void CommandSpacing::issued(std::size_t group, Access access, Picoseconds column, Picoseconds end) {
  next_column_ = column + column_gap_;
  next_column_of_group_[group] = column + column_gap_in_group_;
  if (access == Access::write) cpu_.last = cpu_.of_group[group] = end;
}

Picoseconds CommandSpacing::column_of_dma(Picoseconds wanted, std::size_t group, Access access) const {
  if (access == Access::write) return wanted;
  return std::max(after_writes(cpu_, wanted, group, true), after_writes(dma_, wanted, group, true));
}

void CommandSpacing::dma_wrote(std::size_t group, Picoseconds end) {
  dma_.of_group[group] = end;
  dma_.last = std::max(dma_.last, end);
}

Picoseconds CommandSpacing::after_writes(const Written& written, Picoseconds wanted, std::size_t group, bool ended_only) const {
  Picoseconds at = wanted;
  const auto wait = [&](Picoseconds end, Picoseconds gap) {
    if (end != Picoseconds(0) && (!ended_only || end <= wanted)) at = std::max(at, end + gap);
  };
  wait(written.last, write_to_read_);
  wait(written.of_group[group], write_to_read_in_group_);
  return at;
}

}  // namespace tessera
