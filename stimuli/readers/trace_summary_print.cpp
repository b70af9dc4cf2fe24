#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <variant>

#include "stimuli/readers/trace_summary.hpp"

namespace tessera {
namespace {

/// One line of the output: a figure, its name in JSON and for people, its unit.
struct Figure {
  const char* name;
  const char* label;
  const char* unit;
  std::variant<std::uint64_t, std::optional<double>> value;
};

double gigabytes(Bytes amount) { return static_cast<double>(amount.value()) / 1e9; }
double gibibytes_of_blocks(std::uint64_t blocks) { return static_cast<double>(blocks) * 4096.0 / static_cast<double>(1 << 30); }
double seconds(Picoseconds time) { return static_cast<double>(time.value()) / 1e12; }
double zones(Bytes amount) { return static_cast<double>(amount.value()) / static_cast<double>(TraceSummary::zone_bytes); }

std::optional<double> percent(std::optional<double> share) { return share ? std::optional(100.0 * *share) : std::nullopt; }

std::vector<Figure> figures(const TraceSummary& s) {
  const auto of_writes = [&s](double value) { return s.writes > 0 ? std::optional(value) : std::nullopt; };
  return {
      {"requests", "requests", "", s.requests},
      {"reads", "  reads", "", s.reads},
      {"writes", "  writes", "", s.writes},
      {"flushes", "  flushes", "", s.flushes},
      {"trims", "  trims", "", s.trims},
      {"write_share_percent", "writes", "% of requests", percent(s.write_share())},
      {"duration_s", "duration", "s", std::optional(seconds(s.duration))},
      {"mean_interarrival_ms", "mean inter-arrival time", "ms", s.mean_interarrival_ms()},
      {"mean_think_ms", "mean think time", "ms", s.mean_think_ms()},
      {"longest_gap_s", "longest gap", "s", std::optional(seconds(s.longest_gap))},
      {"bytes_written", "written", "B", s.bytes_written.value()},
      {"gb_written", "", "GB (1e9)", std::optional(gigabytes(s.bytes_written))},
      {"bytes_read", "read", "B", s.bytes_read.value()},
      {"gb_read", "", "GB (1e9)", std::optional(gigabytes(s.bytes_read))},
      {"bytes_trimmed", "trimmed", "B", s.bytes_trimmed.value()},
      {"footprint_gib", "footprint, 4 KiB blocks", "GiB", std::optional(gibibytes_of_blocks(s.touched_blocks))},
      {"write_footprint_gib", "footprint of writes", "GiB", std::optional(gibibytes_of_blocks(s.written_blocks))},
      {"update_any_percent", "updates, any block", "% of writes", percent(s.update_any_share())},
      {"update_all_percent", "updates, all blocks", "% of writes", percent(s.update_all_share())},
      {"update_block_percent", "updates, by block", "% of block writes", percent(s.update_block_share())},
      {"write_range_zones_from_0", "highest write", "zones of 256 MiB", of_writes(zones(s.highest_written))},
      {"write_range_zones", "lowest to highest write", "zones", of_writes(zones(s.highest_written) - zones(s.lowest_written))},
      {"write_zones_touched", "zones written", "", s.written_zones},
      {"mean_write_sectors", "mean write", "sectors of 512 B", s.mean_write_sectors()},
      {"mean_write_sectors_aligned", "  aligned to 4 KiB", "sectors", s.mean_write_sectors_aligned()},
      {"mean_read_sectors", "mean read", "sectors", s.mean_read_sectors()},
      {"largest_request_bytes", "largest request", "B", s.largest_request.value()},
      {"highest_address_bytes", "highest address", "B", s.highest_address.value()},
      {"sequential_percent", "sequential", "%", percent(s.sequential_share())},
      {"mean_seek_sectors", "mean seek distance", "sectors", s.mean_seek_sectors()},
      {"split_sectors", "requests of parts of sectors", "", s.split_sectors},
  };
}

constexpr std::size_t volumes_printed = 24;

/// Four decimals, and of what would lose its digits that way four significant ones: 4 KiB are 4.096e-06 GB.
std::string readable(double value) {
  std::ostringstream text;
  const bool small = value != 0 && std::abs(value) < 0.1;
  text << (small ? std::defaultfloat : std::fixed) << std::setprecision(4) << value;
  return text.str();
}

}  // namespace

void print(const TraceSummary& summary, std::ostream& out) {
  std::ostringstream text;  // so that the caller's stream keeps its own format
  for (const auto& figure : figures(summary)) {
    text << std::left << std::setw(30) << figure.label << std::right << std::setw(20);
    if (const auto* count = std::get_if<std::uint64_t>(&figure.value))
      text << *count;
    else if (const auto& value = std::get<std::optional<double>>(figure.value))
      text << readable(*value);
    else
      text << "-";
    text << (*figure.unit == '\0' ? "" : " ") << figure.unit << "\n";
  }
  text << std::left << std::setw(30) << "volumes" << std::right << std::setw(20) << summary.volumes.size() << "\n";
  auto busiest = summary.volumes;
  std::stable_sort(busiest.begin(), busiest.end(), [](const auto& a, const auto& b) { return a.requests > b.requests; });
  for (const auto& volume : std::span(busiest).first(std::min(busiest.size(), volumes_printed)))
    text << "  " << std::left << std::setw(28) << volume.name << std::right << std::setw(20) << volume.requests << " requests\n";
  if (busiest.size() > volumes_printed) text << "  and " << busiest.size() - volumes_printed << " with fewer requests\n";
  for (const auto& note : summary.notes) text << "note: " << note << "\n";
  out << text.str();
}

boost::json::object to_json(const TraceSummary& summary) {
  boost::json::object json;
  for (const auto& figure : figures(summary)) {
    if (const auto* count = std::get_if<std::uint64_t>(&figure.value))
      json[figure.name] = *count;
    else if (const auto& value = std::get<std::optional<double>>(figure.value))
      json[figure.name] = *value;
    else
      json[figure.name] = nullptr;
  }
  boost::json::array volumes;
  for (const auto& volume : summary.volumes) volumes.push_back(boost::json::object{{"name", volume.name}, {"requests", volume.requests}});
  json["volumes"] = std::move(volumes);
  boost::json::array notes;
  for (const auto& note : summary.notes) notes.emplace_back(note);
  json["notes"] = std::move(notes);
  return json;
}

}  // namespace tessera
