#include "machine/image_firmware.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "machine/processor_account.hpp"
#include "machine/turn.hpp"

namespace tessera {

namespace {

/// What the drive tells the image lies in a line of its own behind it.
constexpr std::uint64_t boot_data_alignment = 64;

std::uint64_t boot_data_address(const riscv::ElfImage& image) {
  return (image.end() + boot_data_alignment - 1) / boot_data_alignment * boot_data_alignment;
}

void report_cache(MetricSet& metrics, const std::string& name, const riscv::HartCaches::Figures& figures) {
  const auto count = [&](const char* what, std::uint64_t value, const char* description) {
    metrics.count("processor." + name + what, static_cast<double>(value), "1", description);
  };
  count(".hits", figures.hits, "lines found in this cache of the image's processor");
  count(".misses", figures.misses, "lines fetched into this cache of the image's processor, over the bus");
  count(".write_backs", figures.write_backs, "dirty lines that this cache of the image's processor wrote back");
}

}  // namespace

ProcessorSignals::ProcessorSignals(SignalScope& scope)
    : works(scope.bit("works")),
      lines{scope.bit("interrupt_request"), scope.bit("interrupt_host"), scope.bit("interrupt_disk"), scope.bit("interrupt_flash"),
            scope.bit("interrupt_timer")} {}

Bytes image_memory(const riscv::ElfImage& image, std::size_t boot_data) {
  return Bytes(boot_data_address(image) - hal::dram_base + boot_data);
}

ImageFirmware::ImageFirmware(Timeline& timeline, const Ports& ports, ImageSetup setup)
    : setup_(std::move(setup)),
      timeline_(timeline),
      ports_(ports),
      hart_({.wide = setup_.image.wide(), .timing = setup_.timing}, memory_),
      interrupts_([this](std::uint64_t lines) { interrupted(lines); }),
      machine_(timeline, ports, memory_, interrupts_),
      driver_(timeline, hart_, registers_, setup_.clock,
              {.place = [this] { return setup_.image.file() + ", " + setup_.image.place(hart_.pc()); },
               .account = [this] { return account_of(hart_, memory_, setup_.image); },
               .worked =
                   [this](Picoseconds time) {
                     worked_ += time;
                     setup_.worked(time);
                   },
               .works = setup_.signals.works,
               .register_read = setup_.register_read,
               .move_line = setup_.move_line}),
      host_(machine_, setup_.tags),
      disk_(machine_, host_, setup_.sector_bytes, setup_.surfaces, setup_.radii),
      flash_(ports.flash == nullptr ? nullptr : std::make_unique<FlashUnit>(machine_, host_)),
      mover_(machine_, driver_),
      memory_unit_(machine_, setup_.dram),
      timer_(machine_),
      probe_(machine_),
      ident_(machine_, boot_data_address(setup_.image), setup_.dram.size()),
      uart_([this](const std::string& text) { setup_.line(text, timeline_.now()); }) {
  connect();
  load();
}

ImageFirmware::~ImageFirmware() {
  interrupted(0);
  setup_.signals.works.set(0, timeline_.now());
  memory_unit_.write_back();
}

void ImageFirmware::interrupted(std::uint64_t lines) {
  if (Signal::anyone_watches())
    for (std::size_t line = 0; line < setup_.signals.lines.size(); ++line)
      setup_.signals.lines[line].set(lines >> line & 1U, timeline_.now());
  driver_.set_interrupt(lines != 0);
}

void ImageFirmware::connect() {
  registers_.connect(hal::Block::ident, ident_);
  registers_.connect(hal::Block::host, host_);
  registers_.connect(hal::Block::disk, disk_);
  if (flash_ != nullptr) registers_.connect(hal::Block::flash, *flash_);
  registers_.connect(hal::Block::mover, mover_);
  registers_.connect(hal::Block::memory, memory_unit_);
  registers_.connect(hal::Block::timer, timer_);
  registers_.connect(hal::Block::interrupts, interrupts_);
  registers_.connect(hal::Block::uart, uart_);
  registers_.connect(hal::Block::probe, probe_);
}

/// Runs the image until it waits for its first request: by then it has reserved its memory and says how much it offers.
void ImageFirmware::load() {
  memory_.map(hal::dram_base, setup_.dram);
  setup_.image.load(memory_);
  std::ranges::copy(setup_.boot_data, machine_.bytes(boot_data_address(setup_.image), setup_.boot_data.size(), "the boot data").begin());
  hart_.reset(setup_.image.entry());
  driver_.attach(setup_.debugger, memory_);
  driver_.run_untimed([] {}, [this] { return memory_unit_.overflows(); });
  if (memory_unit_.overflows()) return;  // the drive refuses it
  if (user_sectors() == 0)
    throw FirmwareFault(setup_.image.file() + " waits for its first request, and has not said in ident.capacity what it offers");
}

void ImageFirmware::ask_untimed(hal::Request request, std::uint64_t argument, std::function<void(Status)> answered) {
  driver_.run_untimed([&] { ident_.ask(request, argument, std::move(answered)); }, [] { return false; });
  if (ident_.asks())
    throw FirmwareFault(setup_.image.file() + " waits for an interrupt, and has not answered what it was asked in ident.request");
}

void ImageFirmware::tell_figures(MetricSet& metrics) {
  probe_.collect(&metrics);
  ask_untimed(hal::Request::report, 0, [](Status) {});
  probe_.collect(nullptr);
}

void ImageFirmware::prefill(std::uint64_t sectors) {
  Status status = Status::ok;
  ask_untimed(hal::Request::prefill, sectors, [&status](Status answer) { status = answer; });
  if (!ok(status)) throw InputError(setup_.image.file() + " cannot be prefilled: " + to_string(status));
}

Task<Status> ImageFirmware::boot(bool after_power_cut) {
  driver_.start();
  ident_.ask(hal::Request::boot, after_power_cut ? 1 : 0, [this](Status status) {
    boot_status_ = status;
    if (std::exchange(boot_waits_, false)) ports_.cpu.make_ready(boot_wait_);
  });
  boot_waits_ = true;
  Turn turn{ports_.cpu, boot_wait_, LifePhase::background_wait};
  co_await turn;
  co_return boot_status_;
}

void ImageFirmware::report(MetricSet& metrics) const {
  metrics.count("processor.instructions", static_cast<double>(hart_.instructions()), "1", "instructions of the firmware image");
  metrics.count("processor.cycles", worked_.value() == 0 ? 0.0 : static_cast<double>(worked_ / period(setup_.clock)), "1",
                "cycles in which the image's processor worked");
  if (hart_.caches().of_code()) report_cache(metrics, "code_cache", hart_.caches().code());
  if (hart_.caches().of_data()) report_cache(metrics, "data_cache", hart_.caches().data());
  // One that has work in hand is not asked: it would go on with that, in no time.
  if (driver_.waits() && !ident_.asks()) const_cast<ImageFirmware*>(this)->tell_figures(metrics);
}

}  // namespace tessera
