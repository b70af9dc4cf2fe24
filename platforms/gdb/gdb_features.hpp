#pragma once
// The target description that GDB asks for (qXfer:features:read): registers by name, number and width.
#include <cstdint>
#include <span>
#include <string>

namespace tessera {

struct CsrName {
  unsigned number;
  const char* name;  ///< as GDB knows it
};

/// The machine-mode registers that a debugger is shown.
[[nodiscard]] std::span<const CsrName> shown_csrs();

/// GDB's number of a control and status register is its own behind this one.
inline constexpr unsigned first_csr_number = 65;

[[nodiscard]] std::string target_description(bool wide);

}  // namespace tessera
