#pragma once
// The modelled processor (models/controller/executor) as the driver library sees it. Its tasks run the units, too: what firmware submits is
// carried out by the task that submits it, which goes on with the firmware when that has ended. So a task waits, and pays for its waits,
// where it would without registers in between.
#include <vector>

#include "firmware/hal/processor.hpp"
#include "firmware/translation_layer.hpp"
#include "machine/machine.hpp"

namespace tessera {

class LinkedProcessor final : public hal::Processor, public TaskStarter {
 public:
  explicit LinkedProcessor(const Ports& ports) : ports_(ports), memory_(ports.memory) {}

  // hal::Processor
  [[nodiscard]] CpuPort& port() override { return ports_.cpu; }
  [[nodiscard]] MemoryPort& watched(MemoryPort& memory) override;
  /// More than the bytes for descriptors allow (LinkedMachine::share): what waited for room would be submitted by another task.
  [[nodiscard]] std::uint32_t ring_entries() const override { return 1024; }
  /// Kept for the task that has raised the interrupt.
  void start(Task<void> task, HostTag tag) override;
  /// The unit's task knows it.
  [[nodiscard]] HostTag tag() const override { return no_host_tag; }
  /// The unit's own wait suspends the task.
  void suspend(DeviceWait&, LifePhase) override {}
  void make_ready(DeviceWait& wait) override { ready_.push_back(wait.task); }
  void run() override;
  void wake() override {}  // timers are the port's
  void end() override {}   // tasks, too

  // TaskStarter
  [[nodiscard]] Task<void> take_started() override { return std::move(started_); }

 private:
  /// Registers and buffers are the driver library's; an access to a table is the modelled processor's load or store.
  class WatchedMemory final : public MemoryPort {
   public:
    explicit WatchedMemory(MemoryPort& accesses) : accesses_(accesses) {}
    void stand_before(MemoryPort& memory) { memory_ = &memory; }

    MemoryRegion reserve(MemoryCategory category, Bytes size, std::string_view what) override {
      return memory_->reserve(category, size, what);
    }
    MemoryRegion reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) override {
      return memory_->reserve_dumped(category, size, what);
    }
    void touch(DramAddress address, std::uint32_t bytes, Access access) override {
      accesses_.touch(Machine::place_of(address.value()), bytes, access);
    }
    DataBuffer reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override {
      return memory_->reserve_buffer(category, sectors, what);
    }
    DataBuffer& reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override {
      return memory_->reserve_dumped_buffer(category, sectors, what);
    }
    [[nodiscard]] DataBuffer acquire(std::uint32_t sectors) override { return memory_->acquire(sectors); }
    void release(DataBuffer&& buffer) override { memory_->release(std::move(buffer)); }
    void copy(DataSpan from, DataSpan to) override { memory_->copy(from, to); }
    void merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) override {
      memory_->merge_blocks(sector, old, first, count);
    }
    void clear(DataSpan span) override { memory_->clear(span); }
    [[nodiscard]] SectorShape shape() const override { return memory_->shape(); }

   private:
    MemoryPort& accesses_;
    MemoryPort* memory_ = nullptr;
  };

  Ports ports_;
  WatchedMemory memory_;
  Task<void> started_;
  std::vector<std::coroutine_handle<>> ready_;
};

}  // namespace tessera
