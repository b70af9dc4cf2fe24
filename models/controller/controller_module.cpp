#include "controller/controller_module.hpp"

#include <algorithm>

#include "bus/address_map.hpp"

namespace tessera {

namespace {

/// Which of the firmware's commands a payload stands for.
struct FlashOrigin : tlm::tlm_extension<FlashOrigin> {
  FlashCommand* command = nullptr;
  tlm_extension_base* clone() const override { return new FlashOrigin(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const FlashOrigin&>(other); }
};

/// The bytes of host data, where the model keeps them.
std::byte* bytes_of(const DataSpan& data, SectorShape shape) {
  return shape.mode == ContentMode::bytes && data.buffer != nullptr ? content_of(data).data() : nullptr;
}

}  // namespace

ControllerModule::ControllerModule(sc_core::sc_module_name name, TimelineModule& drive, const ControllerConfig& config,
                                   const ControllerSurroundings& surroundings, SectorShape shape, Controller::Image image)
    : sc_core::sc_module(name),
      drive_(drive),
      initiator_("bus", drive, *this),
      target_("mailbox", drive, *this),
      bus(initiator_.socket),
      mailbox(target_.socket),
      positioning_(surroundings.positioning),
      media_(surroundings.media),
      shape_(shape),
      flash_(surroundings.flash == nullptr ? FlashShape() : surroundings.flash->shape()),
      memory_(drive, bus, surroundings.dram),
      cpu_("cpu", drive, surroundings.dram, surroundings.cpu_watched,
           [this](DramAddress address, Bytes bytes) { core_.memory().uncorrectable(address, bytes); }),
      burst_engines_(surroundings.dram.shape.burst == Bytes(0)
                         ? nullptr
                         : std::make_unique<BurstEnginesModule>("burst_engines", drive, surroundings.dram.shape, surroundings.dram.bytes)),
      core_(drive.timeline(), config,
            ControllerLinks{*this, surroundings.positioning, surroundings.tracks,
                            surroundings.flash == nullptr ? nullptr : static_cast<FlashLink*>(this), surroundings.flash, cpu_, *this,
                            surroundings.interconnect, *this},
            shape, surroundings.memory, surroundings.tags, std::move(image)),
      commands_(surroundings.tags),
      step_sent_(surroundings.positioning.arms()) {
  dma_extension_.failed = &failed_words_;
  dma_payload_.set_extension(&dma_extension_);
}

ControllerModule::~ControllerModule() { dma_payload_.clear_extension(&dma_extension_); }

void ControllerModule::start(const MediaStep& step) {
  if (direct_media_ != nullptr) return direct_media_->start(step);
  auto& payload = media_payloads_.take();
  payload.set_address(address_map::disk_channel + media_.offset_of({step.run.track, step.run.first}));
  payload.set_command(step.op == MediaOp::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  MediaExtension& extension = payload.extension;
  extension.system = !step.system.empty();
  set_data(payload, extension.system ? step.system.data() : bytes_of(step.data, shape_),
           std::uint64_t{step.run.count} * shape_.sector_bytes);
  extension.hint = step.hint;
  extension.buffer = step.data;
  extension.header = step.header;
  extension.headers = step.headers;
  step_sent_[positioning_.arm_of(step.run.track)] = drive_.timeline().now();
  initiator_.send(payload);
}

void ControllerModule::start(FlashCommand& command) {
  if (direct_flash_ != nullptr) return direct_flash_->start(command);
  auto& payload = flash_payloads_.take();
  const bool erases = command.op == FlashOp::erase;
  const bool whole = command.op == FlashOp::read || command.op == FlashOp::program;  // data, not out-of-band bytes alone
  const std::uint64_t page = erases ? command.block.value() * flash_.pages_per_block : command.page.value();
  payload.set_address(address_map::nand + page * flash_.page_bytes + command.subpage * flash_.subpage_bytes());
  payload.set_command(!whole ? tlm::TLM_IGNORE_COMMAND : command.op == FlashOp::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  set_data(payload, bytes_of(command.data, shape_), whole ? flash_.subpage_bytes() : 0);
  payload.extension.command = command;
  auto* origin = payload.get_extension<FlashOrigin>();
  if (origin == nullptr) payload.set_extension(origin = new FlashOrigin);
  origin->command = &command;
  initiator_.send(payload);
}

Picoseconds ControllerModule::extent(MemoryInitiator& from, DramAddress address, Bytes bytes, Access access, Picoseconds at) {
  const Picoseconds end = from.transport(dma_payload_, address, bytes.value(), access, at);
  if (!dma_payload_.is_response_ok()) [[unlikely]]
    report_failed(address, bytes);
  return end;
}

void ControllerModule::report_failed(DramAddress address, Bytes bytes) {
  TESSERA_CHECK(dma_payload_.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE, "the DRAM refused an access");
  if (failed_words_.empty()) return core_.memory().uncorrectable(address, bytes);
  for (const DramAddress word : std::exchange(failed_words_, {})) core_.memory().uncorrectable(word, Bytes(1));
}

/// The CPU's bursts to rings in the DRAM leave through its own socket.
DmaGrant ControllerModule::dma(const DmaTransfer& transfer, Picoseconds at) {
  if (memory_.direct().open()) [[likely]]
    return memory_.direct().dma(transfer, at);
  dma_extension_.timed = true;
  dma_extension_.transfer = transfer;
  dma_extension_.behind = Bytes(0);
  MemoryInitiator& from = transfer.engine == BusInitiator::cpu ? cpu_.memory() : memory_;
  const Picoseconds end = extent(from, transfer.address, transfer.bytes, transfer.access, at);
  return {end, dma_extension_.behind};
}

void ControllerModule::move(DramAddress address, Bytes bytes, Access access, Picoseconds at) {
  if (memory_.direct().open()) return;  // a DRAM that never fails need not be told
  dma_extension_.timed = false;
  extent(memory_, address, bytes, access, at);
}

void ControllerModule::answered(tlm::tlm_generic_payload& payload) {
  if (const auto* step = payload.get_extension<MediaExtension>())
    step_answered(payload, *step);
  else
    command_answered(payload, *payload.get_extension<FlashExtension>());
}

std::uint32_t ControllerModule::arm_of(const tlm::tlm_generic_payload& payload) const {
  if (step_sent_.size() == 1) return 0;
  return positioning_.arm_of(media_.sector_at(address_map::offset(payload.get_address())).track);
}

void ControllerModule::step_answered(const tlm::tlm_generic_payload& payload, const MediaExtension& extension) {
  const std::uint32_t arm = arm_of(payload);
  const bool unsaid = !payload.is_response_ok() && ok(extension.status);
  core_.disk_channel().step_done(with_queue(extension.timing, drive_.timeline().now() - step_sent_[arm]),
                                 unsaid ? Status::media_error : extension.status, arm);
}

void ControllerModule::command_answered(const tlm::tlm_generic_payload& payload, const FlashExtension& extension) {
  FlashCommand& command = *payload.get_extension<FlashOrigin>()->command;
  command.status = extension.command.status;
  if (!payload.is_response_ok()) command.status = failure_of(command);
  core_.flash_channel()->command_done(command, extension.busy);
}

bool ControllerModule::arrived(tlm::tlm_generic_payload& payload) {
  HostRequest& request = *payload.get_extension<HostExtension>()->request;
  commands_[request.tag] = &payload;
  core_.arrived(request);
  return true;
}

void ControllerModule::signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (phase == ABORT_REQ) core_.abort(*payload.get_extension<HostExtension>()->request);
}

void ControllerModule::complete(HostRequest& request) {
  if (direct_host_ != nullptr) return direct_host_->complete(request);
  tlm::tlm_generic_payload& payload = *std::exchange(commands_[request.tag], nullptr);
  payload.set_response_status(ok(request.status) ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  target_.respond(payload);
}

void ControllerModule::give_up(std::uint32_t arm) {
  if (direct_media_ != nullptr) return direct_media_->give_up(arm);
  for (tlm::tlm_generic_payload* const payload : initiator_.outstanding())
    if (payload->get_extension<MediaExtension>() != nullptr && arm_of(*payload) == arm) return initiator_.signal(*payload, GIVE_UP_REQ);
}

void ControllerModule::ask_for_data(HostRequest& request) {
  request.data_last = Picoseconds(0);
  target_.signal(*commands_[request.tag], DATA_REQ);
  TESSERA_CHECK(request.data_last >= drive_.timeline().now(), "the host interface did not take a request for data");
}

void ControllerModule::power_off() {
  core_.power_off();
  if (burst_engines_ != nullptr) burst_engines_->power_off();
  initiator_.power_off();
  for (tlm::tlm_generic_payload*& payload : commands_)
    if (payload != nullptr) target_.drop(*std::exchange(payload, nullptr));
  target_.power_off();
}

}  // namespace tessera
