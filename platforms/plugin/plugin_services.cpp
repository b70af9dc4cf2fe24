#include "platforms/plugin/plugin_services.hpp"

#include <cstdio>

#include "base/firmware_fault.hpp"
#include "platforms/plugin/plugin_names.hpp"
#include "platforms/plugin/plugin_values.hpp"

namespace tessera {

// The interface's numbers are the model's.
static_assert(TESSERA_STATUSES == device_statuses && TESSERA_ABORTED == static_cast<std::uint32_t>(Status::aborted));
static_assert(TESSERA_HEADER_BYTES == header_bytes && TESSERA_MOST_STEPS == MediaChain::max_steps);
static_assert(TESSERA_BACKUP_ROUND_TRIP == static_cast<std::uint32_t>(StepHint::backup_round_trip));
static_assert(TESSERA_CLASS_BACKGROUND == static_cast<std::uint32_t>(MediaClass::background));
static_assert(TESSERA_FLASH_COPYBACK == static_cast<std::uint32_t>(FlashOp::copyback));
static_assert(TESSERA_DESCRIPTORS == static_cast<std::uint32_t>(MemoryCategory::descriptors));
static_assert(TESSERA_CPU_ANGULAR_LOCK == static_cast<std::uint32_t>(CpuOperation::angular_lock) &&
              TESSERA_CPU_ANGULAR_LOCK + 1 == cpu_operations);
static_assert(TESSERA_WAITS_LOCK == static_cast<std::uint32_t>(LifePhase::lock) &&
              TESSERA_WAITS_BACKUP == static_cast<std::uint32_t>(LifePhase::backup) &&
              TESSERA_WAITS_BACKGROUND == static_cast<std::uint32_t>(LifePhase::background_wait) &&
              TESSERA_WAITS_CLEANING == static_cast<std::uint32_t>(LifePhase::cleaning));
static_assert(TESSERA_HAPPENS == static_cast<std::uint32_t>(FirmwareEvent::Edge::instant));
static_assert(TESSERA_NO_TAG == no_host_tag);

struct PluginServices {
  using Machine = tessera_machine*;

  static PluginMachine& of(Machine table) { return *static_cast<PluginMachine*>(table->context); }

  /// What throws ends the run when the library comes back; the caller gets a value of no meaning.
  template <class Work>
  static auto serve(Machine table, Work work) -> decltype(work(of(table))) {
    PluginMachine& machine = of(table);
    if (!machine.closed_ && !machine.failure_) {
      try {
        return work(machine);
      } catch (...) {
        machine.failure_ = std::current_exception();
      }
    }
    return decltype(work(machine))();
  }

  static std::string text(const char* words, const char* service) {
    if (words == nullptr) throw FirmwareFault(std::string(service) + "() without a text");
    return words;
  }
  static MemoryCategory category(std::uint32_t number) {
    if (number >= memory_categories) throw FirmwareFault("memory category " + std::to_string(number) + " is none");
    return static_cast<MemoryCategory>(number);
  }

  static void media(Machine table, tessera_operation number, const tessera_media_chain* chain) {
    serve(table, [&](PluginMachine& m) { m.submit(m.waiting(number, PluginOperation::Wait::media), *chain); });
  }
  static void flash(Machine table, tessera_operation number, tessera_flash_command* commands, std::uint32_t count) {
    serve(table, [&](PluginMachine& m) { m.submit(m.waiting(number, PluginOperation::Wait::flash), commands, count); });
  }
  static void timer(Machine table, tessera_operation number, std::uint64_t at) {
    serve(table, [&](PluginMachine& m) { m.waiting(number, PluginOperation::Wait::timer).until = Picoseconds(at); });
  }
  static void park(Machine table, tessera_operation number, std::uint32_t waits_for) {
    serve(table, [&](PluginMachine& m) {
      if (waits_for >= life_phases) throw FirmwareFault("park() names phase " + std::to_string(waits_for) + " of a request's life");
      m.waiting(number, PluginOperation::Wait::turn).turn_phase = static_cast<LifePhase>(waits_for);
    });
  }
  static void ready(Machine table, tessera_operation number) {
    serve(table, [&](PluginMachine& m) {
      const std::uint32_t slot = TESSERA_SLOT(number);
      PluginOperation* const operation = slot < m.slots_.size() ? m.slots_[slot] : nullptr;
      if (operation == nullptr || operation->number != number || !operation->parked)
        throw FirmwareFault("ready() names operation " + std::to_string(number) + ", which is not parked");
      operation->parked = false;
      m.ports_.cpu.make_ready(operation->turn);
    });
  }
  static void complete(Machine table, tessera_operation number, tessera_status status) {
    serve(table, [&](PluginMachine& m) {
      PluginOperation& operation = m.running(number, "complete()");
      if (operation.waits != PluginOperation::Wait::nothing)
        throw FirmwareFault("complete() ends operation " + std::to_string(number) + ", which is to wait too");
      if (status >= TESSERA_STATUSES) throw FirmwareFault("complete() with status " + std::to_string(status));
      operation.status = static_cast<Status>(status);
      operation.done = true;
    });
  }
  static void spawn(Machine table, void* state, const char* name) {
    serve(table, [&](PluginMachine& m) { m.spawner_.spawn(state, name == nullptr ? "background" : name); });
  }

