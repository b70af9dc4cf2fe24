#pragma once
// The five ports for a layer in C++ behind the firmware interface: each over the table of services.
#include <deque>
#include <optional>

#include "offered_machine.hpp"

namespace tessera {

class OfferedMedia final : public MediaPort {
 public:
  explicit OfferedMedia(OfferedMachine& machine) : machine_(machine) {}
  void submit(MediaChain& chain) override;
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override;

 private:
  OfferedMachine& machine_;
};

class OfferedFlash final : public FlashPort {
 public:
  OfferedFlash(OfferedMachine& machine, const FlashShape& shape) : machine_(machine), shape_(shape) {}
  [[nodiscard]] FlashShape shape() const override { return shape_; }
  [[nodiscard]] bool is_bad(NandBlock block) const override;
  void submit(FlashBatch& batch) override;

 private:
  OfferedMachine& machine_;
  FlashShape shape_;
};

class OfferedMemory final : public MemoryPort {
 public:
  explicit OfferedMemory(OfferedMachine& machine) : machine_(machine) {}
  MemoryRegion reserve(MemoryCategory category, Bytes size, std::string_view what) override;
  MemoryRegion reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) override;
  void touch(DramAddress address, std::uint32_t bytes, Access access) override;
  DataBuffer reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override;
  DataBuffer& reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) override;
  [[nodiscard]] DataBuffer acquire(std::uint32_t sectors) override;
  void release(DataBuffer&& buffer) override;
  void copy(DataSpan from, DataSpan to) override;
  void merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) override;
  void clear(DataSpan span) override;
  [[nodiscard]] SectorShape shape() const override { return machine_.shape(); }

 private:
  MemoryRegion reserved(MemoryCategory category, Bytes size, bool dumped, std::string_view what);
  DataBuffer reserved_buffer(MemoryCategory category, std::uint32_t sectors, bool dumped, std::string_view what);

  OfferedMachine& machine_;
  std::deque<DataBuffer> dumped_;
};

class OfferedCpu final : public CpuPort {
 public:
  explicit OfferedCpu(OfferedMachine& machine) : machine_(machine) {}
  void charge(CpuOperation operation, std::uint64_t times) override;
  void spend(Picoseconds time) override;
  [[nodiscard]] Picoseconds now() const override;
  void spawn(Task<void> task, const char* name) override { machine_.spawn(std::move(task), name); }
  void wake_at(Picoseconds when, DeviceWait& wait) override;
  void event(const FirmwareEvent& event) override;
  [[nodiscard]] std::uint32_t declare_gauge(const GaugeInfo& info) override;
  void gauge(std::uint32_t number, std::uint64_t value) override;
  void make_ready(DeviceWait& wait) override;
  void suspend(DeviceWait& wait, LifePhase phase) override;

 private:
  OfferedMachine& machine_;
};

class OfferedHost final : public HostPort {
 public:
  explicit OfferedHost(OfferedMachine& machine) : machine_(machine) {}
  void complete(HostCommand&, Status) override;
  [[nodiscard]] std::uint32_t outstanding() const override;
  [[nodiscard]] Picoseconds last_activity() const override;
  [[nodiscard]] bool write_waiting(LogicalSector first, LogicalSector end, HostTag in_hand) const override;

 private:
  OfferedMachine& machine_;
};

class OfferedPorts {
 public:
  explicit OfferedPorts(OfferedMachine& machine);
  [[nodiscard]] Ports all() { return {media_, flash_ ? &*flash_ : nullptr, memory_, cpu_, host_}; }

 private:
  OfferedMedia media_;
  std::optional<OfferedFlash> flash_;
  OfferedMemory memory_;
  OfferedCpu cpu_;
  OfferedHost host_;
};

}  // namespace tessera
