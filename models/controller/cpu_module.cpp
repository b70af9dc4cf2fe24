#include "controller/cpu_module.hpp"

#include <utility>

#include "base/error.hpp"
#include "bus/address_map.hpp"

namespace tessera {

CpuModule::CpuModule(sc_core::sc_module_name name, TimelineModule& drive, const MemoryAtBus& dram, bool carries_registers,
                     std::function<void(DramAddress, Bytes)> uncorrectable)
    : sc_core::sc_module(name),
      bus("bus"),
      memory_(drive, bus, dram),
      carries_registers_(carries_registers),
      uncorrectable_(std::move(uncorrectable)) {
  bus.bind(*this);
}

Picoseconds CpuModule::access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) {
  if (memory_.direct().open()) [[likely]]
    return memory_.direct().access(address, bytes, access, at);
  const Picoseconds end = memory_.transport(payload_, address, bytes, access, at);
  if (payload_.is_response_ok()) [[likely]]
    return end;
  TESSERA_CHECK(payload_.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE, "the DRAM refused an access");
  uncorrectable_(address, Bytes(bytes));
  return end;
}

Picoseconds CpuModule::access_register(DeviceRegister which, Access access, Picoseconds at) {
  set_data(payload_, register_.data(), register_bytes);
  const Picoseconds end = memory_.send(payload_, address_map::registers + static_cast<std::uint64_t>(which) * register_bytes, access, at);
  TESSERA_CHECK(payload_.is_response_ok(), "a register refused an access");
  return end;
}

bool CpuModule::direct(DramAddress address, tlm::tlm_command access, tlm::tlm_dmi& dmi) {
  tlm::tlm_generic_payload question;
  question.set_command(access);
  question.set_address(address_map::dram + address.value());
  return bus->get_direct_mem_ptr(question, dmi);
}

tlm::tlm_sync_enum CpuModule::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  throw ModelBug("the CPU, whose accesses block, was sent a phase");
}

}  // namespace tessera
