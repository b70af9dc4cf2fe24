#pragma once
// Timing of one DRAM channel: open rows, refresh, and a data bus that the CPU's metadata accesses and DMA share.
//
// Each call prices a transaction at once and returns when it ends. Two orders of time meet here: the CPU's, whose local
// time runs ahead while a task executes, and that of DMA. Calls of one kind come in order of time; between the kinds the
// outcome depends on the order of the calls alone, as follows.
//  - Metadata accesses queue behind each other. One that comes while DMA has the bus waits for the end of the burst on
//    the bus and goes in between; where DMA wants all of the bus, the time that it took is added to the next (the running one has its end
//    already).
//  - DMA engines share the data bus (base/shared_resource.hpp), the extents of each follow each other; whole rows are priced in closed
//    form, whatever their number. A DMA leaves its last row open in each bank that it touched, so that a metadata access there pays for
//    the conflict.
//
// Refresh: all banks, for `refresh_time` from each multiple of `refresh_interval` on (not at 0). An access whose first
// command would fall into that window waits for its end and finds its row closed; one that began before is not disturbed
// (the controller postpones the refresh by that much). A DMA stops for each window that it meets and reopens its row.
//
// With bank groups, successive bursts go round the groups if the description says so: a stripe is a row in a bank of each, and each burst
// of an access finds its own bank. Gaps between commands: command_spacing.hpp.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/address.hpp"
#include "base/check.hpp"
#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/shared_resource.hpp"
#include "base/signal.hpp"
#include "base/units.hpp"
#include "bus/dma_transfer.hpp"
#include "dram/command_spacing.hpp"
#include "dram/dram_config.hpp"
#include "dram/dram_faults.hpp"
#include "dram/table_access.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

class DramDevice {
 public:
  /// InputError where a size is not a power of two, a refresh takes longer than its interval, or a bit error strikes outside.
  explicit DramDevice(const DramConfig& config, std::uint64_t seed = 1);

