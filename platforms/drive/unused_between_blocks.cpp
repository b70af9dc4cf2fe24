#include "platforms/drive/unused_between_blocks.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "media/track_switches.hpp"
#include "platforms/plugin/plugin_factory.hpp"

namespace tessera {

namespace {

class Reasons {
 public:
  /// Of each of `paths`, where `unused` holds.
  void add(bool unused, const std::string& why, std::initializer_list<std::string> paths, bool for_other_uses = false) {
    if (!unused) return;
    for (const std::string& path : paths) all_.push_back({path, why, for_other_uses});
  }
  [[nodiscard]] std::vector<UnusedParameters> take() { return std::move(all_); }

 private:
  std::vector<UnusedParameters> all_;
};

bool has_write_cache(const DriveConfig& config) { return config.firmware_for_layer().write_cache.capacity != Bytes(0); }

void add_of_write_cache(const DriveConfig& config, Reasons& reasons) {
  const LayerFactory& layer = config.selected();
  const std::string cache = "firmware.write_cache.";
  reasons.add(!layer.has_write_buffer(), "the layer " + layer.name() + " has no write buffer of its own", {cache + "yields"}, true);
  const std::string why =
      config.writes_in_order()
          ? "the host writes the zones of the layer " + layer.name() + " in their order, and a write cache would not keep to it"
          : "the layer " + layer.name() + " has a write buffer of its own, and the drive's write cache yields to it (" + cache + "yields)";
  reasons.add(config.write_cache_yields(), why,
              {cache + "capacity", cache + "durability", cache + "order", cache + "edges", cache + "high_mark", cache + "low_mark",
               cache + "destage_depth", cache + "largest_destage", cache + "idle_after"},
              true);
  reasons.add(!has_write_cache(config), "the drive has no write cache", {"firmware.read_cache.pool"});
  reasons.add(!layer.keeps_early_sectors(),
              "the layer " + layer.name() +
                  " does not know which sectors pass in front of a read, as layers do that keep sectors in place (cmr, imr-*, "
                  "shingled-in-place-*, vguard)",
              {"firmware.read_cache.zero_latency"});
  const std::string own = layer_section(layer.name());
  // The drive's write cache destages what is to be durable, which goes past a layer's buffer.
  reasons.add(layer.has_buffer() && has_write_cache(config),
              "the drive's write cache (firmware.write_cache.capacity) is in front of the layer's buffer and takes its place",
              {own + "edges", own + "make_way", own + "destage_after", own + "trickle_mark", own + "high_mark", own + "low_mark",
               own + "bottoms_first"});
}

/// Layers that do not run, and what this one has no use for.
void add_of_layer(const DriveConfig& config, const FormatPlan& plan, Reasons& reasons) {
  const LayerFactory& layer = config.selected();
  const std::string own = layer_section(layer.name());
  for (const auto& other : config.layers)
    reasons.add(other->name() != layer.name(), "the layer is " + layer.name(), {layer_section(other->name())}, true);
  const DescriptionValue* described = config.document.root().find("layer");
  reasons.add(described != nullptr && std::get<std::string>(described->data) != layer.name(), "--layer or --firmware names another",
              {"layer"}, true);
  const SpaceBounds bounds = layer.bounds();
  const std::string its_own_space = "the layer " + layer.name() + " lays its user space out by itself";
  reasons.add(!bounds.reserved, its_own_space, {"media.reserved_sectors"});
  reasons.add(!bounds.exported, its_own_space, {"media.exported_sectors"});
  reasons.add(std::ranges::none_of(plan, [](const Region& region) { return region.format == RecordingFormat::interlaced; }),
              "the layer " + layer.name() + " has no interlaced tracks", {"media.density_gain"});
  const auto in_bands = [](const Region& region) {
    return region.format == RecordingFormat::shingled || region.format == RecordingFormat::wave;
  };
  reasons.add(std::ranges::none_of(plan, in_bands), "the layer " + layer.name() + " has no shingled tracks", {"media.shingled_gain"}, true);
  // Of the others it says more than how tracks begin.
  reasons.add(layer.name() == "imr-rmw" && !track_switches(config.media).any(), "the drive declares no skew", {own + "paper"});
  reasons.add(!config.nand.paired_page, "nand.paired_page is false", {own + "paired_pages", "firmware.flash_cache.paired_pages"});
  add_of_write_cache(config, reasons);
}

/// What has to do with pages alone; blocks, dies and standby power are there whether or not anybody uses them.
void add_of_flash(const DriveConfig& config, Reasons& reasons) {
  const LayerFactory& layer = config.selected();
  FlashShape without_copyback = config.flash_for_layer();
  without_copyback.copyback = false;
  const bool of_library = dynamic_cast<const PluginFactory*>(&layer) != nullptr;  // nobody knows what it does with the flash
  reasons.add(config.has_flash() && !of_library && layer.check_flash(without_copyback).empty(),
              "the layer " + layer.name() + " copies no page inside its plane", {"nand.copyback"});
  reasons.add(!config.uses_flash(), "nobody uses flash", {"cost.flash"});
  reasons.add(
      config.has_flash() && !config.uses_flash(), "the layer " + layer.name() + " uses no flash",
      {"nand.planes",  "nand.log_blocks",   "nand.oob_size",      "nand.read_",       "nand.program_",   "nand.erase_",
       "nand.bus_",    "nand.command_time", "nand.page_types",    "nand.cache_",      "nand.copyback",   "nand.independent_reads",
       "nand.suspend", "nand.resume_time",  "nand.most_suspends", "nand.paired_page", "nand.bad_blocks", "nand.worn_failures_per_million",
       "nand.ecc_",    "nand.bit_errors_"});
}

void add_of_processor(const DriveConfig& config, Reasons& reasons) {
  const bool image = config.image != nullptr;
  reasons.add(!image, "no firmware image (--elf) runs on a processor of its own", {"processor."});
  reasons.add(image || config.through_registers(), "firmware behind registers cannot ask the disk channel for sectors in front of a read",
              {"firmware.read_cache.zero_latency"});
  reasons.add(image, "a firmware image (--elf) has nothing but registers", {"simulation.firmware_through"});
  reasons.add(image, "the hart of a firmware image (--elf) takes the time of its own instructions and memory (processor)",
              {"controller.costs.", "controller.interrupt_latency", "controller.data_cache.", "controller.code_cache.", "controller.code.",
               "controller.host_interrupt.priority", "controller.disk_interrupt.priority", "controller.flash_interrupt.priority",
               "controller.timer_interrupt.priority"});
}

void add_of_memories(const DriveConfig& config, Reasons& reasons) {
  const auto& places = config.firmware.placement.places;
  const bool image = config.image != nullptr;  // which fetches its code by itself, and says where its rings lie
  const bool code_in_tcm = config.firmware.placement.in_tcm(MemoryCategory::code) && !image;
  const bool in_tcm = image ? config.firmware.placement.more_than_rings_in_tcm() || config.image->tcm_bytes() != 0
                            : std::ranges::any_of(places, [](MemoryPlace place) { return place == MemoryPlace::tcm; });
  reasons.add(!in_tcm, "firmware.placement puts nothing into the TCM", {"controller.tcm."});
  reasons.add(image, "a firmware image (--elf) has its rings where it says (those of the tree where firmware.placement.code says)",
              {"firmware.placement.descriptors"});
  reasons.add(code_in_tcm, "firmware.placement.code puts the code into the TCM", {"controller.code_cache."});
  reasons.add(!code_in_tcm && !image && config.controller.code_cache.size == Bytes(0),
              "there is no controller.code_cache and firmware.placement.code is not the TCM", {"controller.code."});
}

void add_of_hits(const DriveConfig& config, Reasons& reasons) {
  const bool writes = has_write_cache(config) || config.selected().has_buffer();
  reasons.add(!writes && config.firmware.read_cache.segments == 0 && !config.firmware.flash_cache.used(),
              "the drive has no cache that a read could hit", {"firmware.overheads.read_hit_"});
  reasons.add(!writes, "the drive has no write cache", {"firmware.overheads.write_hit_"});
}

}  // namespace

std::vector<UnusedParameters> unused_between_blocks(const DriveConfig& config, const FormatPlan& plan) {
  Reasons reasons;
  add_of_layer(config, plan, reasons);
  add_of_flash(config, reasons);
  add_of_processor(config, reasons);
  add_of_memories(config, reasons);
  add_of_hits(config, reasons);
  reasons.add(config.timing == SimulationTiming::fast, "simulation.timing is fast", {"bus."});
  reasons.add(!config.prefill_overridden.empty(), config.prefill_overridden, {"simulation.prefill"}, true);
  reasons.add(!config.caches_overridden.empty(), config.caches_overridden, {"simulation.caches"}, true);
  reasons.add(config.media.spare_tracks == 0, "media.spare_tracks is 0", {"firmware.defects."});
  return reasons.take();
}

}  // namespace tessera
