#include "platforms/run/input.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "platforms/description/reader.hpp"
#include "platforms/description/toml_document.hpp"
#include "stimuli/generators/generator.hpp"
#include "stimuli/readers/address_fold.hpp"
#include "stimuli/readers/byte_stream.hpp"
#include "stimuli/readers/looped_trace.hpp"
#include "stimuli/readers/open_trace.hpp"
#include "stimuli/readers/sector_adaptation.hpp"
#include "stimuli/readers/time_scale.hpp"
#include "stimuli/readers/trace_window.hpp"
#include "stimuli/readers/unit_addresses.hpp"

namespace tessera {

namespace {

SectorAdaptation adaptation(cli::AdaptOption option) {
  switch (option) {
    case cli::AdaptOption::none: return SectorAdaptation::none;
    case cli::AdaptOption::align: return SectorAdaptation::align;
    case cli::AdaptOption::one_sector: return SectorAdaptation::one_sector;
  }
  return SectorAdaptation::none;
}

/// The addresses that the input may use: the drive's, those that hold data at the start, or those that the user names.
InputLimits used_limits(const cli::RunOptions& options, InputLimits limits) {
  if (options.fold_at) {
    const auto bytes = [](Bytes size) { return std::to_string(size.value()) + " B"; };
    if (*options.fold_at < limits.sector || *options.fold_at > limits.capacity)
      throw InputError("--fold-at: expected a size from " + bytes(limits.sector) + " (a sector) to " + bytes(limits.capacity) +
                       " (what this drive holds), found " + bytes(*options.fold_at));
    limits.capacity = limits.sector * (*options.fold_at / limits.sector);
  }
  if (options.fold_prefilled) limits.capacity = limits.sector * (limits.capacity / limits.sector * options.prefill_percent / 100);
  return limits;
}

/// A trace that comes through a pipe and stalls, or an input of which much is skipped, ends where it is when the run is asked to stop.
class UntilStopped : public TraceAdaptation {
 public:
  using TraceAdaptation::TraceAdaptation;
  bool next(TraceRecord& record) override {
    try {
      return !stopped_ && inner_->next(record);
    } catch (const ReadStopped&) {
      stopped_ = true;
      return false;
    }
  }

 private:
  bool stopped_ = false;
};

std::string format_words(const cli::TraceOptions& options) {
  if (!options.columns.empty()) return "columns:" + options.columns;
  if (options.time_unit.empty()) return options.format;
  return (options.format.empty() ? "ascii" : options.format) + ":" + options.time_unit;
}

/// Whether the input's own times have to reach the drive's age: a closed loop takes what its requests take.
bool takes_time(const cli::RunOptions& options) { return options.age && options.replay.mode != cli::ReplayMode::closed; }

std::unique_ptr<TraceSource> open_workload(const cli::RunOptions& options, const SearchPath& search, const InputLimits& limits) {
  WorkloadConfig workload = load_workload(search, options.workload);
  if (options.limit) workload.requests = options.skip + *options.limit;
  const bool in_time = takes_time(options);
  if (in_time && workload.arrivals.law == ArrivalLaw::none)
    throw InputError("--age: the workload " + options.workload + " has no times of arrival; give --replay closed:N");
  if (options.age && !options.limit) workload.requests = for_ever;
  const auto open = [&options, workload, limits] {
    return window(make_generator(workload, options.workload, options.seed, limits.capacity, limits.zones), options.skip, options.limit);
  };
  std::unique_ptr<TraceSource> source = options.age && options.limit ? loop(open, for_ever, Bytes(0), in_time) : open();
  const TimeScale scale{options.time_scale.numerator, options.time_scale.denominator};
  if (!(scale == TimeScale{})) source = scale_time(std::move(source), scale);
  source = options.fold ? fold_addresses(std::move(source), limits.capacity) : bound_addresses(std::move(source), limits.capacity);
  return adapt_sectors(std::move(source), adaptation(options.adapt), limits.sector, limits.capacity);
}

}  // namespace

TraceOptions reading_of(const cli::TraceOptions& options) {
  TraceOptions trace;
  trace.path = options.file.string();
  trace.format = format_words(options);
  trace.volume = options.volume;
  trace.order = {options.sort_time, options.sort_records, options.completion_minus_response, options.sort_all};
  trace.spread = options.spread;
  return trace;
}

void choose_prefill(cli::RunOptions& options, DriveConfig& drive) {
  if (!options.load_state.empty()) {
    drive.prefill_overridden = "--load-state brings a drive that was filled before";
    return;
  }
  if (options.prefill_given)
    drive.prefill_overridden = "--prefill says how much of the drive holds data";
  else
    options.prefill_percent = drive.prefill;
  if (options.fold_prefilled && options.prefill_percent == 0)
    throw InputError("--fold-prefilled needs a drive that holds data at the start, and this one holds none: give --prefill PERCENT");
}

WorkloadConfig load_workload(const SearchPath& search, const std::string& name) {
  const TomlDocument document = search.load(DescriptionFile::workload, name);
  WorkloadConfig workload;
  DescriptionReader reader(document);
  workload.describe(reader);
  reader.finish();
  if (!workload.offsets.empty()) workload.offsets = (document.files().front().parent_path() / workload.offsets).string();
  return workload;
}

namespace {

std::unique_ptr<TraceSource> open_one(const cli::RunOptions& options, const SearchPath& search, const InputLimits& limits,
                                      ContentHash* hash) {
  if (options.trace) {
    TraceOptions trace = reading_of(*options.trace);
    trace.skip = options.skip;
    trace.limit = options.limit;
    trace.time_scale = {options.time_scale.numerator, options.time_scale.denominator};
    trace.fold = options.fold;
    trace.adapt = adaptation(options.adapt);
    trace.hash = hash;
    trace.own_spaces = limits.luns.several() && limits.luns.by == LunOf::volume;
    trace.order.years = true;
    if (limits.zones.size > Bytes(0)) trace.zones = limits.zones.size;
    if (options.age) {
      if (hash != nullptr) throw InputError("--age repeats the trace, and " + options.trace->file.string() + " can be read only once");
      trace.passes = for_ever;
      trace.in_time = takes_time(options);
    }
    return std::make_unique<UntilStopped>(open_trace(trace, limits.capacity, limits.sector));
  }
  return std::make_unique<UntilStopped>(open_workload(options, search, limits));
}

/// The least that a unit holds.
Bytes smallest(const std::vector<Bytes>& ends) {
  Bytes least = ends.front();
  for (std::size_t i = 1; i < ends.size(); ++i) least = std::min(least, ends[i] - ends[i - 1]);
  return least;
}

}  // namespace

std::unique_ptr<TraceSource> open_input(const cli::RunOptions& options, const SearchPath& search, const InputLimits& drive,
                                        ContentHash* hash) {
  InputLimits limits = used_limits(options, drive);
  if (!limits.luns.several()) return open_one(options, search, limits, hash);
  if (limits.luns.by == LunOf::volume)
    limits.capacity = std::min(limits.capacity, limits.sector * (smallest(limits.lun_ends) / limits.sector));
  return address_units(open_one(options, search, limits, hash), limits.lun_ends, limits.luns.by);
}

std::string input_name(const cli::RunOptions& options) {
  return options.trace ? options.trace->file.filename().string() : "workload " + options.workload;
}

}  // namespace tessera
