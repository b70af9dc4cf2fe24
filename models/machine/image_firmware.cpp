#include "machine/image_firmware.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "machine/processor_account.hpp"

namespace tessera {

namespace {

void report_cache(MetricSet& metrics, const std::string& name, const riscv::HartCaches::Figures& figures, std::uint64_t hits,
                  const char* of_hits) {
  const auto count = [&](const char* what, std::uint64_t value, const char* description) {
    metrics.count("processor." + name + what, static_cast<double>(value), "1", description);
  };
  count(".hits", hits, of_hits);
  count(".misses", figures.misses, "lines fetched into this cache of the image's processor, over the bus");
  count(".write_backs", figures.write_backs, "dirty lines that this cache of the image's processor wrote back");
}

}  // namespace

ProcessorSignals::ProcessorSignals(SignalScope& scope)
    : works(scope.bit("works")),
      lines{scope.bit("interrupt_request"), scope.bit("interrupt_host"), scope.bit("interrupt_disk"), scope.bit("interrupt_flash"),
            scope.bit("interrupt_timer")},
      function(scope.text("function", "-")),
      program_counter(scope.number("program_counter", 64)),
      stack_bytes(scope.level("stack_bytes", 32)),
      trap(scope.number("trap", 64)),
      names(std::make_unique<FunctionNames>()) {}

const char* FunctionNames::at(const riscv::ElfImage& image, std::uint64_t pc) {
  const auto known = by_pc_.find(pc);
  if (known != by_pc_.end()) return known->second;
  std::string name = image.place(pc);
  name.resize(std::min({name.find('('), name.rfind("+0x"), name.size()}));
  std::ranges::replace(name, ' ', '_');
  const char* const kept = names_.insert(std::move(name)).first->c_str();
  by_pc_.emplace(pc, kept);
  return kept;
}

ImageFirmware::ImageFirmware(Timeline& timeline, const Ports& ports, ImageSetup setup)
    : RegisterFirmware(timeline, ports, std::move(setup.units)),
      setup_(std::move(setup)),
      hart_({.wide = setup_.image.wide(), .timing = setup_.timing}, memory()),
      driver_(timeline, hart_, registers(), setup_.clock,
              {.place = [this] { return setup_.image.file() + ", " + setup_.image.place(hart_.pc()); },
               .account = [this] { return account_of(hart_, memory(), setup_.image); },
               .worked =
                   [this](Picoseconds time) {
                     worked_ += time;
                     setup_.worked(time);
                   },
               .works = setup_.signals.works,
               .register_read = setup_.register_read,
               .move_line = setup_.move_line,
               .look = [this](Picoseconds at) { show_place(at); },
               .rest =
                   [this](Picoseconds at) {
                     shown_function_ = nullptr;
                     setup_.signals.function.show("-", at);
                   },
               .looked_at =
                   [this] {
                     const ProcessorSignals& signals = setup_.signals;
                     return signals.function.watched() || signals.program_counter.watched() || signals.stack_bytes.watched() ||
                            signals.trap.watched();
                   },
               .tcm_access = setup_.tcm_access}),
      report_(setup_.image, memory()) {
  load();
}

ImageFirmware::~ImageFirmware() {
  show(0);
  setup_.signals.works.set(0, timeline().now());
}

void ImageFirmware::show(std::uint64_t lines) const {
  if (!Signal::anyone_watches()) return;
  for (std::size_t line = 0; line < setup_.signals.lines.size(); ++line)
    setup_.signals.lines[line].set(lines >> line & 1U, timeline().now());
}

void ImageFirmware::show_place(Picoseconds at) {
  constexpr unsigned stack_pointer = 2, mcause = 0x342;
  const ProcessorSignals& signals = setup_.signals;
  const char* const function = signals.names->at(setup_.image, hart_.pc());
  const std::uint64_t stack = hart_.x(stack_pointer);
  highest_stack_ = std::max(highest_stack_, stack);
  signals.stack_bytes.set(highest_stack_ - stack, at);
  if (function == shown_function_) return;
  shown_function_ = function;
  signals.function.show(function, at);
  signals.program_counter.set(hart_.pc(), at);
  signals.trap.set(hart_.csr(mcause), at);
}

void ImageFirmware::interrupted(std::uint64_t lines) {
  show(lines);
  driver_.set_interrupt(lines != 0);
}

/// Runs the image until it waits for its first request: by then it has reserved its memory and says how much it offers.
void ImageFirmware::load() {
  setup_.image.load(memory());
  lay_boot_data();
  hart_.reset(setup_.image.entry());
  driver_.attach(setup_.debugger, memory());
  driver_.count(setup_.profile, memory());
  driver_.run_untimed([] {}, [this] { return memory_unit().overflows(); });
  if (memory_unit().overflows()) return;  // the drive refuses it
  if (user_sectors() == 0)
    throw FirmwareFault(setup_.image.file() + " waits for its first request, and has not said in ident.capacity what it offers");
}

void ImageFirmware::ask_untimed(hal::Request request, std::uint64_t argument, std::function<void(Status)> answered) {
  driver_.run_untimed([&] { ident().ask(request, argument, std::move(answered)); }, [] { return false; });
  if (ident().asks())
    throw FirmwareFault(setup_.image.file() + " waits for an interrupt, and has not answered what it was asked in ident.request");
}

void ImageFirmware::prefill(std::uint64_t sectors) {
  Status status = Status::ok;
  ask_untimed(hal::Request::prefill, sectors, [&status](Status answer) { status = answer; });
  if (!ok(status)) throw InputError(setup_.image.file() + " cannot be prefilled: " + to_string(status));
}

Task<Status> ImageFirmware::boot(bool after_power_cut) {
  driver_.start();
  return RegisterFirmware::boot(after_power_cut);
}

void ImageFirmware::report(MetricSet& metrics) const {
  metrics.count("processor.instructions", static_cast<double>(hart_.instructions()), "1", "instructions of the firmware image");
  metrics.count("processor.cycles", static_cast<double>(worked_ / period(setup_.clock)), "1",
                "cycles in which the image's processor worked");
  const riscv::HartCaches& caches = hart_.caches();
  if (caches.of_code()) {
    // How often the cache is looked at depends on how many instructions the hart takes together, which a debugger and a profile change.
    const std::uint64_t found = hart_.instructions() - std::min(caches.code().misses, hart_.instructions());
    report_cache(metrics, "code_cache", caches.code(), found, "instructions whose line was in this cache of the image's processor");
  }
  if (caches.of_data())
    report_cache(metrics, "data_cache", caches.data(), caches.data().hits, "lines found in this cache of the image's processor");
  metrics.append(figures());
  metrics.add(
      "processor.untold", static_cast<double>(setup_.untold), "1",
      "times that a power cut or the begin of a measurement met the image half-way through changing what its figures come of: what it "
      "had counted is not in them");
}

/// Asked while it works, it may be half-way through a change.
MetricSet ImageFirmware::figures() const {
  try {
    return report_.figures(hart_, timeline(), ports());
  } catch (const FirmwareFault&) {
    if (driver_.waits()) throw;
    ++setup_.untold;
    return {};
  }
}

}  // namespace tessera
