#include "platforms/gdb/gdb_features.hpp"

#include <array>

#include "platforms/gdb/debug_target.hpp"

namespace tessera {

namespace {

constexpr std::array<const char*, 32> integer_names{"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                                    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                                    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

// The privileged specification, table 2.5; those of performance counters as the unprivileged code sees them are left out.
constexpr std::array csrs{CsrName{0x300, "mstatus"},  CsrName{0x301, "misa"},   CsrName{0x304, "mie"},      CsrName{0x305, "mtvec"},
                          CsrName{0x340, "mscratch"}, CsrName{0x341, "mepc"},   CsrName{0x342, "mcause"},   CsrName{0x343, "mtval"},
                          CsrName{0x344, "mip"},      CsrName{0xb00, "mcycle"}, CsrName{0xb02, "minstret"}, CsrName{0xf11, "mvendorid"},
                          CsrName{0xf12, "marchid"},  CsrName{0xf13, "mimpid"}, CsrName{0xf14, "mhartid"}};

}  // namespace

std::span<const CsrName> shown_csrs() { return csrs; }

std::string target_description(bool wide) {
  const std::string bits = wide ? "64" : "32";
  const auto line = [&bits](const std::string& name, unsigned number, const std::string& more) {
    return "<reg name=\"" + name + "\" bitsize=\"" + bits + "\" regnum=\"" + std::to_string(number) + "\" " + more + "/>\n";
  };
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n<architecture>riscv:rv" + bits +
      "</architecture>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (unsigned number = 0; number < integer_names.size(); ++number) text += line(integer_names[number], number, "type=\"int\"");
  text += line("pc", DebugTarget::pc_number, "type=\"code_ptr\"") + "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  for (const CsrName& csr : csrs) text += line(csr.name, first_csr_number + csr.number, "save-restore=\"no\" group=\"csr\"");
  return text + "</feature>\n</target>\n";
}

}  // namespace tessera
