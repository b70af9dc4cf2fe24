#pragma once
// Where a hart is, for the message of a fault: its registers, and who called whom.
#include <string>

namespace tessera {

namespace riscv {
class ElfImage;
class Hart;
class Memory;
}  // namespace riscv

/// A line for each four registers and one for each call, without the last line's end.
[[nodiscard]] std::string account_of(const riscv::Hart& hart, const riscv::Memory& memory, const riscv::ElfImage& image);

}  // namespace tessera
