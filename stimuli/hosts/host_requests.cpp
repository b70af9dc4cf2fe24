#include "stimuli/hosts/host_requests.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "base/check.hpp"

namespace tessera {

HostRun SectorView::blocks_in(const HostRequest& request, std::uint64_t sector) const {
  const std::uint64_t first = sector * blocks_;
  const std::uint64_t begin = std::max(first, request.blocks.first.value());
  const std::uint64_t end = std::min(first + blocks_, request.blocks.end().value());
  return {HostBlock(begin), static_cast<std::uint32_t>(end - begin)};
}

void SectorView::overwrite(std::span<std::byte> content, const HostRequest& request, std::uint64_t sector) const {
  if (content.empty()) return;
  const HostRun blocks = blocks_in(request, sector);
  std::byte* const to = content.data() + blocks.first.value() % blocks_ * kept_;
  if (request.content.empty())
    std::memset(to, 0, blocks.count * kept_);
  else
    std::memcpy(to, request.content.data() + (blocks.first - request.blocks.first) * kept_, blocks.count * kept_);
}

namespace {

/// Has a request go on as the command that was made for it: from where it is, to where the command ends.
void append(RequestLife& request, const RequestLife& command) {
  TESSERA_CHECK(request.mark == command.arrival, "a request goes on as a command that did not begin where it was");
  for (std::size_t phase = 0; phase < life_phases; ++phase) request.parts[phase] += command.parts[phase];
  for (std::size_t cause = 0; cause < causes; ++cause)
    if (cause != static_cast<std::size_t>(Cause::host)) request.held_up_by[cause] += command.held_up_by[cause];
  request.mark = command.mark;
}

}  // namespace

void end_life(HostRequest& request, Picoseconds now, Picoseconds held_up, const RequestLife* command) {
  RequestLife& own = request.life;
  const Picoseconds until = command == nullptr ? now : std::max(own.mark, command->arrival);
  const Picoseconds cleaning = std::min(held_up, until - own.mark);
  if (cleaning != Picoseconds(0)) own.account(LifePhase::cleaning, own.mark + cleaning, Cause::cleaning);
  own.account(LifePhase::host_queue, until);
  if (command != nullptr) append(own, *command);
}

void count_translation(MetricSet& metrics, const char* name, std::uint64_t value, const char* unit, const char* what) {
  metrics.count(std::string("translation.") + name, static_cast<double>(value), unit, what);
}

void report_host(MetricSet& metrics, const HostCounts& counts, std::uint64_t commands, Picoseconds cpu, Picoseconds stalled) {
  count_translation(metrics, "sectors.accepted", counts.accepted, "sectors", "that the application wrote, in part or whole");
  count_translation(metrics, "edge_reads", counts.edges, "1", "sectors read because the application wrote a part of them");
  count_translation(metrics, "reads", counts.reads, "1", "reads of the application");
  count_translation(metrics, "reads.commands", counts.pieces, "1", "reads of the drive for them: one for each run of places");
  count_translation(metrics, "resets", counts.resets, "1", "zones that were reset");
  count_translation(metrics, "cleaning.idle", counts.idle_cleanings, "1", "cleanings that began while the application was idle");
  // A drive whose zones lie over a media cache has cleanings of its own.
  const std::string own = metrics.find("cleaning.count") == nullptr ? "cleaning." : "translation.cleanings.";
  metrics.count(own + "count", static_cast<double>(counts.cleanings), "1", "zones that the host cleaned");
  const auto milliseconds = [&](double time) { return counts.cleanings == 0 ? std::nullopt : std::optional(time * 1e-9); };
  metrics.add(
      own + "mean",
      milliseconds(static_cast<double>(counts.cleaning_time.value()) / static_cast<double>(std::max<std::uint64_t>(1, counts.cleanings))),
      "ms", "mean time from the choice of a zone until it was cleaned, since the start of the run");
  metrics.add(own + "max", milliseconds(static_cast<double>(counts.longest_cleaning.value())), "ms", "longest of these times");
  metrics.count("translation.stalled", stalled, "time in which written data waited for a free zone, or for the end of a cleaning");
  metrics.count("translation.cpu", cpu, "time of the host's processor, by the costs of hosts.cpu");
  count_translation(metrics, "commands", commands, "1", "that the host sent to the drive");
  count_translation(metrics, "recovery.reads", counts.recovery_reads, "1", "reads of boots after power cuts");
  metrics.count("translation.recovery.time", counts.recovery_time, "time of the host in these boots, after the drive's own");
}

}  // namespace tessera
