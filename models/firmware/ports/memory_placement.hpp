#pragma once
// Which of the firmware's memory lies in the CPU's tightly coupled memory (TCM): what a linker script says of real firmware.
#include <array>

#include "base/parameter.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

enum class MemoryPlace : std::uint32_t { dram, tcm };

struct MemoryPlacement {
  /// By category: the rings of commands and completions beside the core, all else in the DRAM.
  std::array<MemoryPlace, memory_categories> places{{{}, {}, {}, {}, {}, MemoryPlace::tcm, {}}};

  [[nodiscard]] bool in_tcm(MemoryCategory category) const { return places[static_cast<std::size_t>(category)] == MemoryPlace::tcm; }
  /// Whether anything but the rings does.
  [[nodiscard]] bool more_than_rings_in_tcm() const {
    MemoryPlacement others = *this;
    others.places[static_cast<std::size_t>(MemoryCategory::descriptors)] = MemoryPlace::dram;
    return others.places != std::array<MemoryPlace, memory_categories>{};
  }
  void describe(ParameterVisitor& visitor);
};

}  // namespace tessera
