#include "platforms/array/array_results.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <iomanip>
#include <sstream>

#include "platforms/output/figure_text.hpp"
#include "platforms/output/terminal_summary.hpp"
#include "platforms/run/input.hpp"

namespace tessera {

namespace {

std::string shown(const MetricSet& metrics, const std::string& name) {
  const Metric* metric = metrics.find(name);
  return metric == nullptr ? "-" : figure_text(metric->value, metric->unit);
}

bool some(const MetricSet& metrics, const std::string& name) {
  const Metric* metric = metrics.find(name);
  return metric != nullptr && metric->value.value_or(0) != 0;
}

std::string line(const std::string& name, const std::string& text) {
  constexpr std::size_t column = 12;
  return "  " + name + std::string(column - std::min(column - 1, name.size()), ' ') + text + "\n";
}

std::string latency_text(const MetricSet& metrics, const std::string& of) {
  return "mean " + shown(metrics, of + ".mean") + ", p50 " + shown(metrics, of + ".p50") + ", p99 " + shown(metrics, of + ".p99") +
         ", p99.9 " + shown(metrics, of + ".p999") + ", max " + shown(metrics, of + ".max");
}

const char* words_of(const DriveOfArray& drive, bool rebuilt_on) {
  if (drive.failed) return "failed";
  if (drive.spare) return rebuilt_on ? "rebuilt" : "spare";
  return "on";
}

const char* reason_of(DriveFault why) {
  switch (why) {
    case DriveFault::silent: return "it had a command for longer than array.time_out";
    case DriveFault::write_error: return "it failed a write or a FLUSH";
    case DriveFault::read_errors: return "it failed more reads than array.max_read_errors";
    case DriveFault::no_boot: return "it did not boot";
  }
  return "";
}

/// Each cell of a row, all rows of one width.
using Row = std::vector<std::string>;

std::string table_text(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  constexpr std::size_t first_figure = 3;  // columns of words come before it
  std::string text;
  for (const Row& row : rows) {
    text += " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string room(widths[i] - row[i].size(), ' ');
      text += " " + (i < first_figure ? row[i] + room : room + row[i]);
    }
    text += "\n";
  }
  return text;
}

std::string drives_table(const ArrayDrives& drives, const ArraySimulation& simulation) {
  std::vector<Row> rows{{"drive", "layer", "state", "commands", "read", "written", "mean", "p99", "busy"}};
  for (std::size_t i = 0; i < drives.size(); ++i) {
    const MetricSet& metrics = drives[i].metrics;
    const bool took_over =
        std::ranges::any_of(simulation.host().rebuilds(), [i](const RebuildRecord& record) { return record.spare == i; });
    const Metric* busy = metrics.find("disk_channel.utilisation");
    rows.push_back({std::to_string(i), drives[i].config.layer_in_full(), words_of(drives[i], took_over), shown(metrics, "host.served"),
                    shown(metrics, "host.bytes_read"), shown(metrics, "host.bytes_written"), shown(metrics, "host.latency.mean"),
                    shown(metrics, "host.latency.p99"), busy == nullptr || !busy->value ? "-" : percent_text(*busy->value)});
  }
  return table_text(rows);
}

std::string writes_text(const MetricSet& metrics) {
  std::string text = shown(metrics, "array.writes.whole_row") + " whole rows, " + shown(metrics, "array.writes.read_modify") +
                     " read-modify, " + shown(metrics, "array.writes.reconstruct") + " reconstruct";
  if (some(metrics, "array.writes.decode")) text += ", " + shown(metrics, "array.writes.decode") + " decode";
  return text;
}

std::string rebuild_text(const MetricSet& metrics) {
  const Metric* time = metrics.find("array.rebuild.time");
  if (time == nullptr || !time->value) return "did not end; " + shown(metrics, "array.rebuild.bytes") + " written";
  return shown(metrics, "array.rebuild.time") + " for " + shown(metrics, "array.rebuild.bytes") + ", " +
         shown(metrics, "array.rebuild.rate");
}

std::string requests_lines(const ArraySimulation& simulation) {
  const MetricSet& metrics = simulation.metrics();
  std::string text;
  for (const std::string& wrong : what_is_wrong(metrics, {.partial = simulation.partial(), .percentiles = {}}))
    text += "  ! " + wrong + "\n";
  std::string requests = shown(metrics, "host.served") + " served";
  if (some(metrics, "host.failed")) requests += ", " + shown(metrics, "host.failed") + " failed";
  text += line("requests", requests + ", " + shown(metrics, "host.bandwidth"));
  text += line("latency", latency_text(metrics, "host.latency"));
  return simulation.host().layout().has_parity() ? text + line("writes", writes_text(metrics)) : text;
}

}  // namespace

std::string drive_folder(std::size_t drive) { return "drive-" + std::to_string(drive); }

