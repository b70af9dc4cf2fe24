#include "firmware/hal/runtime.hpp"

#include <bit>

namespace tessera::hal {

namespace {

constexpr std::uint64_t all_lines =
    interrupt_lines::request | interrupt_lines::host | interrupt_lines::disk | interrupt_lines::flash | interrupt_lines::timer;

}  // namespace

const std::byte* Runtime::checked(RegisterFile& registers) {
  TESSERA_CHECK(registers.read(Register::ident_magic) == magic, "the registers are not those of this drive");
  TESSERA_CHECK(registers.read(Register::ident_version) == map_version, "the register map is of another version");
  return registers.at(registers.read(Register::ident_boot_data));
}

FirmwareConfig Runtime::configured(const BootReader& boot, LayerFactory& factory) {
  boot.configure(factory);
  FirmwareConfig config;
  boot.configure(config);
  return config;
}

Runtime::Runtime(RegisterFile& registers, Processor& processor, LayerFactory& factory, MakeFlash make_flash, MakeFlashFront make_front)
    : registers_(registers),
      processor_(processor),
      boot_data_(checked(registers)),
      geometry_(boot_data_.geometry()),
      plan_(boot_data_.plan()),
      memory_(registers, geometry_.sector_bytes),
      media_(registers, processor),
      flash_(make_flash != nullptr && boot_data_.flash() ? make_flash(registers, processor, *boot_data_.flash()) : nullptr),
      host_(registers, processor, memory_.shape(), boot_data_.tags()),
      firmware_(configured(boot_data_, factory), factory, {media_, flash_.get(), processor.watched(memory_), processor.port(), host_},
                geometry_, plan_, make_front) {
  registers_.write(Register::ident_capacity, firmware_.user_sectors());
  registers_.write(Register::interrupts_enable, all_lines);
}

void Runtime::round() {
  const std::uint64_t lines = registers_.read(Register::interrupts_pending);
  if (lines != 0)
    registers_.write(Register::interrupts_clear, lines);  // before the rings are looked at: what comes behind that is said again
  if ((lines & interrupt_lines::request) != 0) take_request();
  if ((lines & interrupt_lines::host) != 0) host_.take(firmware_);
  if ((lines & interrupt_lines::disk) != 0) media_.reap();
  if ((lines & interrupt_lines::flash) != 0 && flash_ != nullptr) flash_->reap();
  if ((lines & interrupt_lines::timer) != 0) processor_.wake();
  processor_.run();
  if (const bool idle = firmware_.idle(); idle_ != idle) {
    idle_ = idle;
    registers_.write(Register::ident_idle, idle ? 1 : 0);
  }
}

void Runtime::take_request() {
  const std::uint64_t argument = registers_.read(Register::ident_argument);
  switch (static_cast<Request>(registers_.read(Register::ident_request))) {
    case Request::none: break;
    case Request::prefill:
      firmware_.prefill(argument);
      registers_.write(Register::ident_answer, static_cast<std::uint64_t>(Status::ok));
      break;
    case Request::boot: processor_.start(boot(argument != 0), no_host_tag); break;
  }
}

Task<void> Runtime::boot(bool after_power_cut) {
  const Status status = co_await firmware_.boot(after_power_cut);
  registers_.write(Register::ident_answer, static_cast<std::uint64_t>(status));
}

// --- Figures ---

void Runtime::report() const {
  MetricSet metrics;
  firmware_.report(metrics);
  for (const Metric& metric : metrics.all()) {
    registers_.write(Register::probe_name, registers_.address_of(metric.name.c_str()));
    registers_.write(Register::probe_unit, registers_.address_of(metric.unit.c_str()));
    registers_.write(Register::probe_what, registers_.address_of(metric.description.c_str()));
    registers_.write(Register::probe_bits, std::bit_cast<std::uint64_t>(metric.value.value_or(0)));
    registers_.write(Register::probe_figure,
                     (metric.value ? figure_flags::defined : 0) | (metric.accumulates ? figure_flags::accumulates : 0));
  }
}

}  // namespace tessera::hal
