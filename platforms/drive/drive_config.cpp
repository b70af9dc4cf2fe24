#include "platforms/drive/drive_config.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "firmware/caches/flash_share.hpp"
#include "firmware/logs/journal.hpp"
#include "media/sparing.hpp"
#include "media/track_switches.hpp"
#include "platforms/description/former_names.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/description/named_places.hpp"
#include "platforms/description/reader.hpp"
#include "platforms/description/toml_document.hpp"
#include "platforms/drive/refresh_checks.hpp"
#include "platforms/drive/unused_between_blocks.hpp"
#include "platforms/plugin/plugin_factory.hpp"
#include "platforms/plugin/plugin_policy.hpp"

namespace tessera {

namespace {

const std::vector<std::string> format_names{"conventional", "shingled", "interlaced", "wave"};

std::string section_name(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The sectors around a write that begins and ends inside sectors are read into the staging buffer; a request of one sector that begins
/// inside one takes two of the host buffer, and a larger one streams through halves of its window.
void check_buffers(const DriveConfig& config) {
  const Bytes two = config.media.sector_size * 2;
  for (const auto& [name, size] :
       {std::pair("controller.staging_buffer", config.controller.staging_buffer), {"host.buffer", config.host.buffer}})
    if (size < two)
      throw InputError(std::string(name) + " is " + std::to_string(size.value()) +
                       " B; expected at least two sectors (media.sector_size), " + std::to_string(two.value()) + " B");
  if (const Bytes window = config.host.window; window != Bytes(0) && (window < two || window > config.host.buffer))
    throw InputError("host.window is " + std::to_string(window.value()) + " B; expected 0, or from two sectors (media.sector_size), " +
                     std::to_string(two.value()) + " B, up to host.buffer, " + std::to_string(config.host.buffer.value()) + " B");
  // What does not hold the buffers is refused with what would fit (MemorySpace).
  std::uint32_t longest = 0;
  for (const GeometryZone& zone : geometry_of(config.media).zones) longest = std::max(longest, zone.sectors_per_track);
  const Bytes track = (config.media.sector_size + Bytes(header_bytes)) * longest;
  const Bytes buffers = config.host.buffer + config.controller.staging_buffer;
  if (config.dram.capacity >= buffers && track > config.dram.capacity)
    throw InputError("dram.capacity is " + std::to_string(config.dram.capacity.value()) +
                     " B; expected room for a whole track, which firmware writes at once: " + std::to_string(longest) + " sectors, " +
                     std::to_string(track.value()) + " B");
}

/// What layer and flash cache ask of the flash, together.
void check_flash(const DriveConfig& config) {
  const LayerFactory& factory = config.selected();
  const DriveFlashConfig& cache = config.firmware.flash_cache;
  if (cache.used() && !config.has_flash())
    throw InputError(
        "firmware.flash_cache.capacity asks for NAND flash and the drive has none: give it some, as in --set nand.blocks=16384");
  if (!config.uses_flash()) return;
  if (config.nand.page_size.value() % config.media.sector_size.value() != 0)
    throw InputError("a flash page holds whole drive sectors: nand.page_size is " + std::to_string(config.nand.page_size.value()) +
                     " B and media.sector_size is " + std::to_string(config.media.sector_size.value()) + " B");
  const FlashShape all = config.nand.holding(config.media.sector_size).shape();
  if (const std::string problem = cache.problem(all, geometry_of(config.media)); !problem.empty()) throw InputError(problem);
  if (!factory.needs_flash()) return;
  if (cache.caches_writes())
    throw InputError("the layer " + factory.name() +
                     " keeps data in flash itself, and firmware.flash_cache.use caches writes: only reads go in front of such a layer");
  const FlashShape rest = config.flash_for_layer();
  const std::string shared = rest.blocks == all.blocks ? ""
                                                       : "; firmware.flash_cache.capacity leaves " + std::to_string(rest.blocks) +
                                                             " of nand.blocks = " + std::to_string(all.blocks) + " to the layer";
  if (rest.blocks == 0) throw InputError("the layer " + factory.name() + " needs flash" + shared);
  if (const std::string problem = factory.check_flash(rest); !problem.empty()) throw InputError(factory.name() + ": " + problem + shared);
}

bool overlaps(const Region& region) { return region.format != RecordingFormat::conventional; }

/// The spares of zones are numbered by layers that do not keep them, and a write to any spare would reach what overlaps it. Layers of
/// overlapped tracks count with tracks of one length, and with sectors of one number at one angle.
void check_spares(const DriveConfig& config, const DriveGeometry& geometry, const FormatPlan& plan) {
  if (config.media.cylinder_spares != 0 && std::ranges::any_of(plan, overlaps))
    throw InputError("media.cylinder_spares is " + std::to_string(config.media.cylinder_spares) + ", and the layer " +
                     config.selected().name() + " writes overlapped tracks; expected media.track_spares, which all tracks have");
  const std::string moved =
      "the drive has sectors or tracks that the factory left out or moved (media.factory_defects, media.remapped_sectors)";
  const std::string layer = ", and the layer " + config.selected().name();
  if (!(config.media.factory_defects.empty() && geometry.remaps.empty()) && std::ranges::any_of(plan, overlaps))
    throw InputError(moved + layer + " writes overlapped tracks; expected a layer of conventional tracks");
  if (geometry.remaps.empty()) return;
  const Sparing sparing(config.media);
  if (!config.selected().bounds().reserved &&
      !std::ranges::all_of(geometry.remaps, [&](const RemappedSector& remap) { return sparing.kept_back(remap.to, false); }))
    throw InputError(moved + layer + " uses the spares of zones; expected spares of tracks or cylinders");
}

/// Whether drive and layer have a choice of arms.
void check_cleaning_arm(const DriveConfig& config, const DriveGeometry& geometry) {
  const CleaningArm where = config.firmware.cleaning_arm;
  if (where == CleaningArm::any) return;
  const std::string chosen = "firmware.cleaning_arm is " + std::string(where == CleaningArm::idle ? "idle" : "each");
  if (geometry.arms.size() < 2)
    throw InputError(chosen + ", and the drive has one arm: set media.actuators to 2 or more, or leave it at any");
  if (const std::string problem = config.selected().check_cleaning(where, geometry); !problem.empty())
    throw InputError(chosen + "; " + problem);
}

/// Zeros are written, and zones only at their pointers.
void check_trim(const DriveConfig& config) {
  if (config.firmware.zeros_after_trim && config.has_zones())
    throw InputError("firmware.zeros_after_trim is true, and hosts empty the zones of the layer " + config.selected().name() +
                     " by a reset: leave it at false, or choose a layer without zones, as --layer media-cache");
}

/// What a host that translates asks of the drive, as far as the description alone says.
void check_host(const DriveConfig& config) {
  if (!config.hosts.translates()) return;
  const std::string host = "the host '" + config.hosts.name() + "'";
  if (!config.has_zones())
    throw InputError(host + " (hosts.translation) writes zones, and the layer " + config.layer +
                     " has none: choose --layer zoned:" + config.hosts.name());
  if (config.image != nullptr || config.through_registers())
    throw InputError(host +
                     " needs firmware that is linked to the model and reached by ports (simulation.firmware_through), or no host: "
                     "--set hosts.translation=none");
  if (config.host.command_timeout != Picoseconds(0)) throw InputError(host + " gives no command up: set host.command_timeout to 0");
}

/// One track without sectors would leave none to its whole region.
void check_slipped_tracks(const DriveConfig& config, const DriveGeometry& geometry, const FormatPlan& plan) {
  for (const NumberRow& row : config.media.slipped_defects) {
    const auto surface = static_cast<std::uint32_t>(row[0]);
    const auto radius = static_cast<std::uint32_t>(row[1]);
    const bool equal = std::ranges::any_of(
        plan, [&](const Region& region) { return region.equal_tracks && radius >= region.first && radius < region.first + region.count; });
    if (equal && row[2] >= geometry.zone_of(radius).sectors_on(surface))
      throw InputError("the layer " + config.layer + " has bands of equally long tracks, and the drive's track at surface " +
                       std::to_string(surface) + ", radius " + std::to_string(radius) +
                       " holds no sector (media.slipped_defects): choose a layer of single tracks, as --layer cmr");
  }
}

/// A journal of the write cache has room for what a boot begins with, and for a write.
void check_journal(const DriveConfig& config, const DriveGeometry& geometry, const FormatPlan& plan) {
  const WriteCacheConfig& cache = config.firmware_for_layer().write_cache;
  if (cache.capacity == Bytes(0) || cache.durability != CacheDurability::journal) return;
  std::uint64_t sectors = 0;
  for (const Region& region : plan)
    for (std::uint64_t radius = region.first; region.name == "journal" && radius < region.first + region.count; ++radius)
      sectors += geometry.zone_of(static_cast<std::uint32_t>(radius)).radius_sectors(0, geometry.surfaces);
  if (sectors < Journal::least_sectors)
    throw InputError("the journal of the write cache has " + std::to_string(sectors) + " sectors; expected at least " +
                     std::to_string(Journal::least_sectors) + ": set the layer's journal_tracks to more");
}

FormatPlan planned(const DriveConfig& config) {
  check_host(config);
  const LayerFactory& factory = config.selected();
  const DriveGeometry geometry = geometry_of(config.media);
  check_buffers(config);
  check_cleaning_arm(config, geometry);
  check_trim(config);
  check_refresh(config);
  check_luns(config);
  for (const std::string& problem : {config.host.problem(), config.power.problem(), config.firmware.media_scan.problem(geometry)})
    if (!problem.empty()) throw InputError(problem);
  if (factory.needs_flash() && !config.has_flash())
    throw InputError("the layer " + factory.name() + " needs NAND flash and the drive has none: give it some, as in --set nand.blocks=640");
  if (config.has_flash()) {
    if (const std::string problem = config.nand.problem(); !problem.empty()) throw InputError(problem);
  }
  check_flash(config);
  if (config.has_zones() && config.firmware.flash_cache.caches_writes())
    throw InputError("the host writes the zones of the layer " + factory.name() +
                     " in their order, and a flash cache for writes would not keep to it: set firmware.flash_cache.use to reads");
  const WriteCacheConfig& cache = config.firmware_for_layer().write_cache;
  if (config.has_zones() && cache.capacity != Bytes(0) && cache.durability == CacheDurability::journal)
    throw InputError("a journal of the write cache brings back what was written before a reset of a zone of the layer " + factory.name() +
                     ": set firmware.write_cache.durability to plp or volatile");
  std::string problem;
  FormatPlan plan = factory.plan(geometry, problem);
  if (!problem.empty()) throw InputError(factory.name() + ": " + problem);
  if (const std::string clash = config.firmware_for_layer().problem(plan, static_cast<std::uint32_t>(config.media.sector_size.value()));
      !clash.empty())
    throw InputError(clash);
  check_journal(config, geometry, plan);
  check_spares(config, geometry, plan);
  check_slipped_tracks(config, geometry, plan);
  if (config.media.force_skew)
    for (Region& region : plan) {
      region.skewed = true;
      region.staggered = false;
    }
  if (config.format != "layer") {
    for (const Region& region : plan)
      if (region.format != RecordingFormat::conventional && format_names[static_cast<std::size_t>(region.format)] != config.format)
        throw InputError("the layer " + factory.name() + " needs " + format_names[static_cast<std::size_t>(region.format)] +
                         " tracks and the drive's format is pinned to " + config.format);
  }
  return plan;
}

/// Regions of `plan` for which `wanted` holds, in quotes; each name once.
template <class Wanted>
std::string names_of(const FormatPlan& plan, Wanted wanted) {
  std::string names;
  for (const Region& region : plan) {
    const std::string name = "'" + region.name + "'";
    if (wanted(region) && names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

/// Of the sectors that pass the head, how many a sequential transfer gets: in per cent. Skewed, it goes over the surfaces of a cylinder and
/// loses the declared skew between two tracks; aligned, it goes along a surface and loses whole turns.
std::string sequential_share(const MediaZone& zone, std::uint64_t surfaces, bool skewed) {
  const std::uint64_t sectors = zone.shape.sectors_per_track * surfaces;
  const std::uint64_t turns = (zone.cylinder_skew + zone.shape.sectors_per_track - 1) / zone.shape.sectors_per_track;
  const std::uint64_t lost = skewed ? zone.cylinder_skew + (surfaces - 1) * zone.track_skew : turns * sectors;
  return std::to_string((200 * sectors + sectors + lost) / (2 * (sectors + lost))) + " %";
}

/// What becomes of the drive's skew in regions whose format wants aligned tracks; nothing where it holds everywhere, or the layer makes up
/// for it.
std::string skew_warning(const DriveConfig& config, const FormatPlan& plan) {
  const auto zones = zones_of(config.media);
  const bool surfaces = config.media.surfaces > 1;  // of one surface no track has a next one
  const bool declared =
      std::ranges::any_of(zones, [&](const MediaZone& zone) { return (surfaces && zone.track_skew != 0) || zone.cylinder_skew != 0; });
  if (config.media.force_skew) {
    std::string problem;
    const FormatPlan own = config.selected().plan(geometry_of(config.media), problem);
    const std::string aligned = names_of(own, [](const Region& region) { return !region.skewed; });
    if (aligned.empty()) return "media.force_skew: without effect, the layer " + config.layer + " has no region of aligned tracks";
    if (!declared) return "media.force_skew: without effect, the drive declares no skew";
    return "media.force_skew: the tracks of " + aligned +
           " are skewed although their format wants them aligned, so that overlapping writes destroy sectors that the layer does not save";
  }
  const bool staggers = track_switches(config.media).any();
  const auto is_without = [staggers](const Region& region) {
    return !region.skewed && !(region.staggered && staggers) && region.format != RecordingFormat::conventional;
  };
  const std::string without = names_of(plan, is_without);
  if (!declared || without.empty()) return {};
  const std::string aligned = "the drive's track and cylinder skew are without effect in " + without + ", whose tracks ";
  const std::string forced = "; --set media.force_skew=true skews the tracks themselves and shows what that destroys";
  if (!staggers || std::ranges::any_of(plan, [](const Region& region) { return region.format == RecordingFormat::wave; }))
    return aligned + "the format aligns" + forced;
  const std::uint64_t heads = config.media.surfaces;
  return aligned + "begin at equal angles: a sequential transfer loses the rest of a turn at each change of track, and gets at most " +
         sequential_share(zones.front(), heads, false) + " of the sectors that pass the head instead of " +
         sequential_share(zones.front(), heads, true) +
         "; where paper = true of the layer asks for that, paper = false begins each track where the head lands" + forced;
}

}  // namespace

DriveConfig::DriveConfig() : layers(all_layers()) {}

void DriveConfig::describe(ParameterVisitor& visitor) {
  visitor.field("layer", layer, "translation layer that runs unless the command line names another");
  visitor.field("format", format, "recording format of the data region that the drive is built for; 'layer': what the layer plans");
  visitor.field(
      "published_capacity", published_capacity, {0, 1e18},
      "what the product after which the drive is described holds, as published: `tessera check` warns where the drive's own layer "
      "leaves the host less; 0: no product");
  visitor.section("media", media, "head-disk assembly");
  visitor.section("nand", nand, "NAND flash");
  visitor.section("bus", bus, "interconnect between CPU, DMA engines and memory");
  visitor.section("dram", dram, "the controller's DRAM");
  visitor.section("controller", controller, "CPU, interrupts, disk channel");
  visitor.section("processor", processor, "the hart that runs a firmware image (--elf): cycles of its instructions, caches");
  visitor.enter("host", "host interface");
  host.describe(visitor);
  logical_units.describe(visitor);
  visitor.leave();
  visitor.section("power", power, "power loss, dump engine, boot");
  visitor.section("cost", cost, "prices, in one currency, from which cost.per_user_tb is: replace them by yours");
  visitor.section("firmware", firmware, "what is composed around the translation layer");
  visitor.section("hosts", hosts, "what translates between the application and a drive with zones");
  visitor.enter("layers", "parameters of each translation layer");
  for (const auto& factory : layers) {
    visitor.enter(section_name(factory->name()), factory->summary());
    factory->describe(visitor);
    visitor.leave();
  }
  visitor.leave();
  if (!policies.empty()) {
    visitor.enter("policies", "parameters of each policy of cleaning");
    for (const auto& policy : policies) {
      visitor.enter(section_name(policy->name()), policy->summary());
      policy->describe(visitor);
      visitor.leave();
    }
    visitor.leave();
  }
  visitor.enter("simulation", "how the model is run");
  visitor.field("quantum", quantum, {0, 1e15},
                "how far the drive's local time may run ahead of the SystemC kernel's; results do not depend on it");
  visitor.field(
      "rest_after", rest_after, {0, 1e19},
      "time of a run after which the drive's rests pass without the clock, which ends after 200 days; results do not depend on it");
  visitor.enumeration("timing", timing, {"full", "fast"}, "fast: without the bus, as if it were infinitely fast (bus.clock = 0)");
  visitor.field("prefill", prefill, {0, 100}, "percent of the drive that holds data when a run begins, unless --prefill says otherwise");
  visitor.enumeration("caches", caches, {"empty", "used"},
                      "what caches on flash and platters hold when a run on a full drive begins, unless --caches says otherwise. used: as "
                      "after other requests of the workload, or after the trace, as far as it takes to write one and a half times what "
                      "they hold");
  visitor.enumeration("firmware_through", firmware_through, {"ports", "registers"},
                      "how linked firmware reaches the controller's units: ports: by calls; registers: through the driver library, the "
                      "registers and the rings that a firmware image has. The results are the same");
  visitor.leave();
}

std::vector<std::string> DriveConfig::layer_names() const {
  std::vector<std::string> names;
  for (const auto& factory : layers) names.push_back(factory->name());
  return names;
}

std::string DriveConfig::foreign_firmware() const {
  if (image != nullptr) return image->file();
  if (const PluginPolicies* const deciding = policy(); deciding != nullptr) return deciding->firmware();
  const auto* plugin = dynamic_cast<const PluginFactory*>(&selected());
  return plugin == nullptr ? "" : plugin->firmware();
}

PluginPolicies* DriveConfig::policy() const {
  const auto deciding =
      std::ranges::find(policies, selected().policy(), [](const auto& each) -> const PolicyFactory* { return each.get(); });
  return deciding == policies.end() ? nullptr : deciding->get();
}

std::string DriveConfig::layer_in_full() const {
  if (hosts.translates()) return layer + ":" + hosts.name();
  const PolicyFactory* const deciding = selected().policy();
  return deciding == nullptr ? layer : layer + ":" + deciding->name();
}

HostConfig DriveConfig::host_for_layer() const {
  HostConfig fitted = host;
  if (host.timeout == HostConfig().timeout) fitted.timeout = std::max(host.timeout, selected().longest_wait());
  return fitted;
}

FirmwareConfig DriveConfig::firmware_for_layer() const {
  FirmwareConfig fitted = firmware;
  if (write_cache_yields()) fitted.write_cache.capacity = Bytes(0);
  return fitted;
}

FlashShape DriveConfig::flash_for_layer() const {
  const FlashShape all = nand.holding(media.sector_size).shape();
  return firmware.flash_cache.used() ? without_blocks(all, firmware.flash_cache.blocks(all)) : all;
}

ControllerConfig DriveConfig::controller_for_firmware(bool external_processor) const {
  ControllerConfig own = controller;
  if (image == nullptr && !external_processor) return own;
  if (own.cores != 1)
    throw refusal("controller.cores is " + std::to_string(own.cores) + ", and " +
                  (image == nullptr ? "an external processor is one" : "a firmware image (" + image->file() + ") runs on one"));
  if (firmware.flash_cache.used())
    throw refusal("firmware.flash_cache is of firmware that is linked to the model; " +
                  (image == nullptr ? std::string("an external processor") : "a firmware image (" + image->file() + ")") + " has none");
  own.costs = CpuCosts(CostSource::none);
  own.interrupt_latency = Picoseconds(0);
  own.served_elsewhere = true;
  return own;
}

BusConfig DriveConfig::bus_for_timing() const {
  BusConfig timed = bus;
  if (timing == SimulationTiming::fast) timed.clock = Hertz(0);
  return timed;
}

bool DriveConfig::asks_for_faults() const {
  const bool of_media = !media.unreadable_sectors.empty() || !media.transient_sectors.empty() || !media.write_fault_sectors.empty() ||
                        !media.grown_defects.empty() || media.transient_errors_per_million != 0 ||
                        media.unrecoverable_errors_per_billion != 0 || media.write_faults_per_million != 0 ||
                        !media.track_error_rates.empty() || media.interference_limit != 0 || media.heat.head_life != Bytes(0);
  const bool of_flash = !nand.program_failures.empty() || !nand.erase_failures.empty() || !nand.read_failures.empty() ||
                        nand.program_failures_per_million != 0 || nand.erase_failures_per_million != 0 ||
                        nand.worn_failures_per_million != 0 || nand.ecc_bits != 0;
  return of_media || of_flash;
}

const LayerFactory& DriveConfig::selected() const {
  for (const auto& factory : layers)
    if (factory->name() == layer) return *factory;
  throw InputError(unknown_name("layer", layer, layer_names()));
}

DriveConfig load_drive(const std::filesystem::path& file, const std::vector<std::string>& overrides, const std::string& layer,
                       const FirmwareLibrary& firmware) {
  return load_drive(TomlDocument::load(file), overrides, layer, firmware);
}

/// A layer of the same name gives its place up. Gives the name of the library's first.
static std::string add_firmware(const FirmwareLibrary& firmware, DriveConfig& config) {
  LoadedFirmware loaded = load_firmware(firmware);
  const std::string first = loaded.layers.empty() ? "" : loaded.layers.front()->name();
  for (auto& added : loaded.layers) {
    const auto same = std::ranges::find_if(config.layers, [&](const auto& layer) { return layer->name() == added->name(); });
    (same == config.layers.end() ? config.layers.emplace_back() : *same) = std::move(added);
  }
  const auto hosts = HostsConfig::names();
  for (const auto& policy : loaded.policies)
    if (std::ranges::find(hosts, policy->name()) != hosts.end())
      throw InputError("firmware " + policy->firmware() + ": the name '" + policy->name() + "' is that of a host that translates");
  config.policies = std::move(loaded.policies);
  return first;
}

/// What is wrong with the policy that a layer was named with.
static std::string no_policy(const DriveConfig& config, const std::string& name) {
  std::string takers;
  for (const auto& each : config.layers)
    if (each->takes_policy()) takers += (takers.empty() ? "" : ", ") + each->name();
  if (!config.selected().takes_policy())
    return "the layer " + config.layer + " takes no policy of cleaning: of '" + config.layer + ":" + name + "' leave ':" + name +
           "' out, or name a layer that takes one: " + takers;
  std::vector<std::string> names;
  for (const auto& policy : config.policies) names.push_back(policy->name());
  if (names.empty())
    return "the layer '" + config.layer + ":" + name + "' is to be decided for by the policy '" + name +
           "': name the library or .py file that has it with --firmware";
  return unknown_name("policy", name, names);
}

void DriveConfig::choose_layer(const std::string& given) {
  const std::string name = current_name(given);
  layer = name;
  for (const auto& each : layers) each->decide_by(nullptr);
  const std::size_t colon = name.find(':');
  const auto known = [this](const std::string& word) { return std::ranges::count(layer_names(), word) != 0; };
  if (colon == std::string::npos || known(name) || !known(name.substr(0, colon))) return;
  const std::string with = name.substr(colon + 1);
  layer = name.substr(0, colon);
  const auto chosen = std::ranges::find_if(layers, [this](const auto& each) { return each->name() == layer; });
  const auto policy = std::ranges::find_if(policies, [&](const auto& each) { return each->name() == with; });
  if (policy != policies.end() && (*chosen)->takes_policy()) return (*chosen)->decide_by(*policy);
  if (!has_zones() && (policy != policies.end() || selected().takes_policy())) throw InputError(no_policy(*this, with));
  if (!has_zones())
    throw InputError("the layer " + layer + " has no zones that a host could write: of '" + name + "' leave ':" + with +
                     "' out, or name the layer zoned");
  if (!hosts.choose(with)) throw InputError(unknown_name("host", with, HostsConfig::names()));
}

DriveConfig drive_with(const FirmwareLibrary& firmware) {
  DriveConfig config;
  if (!firmware.file.empty()) add_firmware(firmware, config);
  return config;
}

DriveConfig load_drive(TomlDocument document, const std::vector<std::string>& overrides, const std::string& layer,
                       const FirmwareLibrary& firmware) {
  for (const std::string& assignment : overrides) document.set(assignment);
  DriveConfig config;
  const std::string of_firmware = firmware.file.empty() ? "" : add_firmware(firmware, config);
  config.document = std::move(document);
  DescriptionReader reader(config.document);
  config.describe(reader);
  reader.finish();
  config.choose_layer(!layer.empty() ? layer : !of_firmware.empty() ? of_firmware : config.layer);
  const bool of_policies = layer.empty() && of_firmware.empty() && !config.policies.empty();
  if (of_policies &&
      std::ranges::any_of(config.layers, [&](const auto& each) { return each->name() == config.layer && each->takes_policy(); }))
    config.choose_layer(config.layer + ":" + config.policies.front()->name());
  // Said here: later, the description's own line would be named as the place of it.
  if (const auto known = config.layer_names(); !layer.empty() && std::ranges::find(known, config.layer) == known.end())
    throw InputError(unknown_name("layer", layer, known));
  if (config.format != "layer" && std::find(format_names.begin(), format_names.end(), config.format) == format_names.end()) {
    const Place place = reader.place_of("format");
    throw input_error(place.file, place.line, unknown_name("format", config.format, format_names));
  }
  return config;
}

InputError DriveConfig::refusal(const std::string& sentence) const {
  const std::string own = layer_section(layer);
  return InputError(with_named_places(sentence, document,
                                      [&own](const std::string& path) { return !path.starts_with("layers.") || path.starts_with(own); }));
}

void refuse_translating_host(const DriveConfig& config, const std::string& what) {
  if (config.hosts.translates())
    throw InputError(what + ", and the host '" + config.hosts.name() +
                     "' (hosts.translation) keeps its tables in memory: leave one of the two out");
}

std::string layer_section(std::string name) { return "layers." + section_name(std::move(name)) + "."; }

std::vector<std::string> set_in_vain(DriveConfig& config, const FormatPlan& plan) {
  ParameterCollector values, defaults;
  config.describe(values);
  DriveConfig().describe(defaults);
  return unused_sentences(values.parameters(), defaults.parameters(), unused_between_blocks(config, plan), config.document);
}

std::vector<std::string> warnings(DriveConfig& config, const FormatPlan& plan) {
  std::vector<std::string> sentences = set_in_vain(config, plan);
  if (!config.policies.empty() && config.policy() == nullptr)
    sentences.push_back("the policies of firmware " + config.policies.front()->firmware() +
                        " are without effect: no layer is named with one, as in media-cache:" + config.policies.front()->name());
  if (config.timing == SimulationTiming::fast)
    sentences.emplace_back("simulation.timing is fast: the bus is left out; what crosses it is counted, and takes no time");
  if (const std::string sentence = skew_warning(config, plan); !sentence.empty()) sentences.push_back(sentence);
  if (const std::string sentence = refresh_warning(config); !sentence.empty()) sentences.push_back(sentence);
  if (const std::string sentence = write_width_warning(config, plan); !sentence.empty()) sentences.push_back(sentence);
  if (!config.has_flash()) return sentences;
  for (const std::string& sentence : config.selected().warnings(config.flash_for_layer()))
    sentences.push_back(config.layer + ": " + sentence);
  if (config.firmware.flash_cache.caches_writes())
    for (const std::string& sentence : paired_pages_warnings(config.flash_for_layer(), config.firmware.flash_cache.paired_pages, false))
      sentences.push_back("firmware.flash_cache: " + sentence);
  const bool pages_fail = config.nand.ecc_bits != 0 || !config.nand.read_failures.empty();
  if (pages_fail && !(config.selected().knows_lost_pages() && config.firmware.knows_lost_pages()))
    sentences.push_back(
        config.layer +
        ": a flash page that becomes unreadable and is in no checkpoint is taken at boot for one that a power cut tore, and "
        "an older copy of its sector for the newest; dump_tags = true, with a checkpoint where the layer has one, lets boot "
        "know of it");
  return sentences;
}

FormatPlan plan_drive(const DriveConfig& config) {
  try {
    return planned(config);
  } catch (const InputError& error) {
    throw config.refusal(error.what());
  }
}

}  // namespace tessera
