#pragma once
// A memory controller over a DRAM that takes 50 ns, on a virtual clock.
#include "base/error.hpp"
#include "controller/memory_controller.hpp"
#include "support/placed_in_tcm.hpp"

namespace tessera::memory_bench {

using namespace literals;

struct ToyDram final : CpuLink, DramLink {
  Picoseconds access(DramAddress, std::uint32_t, Access, Picoseconds at) override {
    ++accesses;
    return at + 50_ns;
  }
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) override {
    ++extents;
    return {at + Picoseconds(transfer.bytes.value()), Bytes(0)};
  }
  int accesses = 0, extents = 0;
};

struct Machine {
  explicit Machine(Bytes capacity = 1_MiB, std::vector<MemoryCategory> in_tcm = {})
      : cpu(timeline, config()),
        memory(cpu, dram, dram, bus, {4096, ContentMode::tags}, {capacity, 256_KiB, test::placed_in_tcm(in_tcm)}, config()) {}
  static ControllerConfig config() {
    ControllerConfig made;
    made.costs = CpuCosts(CostSource::none);
    made.staging_buffer = 64_KiB;
    made.tcm.latency = 2;
    return made;
  }
  Timeline timeline;
  Executor cpu;
  ToyDram dram;
  Interconnect bus{{}, 0};
  MemoryController memory;
};

inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tessera::memory_bench
