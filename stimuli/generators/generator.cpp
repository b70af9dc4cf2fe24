#include "stimuli/generators/generator.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "stimuli/generators/address_law.hpp"
#include "stimuli/generators/arrival_process.hpp"
#include "stimuli/generators/hot_tracks.hpp"
#include "stimuli/generators/offset_table.hpp"
#include "stimuli/generators/update_addresses.hpp"

namespace tessera {

namespace {

/// Builds the parts of a workload and refuses those that do not fit each other, by the name of the key.
class WorkloadPlan {
 public:
  WorkloadPlan(const WorkloadConfig& config, const std::string& name, std::uint64_t seed, Bytes capacity)
      : config_(config), name_(name), seed_(seed), range_(config.range) {
    if (range_ == Bytes(0) && config.first < capacity) range_ = capacity - config.first;
    multiple_of_block(config.first, "first");
    multiple_of_block(config.alignment, "alignment");
    range_ = config.alignment * (range_ / config.alignment);
    require(range_ > Bytes(0), "range: it holds no address; expected at least `alignment`, on the drive");
    const ArrivalConfig& arrivals = config.arrivals;
    if (arrivals.law == ArrivalLaw::table) {
      const std::string fault = fault_of_gaps(arrivals.gaps);
      require(fault.empty(), "arrivals.gaps: " + fault);
      require(arrivals.mean == Picoseconds(0), "arrivals.mean: law table has its mean from `gaps`");
      require(arrivals.burst_requests == 1, "arrivals.burst_requests: law table has its bursts from `gaps`");
    } else {
      require(arrivals.law == ArrivalLaw::none || arrivals.mean > Picoseconds(0), "arrivals.mean: expected a time above 0");
      require(arrivals.gaps.empty(), "arrivals.gaps: needs law table");
    }
    require(arrivals.burst_requests > 1 || arrivals.idle_share == 0, "arrivals.idle_share: needs burst_requests above 1");
    const bool in_extents = config.law == AddressLaw::uniform || config.law == AddressLaw::zipf || config.law == AddressLaw::updates ||
                            config.law == AddressLaw::hot_tracks;
    require(config.extents == 0 || in_extents, "extents: only laws uniform, zipf, updates and hot-tracks have them");
  }

  [[nodiscard]] Bytes range() const { return range_; }
  [[nodiscard]] RandomStream stream(const char* what) const { return {seed_, std::string("workload.") + what}; }

  [[nodiscard]] SizeTable sizes(bool write) const {
    const bool as_writes = write || config_.read_sizes.empty();
    SizeTable table = as_writes ? SizeTable(config_.write_sizes, name_, "write_sizes") : SizeTable(config_.read_sizes, name_, "read_sizes");
    require(table.largest() <= range_, "range: the largest request does not fit it");
    return table;
  }

  [[nodiscard]] std::unique_ptr<AddressSource> addresses() const {
    switch (config_.law) {
      case AddressLaw::sequential: return std::make_unique<SequentialAddresses>(config_.first, range_, config_.alignment);
      case AddressLaw::uniform: return std::make_unique<UniformAddresses>(footprint(), stream("address"));
      case AddressLaw::zipf: return zipf();
      case AddressLaw::hot_tracks: return hot_tracks();
      case AddressLaw::histogram: return histogram();
      case AddressLaw::offsets: return offsets();
      case AddressLaw::updates: break;
    }
    return updates();
  }

  [[nodiscard]] std::unique_ptr<AddressSource> read_addresses() const {
    if (config_.reads == ReadLaw::like_writes) return nullptr;
    return std::make_unique<UniformAddresses>(Footprint(config_.first, range_, config_.alignment), stream("read-address"));
  }

 private:
  void require(bool condition, const std::string& message) const {
    if (!condition) throw input_error(name_, 0, message);
  }
  void multiple_of_block(Bytes value, const std::string& key) const {
    require(value % Bytes(host_block_bytes) == Bytes(0), key + ": " + std::to_string(value.value()) + " B; expected a multiple of 512 B");
  }

