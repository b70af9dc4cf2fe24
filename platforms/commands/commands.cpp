#include "platforms/commands/commands.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <optional>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "platforms/array/array_plan.hpp"
#include "platforms/description/former_names.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/drive/drive_image.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/output/apart.hpp"
#include "platforms/output/explain.hpp"
#include "platforms/output/figure_text.hpp"
#include "platforms/output/trace_table.hpp"
#include "platforms/output/trace_text.hpp"
#include "platforms/plugin/plugin_factory.hpp"
#include "platforms/plugin/plugin_policy.hpp"
#include "platforms/run/drive_host.hpp"
#include "platforms/run/input.hpp"
#include "platforms/state/drive_state_module.hpp"
#include "platforms/state/state_file.hpp"
#include "stimuli/readers/open_trace.hpp"
#include "stimuli/readers/trace_files.hpp"
#include "stimuli/readers/trace_format.hpp"
#include "stimuli/readers/trace_probe.hpp"
#include "stimuli/readers/trace_summary.hpp"

namespace tessera {

namespace {

struct Entry {
  std::string name;
  std::string summary;
  bool layer = false;
  bool needs_flash = false;           ///< of a layer
  bool zones = false;                 ///< of a layer: the host sees them
  std::string library;                ///< of a layer: the shared library that it is from; "": this program
  std::vector<std::string> policies;  ///< of a layer: of a library's, those that it may have
  std::filesystem::path file;         ///< of a description
};

std::vector<Entry> entries(const cli::ListOptions& options, const SearchPath& search) {
  std::vector<Entry> list;
  switch (options.subject) {
    case cli::ListSubject::drives:
      for (const NamedFile& file : search.list(DescriptionFile::drive))
        list.push_back({file.name, file.summary, false, false, false, "", {}, file.file});
      break;
    case cli::ListSubject::workloads:
      for (const NamedFile& file : search.list(DescriptionFile::workload))
        list.push_back({file.name, file.summary, false, false, false, "", {}, file.file});
      break;
    case cli::ListSubject::arrays:
      for (const NamedFile& file : search.list(DescriptionFile::array))
        list.push_back({file.name, file.summary, false, false, false, "", {}, file.file});
      break;
    case cli::ListSubject::layers:
      for (const DriveConfig drive = drive_with({options.firmware.file, options.firmware.patience}); const auto& layer : drive.layers) {
        const bool own = dynamic_cast<const PluginFactory*>(layer.get()) != nullptr;
        std::vector<std::string> policies;
        for (const auto& policy : drive.policies)
          if (layer->takes_policy()) policies.push_back(policy->name());
        list.push_back({layer->name(),
                        layer->summary(),
                        true,
                        layer->needs_flash(),
                        layer->zone_size() != Bytes(0),
                        own ? options.firmware.file.string() : "",
                        std::move(policies),
                        {}});
      }
      break;
    case cli::ListSubject::formats:
      for (const TraceFormat& format : trace_formats())
        list.push_back({format.name + (format.argument.empty() ? "" : "[:" + format.argument + "]"),
                        format.description,
                        false,
                        false,
                        false,
                        "",
                        {},
                        {}});
      break;
    case cli::ListSubject::parameters: break;
  }
  return list;
}

/// None for NumPy's form.
std::optional<TraceText> text_form(cli::ConvertForm form) {
  switch (form) {
    case cli::ConvertForm::npy: break;
    case cli::ConvertForm::fio: return TraceText::fio_3;
    case cli::ConvertForm::fio2: return TraceText::fio_2;
    case cli::ConvertForm::blkparse: return TraceText::blkparse;
    case cli::ConvertForm::msr: return TraceText::msr;
    case cli::ConvertForm::columns: return TraceText::columns;
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

void print_entries(const std::vector<Entry>& list, cli::ListFormat format) {
  if (format == cli::ListFormat::json) {
    boost::json::array array;
    for (const Entry& entry : list) {
      boost::json::object object{{"name", entry.name}, {"summary", entry.summary}};
      if (entry.layer) {
        object["needs_flash"] = entry.needs_flash;
        object["zones"] = entry.zones;
        object["former_names"] = boost::json::value_from(former_names_of(entry.name));
        if (entry.zones) object["hosts"] = boost::json::value_from(HostsConfig::names());
        if (!entry.library.empty()) object["library"] = entry.library;
        if (!entry.policies.empty()) object["policies"] = boost::json::value_from(entry.policies);
      }
      if (!entry.file.empty()) object["file"] = std::filesystem::weakly_canonical(entry.file).string();
      array.push_back(std::move(object));
    }
    std::cout << boost::json::serialize(array) << "\n";
    return;
  }
  std::size_t width = 0;
  for (const Entry& entry : list) width = std::max(width, entry.name.size());
  for (const Entry& entry : list) {
    std::cout << entry.name << std::string(width - entry.name.size() + 2, ' ') << entry.summary;
    if (entry.zones)
      std::cout << "; with a host that translates: " << entry.name << ":" << joined(HostsConfig::names(), ", " + entry.name + ":");
    if (!entry.policies.empty()) std::cout << "; with a policy: " << entry.name << ":" << joined(entry.policies, ", " + entry.name + ":");
    if (!entry.library.empty()) std::cout << " (" << entry.library << ")";
    std::cout << "\n";
  }
}

std::vector<Parameter> collect(DriveConfig& config) {
  ParameterCollector collector;
  config.describe(collector);
  return collector.parameters();
}

void print_parameters(const cli::ListOptions& options, const SearchPath& search) {
  if (options.arrays || (!options.drive.empty() && describes_array(options.drive, search))) {
    std::optional<ArrayDescription> array;
    if (!options.drive.empty()) array = load_array(options.drive, {}, search);
    std::cout << array_parameters(options.format, array ? &*array : nullptr);
    return;
  }
  const FirmwareLibrary firmware{options.firmware.file, options.firmware.patience};
  DriveConfig defaults = drive_with(firmware);
  const std::vector<Parameter> untouched = collect(defaults);
  DriveConfig config = drive_with(firmware);
  if (!options.drive.empty()) config = load_drive(search.load(DescriptionFile::drive, options.drive), {}, "", firmware);
  const std::vector<Parameter> parameters = collect(config);
  switch (options.format) {
    case cli::ListFormat::text: std::cout << parameters_as_text(parameters, options.drive.empty() ? nullptr : &untouched); break;
    case cli::ListFormat::json: std::cout << parameters_as_json(parameters) << "\n"; break;
    case cli::ListFormat::schema: std::cout << parameters_as_schema(parameters, "Tessera drive description") << "\n"; break;
    case cli::ListFormat::markdown: std::cout << parameters_as_markdown(parameters, "Parameters of a drive description"); break;
  }
}

/// Addresses and sizes as in the file.
std::unique_ptr<TraceSource> open_as_it_is(const cli::TraceOptions& options, std::optional<Bytes> zones = std::nullopt) {
  TraceOptions trace = reading_of(options);
  trace.zones = zones;
  trace.limit = options.limit;
  return open_trace(trace);
}

/// What a saved state holds; InputError where it is not one of this drive. Its content mode is taken as it is.
void print_state(const cli::CheckOptions& options, DriveConfig& config) {
  const SavedState saved(options.load_state);
  const StateFacts& facts = saved.facts();
  cli::RunOptions run;
  run.drive = options.drive;
  run.firmware = options.firmware;
  run.check = facts.checked;
  saved.require_fit(facts_of(run, config, facts.content));
  std::cout << options.load_state.string() << ": a state of this drive, saved after "
            << figure_text(static_cast<double>(facts.requests), "1") << " requests, seed " << facts.seed << ", " << facts.prefill_percent
            << " % prefilled" << (facts.checked ? ", with" : ", without") << " what --check needs\n";
}

/// Of whichever drive it is.
void print_state_facts(const std::filesystem::path& file, bool json) {
  const SavedState saved(file);
  const StateFacts& facts = saved.facts();
  if (json) {
    boost::json::object parameters;
    for (const auto& [path, value] : facts.parameters) parameters[path] = value;
    std::cout << boost::json::serialize(boost::json::object{{"state", file.string()},
                                                            {"version", facts.version},
                                                            {"drive", facts.drive},
                                                            {"layer", facts.layer},
                                                            {"firmware", facts.firmware},
                                                            {"content", facts.content_name()},
                                                            {"checked", facts.checked},
                                                            {"prefill_percent", facts.prefill_percent},
                                                            {"seed", facts.seed},
                                                            {"requests", facts.requests},
                                                            {"parameters", std::move(parameters)}})
              << "\n";
    return;
  }
  std::cout << file.string() << ": the state of a drive\n"
            << "drive       " << facts.drive << ", layer " << facts.layer << "\n"
            << "saved       after " << figure_text(static_cast<double>(facts.requests), "1") << " requests, seed " << facts.seed << ", "
            << facts.prefill_percent << " % prefilled, by tessera-sim " << facts.version << "\n"
            << "content     " << facts.content_name() << (facts.checked ? ", with" : ", without") << " what --check needs\n"
            << "parameters  " << facts.parameters.size() << ", which --json lists\n";
}

std::string interval(const std::string& of, std::uint64_t first, std::uint64_t count) {
  if (count == 1) return of + " " + std::to_string(first);
  return of + "s " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

/// The arms with their surfaces, and the concurrent positioning ranges (ACS-5) where each has a share of the addresses.
void print_arms(DriveModule& drive, const FormatPlan& plan) {
  const DriveConfig& config = drive.config();
  const DriveGeometry geometry = geometry_of(config.media);
  std::vector<std::uint64_t> ends;
  if (config.selected().bounds().by_arm)
    ends =
        ConventionalLayout(geometry, regions_named(plan, "data"), drive.controller().disk_channel(), ConventionalLayout::Reserve::as_zoned)
            .arm_ends();
  const std::uint64_t blocks = geometry.sector_bytes / host_block_bytes;
  std::cout << "arms" << (ends.empty() ? ", which take turns with the addresses:" : ", each with its share of the addresses:") << "\n";
  std::uint64_t first = 0;
  for (std::size_t arm = 0; arm < geometry.arms.size(); ++arm) {
    std::cout << "  arm " << arm << ": " << interval("surface", geometry.arms[arm].first, geometry.arms[arm].count);
    if (!ends.empty()) std::cout << ", " << interval("block", first * blocks, (ends[arm] - first) * blocks);
    std::cout << "\n";
    first = ends.empty() ? 0 : ends[arm];
  }
}

/// What a trace is held against.
struct TraceTarget {
  const char* device;
  Bytes capacity;
  std::optional<Bytes> zones = std::nullopt;
  bool volume_each_unit = false;  ///< volumes are units of the drive, not neighbours on it
};

/// What the trace is read as, and whether the drive or array has all its addresses; InputError where a run would be refused.
void print_trace(const cli::TraceOptions& options, const TraceTarget& target) {
  const auto source = open_as_it_is(options, target.zones);
  std::uint64_t requests = 0;
  std::uint64_t beyond = 0;
  VolumeExtents extents;
  for (TraceRecord record; source->next(record); ++requests) {
    beyond += record.end() > target.capacity ? 1 : 0;
    extents.add(record);
  }
  std::cout << options.file.string() << ": " << figure_text(static_cast<double>(requests), "1") << " requests";
  const auto notes = source->notes();
  for (std::size_t i = 0; i < notes.size(); ++i) std::cout << (i == 0 ? ", " : "note: ") << notes[i] << "\n";
  if (notes.empty()) std::cout << "\n";
  const std::string held = figure_text(static_cast<double>(target.capacity.value()), "B");
  if (options.volume.empty() && !target.volume_each_unit && extents.volumes() > 1) {
    if (options.limit) extents = extents_of(reading_of(options));
    const Bytes all = extents.begins(volume_alignment(target.zones)).back();
    const bool fit = all <= target.capacity;
    std::cout << (fit ? "note: " : "warning: ") << extents.requested() << " volumes take "
              << figure_text(static_cast<double>(all.value()), "B") << " side by side, and the " << target.device << " holds " << held
              << (fit ? "\n" : ": run needs --fold or --volume\n");
    return;
  }
  if (beyond != 0)
    std::cout << "warning: " << figure_text(static_cast<double>(beyond), "1") << (beyond == 1 ? " request ends" : " requests end")
              << " past the " << target.device << "'s capacity of " << held << ": run needs --fold or --volume\n";
}

/// A drive is checked with a layer, firmware or a state of its own; those of an array stand in its file.
int check_array(const cli::CheckOptions& options, const SearchPath& search) {
  const bool of_drive =
      !options.layer.empty() || !options.firmware.file.empty() || !options.firmware.image.empty() || !options.load_state.empty();
  if (of_drive)
    throw InputError("tessera-sim check: " + options.drive +
                     " is an array; expected no --layer, --firmware, --elf or --load-state, which are of one drive");
  const ArrayPlan plan = plan_array(options.drive, options.set, search);
  if (options.capacity) {
    std::cout << plan.capacity.value() << "\n";
    return 0;
  }
  std::cout << options.drive << " is valid: " << plan.text;
  for (const std::string& note : plan.notes) std::cout << "warning: " << note << "\n";
  if (options.trace) print_trace(*options.trace, {"array", plan.capacity});
  return 0;
}

}  // namespace

int explain_command(const cli::ExplainOptions& options) {
  std::cout << explain_request(options.run, options.request);
  return 0;
}

int describe_command(const cli::DescribeOptions& options) {
  if (is_state(options.trace.file)) {
    print_state_facts(options.trace.file, options.json);
    return 0;
  }
  const auto source = open_as_it_is(options.trace);
  const TraceSummary summary = describe(*source);
  if (options.json)
    std::cout << boost::json::serialize(to_json(summary)) << "\n";
  else
    print(summary, std::cout);
  return 0;
}

int probe_command(const cli::ProbeOptions& options) {
  print_probe(options.file.string(), std::cout);
  return 0;
}

int convert_command(const cli::ConvertOptions& options) {
  const std::optional<TraceText> text = text_form(options.to);
  std::vector<NamedPath> outputs{{"--out", options.out}};
  if (const auto beside = text ? columns_beside(options.out, *text) : std::filesystem::path(); !beside.empty())
    outputs.push_back({"the description of the columns", beside});
  std::vector<NamedPath> inputs;
  for (const std::string& file : files_of_trace(options.trace.file.string(), options.trace.format).content)
    inputs.push_back({"its own input", file});
  require_apart(outputs, inputs);
  const auto source = open_as_it_is(options.trace, Bytes(0));
  const WrittenTrace written =
      text ? write_trace_text(*source, options.out, *text) : WrittenTrace{write_trace_table(*source, options.out), {}};
  std::cout << options.out.string() << ": " << figure_text(static_cast<double>(written.records), "1") << " records\n";
  for (const std::string& note : source->notes()) std::cout << "note: " << note << "\n";
  for (const std::string& note : written.notes) std::cout << "note: " << note << "\n";
  return 0;
}

int list_command(const cli::ListOptions& options, const SearchPath& search) {
  if (options.subject == cli::ListSubject::parameters)
    print_parameters(options, search);
  else
    print_entries(entries(options, search), options.format);
  return 0;
}

namespace {

/// As TraceOptions::zones.
std::optional<Bytes> visible_zones(const DriveConfig& config) {
  const Bytes zone = config.visible_zone_size();
  return zone == Bytes(0) ? std::nullopt : std::optional(zone);
}

/// Where the drive's own layer leaves the host less than the product is sold with.
std::string capacity_warning(const DriveConfig& config, Bytes capacity) {
  const DescriptionValue* own = config.document.root().find("layer");
  if (capacity >= config.published_capacity || own == nullptr || std::get<std::string>(own->data) != config.layer) return {};
  return "the layer " + config.layer + " leaves the host " + std::to_string(capacity.value()) + " B, " +
         std::to_string((config.published_capacity - capacity).value()) +
         " B less than published_capacity: traces of the product may not fit";
}

}  // namespace

int check_command(const cli::CheckOptions& options, const SearchPath& search) {
  if (describes_array(options.drive, search)) return check_array(options, search);
  DriveConfig config = load_drive(search.load(DescriptionFile::drive, options.drive), options.set, options.layer,
                                  {options.firmware.file, options.firmware.patience});
  load_image(config, options.firmware.image, options.layer);
  const FormatPlan plan = plan_drive(config);
  // The drive is built and its firmware loaded as for a run, so that all that is refused there is refused here.
  DriveModule drive("drive", config, plan, ContentMode::none, 0);
  drive.power_on(false, [](Status) {});
  const Bytes capacity(application_sectors(drive) * drive.sector_shape().sector_bytes);
  if (options.capacity) {
    std::cout << capacity.value() << "\n";
    return 0;
  }
  std::cout << options.drive << " with layer " << config.layer_in_full() << " is valid; regions:\n";
  for (const Region& region : plan)
    std::cout << "  " << region.name << ": radii " << region.first << " to " << region.first + region.count - 1 << "\n";
  if (config.media.actuators > 1) print_arms(drive, plan);
  for (const std::string& warning : warnings(config, plan)) std::cout << "warning: " << warning << "\n";
  for (const std::string& note : drive.controller().placement_notes()) std::cout << "warning: " << note << "\n";
  const Bytes held(drive.firmware().user_sectors() * drive.sector_shape().sector_bytes);
  if (const std::string warning = capacity_warning(config, held); !warning.empty()) std::cout << "warning: " << warning << "\n";
  if (!options.load_state.empty()) print_state(options, config);
  if (options.trace)
    print_trace(*options.trace,
                {"drive", capacity, visible_zones(config), config.logical_units.several() && config.logical_units.by == LunOf::volume});
  return 0;
}

}  // namespace tessera
