#pragma once
// A whole drive as its description says: one struct a block, and the parameters of every layer.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bus/bus_config.hpp"
#include "controller/controller_config.hpp"
#include "dram/dram_config.hpp"
#include "firmware/firmware_build.hpp"
#include "firmware/translation_layer.hpp"
#include "host/host_config.hpp"
#include "media/media_config.hpp"
#include "nand/nand_config.hpp"
#include "platforms/description/toml_document.hpp"
#include "platforms/drive/cost_config.hpp"
#include "platforms/drive/luns.hpp"
#include "platforms/plugin/plugin_library.hpp"
#include "power/power_config.hpp"
#include "processor/elf_image.hpp"
#include "processor/hart_timing.hpp"
#include "stimuli/hosts/hosts_config.hpp"

namespace tessera {

/// What the model takes its time for.
enum class SimulationTiming : std::uint32_t {
  full,
  fast  ///< without the bus: what crosses it takes no time there
};

/// How the firmware that is linked to the model reaches the controller's units.
enum class FirmwareThrough : std::uint32_t {
  ports,     ///< by calls
  registers  ///< through the driver library over the machine's registers (models/machine)
};

/// What caches on flash and platters hold when a run begins.
enum class CachesAtStart : std::uint32_t {
  empty,
  used  ///< as after the same input (platforms/run/used_caches.hpp)
};

struct DriveConfig {
  DriveConfig();

