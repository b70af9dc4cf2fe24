#include "bus/interconnect.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace tessera {

namespace {

std::vector<SharedResource::Party> parties_of(const BusConfig& config, std::uint32_t flash_channels, std::uint32_t arms) {
  const auto party = [&](std::uint32_t BusRanks::*who) {
    SharedResource::Party rank;
    if (config.arbitration == BusArbitration::weighted) rank.weight = config.weights.*who;
    if (config.arbitration == BusArbitration::fixed_priority) rank.priority = config.priorities.*who;
    return rank;
  };
  // The CPU's accesses slip in and reserve nothing; it keeps its place in the order of initiators.
  std::vector<SharedResource::Party> parties{{}, party(&BusRanks::copy), party(&BusRanks::host), party(&BusRanks::disk)};
  parties.insert(parties.end(), flash_channels, party(&BusRanks::flash));
  parties.insert(parties.end(), arms - 1, party(&BusRanks::disk));
  return parties;
}

}  // namespace

Interconnect::Interconnect(const BusConfig& config, std::uint32_t flash_channels, std::uint32_t arms)
    : flash_channels_(flash_channels),
      width_(config.width),
      period_(config.clock == Hertz(0) ? Picoseconds(0) : period(config.clock)),
      crossing_(period_ * config.crossing),
      burst_(period_ * config.burst),
      shared_(parties_of(config, flash_channels, arms)) {
  std::vector<std::string> names{"cpu", "copy", "host", "disk"};
  for (std::uint32_t channel = 0; channel < flash_channels; ++channel) names.push_back("flash_" + std::to_string(channel));
  for (std::uint32_t arm = 1; arm < arms; ++arm) names.push_back("disk_" + std::to_string(arm));
  for (const std::string& name : names) uses_.emplace_back(signals_.part(name));
  for (std::size_t kind = 0; kind < exchange_bytes.size(); ++kind) exchange_work_[kind] = beats(exchange_bytes[kind]);
  for (const char* name : {"registers", "descriptors"}) exchanges_.emplace_back(signals_.part(name));
}

/// On a bus that takes no time; what is under way keeps the pace of its device.
DmaGrant Interconnect::left_out(const DmaTransfer& transfer, Picoseconds at) {
  counters_[static_cast<std::size_t>(transfer.account)].bytes += transfer.bytes;
  return {at + (transfer.pace - std::min(transfer.since, transfer.pace)), Bytes(0)};
}

DmaGrant Interconnect::transfer(const DmaTransfer& transfer, Picoseconds at) {
  if (period_ == Picoseconds(0)) return left_out(transfer, at);
  const Picoseconds work = beats(transfer.bytes);
  const Picoseconds begin = at - transfer.since;
  const auto [end, behind] = shared_.reserve(static_cast<std::size_t>(transfer.engine), begin, work, transfer.pace);
  Counters& counters = counters_[static_cast<std::size_t>(transfer.account)];
  counters.bytes += transfer.bytes;
  counters.busy += work;
  counters.waited += end - begin - std::max(work, transfer.pace);
  if (Signal::anyone_watches()) [[unlikely]]
    uses_[static_cast<std::size_t>(transfer.engine)].show(transfer.bytes.value(), begin, end);
  return {end + crossing_, behind == Picoseconds(0) ? Bytes(0) : Bytes(scale_rounded(behind.value(), width_.divisor(), period_.value()))};
}

/// Of an access of the CPU; gives when.
Picoseconds Interconnect::slip_in(Picoseconds work, Picoseconds at) {
  const Picoseconds begin = shared_.slip_in(at, work, burst_);
  counters_[static_cast<std::size_t>(BusAccount::cpu)].waited += begin - at;
  return begin;
}

/// Between the bursts of what is under way; gives when.
Picoseconds Interconnect::squeeze_in(BusExchange kind, Picoseconds work, Picoseconds at) {
  const Picoseconds begin = shared_.slip_in(at, work, burst_);
  const bool of_register = kind == BusExchange::register_access;
  counters_[static_cast<std::size_t>(of_register ? BusAccount::registers : BusAccount::descriptors)].waited += begin - at;
  return begin;
}

/// What extents and accesses have counted, and the exchanges.
std::array<Interconnect::Counters, Interconnect::accounts> Interconnect::totals() const {
  auto totals = counters_;
  for (std::size_t kind = 0; kind < exchanged_.size(); ++kind) {
    const bool of_register = static_cast<BusExchange>(kind) == BusExchange::register_access;
    Counters& counters = totals[static_cast<std::size_t>(of_register ? BusAccount::registers : BusAccount::descriptors)];
    counters.bytes += exchange_bytes[kind] * exchanged_[kind];
    counters.busy += exchange_work_[kind] * exchanged_[kind];
  }
  return totals;
}

void Interconnect::reset_statistics(Picoseconds now) {
  const auto totals = this->totals();
  for (std::size_t i = 0; i < accounts; ++i) busy_before_[i] = totals[i].busy;
  measured_from_ = now;
  rested_ = {};
}

void Interconnect::report(MetricSet& metrics, Picoseconds now) const {
  static constexpr std::array<const char*, accounts> names{"cpu", "copy", "host", "disk", "flash", "registers", "descriptors"};
  static constexpr std::array<const char*, accounts> who{"the CPU's single accesses to the DRAM",
                                                         "copies between buffers",
                                                         "DMA of the host interface",
                                                         "DMA of the disk channel",
                                                         "DMA of the flash channels",
                                                         "registers that the CPU reads and writes",
                                                         "commands and completions in their rings"};
  const LongTime elapsed = rested_ + (now - measured_from_);
  const auto totals = this->totals();
  std::array<Picoseconds, accounts> busy;
  Picoseconds all;
  for (std::size_t i = 0; i < accounts; ++i) all += busy[i] = totals[i].busy - busy_before_[i];
  metrics.add("bus.utilisation", share_of(all, elapsed), "1", "share of the measured time in which the bus moved data");
  for (std::size_t i = 0; i < accounts; ++i) {
    const std::string name = std::string("bus.") + names[i];
    const std::string of = who[i];
    metrics.count(name + ".bytes", static_cast<double>(totals[i].bytes.value()), "B", "bytes over the bus: " + of);
    metrics.add(name + ".utilisation", share_of(busy[i], elapsed), "1", "share of the measured time in which the bus moved data: " + of);
    metrics.count(name + ".waiting", totals[i].waited, "time lost to other initiators on the bus: " + of);
  }
}

}  // namespace tessera
