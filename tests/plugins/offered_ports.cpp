#include "offered_ports.hpp"

#include <string>
#include <utility>

#include "platforms/plugin/plugin_values.hpp"

namespace tessera {

// Media.

void OfferedMedia::submit(MediaChain& chain) {
  OfferedOperation& operation = machine_.current();
  operation.wait = &chain.wait;
  operation.chain = &chain;
  operation.steps.clear();
  for (const MediaStep& step : chain.steps()) {
    const bool writes = step.op == MediaOp::write;
    if (writes) machine_.push_lost(step.data);
    tessera_media_step own{.write = writes ? 1U : 0U,
                           .hint = static_cast<std::uint32_t>(step.hint),
                           .surface = step.run.track.surface,
                           .radius = step.run.track.radius,
                           .first = step.run.first,
                           .count = step.run.count,
                           .data = machine_.named(step.data),
                           .system = step.system.empty() ? nullptr : step.system.data(),
                           .headers = step.header,
                           .header_count = step.header != nullptr ? 1U : 0U};
    if (!step.headers.empty()) {
      own.headers = step.headers.data();
      own.header_count = static_cast<std::uint32_t>(step.headers.size());
    }
    operation.steps.push_back(own);
  }
  const tessera_media_chain own{.priority = static_cast<std::uint32_t>(chain.priority),
                                .carry_lost = chain.lost == LostSectors::carry ? 1U : 0U,
                                .step_count = static_cast<std::uint32_t>(operation.steps.size()),
                                .steps = operation.steps.data()};
  tessera_machine& table = machine_.table();
  table.media(&table, operation.number, &own);
}

std::uint32_t OfferedMedia::sectors_on(PhysicalTrack track) const {
  return machine_.table().sectors_on(&machine_.table(), track.surface, track.radius);
}

// Flash.

bool OfferedFlash::is_bad(NandBlock block) const { return machine_.table().flash_is_bad(&machine_.table(), block.value()) != 0; }

void OfferedFlash::submit(FlashBatch& batch) {
  OfferedOperation& operation = machine_.current();
  operation.wait = &batch.wait;
  operation.batch = &batch;
  operation.commands.clear();
  for (const FlashCommand& command : batch.commands) {
    if (command.op == FlashOp::program) machine_.push_lost(command.data);
    operation.commands.push_back(
        {.op = static_cast<std::uint32_t>(command.op),
         .subpage = command.subpage,
         .page = command.page.value(),
         .from = command.from.value(),
         .block = command.block.value(),
         .data = machine_.named(command.data),
         .oob = command.oob.data(),
         .oob_bytes = static_cast<std::uint32_t>(command.oob.size()),
         .retry = command.retry,
         .next = command.next == nullptr ? TESSERA_NO_COMMAND : static_cast<std::uint32_t>(command.next - batch.commands.data()),
         .led = command.led ? 1U : 0U,
         .status = TESSERA_OK});
  }
  tessera_machine& table = machine_.table();
  table.flash(&table, operation.number, operation.commands.data(), static_cast<std::uint32_t>(operation.commands.size()));
}

// Memory.

MemoryRegion OfferedMemory::reserved(MemoryCategory category, Bytes size, bool dumped, std::string_view what) {
  tessera_machine& table = machine_.table();
  const tessera_memory memory =
      table.reserve(&table, static_cast<std::uint32_t>(category), size.value(), dumped ? 1 : 0, std::string(what).c_str());
  if (memory.bytes == nullptr && size.value() != 0) throw OfferRefused();
  return {DramAddress(memory.address), {static_cast<std::byte*>(memory.bytes), size.value()}, memory.torn != 0};
}

MemoryRegion OfferedMemory::reserve(MemoryCategory category, Bytes size, std::string_view what) {
  return reserved(category, size, false, what);
}

MemoryRegion OfferedMemory::reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) {
  return reserved(category, size, true, what);
}

void OfferedMemory::touch(DramAddress address, std::uint32_t bytes, Access access) {
  machine_.table().touch(&machine_.table(), address.value(), bytes, access == Access::write ? 1 : 0);
}

DataBuffer OfferedMemory::reserved_buffer(MemoryCategory category, std::uint32_t sectors, bool dumped, std::string_view what) {
  tessera_machine& table = machine_.table();
  const tessera_data data =
      table.reserve_buffer(&table, static_cast<std::uint32_t>(category), sectors, dumped ? 1 : 0, std::string(what).c_str());
  if (data.sectors != sectors) throw OfferRefused();
  return machine_.buffer_at(data);
}

