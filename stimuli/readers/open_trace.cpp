#include "stimuli/readers/open_trace.hpp"

#include <filesystem>

#include "base/address.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "stimuli/readers/address_fold.hpp"
#include "stimuli/readers/looped_trace.hpp"
#include "stimuli/readers/side_by_side.hpp"
#include "stimuli/readers/trace_format.hpp"
#include "stimuli/readers/trace_window.hpp"
#include "stimuli/readers/volume_choice.hpp"

namespace tessera {

namespace {

using Adaptation = std::function<std::unique_ptr<TraceSource>(std::unique_ptr<TraceSource>)>;

std::unique_ptr<TraceSource> open_whole(const TraceOptions& options, ContentHash* hash) {
  return open_trace_file(options.path, {options.format, options.order, hash, !options.volume.empty(), options.zones});
}

/// What is done to the file's records before they are one stream of the drive's; `laid` where volumes get addresses of their own.
std::unique_ptr<TraceSource> open_passes(const TraceOptions& options, const Adaptation& laid) {
  const auto one_pass = [options, laid] {
    auto source = open_whole(options, options.hash);
    if (options.spread.value() != 0) source = spread_times(std::move(source), options.spread);
    if (!options.volume.empty())
      source = choose_volume(std::move(source), options.volume);
    else if (laid)
      source = laid(std::move(source));
    return window(std::move(source), options.skip, options.limit);
  };
  auto source = options.passes == 1 ? one_pass() : loop(one_pass, options.passes, options.drift, options.in_time);
  return options.time_scale == TimeScale{} ? std::move(source) : scale_time(std::move(source), options.time_scale);
}

}  // namespace

VolumeExtents extents_of(const TraceOptions& trace) {
  TraceOptions options = trace;
  if (!std::filesystem::is_regular_file(options.path))
    throw InputError(options.path +
                     ": it has several volumes, and can be read only once, so that they cannot be laid side by side; "
                     "--volume chooses one, 'tessera trace merge' makes one of all");
  options.order = {};
  options.order.years = true;
  VolumeExtents extents;
  try {
    const auto source = open_whole(options, nullptr);
    for (TraceRecord record; source->next(record);) extents.add(record);
  } catch (const InputError&) {
  }
  return extents;
}

std::unique_ptr<TraceSource> open_trace(const TraceOptions& options) { return open_passes(options, nullptr); }

std::unique_ptr<TraceSource> open_trace(const TraceOptions& options, Bytes capacity, Bytes sector) {
  Adaptation laid;
  if (!options.own_spaces) {
    const auto extents = [options, known = std::make_shared<std::optional<VolumeExtents>>()] {  // once for all passes
      if (!*known) *known = extents_of(options);
      return **known;
    };
    laid = [options, capacity, extents](std::unique_ptr<TraceSource> source) {
      return lay_side_by_side(std::move(source),
                              {volume_alignment(options.zones), options.fold ? std::nullopt : std::optional(capacity), extents});
    };
  }
  auto source = open_passes(options, laid);
  source = options.fold ? fold_addresses(std::move(source), capacity) : bound_addresses(std::move(source), capacity);
  return adapt_sectors(std::move(source), options.adapt, sector, capacity);
}

HostRun host_run(const TraceRecord& record) {
  const auto blocks = record.size.value() / host_block_bytes;
  TESSERA_CHECK(record.offset.value() % host_block_bytes == 0 && record.size.value() % host_block_bytes == 0,
                "a trace record of part of a block");
  return {HostBlock(record.offset.value() / host_block_bytes), static_cast<std::uint32_t>(blocks)};
}

}  // namespace tessera