  [[nodiscard]] Footprint footprint() const {
    if (config_.extents == 0) return {config_.first, range_, config_.alignment};
    require(config_.extent >= config_.alignment && config_.extent % config_.alignment == Bytes(0),
            "extent: expected a multiple of `alignment`");
    require(range_ / config_.alignment / config_.extents >= config_.extent / config_.alignment,
            "extents: " + std::to_string(config_.extents) + " extents of " + std::to_string(config_.extent.value()) +
                " B do not fit the range of " + std::to_string(range_.value()) + " B");
    RandomStream random = stream("extents");
    return {config_.first, range_, config_.alignment, config_.extents, config_.extent, random};
  }

  [[nodiscard]] std::unique_ptr<AddressSource> zipf() const {
    Footprint places = footprint();
    const std::uint64_t items = config_.zipf.items == 0 ? places.slots() : config_.zipf.items;
    require(items <= places.slots(),
            "zipf.items: " + std::to_string(items) + "; the footprint has only " + std::to_string(places.slots()) + " start addresses");
    require(items <= 10'000'000'000ULL, "zipf.items: the footprint has more than 10^10 start addresses; expected a number of items");
    return std::make_unique<ZipfAddresses>(std::move(places), items, config_.zipf.exponent, config_.zipf.scatter, stream("address"),
                                           stream("scatter"));
  }

  [[nodiscard]] std::unique_ptr<AddressSource> hot_tracks() const {
    const HotTracksConfig& hot = config_.hot;
    require(hot.track >= config_.alignment && hot.track % config_.alignment == Bytes(0), "hot.track: expected a multiple of `alignment`");
    require(hot.share + hot.neighbour_share <= 1, "hot.neighbour_share: with hot.share it exceeds 1");
    const std::uint64_t needed = HotTrackAddresses::runs(hot) * HotTrackAddresses::pitch(hot);
    require(range_ / hot.track >= needed,
            "hot.tracks: their runs take " + std::to_string(needed) + " tracks; the range has " + std::to_string(range_ / hot.track));
    return std::make_unique<HotTrackAddresses>(hot, config_.first, range_, config_.alignment, footprint(), stream("address"),
                                               stream("places"));
  }

  [[nodiscard]] std::unique_ptr<AddressSource> histogram() const {
    require(!config_.histogram.empty(), "histogram: expected at least one row (from, to, weight)");
    for (const NumberRow& row : config_.histogram)
      require(row.at(0) >= 0 && row.at(0) < row.at(1) && row.at(1) <= 1 && row.at(2) > 0,
              "histogram: expected 0 <= from < to <= 1 and a weight above 0 in each row");
    return std::make_unique<HistogramAddresses>(config_.histogram, config_.first, range_, config_.alignment, stream("address"));
  }

  [[nodiscard]] std::unique_ptr<AddressSource> offsets() const {
    require(!config_.offsets.empty(), "offsets: expected the file of a histogram of start addresses");
    const OffsetTable table = OffsetTable::load(config_.offsets, config_.offset_unit);
    require(table.highest < range_, "offsets: '" + config_.offsets + "' has starts up to " + std::to_string(table.highest.value()) +
                                        " B; the range has " + std::to_string(range_.value()) + " B (state a `range`, and --fold it)");
    return std::make_unique<RecordedAddresses>(table, config_.first, config_.alignment, stream("address"));
  }

  [[nodiscard]] std::unique_ptr<AddressSource> updates() const {
    const UpdatesConfig& updates = config_.updates;
    require(updates.chunk >= config_.alignment && updates.chunk % config_.alignment == Bytes(0),
            "updates.chunk: expected a multiple of `alignment`");
    const std::uint64_t slots_per_chunk = updates.chunk / config_.alignment;
    require(updates.chunk_starts <= slots_per_chunk, "updates.chunk_starts: " + std::to_string(updates.chunk_starts) + "; a chunk has " +
                                                         std::to_string(slots_per_chunk) + " start addresses");
    Footprint places = footprint();
    require(places.slots() >= slots_per_chunk, "updates.chunk: larger than the footprint");
    require(updates.set_share == 0 || updates.set > 0, "updates.set_share: expected a number of addresses as updates.set, or a share of 0");
    require(updates.set == 0 || updates.set_share > 0, "updates.set: expected a share of the updates as updates.set_share, or a set of 0");
    return std::make_unique<UpdateAddresses>(updates, std::move(places), slots_per_chunk, stream("address"), stream("places"));
  }

  const WorkloadConfig& config_;
  const std::string& name_;
  std::uint64_t seed_;
  Bytes range_;
};

/// The requests of one kind, some of which go on where the one before ended.
struct Sequence {
  double share;
  RandomStream random;
  Bytes end;  // of the request before; 0 before the first

