#include "stimuli/generators/zbd_generator.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"

namespace tessera {

namespace {

std::string bytes_text(Bytes bytes) { return std::to_string(bytes.value()) + " B"; }

Bytes smallest_write(const WorkloadConfig& config) {
  if (config.write_sizes.empty()) return Bytes(4096);
  const auto least = std::ranges::min_element(config.write_sizes, {}, [](const NumberRow& row) { return row.at(0); });
  return Bytes(static_cast<std::uint64_t>(least->at(0)));
}

class ZbdGenerator final : public TraceAdaptation {
 public:
  ZbdGenerator(std::unique_ptr<TraceSource> inner, const WorkloadConfig& config, std::string name, Bytes end, WorkloadZones zones)
      : TraceAdaptation(std::move(inner)),
        config_(config),
        name_(std::move(name)),
        end_(end.value()),
        asked_(std::move(zones)),
        size_(asked_.size.value()),
        least_(smallest_write(config).value()),
        in_order_(config.law == AddressLaw::sequential) {}

  bool next(TraceRecord& record) override {
    if (zones_.empty()) look();
    if (held_) {
      record = *std::exchange(held_, std::nullopt);
      return true;
    }
    while (inner_->next(record)) {
      if (record.op == HostOp::write ? write(record) : read(record)) return true;
      ++without_place_;
    }
    if (made_ == 0)
      throw input_error(name_, 0, "no zone holds data to read: write first (--prefill, write_share), or say zbd.read_beyond_wp = true");
    return false;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto notes = inner_->notes();
    if (without_place_ != 0)
      notes.push_back(std::to_string(without_place_) + " requests left out: no zone held data to read, or took writes");
    return notes;
  }

 private:
  struct Zone {
    std::uint64_t start = 0;  ///< bytes
    std::uint64_t written = 0;
    bool conventional = false;
    bool takes_writes = true;
    bool readable = true;
    bool is_open = false;  ///< to writes of this workload
  };

  /// The zones as the drive has them now, those that lie in the range as a whole.
  void look() {
    for (const ZoneDescriptor& told : asked_.ask()) {
      const std::uint64_t start = told.start.value() * host_block_bytes;
      if (start < config_.first.value() || start + size_ > end_) continue;
      Zone zone{.start = start, .conventional = told.type == ZoneType::conventional};
      zone.readable = told.condition != ZoneCondition::offline;
      zone.takes_writes = zone.readable && told.condition != ZoneCondition::read_only;
      const bool full = told.condition == ZoneCondition::full || zone.conventional;
      zone.written = full ? size_ : (told.pointer - told.start) * host_block_bytes;
      if (!zone.readable) zone.written = 0;
      if (!zone.conventional) {
        data_ += zone.written;
        most_data_ += size_;
      }
      zones_.push_back(zone);
    }
    if (zones_.empty())
      throw input_error(name_, 0, "range: it holds no whole zone of " + std::to_string(size_) + " B; expected one from `first` on");
  }

  [[nodiscard]] std::size_t zone_at(std::uint64_t offset) const {
    const std::uint64_t first = zones_.front().start;
    return std::min<std::uint64_t>(offset < first ? 0 : (offset - first) / size_, zones_.size() - 1);
  }
  [[nodiscard]] bool is_full(const Zone& zone) const { return !zone.conventional && size_ - zone.written < least_; }

  bool write(TraceRecord& record) {
    const std::optional<std::size_t> chosen = in_order_ ? next_in_order() : opened(zone_at(record.offset.value()));
    if (!chosen) return false;
    Zone& zone = zones_[*chosen];
    if (zone.conventional) {
      const std::uint64_t at = in_order_ ? cursor_ : record.offset.value() % size_;
      record.offset = Bytes(zone.start + at);
      record.size = Bytes(std::min(record.size.value(), size_ - at));
      cursor_ = at + record.size.value();
      ++made_;
      return true;
    }
    const bool resets = is_full(zone) || (has_too_much_data() && zone.written != 0);
    if (resets) {
      data_ -= zone.written;
      zone.written = 0;
    }
    record.offset = Bytes(zone.start + zone.written);
    record.size = Bytes(std::min(record.size.value(), size_ - zone.written) / least_ * least_);
    zone.written += record.size.value();
    data_ += record.size.value();
    if (is_full(zone)) close(*chosen);
    ++made_;
    if (resets) {
      held_ = record;
      record.op = HostOp::zone_reset;
      record.offset = Bytes(zone.start);
      record.size = Bytes(0);
    }
    return true;
  }

  /// The zone that writes in order go to: on to the next one where one is full.
  std::optional<std::size_t> next_in_order() {
    for (std::size_t tried = 0; tried <= zones_.size(); ++tried) {
      const Zone& zone = zones_[here_];
      const bool ends = zone.conventional ? size_ - cursor_ < least_ : begun_ && is_full(zone);
      if (zone.takes_writes && !ends) {
        begun_ = true;
        return here_;
      }
      here_ = (here_ + 1) % zones_.size();
      cursor_ = 0;
      begun_ = false;
    }
    return std::nullopt;
  }

  /// The zone, or one of those that are open where no more may be.
  std::optional<std::size_t> opened(std::size_t wanted) {
    for (std::size_t tried = 0; !zones_[wanted].takes_writes; ++tried) {
      if (tried == zones_.size()) return std::nullopt;
      wanted = (wanted + 1) % zones_.size();
    }
    Zone& zone = zones_[wanted];
    if (zone.conventional || zone.is_open) return wanted;
    if (config_.zbd.max_open_zones != 0 && open_.size() >= config_.zbd.max_open_zones) return open_[wanted * open_.size() / zones_.size()];
    zone.is_open = true;
    open_.push_back(wanted);
    return wanted;
  }
  void close(std::size_t zone) {
    zones_[zone].is_open = false;
    std::erase(open_, zone);
  }