std::string array_text(const ArrayDescription& array, const ArrayDrives& drives, const ArrayLayout& layout) {
  const auto size = [](std::uint64_t blocks) { return figure_text(static_cast<double>(blocks * host_block_bytes), "B"); };
  std::string text = layout.shape().text(layout.drives()) + " of " + std::to_string(layout.drives()) + " drives";
  if (array.spares() > 0) text += " and " + std::to_string(array.spares()) + (array.spares() == 1 ? " spare" : " spares");
  if (const std::uint32_t places = layout.shape().spare_places; places > 0)
    text += " and " + std::to_string(places) + (places == 1 ? " spare place" : " spare places");
  text += ", " + size(layout.user_blocks());
  if (layout.kind() != ArrayKind::mirror) text += ", chunks of " + size(layout.chunk_blocks());
  const std::uint32_t survived = layout.survives();
  text += survived == 0 ? "; survives no failure" : "; survives " + std::to_string(survived) + (survived == 1 ? " failure" : " failures");
  text += "\n";
  for (std::size_t i = 0; i < drives.size(); ++i)
    text += "  drive " + std::to_string(i) + "  " + drives[i].description + ", layer " + drives[i].config.layer_in_full() +
            (drives[i].spare ? ", spare" : "") + "\n";
  return text;
}

std::string result_text(const ArrayDescription& array, const ArrayDrives& drives, const ArraySimulation& simulation) {
  const MetricSet& metrics = simulation.metrics();
  std::string text;
  if (!simulation.failure().empty()) text += "  ! " + simulation.failure() + "\n";
  if (simulation.player().completions() > 0) text += requests_lines(simulation);
  if (!array.failures.empty() || !simulation.thrown_out().empty())
    for (const auto& [name, words] :
         {std::pair("whole", "before"), {"degraded", "degraded"}, {"rebuild", "in rebuild"}, {"rebuilt", "after"}})
      if (some(metrics, std::string("array.requests.") + name))
        text += line(words, latency_text(metrics, std::string("array.latency.") + name));
  if (some(metrics, "array.errors.read") || some(metrics, "array.errors.write"))
    text += line("errors", shown(metrics, "array.errors.read") + " reads and " + shown(metrics, "array.errors.write") +
                               " writes failed by drives, " + shown(metrics, "array.errors.rewritten") + " sectors rewritten, " +
                               shown(metrics, "array.bad_blocks") + " bad");
  if (metrics.find("array.rebuild.bytes") != nullptr) text += line("rebuild", rebuild_text(metrics));
  if (some(metrics, "array.scrub.rows"))
    text += line("scrub", shown(metrics, "array.scrub.rows") + " rows, " + shown(metrics, "array.scrub.differing") + " differed");
  if (some(metrics, "array.journal.records"))
    text += line("journal", shown(metrics, "array.journal.records") + " records, " + shown(metrics, "array.journal.bytes") + "; " +
                                shown(metrics, "array.journal.replayed") + " replayed");
  if (simulation.cuts_made() > 0)
    text += line("power cuts", std::to_string(simulation.cuts_made()) + "; " + shown(metrics, "array.doubt.rows") + " rows in doubt, " +
                                   shown(metrics, "array.doubt.put_right") + " put right, " + shown(metrics, "array.doubt.left") + " left");
  if (simulation.scoreboard() != nullptr)
    text += line("checked", shown(metrics, "scoreboard.checked") + " blocks, " + shown(metrics, "scoreboard.errors") + " wrong; " +
                                shown(metrics, "array.rows_differing") + " rows whose parity or copies do not fit");
  return text + drives_table(drives, simulation);
}

boost::json::object drive_facts(const DriveOfArray& drive, std::size_t number, const cli::ArrayOptions& options) {
  boost::json::object run;
  run["tool"] = "tessera-sim " TESSERA_VERSION;
  run["array"] = options.run.drive;
  run["number"] = number;
  run["drive"] = drive.description;
  run["layer"] = drive.config.layer_in_full();
  run["spare"] = drive.spare;
  run["failed"] = drive.failed;
  run["cleans"] = drive.measurement->layer_cleans();
  run["seed"] = options.run.seed;
  return run;
}

std::vector<std::string> run_notes(const ArraySimulation& simulation) {
  std::vector<std::string> notes;
  for (const ArraySimulation::ThrownOut& out : simulation.thrown_out())
    notes.push_back("drive " + std::to_string(out.drive) + " was thrown out " +
                    figure_text(static_cast<double>(out.at.value()) * 1e-12, "s") + " after the start: " + reason_of(out.why));
  if (simulation.cuts_not_made() > 0)
    notes.push_back(std::to_string(simulation.cuts_not_made()) +
                    " of the power cuts fell into an outage or after the end: there was nothing to cut");
  if (simulation.metrics().find("array.doubt.left") != nullptr && some(simulation.metrics(), "array.doubt.left"))
    notes.emplace_back(
        "the write hole: power failed between data and parity of rows with a drive missing, so its data in them may be wrong");
  if (simulation.host().counts().unreadable > 0 && simulation.host().layout().redundant())
    notes.emplace_back("more failed than the array survives: what was lost answers with an error until it is written again");
  for (std::string& note : simulation.source().notes()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace tessera
