#include "stimuli/readers/open_trace.hpp"

#include "base/address.hpp"
#include "base/check.hpp"
#include "stimuli/readers/address_fold.hpp"
#include "stimuli/readers/looped_trace.hpp"
#include "stimuli/readers/trace_format.hpp"
#include "stimuli/readers/trace_window.hpp"
#include "stimuli/readers/volume_choice.hpp"

namespace tessera {

std::unique_ptr<TraceSource> open_trace(const TraceOptions& options) {
  const auto one_pass = [options] {
    auto source = open_trace_file(options.path, {options.format, options.order, options.hash, !options.volume.empty(), options.zones});
    if (options.spread.value() != 0) source = spread_times(std::move(source), options.spread);
    if (!options.volume.empty()) source = choose_volume(std::move(source), options.volume);
    return window(std::move(source), options.skip, options.limit);
  };
  auto source = options.passes == 1 ? one_pass() : loop(one_pass, options.passes, options.drift, options.in_time);
  return options.time_scale == TimeScale{} ? std::move(source) : scale_time(std::move(source), options.time_scale);
}

std::unique_ptr<TraceSource> open_trace(const TraceOptions& options, Bytes capacity, Bytes sector) {
  auto source = options.own_spaces ? open_trace(options) : share_address_space(open_trace(options));
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