  /// A single access of the CPU, a word or a line of its caches; gives the time of completion.
  /// An access beyond the capacity is a model bug: reservations are checked before.
  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds now);

  /// A run of such accesses during which nobody else gets here, each of which comes `crossing` after its begin: gives what they take
  /// together.
  Picoseconds access(std::span<const TableAccess> run, Picoseconds crossing);

  /// An extent of a DMA engine priced at `now`. Cost does not depend on its size.
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds now);

  /// The bit errors of an extent whose time counts elsewhere (DmaTransfer::checked).
  void move(DramAddress address, Bytes bytes, Access access, Picoseconds now);

  /// Whether bits can flip, and the words that the last access(), dma() or move() met and ECC could not correct.
  [[nodiscard]] bool can_fail() const { return faults_.has_value(); }
  [[nodiscard]] std::span<const DramAddress> failed() const { return faults_ ? faults_->failed() : std::span<const DramAddress>(); }

  /// Flips `bits` bits of the word at `address` at `now` (fault injection); only where bits can flip.
  void add_bit_error(DramAddress address, std::uint64_t bits, Picoseconds now);
  /// The firmware starts at `now`, after a power cut or without one, and initialises the memory: no bit error is older.
  void initialise(Picoseconds now);

  /// The power fails: rows are closed, what was under way is forgotten.
  void cut();

  [[nodiscard]] const DramConfig& config() const { return config_; }
  [[nodiscard]] SignalScope& signals() { return signals_; }

  /// Picojoules from time 0 to `now`: activations, bursts, refreshes and background power.
  [[nodiscard]] double energy(Picoseconds now) const;
  /// Adds `dram.*`; `dram.utilisation` is a share of the time since reset_statistics().
  void report(MetricSet& metrics, Picoseconds now) const;
  void reset_statistics(Picoseconds now);
  /// `by` passes that later instants leave out; nothing is under way. Of a device whose bits flip with time: not to be called.
  void rest(Picoseconds by);

 private:
  [[nodiscard]] Picoseconds busy() const { return burst_time_ * (counters_.bursts[0] + counters_.bursts[1]); }

  static constexpr std::uint64_t never = ~std::uint64_t{0};
  struct Bank {
    std::uint64_t row = 0;
    std::uint64_t epoch = never;  // refresh interval in which the row was opened; another finds it closed
    Picoseconds ready;            // next command of the CPU
    Picoseconds precharge;        // earliest precharge: tRAS and tWR
  };

  /// What a column command leads to.
  struct Column {
    Picoseconds data;       ///< until the first of it is on the bus
    Picoseconds precharge;  ///< until the row may be closed where the access takes one burst
  };
  /// From when on nothing but its bank has a part in the time of an access, up to interval_end_: no refresh, nobody else on the bus, and no
  /// access before that is not over.
  [[nodiscard]] Picoseconds undisturbed_from() const {
    return Signal::anyone_watches() ? Picoseconds::max() : std::max({calm_from_, cpu_bus_free_, data_bus_.last_end()});
  }
  Picoseconds access_bank(std::uint64_t row_number, std::uint64_t bursts, Access access, Picoseconds now);
  [[nodiscard]] Picoseconds open(Bank& bank, std::uint64_t row_number, Picoseconds now);
  Picoseconds access_stepwise(std::uint64_t address, std::uint32_t bytes, Access access, Picoseconds now);
  [[gnu::cold]] Picoseconds access_unusual(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now);
  Picoseconds access_row(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now);
  Picoseconds access_bursts(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now);
  Picoseconds after_refresh(Picoseconds at);
  Picoseconds bus_slot(Picoseconds wanted, Picoseconds length);
  [[nodiscard]] Picoseconds latency_of(Access access) const { return access == Access::read ? config_.column_latency : write_latency_; }
  [[nodiscard]] std::uint64_t bank_of(std::uint64_t address) const {
    return ((address >> stripe_shift_ << lane_shift_) & (config_.banks - 1)) | ((address >> burst_shift_) & lane_mask_);
  }
  [[nodiscard]] std::uint64_t row_of(std::uint64_t address) const { return address >> stripe_shift_ >> (bank_shift_ - lane_shift_); }
  [[nodiscard]] std::uint64_t group_of(std::uint64_t bank) const { return bank & (config_.bank_groups - 1); }
  [[nodiscard]] Picoseconds opening_of(std::uint64_t address) const;
  [[nodiscard]] Picoseconds dma_opening(std::uint64_t address, std::uint64_t bursts, Access access, Picoseconds begin) const;
  /// From the end of a refresh interval until data flows again.
  [[nodiscard]] Picoseconds pause_of_refresh() const { return config_.refresh_time + config_.row_to_column + lane_opening_; }
  [[nodiscard]] Picoseconds opened_by(Picoseconds at) const;
  [[nodiscard]] Picoseconds with_refreshes(Picoseconds begin, Picoseconds work);
  void leave_open(std::uint64_t address, std::uint64_t bursts, Picoseconds end);
  void note_written(std::uint64_t address, std::uint64_t bursts, Picoseconds end);
  [[nodiscard]] std::uint64_t bursts(std::uint64_t address, std::uint64_t bytes) const;
  void count_bursts(std::uint64_t count, Access access);
  [[nodiscard]] Picoseconds correct(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds now);
  void check_range(std::uint64_t address, std::uint64_t bytes) const;

  SignalScope signals_;
  Signal bus_ = signals_.state("bus", {"idle", "cpu", "dma"});
  std::vector<Signal> open_rows_;  // by bank

  DramConfig config_;
  unsigned row_shift_;
  unsigned bank_shift_;
  std::uint64_t rows_;
  unsigned burst_shift_;
  unsigned lane_shift_;    // of the banks that successive bursts go round
  unsigned stripe_shift_;  // of the rows of those banks
  std::uint64_t lane_mask_;
  Picoseconds burst_time_;
  Picoseconds burst_step_;  // from one burst of an access or extent to the next
  Picoseconds write_latency_;
  Picoseconds lane_opening_;   // how much longer it takes to open a stripe than a row, for data to flow without a stop
  Picoseconds stripe_change_;  // what a DMA waits between two stripes: nothing where banks hide it
  std::optional<CommandSpacing> spacing_;
  std::array<Column, 2> columns_;  // by Access
  bool alone_in_bank_;             // nobody but bank and bus has a part in an access
  std::vector<Bank> banks_;
  std::optional<DramFaults> faults_;  // where the description has any

  // The refresh interval that the last look-up fell into: accesses cluster, so the division is rare.
  Picoseconds interval_begin_;
  Picoseconds interval_end_;
  Picoseconds calm_from_;  // when its refresh is over; never unless alone_in_bank_
  std::uint64_t epoch_ = 0;
  LongTime rested_;
  std::uint64_t rested_epochs_ = 0;  // refresh intervals of that
  Picoseconds rested_in_epoch_;      // and what is left of it

  Picoseconds cpu_bus_free_;  // end of the last metadata access's data
  SharedResource data_bus_;   // of the DMA engines

  struct Counters {
    std::uint64_t accesses = 0, row_hits = 0, row_misses = 0, row_conflicts = 0;
    std::uint64_t dma = 0, dma_activations = 0, refresh_stalls = 0;
    std::array<std::uint64_t, 2> bursts{};  // by Access
    Picoseconds refresh_wait;
    Bytes dma_bytes;
  } counters_;
  Picoseconds busy_before_;  // the measurement, which began
  Picoseconds measured_from_;
  LongTime measured_rests_;  // rested_ then
};