  /// Where a request starts that its law has put at `drawn`; none goes on past `limit`.
  Bytes start(Bytes drawn, Bytes size, Bytes limit) {
    const bool goes_on = share > 0 && random.unit() < share && end > Bytes(0) && end + size <= limit;
    const Bytes chosen = goes_on ? end : drawn;
    end = chosen + size;
    return chosen;
  }
};

class Generator final : public TraceSource {
 public:
  Generator(const WorkloadConfig& config, std::string name, const WorkloadPlan& plan)
      : name_(std::move(name)),
        limits_(config.limits),
        requests_(config.requests),
        write_share_(config.write_share),
        first_(config.first),
        end_(config.first + plan.range()),
        alignment_(config.alignment),
        write_sizes_(plan.sizes(true)),
        read_sizes_(plan.sizes(false)),
        addresses_(plan.addresses()),
        read_addresses_(plan.read_addresses()),
        arrivals_(config.arrivals, plan.stream("arrival")),
        operations_(plan.stream("operation")),
        sizes_random_(plan.stream("size")),
        writes_({config.sequential_share, plan.stream("sequential-write"), Bytes(0)}),
        reads_({config.read_sequential_share, plan.stream("sequential-read"), Bytes(0)}) {}

  bool next(TraceRecord& record) override {
    if (made_ == requests_) return false;
    if (made_++ > 0) now_ += arrivals_.gap();
    const bool write = operations_.unit() < write_share_;
    const Bytes size = (write ? write_sizes_ : read_sizes_)(sizes_random_);
    AddressSource& addresses = !write && read_addresses_ ? *read_addresses_ : *addresses_;
    const Bytes highest = first_ + alignment_ * ((end_ - first_ - size) / alignment_);
    const Bytes drawn = std::min(addresses.next(write, size), highest);
    const Bytes start = (write ? writes_ : reads_).start(drawn, size, end_);
    record = TraceRecord{Picoseconds(0), write ? HostOp::write : HostOp::read, false, 0, start, size};
    record.arrive(now_);
    return true;
  }

  [[nodiscard]] std::string position() const override { return name_ + ":request " + std::to_string(made_); }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> notes{"synthetic workload " + name_};
    if (!limits_.empty()) notes.push_back(limits_);
    return notes;
  }

 private:
  std::string name_;
  std::string limits_;
  std::uint64_t requests_;
  double write_share_;
  Bytes first_;
  Bytes end_;
  Bytes alignment_;
  SizeTable write_sizes_;
  SizeTable read_sizes_;
  std::unique_ptr<AddressSource> addresses_;
  std::unique_ptr<AddressSource> read_addresses_;  // null: as writes
  ArrivalProcess arrivals_;
  RandomStream operations_;
  RandomStream sizes_random_;
  Sequence writes_;
  Sequence reads_;
  std::uint64_t made_ = 0;
  LongTime now_;
};

}  // namespace

std::unique_ptr<TraceSource> make_generator(const WorkloadConfig& config, const std::string& name, std::uint64_t seed, Bytes capacity,
                                            const WorkloadZones& zones) {
  require_zones(config, name, zones);
  const WorkloadPlan plan(config, name, seed, capacity);
  auto generator = std::make_unique<Generator>(config, name, plan);
  if (config.zonemode == ZoneMode::none) return generator;
  return go_to_zones(std::move(generator), config, name, std::min(config.first + plan.range(), capacity), zones);
}

}  // namespace tessera
