#include "controller/code_memory.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace tessera {

CodeMemory::CodeMemory(Executor& executor, MemoryController& memory, CpuLink& bus, const CpuConfig& config, Bytes dram)
    : executor_(executor),
      memory_(memory),
      sizes_(config.code.table()),
      in_tcm_(memory.in_tcm(MemoryCategory::code) && !config.served_elsewhere) {
  if (config.code_cache.size == Bytes(0) || config.served_elsewhere) return;
  cache_.emplace("code_cache", config.code_cache, config.clock, dram, bus);
  if (const std::uint64_t largest = *std::ranges::max_element(sizes_); largest > config.code_cache.size.value())
    throw InputError("controller.code_cache.size is " + std::to_string(config.code_cache.size.value()) +
                     " B; expected 0, or at least the code of the largest operation (controller.code.*), " + std::to_string(largest) +
                     " B");
}

void CodeMemory::power_on() {
  if (!modelled()) return;
  const Bytes all(std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0}));
  DramAddress at = memory_.reserve(MemoryCategory::code, all, "firmware's code (controller.code)").address;
  for (std::size_t i = 0; i < sizes_.size(); at += sizes_[i++]) begins_[i] = at;
}

void CodeMemory::power_off() {
  if (cache_) cache_->clear();
}

void CodeMemory::fetch(CpuOperation operation) {
  const auto index = static_cast<std::size_t>(operation);
  if (sizes_[index] == 0) return;
  if (!in_tcm_) return executor_.stall(cache_->access(begins_[index], sizes_[index], Access::read, executor_.now()));
  const Picoseconds time = memory_.tcm().time_of(begins_[index], sizes_[index]);
  memory_.tcm().count(MemoryCategory::code, time);
  executor_.spend(time);
}

void CodeMemory::report(MetricSet& metrics) const {
  if (cache_ && !in_tcm_) cache_->report(metrics);
}

}  // namespace tessera