  static std::uint32_t sectors_on(Machine table, std::uint32_t surface, std::uint32_t radius) {
    return serve(table, [&](PluginMachine& m) {
      return surface < m.surfaces_ && radius < m.radii_ ? m.ports_.media.sectors_on({surface, radius}) : 0;
    });
  }
  static int flash_shape(Machine table, tessera_flash_shape* shape) {
    return serve(table, [&](PluginMachine& m) {
      if (m.ports_.flash != nullptr) *shape = to_c(m.ports_.flash->shape());
      return m.ports_.flash != nullptr ? 1 : 0;
    });
  }
  static int flash_is_bad(Machine table, std::uint64_t block) {
    return serve(table, [&](PluginMachine& m) {
      if (m.ports_.flash == nullptr || block >= m.ports_.flash->shape().blocks)
        throw FirmwareFault("flash_is_bad() names block " + std::to_string(block) + ", which there is not");
      return m.ports_.flash->is_bad(NandBlock(block)) ? 1 : 0;
    });
  }

  static tessera_memory reserve(Machine table, std::uint32_t kind, std::uint64_t bytes, int dumped, const char* what) {
    return serve(table, [&](PluginMachine& m) {
      const std::string name = text(what, "reserve");
      const MemoryRegion region = dumped != 0 ? m.ports_.memory.reserve_dumped(category(kind), Bytes(bytes), name)
                                              : m.ports_.memory.reserve(category(kind), Bytes(bytes), name);
      return tessera_memory{region.address.value(), region.bytes.data(), region.torn ? 1U : 0U};
    });
  }
  static void touch(Machine table, std::uint64_t address, std::uint32_t bytes, int write) {
    serve(table, [&](PluginMachine& m) { m.ports_.memory.touch(DramAddress(address), bytes, write != 0 ? Access::write : Access::read); });
  }
  static tessera_data reserve_buffer(Machine table, std::uint32_t kind, std::uint32_t sectors, int dumped, const char* what) {
    return serve(table, [&](PluginMachine& m) {
      const std::string name = text(what, "reserve_buffer");
      DataBuffer& buffer = dumped != 0 ? m.ports_.memory.reserve_dumped_buffer(category(kind), sectors, name)
                                       : m.reserved_.emplace_back(m.ports_.memory.reserve_buffer(category(kind), sectors, name));
      m.buffers_.hold(buffer);
      return PluginBuffers::name(buffer.all());
    });
  }
  static tessera_data acquire(Machine table, std::uint32_t sectors) {
    return serve(table, [&](PluginMachine& m) {
      DataBuffer buffer = m.ports_.memory.acquire(sectors);
      if (buffer.sectors() == 0) return tessera_data{};
      DataBuffer& kept = m.acquired_[buffer.address().value()] = std::move(buffer);
      m.buffers_.hold(kept);
      return PluginBuffers::name(kept.all());
    });
  }
  static void release(Machine table, tessera_data data) {
    serve(table, [&](PluginMachine& m) {
      const auto at = m.acquired_.find(data.address);
      if (at == m.acquired_.end())
        throw FirmwareFault("release() names address " + std::to_string(data.address) + ", which acquire() has not given");
      m.buffers_.let_go(at->second);
      m.ports_.memory.release(std::move(at->second));
      m.acquired_.erase(at);
    });
  }
  static void copy(Machine table, tessera_data from, tessera_data to) {
    serve(table, [&](PluginMachine& m) {
      if (from.sectors != to.sectors || from.sectors == 0)
        throw FirmwareFault("copy() from " + std::to_string(from.sectors) + " sectors to " + std::to_string(to.sectors));
      m.ports_.memory.copy(m.buffers_.find(from), m.buffers_.find(to));
    });
  }
  static void merge_blocks(Machine table, tessera_data sector, tessera_data old, std::uint32_t first, std::uint32_t count) {
    serve(table, [&](PluginMachine& m) {
      const std::uint32_t blocks = m.ports_.memory.shape().blocks();
      if (sector.sectors != 1 || old.sectors != 1 || first > blocks || count > blocks - first)
        throw FirmwareFault("merge_blocks() takes one sector each, and blocks inside it");
      m.ports_.memory.merge_blocks(m.buffers_.find(sector), m.buffers_.find(old), first, count);
    });
  }
  static void clear(Machine table, tessera_data data) {
    serve(table, [&](PluginMachine& m) { m.ports_.memory.clear(m.buffers_.find(data)); });
  }
  static std::uint32_t first_lost(Machine table, tessera_data data) {
    return serve(table, [&](PluginMachine& m) {
      const DataSpan span = m.buffers_.find(data);
      std::uint32_t sector = 0;
      if (!any_lost(span)) return data.sectors;
      while (!span.buffer->is_lost(span.first + sector)) ++sector;
      return sector;
    });
  }
  static void mark_lost(Machine table, tessera_data data) {
    serve(table, [&](PluginMachine& m) {
      const DataSpan span = m.buffers_.find(data);
      for (std::uint32_t i = 0; i < span.count; ++i) span.buffer->mark_lost(span.first + i);
    });
  }