  /// Where the share of blocks with data is above the threshold, for one write in so many.
  bool has_too_much_data() {
    const double frequency = config_.zbd.zone_reset_frequency;
    if (frequency == 0 || static_cast<double>(data_) < config_.zbd.zone_reset_threshold * static_cast<double>(most_data_)) return false;
    if (++writes_above_ < static_cast<std::uint64_t>(std::llround(1 / frequency))) return false;
    writes_above_ = 0;
    return true;
  }

  bool read(TraceRecord& record) {
    const std::uint64_t size = record.size.value();
    if (in_order_) return read_in_order(record);
    const std::size_t wanted = zone_at(record.offset.value());
    for (std::size_t tried = 0; tried < zones_.size(); ++tried) {
      const Zone& zone = zones_[(wanted + tried) % zones_.size()];
      const std::uint64_t data = config_.zbd.read_beyond_wp ? size_ : zone.written;
      if (!zone.readable || data < std::min(size, size_)) continue;
      const std::uint64_t alignment = std::min(config_.alignment.value(), data);
      const std::uint64_t places = (data - std::min(size, data)) / alignment + 1;
      record.offset = Bytes(zone.start + record.offset.value() % size_ / alignment % places * alignment);
      record.size = Bytes(std::min(size, zone.start + data - record.offset.value()));
      ++made_;
      return true;
    }
    return false;
  }

  /// From zone to zone, each up to its write pointer.
  bool read_in_order(TraceRecord& record) {
    for (std::size_t tried = 0; tried <= zones_.size(); ++tried) {
      const Zone& zone = zones_[read_zone_];
      const std::uint64_t data = config_.zbd.read_beyond_wp ? size_ : zone.written;
      if (zone.readable && read_cursor_ < data) {
        record.offset = Bytes(zone.start + read_cursor_);
        record.size = Bytes(std::min(record.size.value(), data - read_cursor_));
        read_cursor_ += record.size.value();
        ++made_;
        return true;
      }
      read_zone_ = (read_zone_ + 1) % zones_.size();
      read_cursor_ = 0;
    }
    return false;
  }

  const WorkloadConfig config_;
  const std::string name_;
  const std::uint64_t end_;
  const WorkloadZones asked_;
  const std::uint64_t size_;   // of a zone, in bytes as all that follows
  const std::uint64_t least_;  // smallest write: a zone with less room is full
  const bool in_order_;
  std::vector<Zone> zones_;
  std::vector<std::size_t> open_;
  std::optional<TraceRecord> held_;  // the write after a reset
  std::uint64_t data_ = 0;           // in sequential zones
  std::uint64_t most_data_ = 0;
  std::uint64_t writes_above_ = 0;  // the threshold, since the last reset for it
  std::size_t here_ = 0;            // writes in order
  std::uint64_t cursor_ = 0;        // in a conventional zone
  bool begun_ = false;              // to write the zone
  std::size_t read_zone_ = 0;
  std::uint64_t read_cursor_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t without_place_ = 0;
};

}  // namespace

void ZbdConfig::describe(ParameterVisitor& visitor) {
  visitor.field("zonesize", zonesize, {0, 68e9}, "size of the drive's zones; 0: whatever it is");
  visitor.field("max_open_zones", max_open_zones, {0, 1 << 20}, "zones that are written at once; 0: as many as the law chooses");
  visitor.field("read_beyond_wp", read_beyond_wp, "reads go beyond write pointers, too");
  visitor.field("zone_reset_threshold", zone_reset_threshold, {0, 1},
                "share of the blocks with data from which zones are reset by frequency");
  visitor.field("zone_reset_frequency", zone_reset_frequency, {0, 1},
                "resets for each write above the threshold; 0: full zones alone are reset");
}

void require_zones(const WorkloadConfig& config, const std::string& name, const WorkloadZones& zones) {
  const auto require = [&name](bool holds, const std::string& message) {
    if (!holds) throw input_error(name, 0, message);
  };
  if (config.zonemode == ZoneMode::none) return require(config.zbd == ZbdConfig(), "zbd: its settings need zonemode = \"zbd\"");
  require(zones.size > Bytes(0) && zones.ask, "zonemode: zbd writes the zones of a drive; expected a run with --layer zoned");
  require(config.zbd.zonesize == Bytes(0) || config.zbd.zonesize == zones.size,
          "zbd.zonesize: " + bytes_text(config.zbd.zonesize) + "; expected 0, or the drive's " + bytes_text(zones.size));
  for (const NumberRow& row : config.write_sizes)
    require(static_cast<std::uint64_t>(row.at(0)) % zones.sector.value() == 0,
            "write_sizes: " + std::to_string(static_cast<std::uint64_t>(row.at(0))) + " B; zones take whole sectors of " +
                bytes_text(zones.sector));
  require(smallest_write(config) <= zones.size, "write_sizes: a zone holds " + bytes_text(zones.size));
}

std::unique_ptr<TraceSource> go_to_zones(std::unique_ptr<TraceSource> inner, const WorkloadConfig& config, const std::string& name,
                                         Bytes end, const WorkloadZones& zones) {
  return std::make_unique<ZbdGenerator>(std::move(inner), config, name, end, zones);
}

}  // namespace tessera
