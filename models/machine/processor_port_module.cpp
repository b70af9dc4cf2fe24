#include "machine/processor_port_module.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

std::span<std::byte> data_of(const tlm::tlm_generic_payload& payload) {
  return {reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length()};
}

bool is_register(std::uint64_t address) {
  return address >= hal::register_base && address < hal::register_base + hal::blocks * hal::block_bytes;
}

}  // namespace

ProcessorPortModule::ProcessorPortModule(sc_core::sc_module_name name, TimelineModule& drive, std::span<std::byte> dram,
                                         bool check_protocol, FtrWriter* transactions)
    : sc_core::sc_module(name),
      drive_(drive),
      target_("socket", drive, *this),
      recorder_(transactions != nullptr ? std::make_unique<TransactionRecorderModule>("recorder", *transactions) : nullptr),
      checker_(check_protocol ? std::make_unique<ProtocolCheckerModule>("checker") : nullptr),
      socket(checker_ != nullptr    ? checker_->from
             : recorder_ != nullptr ? recorder_->from
                                    : target_.socket),
      interrupt("interrupt"),
      reset("reset"),
      dram_(dram) {
  if (recorder_ != nullptr) recorder_->to.bind(target_.socket);
  if (checker_ != nullptr) checker_->to.bind(recorder_ != nullptr ? recorder_->from : target_.socket);
  reset.initialize(true);
  SC_HAS_PROCESS(ProcessorPortModule);
  SC_METHOD(drive_pins);
  sensitive << change_;
  dont_initialize();
}

void ProcessorPortModule::power_on(ExternalFirmware& firmware) {
  firmware_ = &firmware;
  set(reset, false);
}

void ProcessorPortModule::power_off() {
  firmware_ = nullptr;
  drive_.timeline().withdraw(*this);
  if (in_hand_ != nullptr) target_.drop(*std::exchange(in_hand_, nullptr));
  target_.power_off();
  if (checker_ != nullptr) checker_->power_off();
  if (recorder_ != nullptr) recorder_->power_off();
  set(interrupt, false);
  set(reset, true);
}

std::span<std::byte> ProcessorPortModule::in_dram(const tlm::tlm_generic_payload& payload) const {
  const std::uint64_t address = payload.get_address();
  if (address < hal::dram_base || address - hal::dram_base >= dram_.size()) return {};
  const auto behind = dram_.subspan(address - hal::dram_base);
  return behind.first(std::min<std::size_t>(behind.size(), payload.get_data_length()));
}

tlm::tlm_response_status ProcessorPortModule::refusal(const tlm::tlm_generic_payload& payload) const {
  const std::uint32_t bytes = payload.get_data_length();
  if (firmware_ == nullptr || payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (bytes == 0 || payload.get_streaming_width() < bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!is_register(payload.get_address()) && in_dram(payload).size() != bytes) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

/// END_REQ is kept back as long as it takes, so that one access is in hand at a time.
bool ProcessorPortModule::arrived(tlm::tlm_generic_payload& payload) {
  in_hand_ = &payload;
  const auto end = firmware_->access({payload.get_address(), data_of(payload), payload.is_write(), enables_of(payload)});
  if (end == drive_.timeline().now()) {
    in_hand_ = nullptr;
    answer(payload);
    return true;
  }
  if (end) end_access(*end);
  return false;
}

void ProcessorPortModule::answer(tlm::tlm_generic_payload& payload) {
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  payload.set_dmi_allowed(!is_register(payload.get_address()) && hints());
  target_.respond(payload);
}

void ProcessorPortModule::end_access(Picoseconds at) { drive_.timeline().post(std::max(at, drive_.timeline().now()), *this); }

void ProcessorPortModule::on_time(std::uint64_t) {
  tlm::tlm_generic_payload& payload = *std::exchange(in_hand_, nullptr);
  target_.accept();
  answer(payload);
}

unsigned ProcessorPortModule::debug(tlm::tlm_generic_payload& payload) {
  const auto here = in_dram(payload);
  if (payload.get_data_ptr() == nullptr || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return 0;
  const auto data = data_of(payload).first(here.size());
  payload.is_write() ? enables_of(payload).copy(here.data(), data.data(), here.size())
                     : enables_of(payload).copy(data.data(), here.data(), here.size());
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return static_cast<unsigned>(here.size());
}

bool ProcessorPortModule::hints() {
  tlm::tlm_dmi dmi;
  if (!hints_) hints_ = direct_memory_ && direct_memory_(DramAddress(0), tlm::TLM_READ_COMMAND, dmi);
  return *hints_;
}

bool ProcessorPortModule::direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  constexpr std::uint64_t first = hal::dram_base;
  const std::uint64_t last = first + dram_.size() - 1;
  if (payload.get_address() < first) return deny_direct_access(dmi, 0, first - 1);
  if (payload.get_address() > last) return deny_direct_access(dmi, last + 1);
  if (firmware_ == nullptr || !direct_memory_) return deny_direct_access(dmi, first, last);
  const bool given = direct_memory_(DramAddress(payload.get_address() - first), payload.get_command(), dmi);
  dmi.set_end_address(first + std::min<std::uint64_t>(dmi.get_end_address(), last - first));
  dmi.set_start_address(first + dmi.get_start_address());
  given_ = given_ || given;
  return given;
}

void ProcessorPortModule::withdraw_direct(std::uint64_t first, std::uint64_t last) {
  hints_.reset();
  if (!given_) return;
  given_ = first != 0 || last < dram_.size() - 1;
  target_.socket->invalidate_direct_mem_ptr(hal::dram_base + first, hal::dram_base + std::min<std::uint64_t>(last, dram_.size() - 1));
}

/// The calendar may be ahead of the kernel: the pin changes when the kernel is there.
void ProcessorPortModule::set(Pin& pin, bool level) {
  changes_.push_back({drive_.timeline().now(), &pin, level});
  change_.notify(drive_.ahead());
}

void ProcessorPortModule::drive_pins() {
  const Picoseconds now = from_sc_time(sc_core::sc_time_stamp());
  while (!changes_.empty() && changes_.front().at <= now) {
    changes_.front().pin->write(changes_.front().level);
    changes_.pop_front();
  }
  if (!changes_.empty()) change_.notify(to_sc_time(changes_.front().at - now));
}

}  // namespace tessera
