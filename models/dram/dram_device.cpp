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
      burst_shift_(shift_of(config.bus_bytes, "dram.bus_bytes") + shift_of(config.burst_length, "dram.burst_length")),
      banks_(config.banks) {
  if (burst_shift_ > row_shift_) throw InputError("dram.row_size is smaller than one burst of the data bus");
  if (config.transfer_rate > Hertz(0))
    burst_time_ = Picoseconds(scale_rounded(config.burst_length, ps_per_second, config.transfer_rate.value()));
  // The next row's bank is opened while the row before is transferred, if there is another bank.
  const Picoseconds opening = config.precharge + config.row_to_column;
  if (config.refresh_interval > Picoseconds(0) &&
      config.refresh_interval <= config.refresh_time + opening + config.column_latency + burst_time_)
    throw InputError(
        "dram.refresh_interval is not longer than dram.refresh_time and what one access takes (dram.precharge, dram.row_to_column, "
        "dram.column_latency and a burst): no time is left for accesses");
  const Picoseconds row_time = burst_time_ * (std::uint64_t{1} << (row_shift_ - burst_shift_));
  row_change_ = config.banks == 1 ? opening : opening - std::min(opening, row_time);
  if (DramFaults::any(config)) faults_.emplace(config, seed);
  for (std::uint32_t bank = 0; bank < config.banks; ++bank)
    open_rows_.push_back(signals_.number("bank_" + std::to_string(bank) + "_row", 32));
}

inline Picoseconds DramDevice::after_refresh(Picoseconds at) {
  if (config_.refresh_interval == Picoseconds(0)) return at;
  if (at < interval_begin_ || at >= interval_end_) {
    epoch_ = at / config_.refresh_interval;
    interval_begin_ = config_.refresh_interval * epoch_;
    interval_end_ = interval_begin_ + config_.refresh_interval;
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

Picoseconds DramDevice::access(DramAddress first, std::uint32_t bytes, Access access, Picoseconds now) {
  check_range(first.value(), bytes);
  if (bytes == 0) return now;
  ++counters_.accesses;
  const std::uint64_t last = first.value() + bytes - 1;
  if (faults_ || first.value() >> row_shift_ != last >> row_shift_) [[unlikely]]
    return access_unusual(first.value(), bytes, access, now);
  return access_row(first.value(), bytes, access, now);
}

/// With bit errors, or over the end of a row.
Picoseconds DramDevice::access_unusual(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now) {
  Picoseconds correction;
  if (faults_) {
    faults_->forget_failed();
    correction = correct(address, bytes, access, now);
  }
  const std::uint64_t end = address + bytes;
  while (address < end) {
    const std::uint64_t row_end = ((address >> row_shift_) + 1) << row_shift_;
    const std::uint64_t here = std::min(end, row_end) - address;
    now = access_row(address, here, access, now);
    address += here;
  }
  return now + correction;
}

inline Picoseconds DramDevice::access_row(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now) {
  const std::uint64_t row_number = address >> row_shift_;
  const std::uint64_t index = row_number & (config_.banks - 1);
  const std::uint64_t row = row_number >> bank_shift_;
  Bank& bank = banks_[index];

  Picoseconds column = after_refresh(std::max(now, bank.ready));
  const bool open = bank.row != closed && bank.epoch == epoch_;
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
    column = activate + config_.row_to_column;
    bank.row = row;
    bank.epoch = epoch_;
    bank.precharge = activate + config_.row_active;
    open_rows_[index].set(row, activate);
  }

  const std::uint64_t count = bursts(address, bytes);
  count_bursts(count, access);
  const Picoseconds end = bus_slot(column + config_.column_latency, burst_time_ * count);
  bank.ready = end - config_.column_latency;
  bank.precharge = std::max(bank.precharge, access == Access::write ? end + config_.write_recovery : end);
  return end;
}

DmaGrant DramDevice::dma(const DmaTransfer& transfer, Picoseconds now) {
  const std::uint64_t address = transfer.address.value();
  check_range(address, transfer.bytes.value());
  if (transfer.bytes == Bytes(0)) return {now, Bytes(0)};
  const std::uint64_t first_row = address >> row_shift_;
  const std::uint64_t last_row = (address + transfer.bytes.value() - 1) >> row_shift_;
  const std::uint64_t rows = last_row - first_row + 1;
  const std::uint64_t count = bursts(address, transfer.bytes.value());
  ++counters_.dma;
  counters_.dma_bytes += transfer.bytes;
  counters_.dma_activations += rows;
  count_bursts(count, transfer.access);

  const auto engine = static_cast<std::size_t>(transfer.engine);
  const Picoseconds asked = now - transfer.since;
  const Picoseconds begin = after_refresh(std::max(asked, data_bus_.free(engine)));
  const Picoseconds latency = dma_opening(first_row) + config_.column_latency;
  const Picoseconds data = begin + latency;
  Picoseconds work = burst_time_ * count + row_change_ * (rows - 1);
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
  leave_open(first_row, last_row, end);
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

inline Picoseconds DramDevice::dma_opening(std::uint64_t row_number) const {
  const Bank& bank = banks_[row_number & (config_.banks - 1)];
  if (bank.row == closed || bank.epoch != epoch_) return config_.row_to_column;
  return bank.row == row_number >> bank_shift_ ? Picoseconds(0) : config_.precharge + config_.row_to_column;
}

inline Picoseconds DramDevice::with_refreshes(Picoseconds begin, Picoseconds work) {
  if (config_.refresh_interval == Picoseconds(0)) return begin + work;
  const Picoseconds before = interval_end_ - std::min(interval_end_, begin);  // transfer time left until the next refresh
  if (work <= before) return begin + work;
  const Picoseconds pause = config_.refresh_time + config_.row_to_column;
  const Picoseconds usable = config_.refresh_interval - pause;  // transfer time of an interval
  const Picoseconds after = work - before;
  const std::uint64_t whole = (after - Picoseconds(1)) / usable;
  counters_.refresh_stalls += whole + 1;
  counters_.refresh_wait += config_.refresh_time * (whole + 1);
  counters_.dma_activations += whole + 1;
  return interval_end_ + config_.refresh_interval * whole + pause + (after - usable * whole);
}

inline void DramDevice::leave_open(std::uint64_t first_row, std::uint64_t last_row, Picoseconds end) {
  std::uint64_t epoch = epoch_;
  if (config_.refresh_interval > Picoseconds(0) && end >= interval_end_) epoch = end / config_.refresh_interval;
  const std::uint64_t first = last_row - std::min<std::uint64_t>(last_row - first_row, config_.banks - 1);
  for (std::uint64_t row = first; row <= last_row; ++row) {
    const std::uint64_t index = row & (config_.banks - 1);
    banks_[index].row = row >> bank_shift_;
    banks_[index].epoch = epoch;
    open_rows_[index].set(row >> bank_shift_, end);
  }
}

inline std::uint64_t DramDevice::bursts(std::uint64_t address, std::uint64_t bytes) const {
  return ((address + bytes - 1) >> burst_shift_) - (address >> burst_shift_) + 1;
}

inline void DramDevice::count_bursts(std::uint64_t count, Access access) {
  (access == Access::read ? counters_.bursts_read : counters_.bursts_written) += count;
}

inline void DramDevice::check_range(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t capacity = config_.capacity.value();
  TESSERA_CHECK(bytes <= capacity && address <= capacity - bytes, "an access leaves the DRAM");
}

void DramDevice::cut() {
  std::ranges::fill(banks_, Bank{});
  cpu_bus_free_ = Picoseconds(0);
  data_bus_.clear();
}

}  // namespace tessera
