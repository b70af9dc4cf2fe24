#pragma once
// Direct memory access of TLM-2.0, refused.
#include <limits>
#include <tlm>

namespace tessera {

/// The answer of get_direct_mem_ptr() where none of the addresses `first` to `last` may be reached directly, for reads or writes.
inline bool deny_direct_access(tlm::tlm_dmi& dmi, sc_dt::uint64 first = 0, sc_dt::uint64 last = std::numeric_limits<sc_dt::uint64>::max()) {
  dmi.init();
  dmi.set_start_address(first);
  dmi.set_end_address(last);
  dmi.allow_read_write();  // the kinds that are refused (IEEE 1666-2011, 11.2.6)
  return false;
}

}  // namespace tessera
