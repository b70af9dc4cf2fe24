#include "stimuli/readers/trace_summary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <variant>

#include "base/address.hpp"
#include "stimuli/readers/block_marks.hpp"

namespace tessera {

namespace {

/// What is known of one volume.
struct VolumeState {
  BlockMarks marks;
  boost::unordered_flat_set<std::uint64_t> written_zones;
  std::optional<std::uint64_t> expected;  ///< end of the request before
};

class Describer {
 public:
  /// `record` comes soon.
  void announce(const TraceRecord& record) const {
    if (record.volume >= volumes_.size()) return;
    constexpr std::uint64_t entry_bytes = TraceSummary::block_bytes * BlockMarks::blocks;
    const BlockMarks& marks = volumes_[record.volume].marks;
    const std::uint64_t first = record.offset.value() / entry_bytes;
    marks.prefetch(first);
    if (const std::uint64_t last = (record.end().value() - 1) / entry_bytes; last == first + 1) marks.prefetch(last);
  }

  void add(const TraceRecord& record, TraceSource& source) {
    while (volumes_.size() <= record.volume) {
      summary_.volumes.push_back({source.volume_name(static_cast<std::uint32_t>(volumes_.size())), 0});
      volumes_.emplace_back();
    }
    ++summary_.volumes[record.volume].requests;
    if (summary_.requests++ > 0) {
      summary_.longest_gap = std::max(summary_.longest_gap, record.arrival - last_);
      summary_.thinks += record.think ? 1 : 0;
      summary_.think_time += record.think.value_or(Picoseconds(0));
    } else {
      first_ = record.arrival;
    }
    last_ = record.arrival;
    if (record.op == HostOp::flush) {
      ++summary_.flushes;
      return;
    }
    if (record.offset.value() % host_block_bytes != 0 || record.size.value() % host_block_bytes != 0) ++summary_.split_sectors;
    if (record.op == HostOp::trim) {
      ++summary_.trims;
      summary_.bytes_trimmed += record.size;
      return;
    }
    transfer(record, volumes_[record.volume]);
  }

  [[nodiscard]] TraceSummary finish(const TraceSource& source) {
    summary_.duration = last_ - first_;
    for (const auto& volume : volumes_) summary_.written_zones += volume.written_zones.size();
    summary_.notes = source.notes();
    return std::move(summary_);
  }

 private:
  void transfer(const TraceRecord& record, VolumeState& volume) {
    summary_.largest_request = std::max(summary_.largest_request, record.size);
    summary_.highest_address = std::max(summary_.highest_address, record.end());
    const auto offset = record.offset.value();
    if (volume.expected) {
      ++summary_.successions;
      summary_.sequential += offset == *volume.expected ? 1 : 0;
      summary_.seek_bytes += std::max(offset, *volume.expected) - std::min(offset, *volume.expected);
    }
    volume.expected = record.end().value();
    if (record.op == HostOp::read) {
      ++summary_.reads;
      summary_.bytes_read += record.size;
      mark(record, volume, false);
    } else {
      write(record, volume);
    }
  }

  void write(const TraceRecord& record, VolumeState& volume) {
    summary_.lowest_written = summary_.writes == 0 ? record.offset : std::min(summary_.lowest_written, record.offset);
    summary_.highest_written = std::max(summary_.highest_written, record.end());
    ++summary_.writes;
    summary_.bytes_written += record.size;
    const auto [blocks, updated] = mark(record, volume, true);
    summary_.block_writes += blocks;
    summary_.updated_block_writes += updated;
    summary_.updates_any += updated > 0 ? 1 : 0;
    summary_.updates_all += updated == blocks ? 1 : 0;
    const auto last_zone = (record.end().value() - 1) / TraceSummary::zone_bytes;
    for (auto zone = record.offset.value() / TraceSummary::zone_bytes; zone <= last_zone; ++zone) volume.written_zones.insert(zone);
  }

  struct Marked {
    std::uint64_t blocks = 0;
    std::uint64_t updated = 0;  ///< written before
  };

  Marked mark(const TraceRecord& record, VolumeState& volume, bool written) {
    Marked marked;
    auto block = record.offset.value() / TraceSummary::block_bytes;
    const auto end = (record.end().value() - 1) / TraceSummary::block_bytes + 1;
    while (block < end) {
      const auto first_bit = block % BlockMarks::blocks;
      const auto count = std::min(end - block, BlockMarks::blocks - first_bit);
      const std::uint64_t bits = (~std::uint64_t{0} >> (BlockMarks::blocks - count)) << first_bit;
      auto& chunk = volume.marks.at(block / BlockMarks::blocks);
      summary_.touched_blocks += popcount(bits & ~chunk.touched);
      chunk.touched |= bits;
      if (written) {
        const auto old = popcount(bits & chunk.written);
        summary_.written_blocks += count - old;
        marked.updated += old;
        chunk.written |= bits;
      }
      marked.blocks += count;
      block += count;
    }
    return marked;
  }

  static std::uint64_t popcount(std::uint64_t bits) { return static_cast<std::uint64_t>(std::popcount(bits)); }

  TraceSummary summary_;
  std::vector<VolumeState> volumes_;
  Picoseconds first_;
  Picoseconds last_;
};

std::optional<double> ratio(double part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return part / static_cast<double>(whole);
}

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) { return ratio(static_cast<double>(part), whole); }

}  // namespace

TraceSummary describe(TraceSource& source) {
  Describer describer;
  std::array<TraceRecord, 16> records;
  std::size_t count = 0;
  do {
    count = 0;
    while (count < records.size() && source.next(records[count])) describer.announce(records[count++]);
    for (std::size_t i = 0; i < count; ++i) describer.add(records[i], source);
  } while (count == records.size());
  return describer.finish(source);
}

std::optional<double> TraceSummary::write_share() const { return ratio(writes, requests); }
std::optional<double> TraceSummary::update_any_share() const { return ratio(updates_any, writes); }
std::optional<double> TraceSummary::update_all_share() const { return ratio(updates_all, writes); }
std::optional<double> TraceSummary::update_block_share() const { return ratio(updated_block_writes, block_writes); }
std::optional<double> TraceSummary::sequential_share() const { return ratio(sequential, successions); }

std::optional<double> TraceSummary::mean_seek_sectors() const {
  return ratio(static_cast<double>(seek_bytes) / static_cast<double>(host_block_bytes), successions);
}

std::optional<double> TraceSummary::mean_interarrival_ms() const {
  return ratio(static_cast<double>(duration.value()) / 1e9, requests - std::min<std::uint64_t>(requests, 1));
}

std::optional<double> TraceSummary::mean_think_ms() const { return ratio(static_cast<double>(think_time.value()) / 1e9, thinks); }

std::optional<double> TraceSummary::mean_write_sectors() const { return ratio(bytes_written.value() / host_block_bytes, writes); }
std::optional<double> TraceSummary::mean_write_sectors_aligned() const {
  return ratio(block_writes * (block_bytes / host_block_bytes), writes);
}
std::optional<double> TraceSummary::mean_read_sectors() const { return ratio(bytes_read.value() / host_block_bytes, reads); }

// --- Print ---

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
