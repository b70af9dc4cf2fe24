#include "nand/nand_module.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_enables.hpp"

namespace tessera {

NandModule::NandModule(sc_core::sc_module_name name, const NandConfig& config, SectorShape shape, std::uint64_t seed, TimelineModule& drive)
    : sc_core::sc_module(name),
      drive_(drive),
      target_("socket", drive, *this),
      socket(target_.socket),
      shape_(shape),
      device_(config.holding(Bytes(shape.sector_bytes)), shape.kept(), seed, drive.timeline(), *this) {}

tlm::tlm_response_status NandModule::refusal(const tlm::tlm_generic_payload& payload) const {
  const NandConfig& config = device_.config();
  const auto* extension = payload.get_extension<FlashExtension>();
  const bool moves_data =
      extension == nullptr || extension->plain || extension->command.op == FlashOp::read || extension->command.op == FlashOp::program;
  if ((payload.get_command() == tlm::TLM_IGNORE_COMMAND) == moves_data) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (extension != nullptr && !extension->plain && extension->command.op == FlashOp::copyback && !config.copyback)
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const std::uint64_t page = payload.get_address() / config.page_size.value();
  const std::uint64_t subpage = config.subpage_size().value();
  if (payload.get_address() % subpage != 0 || page >= config.total_blocks() * config.pages_per_block)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (extension != nullptr && !extension->plain && extension->command.op == FlashOp::copyback &&
      !same_plane(extension->command.from, NandPage(page), config))
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const std::uint64_t length = payload.get_data_length();
  if (length % subpage != 0 || payload.get_address() % config.page_size.value() + length > config.page_size.value() ||
      payload.get_streaming_width() < length)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

bool NandModule::arrived(tlm::tlm_generic_payload& payload) {
  auto* const brought = payload.get_extension<FlashExtension>();
  const bool plain = brought == nullptr || brought->plain;
  FlashExtension& extension = brought == nullptr ? attach<FlashExtension>(payload) : *brought;
  FlashCommand& command = extension.command;
  if (plain) {
    extension = {};
    extension.plain = true;
    command.op = payload.is_read() ? FlashOp::read : FlashOp::program;
  }
  const std::uint64_t page = payload.get_address() / device_.config().page_size.value();
  command.page = NandPage(page);
  command.block = NandBlock(page / device_.config().pages_per_block);
  command.subpage =
      static_cast<std::uint8_t>(payload.get_address() % device_.config().page_size.value() / device_.config().subpage_size().value());
  if (command.data.buffer == nullptr && payload.get_data_length() != 0) spread(extension, PlainDataExtension::take(payload, shape_));
  in_flight_.push_back(&payload);
  device_.submit(command, drive_.timeline().now(), &payload);
  return true;
}

/// A command for each sector of bytes that came without a shadow.
void NandModule::spread(FlashExtension& extension, DataSpan data) {
  if (data.buffer == nullptr) return;  // content is not kept
  extension.command.data = data.part(0, 1);
  extension.further.assign(data.count - 1, extension.command);
  FlashCommand* last = &extension.command;
  for (std::uint32_t i = 1; i < data.count; ++i) {
    FlashCommand& part = extension.further[i - 1];
    part.data = data.part(i, 1);
    part.oob = {};
    part.subpage = static_cast<std::uint8_t>(extension.command.subpage + i);
    part.led = true;
    last->next = &part;
    last = &part;
  }
}

void NandModule::start(FlashCommand& command) { device_.submit(command, drive_.timeline().now(), nullptr); }

namespace {

bool all_good(const FlashCommand& command) {
  for (const FlashCommand* part = &command; part != nullptr; part = part->next)
    if (!ok(part->status)) return false;
  return true;
}

}  // namespace

void NandModule::done(FlashCommand& command, void* context, Picoseconds busy, Picoseconds) {
  if (context == nullptr) {
    if (!all_good(command)) command.status = failure_of(command);
    return controller_->command_done(command, busy);
  }
  auto& payload = *static_cast<tlm::tlm_generic_payload*>(context);
  *std::ranges::find(in_flight_, &payload) = in_flight_.back();
  in_flight_.pop_back();
  payload.get_extension<FlashExtension>()->busy = busy;
  PlainDataExtension::give_back(payload);
  payload.set_response_status(all_good(command) ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  target_.respond(payload);
}

void NandModule::power_off() {
  device_.cut(drive_.timeline().now());
  for (tlm::tlm_generic_payload* payload : std::exchange(in_flight_, {})) target_.drop(*payload);
  target_.power_off();
}

}  // namespace tessera