/// Most accesses lie in one row and find nobody else there: their time is known without a look at anything but the row's bank. It is that
/// of access_stepwise() (tests/unit/dram).
inline Picoseconds DramDevice::access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds now) {
  const std::uint64_t first = address.value();
  const std::uint64_t last = first + bytes - 1;
  if (now < undisturbed_from() || now >= interval_end_ || last >> row_shift_ != first >> row_shift_ || bytes == 0) [[unlikely]]
    return access_stepwise(first, bytes, access, now);
  ++counters_.accesses;
  return access_bank(first >> row_shift_, (last >> burst_shift_) - (first >> burst_shift_) + 1, access, now);
}

/// Bursts of one row, which nobody disturbs.
inline Picoseconds DramDevice::access_bank(std::uint64_t row_number, std::uint64_t bursts, Access access, Picoseconds now) {
  Bank& bank = banks_[row_number & (config_.banks - 1)];
  Picoseconds column = now;
  if (bank.row == row_number >> bank_shift_ && bank.epoch == epoch_)
    ++counters_.row_hits;
  else
    column = open(bank, row_number, now);
  if (bursts != 1) column += burst_step_ * (bursts - 1);
  const Column& times = columns_[static_cast<std::size_t>(access)];
  bank.ready = column + burst_time_;
  bank.precharge = std::max(bank.precharge, column + times.precharge);
  cpu_bus_free_ = bank.ready + times.data;
  count_bursts(bursts, access);
  return cpu_bus_free_;
}

/// Opens a row of a bank that has another one open, or none; gives when it takes a column command.
inline Picoseconds DramDevice::open(Bank& bank, std::uint64_t row_number, Picoseconds now) {
  TESSERA_CHECK(row_number < rows_, "an access leaves the DRAM");
  Picoseconds at = now;
  if (bank.epoch == epoch_) {
    ++counters_.row_conflicts;
    at = std::max(at, bank.precharge) + config_.precharge;
  } else {
    ++counters_.row_misses;
  }
  bank.row = row_number >> bank_shift_;
  bank.epoch = epoch_;
  bank.precharge = at + config_.row_active;
  return at + config_.row_to_column;
}

inline void DramDevice::check_range(std::uint64_t address, std::uint64_t bytes) const {
  const std::uint64_t capacity = config_.capacity.value();
  TESSERA_CHECK(bytes <= capacity && address <= capacity - bytes, "an access leaves the DRAM");
}

inline void DramDevice::count_bursts(std::uint64_t count, Access access) { counters_.bursts[static_cast<std::size_t>(access)] += count; }

}  // namespace tessera