  std::string layer = "cmr";
  std::string format = "layer";
  Picoseconds quantum{100'000'000'000};  // 100 ms: a hundred kernel activations fewer for each random request in flight
  Picoseconds rest_after{86'400 * ps_per_second};
  SimulationTiming timing = SimulationTiming::full;
  Bytes published_capacity{0};     ///< of the product after which the drive is described; 0: of none
  std::uint32_t prefill = 0;       ///< percent of the user space that holds data when a run begins
  std::string prefill_overridden;  ///< why `prefill` has no effect here; empty: it has
  CachesAtStart caches = CachesAtStart::empty;
  std::string caches_overridden;  ///< why `caches` has no effect here; empty: it has
  FirmwareThrough firmware_through = FirmwareThrough::ports;
  MediaConfig media;
  NandConfig nand;
  BusConfig bus;
  DramConfig dram;
  ControllerConfig controller;
  riscv::HartTiming processor;
  HostConfig host;
  LunsConfig logical_units;  ///< among the parameters of `host`
  PowerConfig power;
  CostConfig cost;
  FirmwareConfig firmware;
  HostsConfig hosts;                                      ///< what translates between the application and zones
  std::vector<std::unique_ptr<LayerFactory>> layers;      ///< with their parameters
  std::vector<std::shared_ptr<PluginPolicies>> policies;  ///< of a library's, with theirs

  std::shared_ptr<const riscv::ElfImage> image;  ///< the firmware, on a processor of its own; null: that which is linked to the model

  TomlDocument document;  ///< what it was read from; empty where it was made in memory

  void describe(ParameterVisitor& visitor);

  [[nodiscard]] bool has_flash() const { return nand.blocks > 0; }
  /// Flash that somebody uses, with its log and dump blocks.
  [[nodiscard]] Bytes flash_in_use() const {
    return Bytes(uses_flash() ? nand.total_blocks() * nand.pages_per_block * nand.page_size.value() : 0);
  }
  /// Whether the layer or the flash cache in front of it uses flash.
  [[nodiscard]] bool uses_flash() const { return has_flash() && (selected().needs_flash() || firmware.flash_cache.used()); }
  /// As LayerFactory::knows_lost_records(), of layer and flash cache.
  [[nodiscard]] bool knows_lost_records() const { return selected().knows_lost_records() && firmware.knows_lost_records(); }
  /// The flash that the flash cache leaves to the layer; the cache must have its part.
  [[nodiscard]] FlashShape flash_for_layer() const;
  /// Whether sectors or pages can fail in a way that spares and second copies may not be enough for.
  [[nodiscard]] bool asks_for_faults() const;
  /// The selected layer; InputError with the nearest name where there is none.
  [[nodiscard]] const LayerFactory& selected() const;
  [[nodiscard]] std::vector<std::string> layer_names() const;
  /// A layer's name; or that of one with zones and a host for it, as in "zoned:log"; or that of one and a policy that decides for it, as in
  /// "media-cache:mine". InputError for a host or a policy that there is not.
  void choose_layer(const std::string& name);
  /// The library's policy that decides for the selected layer; null: its own.
  [[nodiscard]] PluginPolicies* policy() const;
  /// Whether the selected layer's own write buffer takes the place of the drive's write cache, or its zones leave no place for one.
  [[nodiscard]] bool write_cache_yields() const {
    return writes_in_order() || (firmware.write_cache.yields && selected().has_write_buffer());
  }
  /// Whether writes must come to the layer's zones in order: those of a host that translates, too, which reckon with no cache.
  [[nodiscard]] bool writes_in_order() const { return has_zones() && (!selected().takes_writes_anywhere() || hosts.translates()); }
  /// Whether the drive has zones.
  [[nodiscard]] bool has_zones() const { return selected().zone_size() != Bytes(0); }
  /// What the application sees: a zone's size, or 0 where there are none or a host translates.
  [[nodiscard]] Bytes visible_zone_size() const { return hosts.translates() ? Bytes(0) : selected().zone_size(); }
  /// The layer, and after a colon the host that translates for it, or the policy that decides for it: "zoned:log-greedy".
  [[nodiscard]] std::string layer_in_full() const;
  /// What runs on the drive and is not the simulator's own, for messages: a layer or policy of a shared library, an image. "" where there
  /// is none.
  [[nodiscard]] std::string foreign_firmware() const;
  [[nodiscard]] bool through_registers() const { return image == nullptr && firmware_through == FirmwareThrough::registers; }
  /// `host` for the selected layer: the default of its timeout gives way to a longer rightful wait, a value of the user's stays.
  [[nodiscard]] HostConfig host_for_layer() const;
  /// `firmware` for the selected layer: without the drive's write cache where the cache yields.
  [[nodiscard]] FirmwareConfig firmware_for_layer() const;
  /// `controller` as firmware behind registers has it, an image or that of an external processor: the costs are those of its own
  /// instructions. InputError where it asks for what such firmware has none of.
  [[nodiscard]] ControllerConfig controller_for_firmware(bool external_processor) const;
  /// `bus` as `timing` has it.
  [[nodiscard]] BusConfig bus_for_timing() const;
  /// A refusal of several fields together, with the places where the description says them.
  [[nodiscard]] InputError refusal(const std::string& sentence) const;
};

/// What a description says with its overrides; InputError with file and line. `layer`: instead of the description's own, if given; it may
/// name a host, too, as in "zoned:log".
/// `firmware`: its layers are in the list too, in the place of one of the same name; its first runs where `layer` names none,
/// and where it has none, its first policy decides for a layer that takes one.
[[nodiscard]] DriveConfig load_drive(TomlDocument document, const std::vector<std::string>& overrides, const std::string& layer,
                                     const FirmwareLibrary& firmware = {});

/// The same of a file that extends none but those beside it.
[[nodiscard]] DriveConfig load_drive(const std::filesystem::path& file, const std::vector<std::string>& overrides, const std::string& layer,
                                     const FirmwareLibrary& firmware = {});

/// A drive with the layers of this program and those of `firmware`, and its policies.
[[nodiscard]] DriveConfig drive_with(const FirmwareLibrary& firmware);

/// What the selected layer plans on this drive, after all checks of layer against drive: media, flash, a format that the drive
/// file pins. InputError names both sides and what would fit.
[[nodiscard]] FormatPlan plan_drive(const DriveConfig& config);

/// What the user set and has no effect: a sentence each, without its full stop. Changes nothing: describe() shows every value to whoever
/// may change it.
[[nodiscard]] std::vector<std::string> set_in_vain(DriveConfig& config, const FormatPlan& plan);

/// What the selected layer risks on this drive although it can run, and what the user set in vain: a sentence each, without its full stop.
/// Changes nothing: describe() shows every value to whoever may change it.
[[nodiscard]] std::vector<std::string> warnings(DriveConfig& config, const FormatPlan& plan);

/// Refuses a host that translates, by whoever has no place for one: `what` begins the sentence.
void refuse_translating_host(const DriveConfig& config, const std::string& what);

/// The path of a layer's section with a dot behind it: "layers.imr_rmw.".
[[nodiscard]] std::string layer_section(std::string name);

}  // namespace tessera