DataBuffer OfferedMemory::reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) {
  return reserved_buffer(category, sectors, false, what);
}

DataBuffer& OfferedMemory::reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) {
  DataBuffer& buffer = dumped_.emplace_back(reserved_buffer(category, sectors, true, what));
  machine_.pull_lost(buffer.all());
  return buffer;
}

DataBuffer OfferedMemory::acquire(std::uint32_t sectors) {
  return machine_.buffer_at(machine_.table().acquire(&machine_.table(), sectors));
}

void OfferedMemory::release(DataBuffer&& buffer) {
  const DataBuffer given = std::move(buffer);
  machine_.table().release(&machine_.table(), {given.address().value(), given.sectors()});
}

void OfferedMemory::copy(DataSpan from, DataSpan to) {
  machine_.push_lost(from);
  machine_.table().copy(&machine_.table(), machine_.named(from), machine_.named(to));
  machine_.pull_lost(to);
}

void OfferedMemory::merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) {
  machine_.push_lost(sector);
  machine_.push_lost(old);
  machine_.table().merge_blocks(&machine_.table(), machine_.named(sector), machine_.named(old), first, count);
  machine_.pull_lost(sector);
}

void OfferedMemory::clear(DataSpan span) {
  machine_.table().clear(&machine_.table(), machine_.named(span));
  machine_.pull_lost(span);
}

// Processor.

void OfferedCpu::charge(CpuOperation operation, std::uint64_t times) {
  machine_.table().charge(&machine_.table(), static_cast<std::uint32_t>(operation), times);
}

void OfferedCpu::spend(Picoseconds time) { machine_.table().spend(&machine_.table(), time.value()); }

Picoseconds OfferedCpu::now() const { return Picoseconds(machine_.table().now(&machine_.table())); }

void OfferedCpu::wake_at(Picoseconds when, DeviceWait& wait) {
  OfferedOperation& operation = machine_.current();
  operation.wait = &wait;
  machine_.table().timer(&machine_.table(), operation.number, when.value());
}

void OfferedCpu::event(const FirmwareEvent& event) {
  machine_.table().note(&machine_.table(), event.kind, static_cast<std::uint32_t>(event.edge), event.subject, event.amount);
}

std::uint32_t OfferedCpu::declare_gauge(const GaugeInfo& info) {
  return machine_.table().declare_gauge(&machine_.table(), info.name, info.unit, info.what);
}

void OfferedCpu::gauge(std::uint32_t number, std::uint64_t value) { machine_.table().gauge(&machine_.table(), number, value); }

// A waiting task's root is, on this side, its operation.

void OfferedCpu::make_ready(DeviceWait& wait) {
  if (machine_.ending()) return;  // a frame that ends with the power gives its locks back
  machine_.table().ready(&machine_.table(), reinterpret_cast<OfferedOperation*>(wait.root)->number);
}

void OfferedCpu::suspend(DeviceWait& wait, LifePhase phase) {
  OfferedOperation& operation = machine_.current();
  operation.wait = &wait;
  wait.root = reinterpret_cast<RootTask*>(&operation);
  machine_.table().park(&machine_.table(), operation.number, static_cast<std::uint32_t>(phase));
}

// Host.

void OfferedHost::complete(HostCommand&, Status) { model_bug(__FILE__, __LINE__, "a translation layer completes no host command"); }

std::uint32_t OfferedHost::outstanding() const { return machine_.table().outstanding(&machine_.table()); }

Picoseconds OfferedHost::last_activity() const { return Picoseconds(machine_.table().last_activity(&machine_.table())); }

bool OfferedHost::write_waiting(LogicalSector first, LogicalSector end, HostTag in_hand) const {
  return machine_.table().write_waiting(&machine_.table(), first.value(), end.value(), in_hand) != 0;
}

OfferedPorts::OfferedPorts(OfferedMachine& machine) : media_(machine), memory_(machine), cpu_(machine), host_(machine) {
  tessera_flash_shape shape{};
  if (machine.table().flash_shape(&machine.table(), &shape) != 0) flash_.emplace(machine, from_c(shape));
}

}  // namespace tessera
