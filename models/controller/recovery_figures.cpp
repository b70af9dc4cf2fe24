#include "controller/recovery_figures.hpp"

#include <string>

namespace tessera {

namespace {

struct Kind {
  const char* name;
  std::uint64_t PortCounts::*count;
  const char* unit;
  const char* what;
};
constexpr Kind kinds[] = {{"media_reads", &PortCounts::media_reads, "1", "media reads"},
                          {"media_writes", &PortCounts::media_writes, "1", "media writes"},
                          {"sectors_read", &PortCounts::sectors_read, "sectors", "sectors read from the platters"},
                          {"sectors_written", &PortCounts::sectors_written, "sectors", "sectors written to the platters"},
                          {"flash_reads", &PortCounts::flash_reads, "1", "flash pages read"},
                          {"flash_oob_reads", &PortCounts::flash_oob_reads, "1", "out-of-band areas of flash pages read"},
                          {"flash_programs", &PortCounts::flash_programs, "1", "flash pages programmed"},
                          {"flash_erases", &PortCounts::flash_erases, "1", "flash blocks erased"}};

double milliseconds(Picoseconds time) { return static_cast<double>(time.value()) * 1e-9; }

}  // namespace

PortCounts& PortCounts::operator+=(const PortCounts& other) {
  for (const Kind& kind : kinds) this->*kind.count += other.*kind.count;
  cpu += other.cpu;
  return *this;
}

PortCounts& PortCounts::operator-=(const PortCounts& other) {
  for (const Kind& kind : kinds) this->*kind.count -= other.*kind.count;
  cpu -= other.cpu;
  return *this;
}

void RecoveryFigures::begin(const PortCounts& counts, Picoseconds now) {
  begin_ = {counts, now};
  ++begun_;
}

void RecoveryFigures::end(const PortCounts& counts, Picoseconds now, bool complete) {
  Recovery made{counts, now - begin_->time};
  made.counts -= begin_->counts;
  begin_.reset();
  sum_.counts += made.counts;
  sum_.time += made.time;
  if (!complete) return;
  last_ = made;
  ++complete_;
}

void RecoveryFigures::report(MetricSet& metrics) const {
  const auto of_last = [this](double value) { return last_ ? std::optional(value) : std::nullopt; };
  const Recovery last = last_.value_or(Recovery());
  const std::string of_all = " in all recoveries, those that a power cut ended included";
  metrics.add("recovery.count", static_cast<double>(complete_), "1",
              "recoveries: boots after a power cut or a restart that were completed");
  metrics.add("recovery.interrupted", static_cast<double>(begun_ - complete_ - (under_way() ? 1 : 0)), "1",
              "recoveries that a power cut ended");
  metrics.add("recovery.time", of_last(milliseconds(last.time)), "ms",
              "time of the last recovery: from the firmware's start until the drive answers");
  metrics.add("recovery.time_total", sum_.time, "time" + of_all);
  metrics.add("recovery.cpu", of_last(milliseconds(last.counts.cpu)), "ms", "CPU time of the last recovery, accesses to the DRAM included");
  metrics.add("recovery.cpu_total", sum_.counts.cpu, "CPU time" + of_all);
  for (const Kind& kind : kinds) {
    const std::string name = std::string("recovery.") + kind.name;
    metrics.add(name, of_last(static_cast<double>(last.counts.*kind.count)), kind.unit, std::string(kind.what) + " in the last recovery");
    metrics.add(name + "_total", static_cast<double>(sum_.counts.*kind.count), kind.unit, kind.what + of_all);
  }
}

}  // namespace tessera
