#include "stimuli/readers/trace_summary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/unordered/unordered_flat_set.hpp>

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

}  // namespace tessera
