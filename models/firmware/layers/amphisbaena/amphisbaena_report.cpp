// Amphisbaena: its figures.
#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera::amphisbaena {

/// Figure 10: 16 bytes for each block of the high-frequency buffer at its largest; for each chunk an entry of the CMT, a bitmap and a
/// node of the CLT; and table 1: the number of each ghost or shadow.
Bytes Amphisbaena::paper_bytes() const {
  constexpr std::uint64_t block_entry = 16, chunk_entry = 20, tree_node = 40, block_number = 4;
  const std::uint64_t most_blocks = std::uint64_t{config_.most_hfb(frames_)} * chunks_.chunk_sectors();
  const std::uint64_t bitmap = (chunks_.chunk_sectors() + 7) / 8;
  return Bytes(most_blocks * (block_entry + config_.history * block_number) + frames_ * (chunk_entry + bitmap + tree_node));
}

void Amphisbaena::report(MetricSet& metrics) const {
  report_common(metrics, paper_bytes(),
                hot_.bytes() + chunks_.bytes() + blocks_.bytes() + roles_.bytes() + ranking_.bytes() + stale_->table_bytes());
  const auto sectors = [&](const char* name, std::uint64_t count, const char* what) {
    metrics.count(name, static_cast<double>(count), "sectors", what);
  };
  const auto plain = [&](const char* name, std::uint64_t count, const char* what) {
    metrics.count(name, static_cast<double>(count), "1", what);
  };
  sectors("hit.write.hfb", hits_hfb_, "sectors written that were in the high-frequency buffer");
  sectors("hit.write.lfb", hits_lfb_, "sectors written that were in the low-frequency buffer");
  sectors("ghost.hits", ghost_hits_, "sectors written that were remembered as ghosts");
  sectors("shadow.hits", shadow_hits_, "sectors written that were remembered as shadows");
  plain("role.promotions", roles_.promotions(), "LUP blocks that became SUP");
  plain("role.demotions", roles_.demotions(), "SUP blocks that became LUP");
  metrics.add("role.sup", static_cast<double>(roles_.count(Role::sup)), "sectors", "blocks with a short update period");
  metrics.add("role.lup", static_cast<double>(roles_.count(Role::lup)), "sectors", "blocks with a long or unknown update period");
  metrics.add("role.ghost", static_cast<double>(roles_.count(Role::ghost)), "1", "blocks remembered that left the high-frequency buffer");
  metrics.add("role.shadow", static_cast<double>(roles_.count(Role::shadow)), "1", "blocks remembered that were labelled cold");
  metrics.add("hfb.sectors", static_cast<double>(blocks_.slots()), "sectors", "size of the high-frequency buffer");
  sectors("hfb.evicted", moved_, "sectors moved from the high-frequency to the low-frequency buffer");
  plain("hfb.chunks_taken", taken_, "chunks reallocated to the high-frequency buffer");
  plain("hfb.periods", periods_, "reviews of the buffers' sizes");
  report_rounds(metrics, "role_reviews", periods_, "reviews of the buffers' sizes");
  plain("hfb.periods_short", periods_short_,
        "of these, those that found more ghost hits than a chunk has blocks: the high-frequency buffer grows, if it may");
  plain("hfb.chunks_returned", returned_, "chunks reallocated to the low-frequency buffer");
  plain("victim.chunks", collected_, "chunks written back to their zones");
  metrics.add("victim.chunk_sectors_mean",
              collected_ == 0 ? std::nullopt : std::optional(static_cast<double>(collected_sectors_) / static_cast<double>(collected_)),
              "sectors", "sectors of a chunk at its write-back");
  plain("cleaning.aborted", aborted_by_update_ + aborted_by_zone_,
        "collections that stopped at a checkpoint because a write waited (abort_scope)");
  plain("cleaning.aborted.by_update", aborted_by_update_, "of these, those for a write of a block that was to be collected");
  plain("cleaning.aborted.by_zone", aborted_by_zone_, "of these, those for a write of other blocks of the zone");
}

}  // namespace tessera::amphisbaena
