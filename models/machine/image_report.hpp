#pragma once
// What an image has counted, asked at any instant: between two of its instructions, in a power cut, at the begin of a measurement.
//
// Its function tessera_image_report(room, bytes) runs on a hart that the drive has not, in no time, with a stack and a heap of its own. It
// finds memory as the image has left it; what it changes there is changed in a copy. So the image goes on as if nobody had asked.
#include "base/metrics.hpp"
#include "base/timeline.hpp"
#include "firmware/translation_layer.hpp"
#include "processor/elf_image.hpp"
#include "processor/hart.hpp"
#include "processor/memory.hpp"

namespace tessera {

class ImageReport {
 public:
  /// Of an image that lies in `memory`.
  ImageReport(const riscv::ElfImage& image, const riscv::Memory& memory);

  /// The image's figures; none where it has no such function. `hart`: the image's. FirmwareFault where the function does not return, or
  /// does what it must not: store outside of code, data and stack, or use a register that is neither the probe's nor the timer's.
  [[nodiscard]] MetricSet figures(const riscv::Hart& hart, Timeline& timeline, const Ports& ports) const;

 private:
  const riscv::ElfImage& image_;
  const riscv::Memory& memory_;
  std::optional<std::uint64_t> function_;
};

}  // namespace tessera
