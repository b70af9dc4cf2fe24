#pragma once
// Firmware as an image: its processor is a hart, its ports are the units' registers. It is loaded and finds its memory in no time, as
// firmware that is linked to the model; from its boot on it runs in time.
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "base/signal.hpp"
#include "machine/hart_driver.hpp"
#include "machine/image_report.hpp"
#include "machine/register_firmware.hpp"
#include "processor/elf_image.hpp"
#include "processor/hart.hpp"

namespace tessera {

/// Names of functions as a waveform shows them, without blanks and parameters.
class FunctionNames {
 public:
  /// Stays; the same for all of a function.
  [[nodiscard]] const char* at(const riscv::ElfImage& image, std::uint64_t pc);

 private:
  std::set<std::string> names_;
  std::unordered_map<std::uint64_t, const char*> by_pc_;
};

/// What a waveform shows of the processor. Declared once, while the processor is a new one behind each power cut.
struct ProcessorSignals {
  explicit ProcessorSignals(SignalScope& scope);

  Signal works;                 ///< 0: it waits for an interrupt
  std::array<Signal, 5> lines;  ///< pending and enabled, in the order of hal::interrupt_lines
  Signal function;              ///< in which it works
  Signal program_counter;       ///< where it was first seen there
  Signal stack_bytes;           ///< below the highest stack pointer since the boot, as far as it was seen
  Signal trap;                  ///< mcause of the last trap

  /// Kept for the words of `function`, which outlive the processor of a boot.
  std::unique_ptr<FunctionNames> names;
};

/// An image, and what it is loaded into.
struct ImageSetup {
  const riscv::ElfImage& image;
  UnitSetup units;
  Hertz clock;
  riscv::HartTiming timing;
  std::function<void(Picoseconds)> worked;                                                         ///< time that the hart has worked
  std::function<Picoseconds(std::uint32_t bytes, Picoseconds at)> register_read;                   ///< HartDriver::Observer
  std::function<Picoseconds(DramAddress, std::uint32_t bytes, Access, Picoseconds at)> move_line;  ///< HartDriver::Observer
  std::function<void(DramAddress, std::uint32_t bytes)> tcm_access;                                ///< HartDriver::Observer
  HartDebugger* debugger = nullptr;
  riscv::HartProfile* profile = nullptr;  ///< HartDriver::count()
  std::uint64_t& untold;                  ///< times that its figures could not be read
  const ProcessorSignals& signals;
};

class ImageFirmware final : public RegisterFirmware {
 public:
  ImageFirmware(Timeline& timeline, const Ports& ports, ImageSetup setup);
  ~ImageFirmware() override;

  void halt() override { driver_.stop(); }
  [[nodiscard]] Task<Status> boot(bool after_power_cut) override;
  [[nodiscard]] bool idle() const override { return ident().idle() && driver_.waits(); }
  void prefill(std::uint64_t sectors) override;
  void report(MetricSet& metrics) const override;

 private:
  void load();
  void interrupted(std::uint64_t lines) override;
  [[nodiscard]] bool timed() const override { return driver_.timed(); }
  void hold() override { driver_.hold(); }
  void release(Picoseconds at) override { driver_.release(at); }
  /// In a waveform.
  void show(std::uint64_t lines) const;
  void show_place(Picoseconds at);
  void ask_untimed(hal::Request request, std::uint64_t argument, std::function<void(Status)> answered);
  [[nodiscard]] MetricSet figures() const;

  ImageSetup setup_;
  riscv::Hart hart_;
  HartDriver driver_;
  ImageReport report_;
  Picoseconds worked_;
  const char* shown_function_ = nullptr;
  std::uint64_t highest_stack_ = 0;
};

}  // namespace tessera
