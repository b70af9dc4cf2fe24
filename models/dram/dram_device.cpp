#include "dram/dram_device.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/check.hpp"
#include "base/error.hpp"

namespace tessera {

namespace {

unsigned shift_of(std::uint64_t value, const char* name) {
  if (!std::has_single_bit(value)) throw InputError(std::string(name) + " is " + std::to_string(value) + "; expected a power of two");
  return static_cast<unsigned>(std::countr_zero(value));
}

}  // namespace

DramDevice::DramDevice(const DramConfig& config, std::uint64_t seed)
    : config_(config),
      row_shift_(shift_of(config.row_size.value(), "dram.row_size")),
      bank_shift_(shift_of(config.banks, "dram.banks")),
      rows_(config.capacity.value() >> row_shift_),
      burst_shift_(shift_of(config.bus_bytes, "dram.bus_bytes") + shift_of(config.burst_length, "dram.burst_length")),
      lane_shift_(config.interleave_groups ? shift_of(config.bank_groups, "dram.bank_groups") : 0),
      stripe_shift_(row_shift_ + lane_shift_),
      lane_mask_((std::uint64_t{1} << lane_shift_) - 1),
      write_latency_(config.writes_after()),
      banks_(config.banks) {
  if (burst_shift_ > row_shift_) throw InputError("dram.row_size is smaller than one burst of the data bus");
  shift_of(config.bank_groups, "dram.bank_groups");
  if (config.bank_groups > std::min(config.banks, CommandSpacing::max_groups))
    throw InputError("dram.bank_groups is " + std::to_string(config.bank_groups) + "; expected at most " +
                     std::to_string(CommandSpacing::max_groups) + " and at most dram.banks, which is " + std::to_string(config.banks));
  if (CommandSpacing::any(config)) spacing_.emplace(config);
  if (config.transfer_rate > Hertz(0))
    burst_time_ = Picoseconds(scale_rounded(config.burst_length, ps_per_second, config.transfer_rate.value()));
  const std::uint64_t lanes = lane_mask_ + 1;
  const Picoseconds gap_in_group = config.bank_groups == 1 ? Picoseconds(0) : config.column_gap_in_group;
  burst_step_ = std::max({burst_time_, config.column_gap, (gap_in_group + Picoseconds(lanes - 1)) / lanes});
  lane_opening_ = (config.activate_gap - std::min(config.activate_gap, burst_step_)) * (lanes - 1);
  const Picoseconds opening = config.precharge + config.row_to_column;
  const Picoseconds latency = std::max(config.column_latency, write_latency_);
  const Picoseconds turnaround = std::max(config.write_to_read, config.bank_groups == 1 ? Picoseconds(0) : config.write_to_read_in_group);
  if (config.refresh_interval > Picoseconds(0) &&
      config.refresh_interval <= config.refresh_time + opening + lane_opening_ + turnaround + latency + burst_time_)
    throw InputError(
        "dram.refresh_interval is not longer than dram.refresh_time and what one access takes (dram.precharge, dram.row_to_column, "
        "dram.column_latency or dram.write_latency, dram.write_to_read, dram.activate_gap and a burst): no time is left for accesses");
  // The next stripe's banks are opened while the one before is transferred, if there are others, each activation in its turn.
  const Picoseconds stripe_time = burst_step_ * (std::uint64_t{1} << (stripe_shift_ - burst_shift_));
  const Picoseconds ahead = std::max({opening, config.activate_gap * lanes, config.four_activates * lanes / 4});
  stripe_change_ = config.banks == lanes ? opening : ahead - std::min(ahead, stripe_time);
  if (DramFaults::any(config)) faults_.emplace(config, seed);
  const Picoseconds to_read = config.read_to_precharge == Picoseconds(0) ? config.column_latency + burst_time_ : config.read_to_precharge;
  columns_ = {Column{config.column_latency, to_read}, Column{write_latency_, write_latency_ + burst_time_ + config.write_recovery}};
  alone_in_bank_ = !spacing_ && !faults_ && lane_shift_ == 0 && config.capacity.value() % config.row_size.value() == 0;
  if (!alone_in_bank_) calm_from_ = Picoseconds::max();
  if (config.refresh_interval == Picoseconds(0)) interval_end_ = Picoseconds::max();
  for (std::uint32_t bank = 0; bank < config.banks; ++bank)
    open_rows_.push_back(signals_.number("bank_" + std::to_string(bank) + "_row", 32));
}

inline Picoseconds DramDevice::after_refresh(Picoseconds at) {
  if (config_.refresh_interval == Picoseconds(0)) return at;
  if (at < interval_begin_ || at >= interval_end_) {
    const std::uint64_t interval = (at + rested_in_epoch_) / config_.refresh_interval;
    epoch_ = rested_epochs_ + interval;
    interval_begin_ = config_.refresh_interval * interval - std::min(rested_in_epoch_, config_.refresh_interval * interval);
    interval_end_ = interval_begin_ + config_.refresh_interval;
    if (alone_in_bank_) calm_from_ = epoch_ == 0 ? interval_begin_ : interval_begin_ + config_.refresh_time;
  }
  const Picoseconds ready = interval_begin_ + config_.refresh_time;
  if (epoch_ == 0 || at >= ready) return at;
  ++counters_.refresh_stalls;
  counters_.refresh_wait += ready - at;
  return ready;
}

inline Picoseconds DramDevice::bus_slot(Picoseconds wanted, Picoseconds length) {
  cpu_bus_free_ = data_bus_.slip_in(std::max(wanted, cpu_bus_free_), length, burst_time_) + length;
  if (bus_.watched()) [[unlikely]] {
    bus_.set(1, cpu_bus_free_ - length);
    bus_.set(data_bus_.busy(cpu_bus_free_) ? 2 : 0, cpu_bus_free_);
  }
  return cpu_bus_free_;
}

/// Each begins when the one before is over, so that a look at what may disturb the first is one for all that follow in its refresh
/// interval. Of those the time is that of access_bank(), here in plain numbers: what begins before the end of an interval is far from the
/// end of time. One that is disturbed, or over the end of a row, takes the way of a single one.
Picoseconds DramDevice::access(std::span<const TableAccess> run, Picoseconds crossing) {
  const std::uint64_t over_bus = crossing.value();
  std::uint64_t ahead = over_bus;  // of those in front, and over the bus
  const TableAccess* one = run.data();
  const TableAccess* const end_of_run = one + run.size();
  for (;;) {
    const std::uint64_t begin = undisturbed_from().value();
    const std::uint64_t end = interval_end_.value();
    const std::uint64_t epoch = epoch_;
    Bank* const banks = banks_.data();
    const TableAccess* const first = one;
    std::uint64_t misses = 0;
    std::uint64_t conflicts = 0;
    std::uint64_t bus_free = cpu_bus_free_.value();
    for (; one != end_of_run; ++one) {
      const std::uint64_t address = one->address.value();
      const std::uint64_t last = address + (one->bytes - 1U);  // far past where it has no bytes
      const std::uint64_t row_number = address >> row_shift_;
      const std::uint64_t now = one->at.value() + ahead;
      if (now < begin || now >= end || last >> row_shift_ != row_number) [[unlikely]]
        break;
      const std::uint64_t row = row_number >> bank_shift_;
      Bank& bank = banks[row_number & (config_.banks - 1)];
      std::uint64_t column = now;
      std::uint64_t precharge = bank.precharge.value();
      if (bank.row != row || bank.epoch != epoch) {
        TESSERA_CHECK(row_number < rows_, "an access leaves the DRAM");
        if (bank.epoch == epoch) {
          ++conflicts;
          column = std::max(column, precharge) + config_.precharge.value();
        }
        ++misses;
        bank.row = row;
        bank.epoch = epoch;
        precharge = column + config_.row_active.value();
        column += config_.row_to_column.value();
      }
      const std::uint64_t bursts = (last >> burst_shift_) - (address >> burst_shift_) + 1;
      if (bursts != 1) column += burst_step_.value() * (bursts - 1);
      const auto access = static_cast<std::size_t>(one->access);
      const Column& times = columns_[access];
      counters_.bursts[access] += bursts;
      const std::uint64_t ready = column + burst_time_.value();
      bank.ready = Picoseconds(ready);
      bank.precharge = Picoseconds(std::max(precharge, column + times.precharge.value()));
      bus_free = ready + times.data.value();
      ahead = bus_free + over_bus - one->at.value();
    }
    const auto count = static_cast<std::uint64_t>(one - first);
    counters_.accesses += count;
    counters_.row_hits += count - misses;
    counters_.row_misses += misses - conflicts;
    counters_.row_conflicts += conflicts;
    cpu_bus_free_ = Picoseconds(bus_free);
    if (one == end_of_run) return Picoseconds(ahead - over_bus);
    ahead = (access(one->address, one->bytes, one->access, one->at + Picoseconds(ahead)) + crossing - one->at).value();
    ++one;
  }
}

Picoseconds DramDevice::access_stepwise(std::uint64_t address, std::uint32_t bytes, Access access, Picoseconds now) {
  check_range(address, bytes);
  if (bytes == 0) return now;
  ++counters_.accesses;
  const std::uint64_t last = address + bytes - 1;
  const unsigned whole_shift = lane_shift_ == 0 ? row_shift_ : burst_shift_;
  if (faults_ || address >> whole_shift != last >> whole_shift) [[unlikely]]
    return access_unusual(address, bytes, access, now);
  return access_row(address, bytes, access, now);
}

/// With bit errors, over the end of a row, or in several banks.
Picoseconds DramDevice::access_unusual(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now) {
  Picoseconds correction;
  if (faults_) {
    faults_->forget_failed();
    correction = correct(address, bytes, access, now);
  }
  if (lane_shift_ != 0) return access_bursts(address, bytes, access, now) + correction;
  const std::uint64_t end = address + bytes;
  while (address < end) {
    const std::uint64_t row_end = ((address >> row_shift_) + 1) << row_shift_;
    const std::uint64_t here = std::min(end, row_end) - address;
    const bool undisturbed = now >= undisturbed_from() && now < interval_end_;
    now = undisturbed ? access_bank(address >> row_shift_, bursts(address, here), access, now) : access_row(address, here, access, now);
    address += here;
  }
  return now + correction;
}

/// Each burst to its own bank; their commands follow each other as closely as may be.
Picoseconds DramDevice::access_bursts(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now) {
  Picoseconds end = now;
  const std::uint64_t first = address >> burst_shift_;
  for (std::uint64_t burst = first; burst < first + bursts(address, bytes); ++burst)
    end = std::max(end, access_row(burst << burst_shift_, 1, access, now));
  return end;
}

inline Picoseconds DramDevice::access_row(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now) {
  const std::uint64_t index = bank_of(address);
  const std::uint64_t row = row_of(address);
  const std::uint64_t group = group_of(index);
  Bank& bank = banks_[index];

  Picoseconds column = after_refresh(std::max(now, bank.ready));
  const bool open = bank.epoch == epoch_;
  if (open && bank.row == row) {
    ++counters_.row_hits;
  } else {
    Picoseconds activate = column;
    if (open) {
      ++counters_.row_conflicts;
      activate = std::max(column, bank.precharge) + config_.precharge;
    } else {
      ++counters_.row_misses;
    }
    if (spacing_) activate = spacing_->activate(activate, group);
    column = activate + config_.row_to_column;
    bank.row = row;
    bank.epoch = epoch_;
    bank.precharge = activate + config_.row_active;
    open_rows_[index].set(row, activate);
  }

  const std::uint64_t count = bursts(address, bytes);
  count_bursts(count, access);
  if (spacing_) column = spacing_->column(column, group, access);
  const Picoseconds latency = latency_of(access);
  const Picoseconds end = bus_slot(column + latency, burst_step_ * (count - 1) + burst_time_);
  bank.ready = end - latency;
  const Picoseconds last_column = bank.ready - burst_time_;
  if (spacing_) spacing_->issued(group, access, last_column, end);
  const Picoseconds read = config_.read_to_precharge == Picoseconds(0) ? end : last_column + config_.read_to_precharge;
  bank.precharge = std::max(bank.precharge, access == Access::write ? end + config_.write_recovery : read);
  return end;
}

DmaGrant DramDevice::dma(const DmaTransfer& transfer, Picoseconds now) {
  const std::uint64_t address = transfer.address.value();
  check_range(address, transfer.bytes.value());
  if (transfer.bytes == Bytes(0)) return {now, Bytes(0)};
  const std::uint64_t stripes = ((address + transfer.bytes.value() - 1) >> stripe_shift_) - (address >> stripe_shift_) + 1;
  const std::uint64_t count = bursts(address, transfer.bytes.value());
  ++counters_.dma;
  counters_.dma_bytes += transfer.bytes;
  counters_.dma_activations += std::min(count, stripes << lane_shift_);
  count_bursts(count, transfer.access);

  const auto engine = static_cast<std::size_t>(transfer.engine);
  const Picoseconds asked = now - transfer.since;
  const Picoseconds begin = after_refresh(std::max(asked, data_bus_.free(engine)));
  const Picoseconds latency = dma_opening(address, count, transfer.access, begin) + latency_of(transfer.access);
  const Picoseconds data = opened_by(begin + latency);
  Picoseconds work = burst_step_ * (count - 1) + burst_time_ + stripe_change_ * (stripes - 1);
  if (faults_) [[unlikely]] {
    faults_->forget_failed();
    if (!transfer.checked) work += correct(address, transfer.bytes.value(), transfer.access, now);
  }
  work = with_refreshes(data, work) - data;
  const Picoseconds due = asked + latency + transfer.pace;  // the device keeps its pace, whatever the extent waits for
  const Picoseconds pace = transfer.pace > Picoseconds(0) && due > data ? due - data : Picoseconds(0);
  const auto [end, behind] = data_bus_.reserve(engine, data, work, pace);
  if (bus_.watched()) [[unlikely]] {
    bus_.set(2, data);
    bus_.set(data_bus_.busy(end) ? 2 : 0, end);
  }
  leave_open(address, count, end);
  if (spacing_ && transfer.access == Access::write) note_written(address, count, end);
  return {end, behind == Picoseconds(0) ? Bytes(0) : Bytes(scale_rounded(transfer.bytes.value(), behind.value(), work.value()))};
}

void DramDevice::move(DramAddress address, Bytes bytes, Access access, Picoseconds now) {
  check_range(address.value(), bytes.value());
  if (!faults_) return;
  faults_->forget_failed();
  static_cast<void>(correct(address.value(), bytes.value(), access, now));
}

/// What the bit errors in an extent cost the access that meets them.
Picoseconds DramDevice::correct(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now) {
  return config_.correction_time * faults_->access(address, bytes, access, now);
}

void DramDevice::add_bit_error(DramAddress address, std::uint64_t bits, Picoseconds now) {
  TESSERA_CHECK(faults_.has_value(), "a bit error in a DRAM whose bits cannot flip");
  check_range(address.value(), 1);
  faults_->add(address, bits, now);
}

void DramDevice::initialise(Picoseconds now) {
  if (faults_) faults_->initialise(now);
}

/// From when a bank could take an activation or precharge until it takes a column command.
inline Picoseconds DramDevice::opening_of(std::uint64_t address) const {
  const Bank& bank = banks_[bank_of(address)];
  if (bank.epoch != epoch_) return config_.row_to_column;
  return bank.row == row_of(address) ? Picoseconds(0) : config_.precharge + config_.row_to_column;
}

/// Until the first column command of a run of bursts which then flow without a stop.
inline Picoseconds DramDevice::dma_opening(std::uint64_t address, std::uint64_t bursts, Access access, Picoseconds begin) const {
  if (!spacing_ && lane_mask_ == 0) return opening_of(address);
  Picoseconds opening, next_activate;
  for (std::uint64_t lane = 0; lane < std::min(bursts, lane_mask_ + 1); ++lane) {
    const std::uint64_t at = address + (lane << burst_shift_);
    Picoseconds column = opening_of(at);
    if (column > Picoseconds(0)) {
      column = std::max(column, next_activate + config_.row_to_column);
      next_activate = column - config_.row_to_column + config_.activate_gap;
    }
    if (spacing_) column = spacing_->column_of_dma(begin + column, group_of(bank_of(at)), access) - begin;
    opening = std::max(opening, column - std::min(column, burst_step_ * lane));
  }
  return opening;
}

/// A refresh closes all rows: what would be open later than after the next one is opened again when that is over.
inline Picoseconds DramDevice::opened_by(Picoseconds at) const {
  if (config_.refresh_interval == Picoseconds(0) || at <= interval_end_) return at;
  return std::min(at, interval_end_ + pause_of_refresh());
}

inline Picoseconds DramDevice::with_refreshes(Picoseconds begin, Picoseconds work) {
  if (config_.refresh_interval == Picoseconds(0)) return begin + work;
  const Picoseconds before = interval_end_ - std::min(interval_end_, begin);  // transfer time left until the next refresh
  if (work <= before) return begin + work;
  const Picoseconds pause = pause_of_refresh();
  const Picoseconds usable = config_.refresh_interval - pause;  // transfer time of an interval
  const Picoseconds after = work - before;
  const std::uint64_t whole = (after - Picoseconds(1)) / usable;
  counters_.refresh_stalls += whole + 1;
  counters_.refresh_wait += config_.refresh_time * (whole + 1);
  counters_.dma_activations += whole + 1;
  return interval_end_ + config_.refresh_interval * whole + pause + (after - usable * whole);
}

inline void DramDevice::leave_open(std::uint64_t address, std::uint64_t bursts, Picoseconds end) {
  std::uint64_t epoch = epoch_;
  if (config_.refresh_interval > Picoseconds(0) && end >= interval_end_)
    epoch = rested_epochs_ + (end + rested_in_epoch_) / config_.refresh_interval;
  const bool watched = Signal::anyone_watches();
  const auto open = [&](std::uint64_t bank, std::uint64_t row) {
    banks_[bank].row = row;
    banks_[bank].epoch = epoch;
    if (watched) [[unlikely]]
      open_rows_[bank].set(row, end);
  };
  const std::uint64_t first_burst = address >> burst_shift_;
  const std::uint64_t end_burst = first_burst + bursts;
  const unsigned bursts_shift = stripe_shift_ - burst_shift_;
  const std::uint64_t last = (end_burst - 1) >> bursts_shift;
  const std::uint64_t stripes = config_.banks >> lane_shift_;
  for (std::uint64_t stripe = last - std::min(last - (first_burst >> bursts_shift), stripes - 1); stripe <= last; ++stripe) {
    const std::uint64_t row = stripe >> (bank_shift_ - lane_shift_);
    const std::uint64_t first_bank = (stripe << lane_shift_) & (config_.banks - 1);
    if (lane_mask_ == 0) {
      open(first_bank, row);
      continue;
    }
    const std::uint64_t from = std::max(first_burst, stripe << bursts_shift);
    const std::uint64_t to = std::min({from + lane_mask_ + 1, end_burst, (stripe + 1) << bursts_shift});
    for (std::uint64_t burst = from; burst < to; ++burst) open(first_bank | (burst & lane_mask_), row);
  }
}

/// The ends of the last bursts, one for each bank that they go round.
inline void DramDevice::note_written(std::uint64_t address, std::uint64_t bursts, Picoseconds end) {
  const std::uint64_t last = (address >> burst_shift_) + bursts - 1;
  for (std::uint64_t lane = std::min(bursts, lane_mask_ + 1); lane-- > 0;)
    spacing_->dma_wrote(group_of(bank_of((last - lane) << burst_shift_)), end - burst_step_ * lane);
}

inline std::uint64_t DramDevice::bursts(std::uint64_t address, std::uint64_t bytes) const {
  return ((address + bytes - 1) >> burst_shift_) - (address >> burst_shift_) + 1;
}

void DramDevice::cut() {
  std::ranges::fill(banks_, Bank{});
  if (spacing_) spacing_.emplace(config_);
  cpu_bus_free_ = Picoseconds(0);
  data_bus_.clear();
}

// --- Figures ---

double DramDevice::energy(Picoseconds now) const {
  const LongTime whole = rested_ + now;
  const std::uint64_t refreshes = config_.refresh_interval == Picoseconds(0) ? 0 : whole / LongTime(config_.refresh_interval);
  const std::uint64_t activations = counters_.row_misses + counters_.row_conflicts + counters_.dma_activations;
  const auto of = [](Picojoules one, std::uint64_t number) { return wide_product(one.value(), number); };
  return static_cast<double>(of(config_.activate_energy, activations) + of(config_.read_energy, counters_.bursts[0]) +
                             of(config_.write_energy, counters_.bursts[1]) + of(config_.refresh_energy, refreshes) +
                             long_energy(config_.background_power, whole));
}

void DramDevice::reset_statistics(Picoseconds now) {
  busy_before_ = busy();
  measured_from_ = now;
  measured_rests_ = rested_;
}

/// Rows that are open now are those of another refresh interval then, whatever the phase.
void DramDevice::rest(Picoseconds by) {
  rested_ += by;
  if (config_.refresh_interval == Picoseconds(0)) return;
  rested_epochs_ = rested_ / LongTime(config_.refresh_interval);
  rested_in_epoch_ = (rested_ % LongTime(config_.refresh_interval)).picoseconds();
  interval_begin_ = interval_end_ = Picoseconds(0);  // to be found again
}

void DramDevice::report(MetricSet& metrics, Picoseconds now) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.count(name, static_cast<double>(value), "1", description);
  };
  count("dram.accesses", counters_.accesses, "single accesses of the CPU: to tables, or lines of its caches");
  count("dram.row_hits", counters_.row_hits, "metadata accesses to an open row, row by row");
  count("dram.row_misses", counters_.row_misses, "metadata accesses that found no row open");
  count("dram.row_conflicts", counters_.row_conflicts, "metadata accesses that found another row open");
  count("dram.refresh_stalls", counters_.refresh_stalls, "times that an access or a DMA waited for a refresh");
  metrics.count("dram.refresh_wait", counters_.refresh_wait, "time that accesses and DMA waited for refreshes");
  count("dram.dma.count", counters_.dma, "DMA transactions");
  metrics.count("dram.dma.bytes", static_cast<double>(counters_.dma_bytes.value()), "B", "bytes that DMA moved");
  if (faults_) faults_->report(metrics);
  metrics.count("dram.bus_busy", busy(), "time that the data bus moved data");
  metrics.add("dram.utilisation", share_of(busy() - busy_before_, rested_ - measured_rests_ + (now - measured_from_)), "1",
              "share of the measured time in which the data bus moved data");
  metrics.count("dram.energy", energy(now) * 1e-9, "mJ", "energy of the DRAM");
}

}  // namespace tessera