  static std::uint64_t now(Machine table) {
    return serve(table, [](PluginMachine& m) { return m.ports_.cpu.now().value(); });
  }
  static void charge(Machine table, std::uint32_t operation, std::uint64_t times) {
    serve(table, [&](PluginMachine& m) {
      if (operation >= cpu_operations) throw FirmwareFault("charge() names operation " + std::to_string(operation) + " of the processor");
      m.ports_.cpu.charge(static_cast<CpuOperation>(operation), times);
    });
  }
  static void spend(Machine table, std::uint64_t time) {
    serve(table, [&](PluginMachine& m) { m.ports_.cpu.spend(Picoseconds(time)); });
  }
  static std::uint32_t outstanding(Machine table) {
    return serve(table, [](PluginMachine& m) { return m.ports_.host.outstanding(); });
  }
  static std::uint64_t last_activity(Machine table) {
    return serve(table, [](PluginMachine& m) { return m.ports_.host.last_activity().value(); });
  }
  static int write_waiting(Machine table, std::uint64_t first, std::uint64_t end, std::uint32_t but) {
    return serve(table,
                 [&](PluginMachine& m) { return m.ports_.host.write_waiting(LogicalSector(first), LogicalSector(end), but) ? 1 : 0; });
  }

  static void note(Machine table, const char* kind, std::uint32_t edge, std::uint64_t subject, std::uint64_t amount) {
    serve(table, [&](PluginMachine& m) {
      if (kind == nullptr || edge > TESSERA_HAPPENS) throw FirmwareFault("note() without a kind, or with edge " + std::to_string(edge));
      if (const std::string fault = fault_of_name(kind); !fault.empty()) throw FirmwareFault("note(): an event " + fault);
      m.ports_.cpu.event({kind, static_cast<FirmwareEvent::Edge>(edge), subject, amount});
    });
  }
  static std::uint32_t declare_gauge(Machine table, const char* name, const char* unit, const char* what) {
    return serve(table, [&](PluginMachine& m) {
      if (name == nullptr || unit == nullptr || what == nullptr) throw FirmwareFault("declare_gauge() without name, unit or description");
      if (const std::string fault = fault_of_name(name); !fault.empty()) throw FirmwareFault("declare_gauge(): a gauge " + fault);
      const std::uint32_t number = m.ports_.cpu.declare_gauge({name, unit, what});
      m.gauges_.insert(number);
      return number;
    });
  }
  static void gauge(Machine table, std::uint32_t number, std::uint64_t value) {
    serve(table, [&](PluginMachine& m) {
      if (!m.gauges_.contains(number)) throw FirmwareFault("gauge() names number " + std::to_string(number) + ", which is none");
      m.ports_.cpu.gauge(number, value);
    });
  }
  static void log(Machine table, const char* line) {
    serve(table, [&](PluginMachine& m) {
      std::fprintf(stderr, "firmware %s: %s\n", in_milliseconds(m.ports_.cpu.now()).c_str(), text(line, "log").c_str());
    });
  }
  static void panic(Machine table, const char* sentence) {
    serve(table, [&](PluginMachine&) { throw FirmwareFault("panic: " + text(sentence, "panic")); });
  }
};

tessera_machine plugin_services(PluginMachine& machine) {
  using S = PluginServices;
  return {.abi = TESSERA_FIRMWARE_ABI,
          .size = sizeof(tessera_machine),
          .context = &machine,
          .media = S::media,
          .flash = S::flash,
          .timer = S::timer,
          .park = S::park,
          .ready = S::ready,
          .complete = S::complete,
          .spawn = S::spawn,
          .sectors_on = S::sectors_on,
          .flash_shape = S::flash_shape,
          .flash_is_bad = S::flash_is_bad,
          .reserve = S::reserve,
          .touch = S::touch,
          .reserve_buffer = S::reserve_buffer,
          .acquire = S::acquire,
          .release = S::release,
          .copy = S::copy,
          .merge_blocks = S::merge_blocks,
          .clear = S::clear,
          .first_lost = S::first_lost,
          .mark_lost = S::mark_lost,
          .now = S::now,
          .charge = S::charge,
          .spend = S::spend,
          .outstanding = S::outstanding,
          .last_activity = S::last_activity,
          .write_waiting = S::write_waiting,
          .note = S::note,
          .declare_gauge = S::declare_gauge,
          .gauge = S::gauge,
          .log = S::log,
          .panic = S::panic};
}

}  // namespace tessera
