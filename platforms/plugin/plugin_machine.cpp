#include "platforms/plugin/plugin_machine.hpp"

#include "base/firmware_fault.hpp"
#include "platforms/plugin/plugin_services.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t most_operations = 1 << 16;  // TESSERA_SLOT

std::string run_text(const tessera_media_step& step) {
  return std::to_string(step.count) + " sectors from " + std::to_string(step.first) + " on of surface " + std::to_string(step.surface) +
         ", radius " + std::to_string(step.radius);
}

}  // namespace

PluginMachine::PluginMachine(const Ports& ports, const DriveGeometry& geometry, std::string firmware, PluginSpawner& spawner)
    : ports_(ports),
      surfaces_(geometry.surfaces),
      radii_(geometry.radii()),
      sector_bytes_(geometry.sector_bytes),
      firmware_(std::move(firmware)),
      spawner_(spawner),
      table_(plugin_services(*this)) {}

void PluginMachine::fault(const std::string& sentence) const {
  throw FirmwareFault(firmware_ + ", at " + in_milliseconds(ports_.cpu.now()) + ": " + sentence);
}

void PluginMachine::fail() {
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  closed_ = true;
  try {
    std::rethrow_exception(failure);
  } catch (const FirmwareFault& broken) {
    fault(broken.what());
  }
}

void PluginMachine::begin(PluginOperation& operation) {
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (free_slots_.empty()) {
    TESSERA_CHECK(slots_.size() < most_operations, "more operations under way than the firmware interface can number");
    slots_.push_back(&operation);
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[slot] = &operation;
  }
  operation.number = (++generation_ << 16) | slot;
}

void PluginMachine::end(PluginOperation& operation) {
  const std::uint32_t slot = TESSERA_SLOT(operation.number);
  slots_[slot] = nullptr;
  free_slots_.push_back(slot);
  if (running_ == &operation) running_ = nullptr;
}

PluginOperation& PluginMachine::running(tessera_operation number, const char* what) {
  const std::uint32_t slot = TESSERA_SLOT(number);
  if (slot >= slots_.size() || slots_[slot] == nullptr || slots_[slot]->number != number)
    throw FirmwareFault(std::string(what) + " names operation " + std::to_string(number) + ", which is not under way");
  PluginOperation& operation = *slots_[slot];
  if (&operation != running_)
    throw FirmwareFault(std::string(what) + " names operation " + std::to_string(number) + ", which is not the one that runs");
  if (operation.done) throw FirmwareFault(std::string(what) + " names operation " + std::to_string(number) + ", which is complete already");
  return operation;
}

PluginOperation& PluginMachine::waiting(tessera_operation number, PluginOperation::Wait waits) {
  constexpr const char* names[] = {"", "media()", "flash()", "timer()", "park()"};
  PluginOperation& operation = running(number, names[static_cast<std::size_t>(waits)]);
  if (operation.waits != PluginOperation::Wait::nothing)
    throw FirmwareFault(std::string("operation ") + std::to_string(number) + " is to wait for two things, " +
                        names[static_cast<std::size_t>(operation.waits)] + " and " + names[static_cast<std::size_t>(waits)]);
  operation.waits = waits;
  return operation;
}

/// A run lies on one track that the layer may use, and may go on at its sector 0.
void PluginMachine::check_place(const tessera_media_step& step) const {
  if (step.surface >= surfaces_ || step.radius >= radii_)
    throw FirmwareFault("media address out of range: " + run_text(step) + "; the drive has " + std::to_string(surfaces_) +
                        " surfaces and radii 0 to " + std::to_string(radii_ - 1));
  const std::uint32_t length = ports_.media.sectors_on({step.surface, step.radius});
  if (step.count == 0 || step.first >= length || step.count > length)
    throw FirmwareFault("media address out of range: " + run_text(step) + ", a track of " + std::to_string(length) + " sectors");
}

MediaStep PluginMachine::checked(const tessera_media_step& step) const {
  check_place(step);
  if (step.hint > TESSERA_BACKUP_ROUND_TRIP) throw FirmwareFault("a media step has hint " + std::to_string(step.hint));
  if (step.data.sectors != 0 && step.data.sectors != step.count)
    throw FirmwareFault("a media step of " + std::to_string(step.count) + " sectors has " + std::to_string(step.data.sectors) +
                        " sectors of data");
  MediaStep own{step.write != 0 ? MediaOp::write : MediaOp::read,
                static_cast<StepHint>(step.hint),
                {{step.surface, step.radius}, step.first, step.count},
                buffers_.find(step.data),
                {},
                nullptr};
  if (step.system != nullptr) own.system = {static_cast<std::byte*>(step.system), std::size_t{step.count} * sector_bytes_};
  if (step.headers == nullptr) return own;
  auto* const headers = static_cast<SectorHeader*>(step.headers);
  if (step.header_count == 1) {
    own.header = headers;
  } else if (step.header_count == step.count) {
    own.headers = {headers, step.count};
  } else {
    throw FirmwareFault("a media step of " + std::to_string(step.count) + " sectors has " + std::to_string(step.header_count) + " headers");
  }
  return own;
}

void PluginMachine::submit(PluginOperation& operation, const tessera_media_chain& chain) {
  if (chain.priority > TESSERA_CLASS_BACKGROUND) throw FirmwareFault("a media chain has priority " + std::to_string(chain.priority));
  if (chain.step_count == 0 || chain.step_count > TESSERA_MOST_STEPS)
    throw FirmwareFault("a media chain has " + std::to_string(chain.step_count) + " steps; 1 to " + std::to_string(TESSERA_MOST_STEPS) +
                        " may be");
  operation.chain.clear();
  operation.chain.priority = static_cast<MediaClass>(chain.priority);
  operation.chain.lost = chain.carry_lost != 0 ? LostSectors::carry : LostSectors::fail;
  for (std::uint32_t i = 0; i < chain.step_count; ++i) operation.chain.add(checked(chain.steps[i]));
}

FlashCommand PluginMachine::checked(const tessera_flash_command& command, const FlashShape& shape) const {
  const bool erases = command.op == TESSERA_FLASH_ERASE;
  if (command.op > TESSERA_FLASH_COPYBACK) throw FirmwareFault("a flash command has operation " + std::to_string(command.op));
  if (erases ? command.block >= shape.blocks : command.page >= shape.pages() || command.subpage >= shape.subpages)
    throw FirmwareFault("flash address out of range: " +
                        (erases ? "block " + std::to_string(command.block) + " of " + std::to_string(shape.blocks)
                                : "page " + std::to_string(command.page) + ", subpage " + std::to_string(command.subpage) + " of " +
                                      std::to_string(shape.pages()) + " pages of " + std::to_string(shape.subpages)));
  if (command.op == TESSERA_FLASH_COPYBACK && command.from >= shape.pages())
    throw FirmwareFault("flash address out of range: a copy of page " + std::to_string(command.from));
  if (command.data.sectors > 1 || command.oob_bytes > shape.subpage_oob_bytes() || command.retry > shape.read_retries)
    throw FirmwareFault("a flash command has " + std::to_string(command.data.sectors) + " sectors of data, " +
                        std::to_string(command.oob_bytes) + " out-of-band bytes and retry level " + std::to_string(command.retry) +
                        "; at most 1, " + std::to_string(shape.subpage_oob_bytes()) + " and " + std::to_string(shape.read_retries));
  FlashCommand own;
  own.op = static_cast<FlashOp>(command.op);
  own.page = NandPage(command.page);
  own.from = NandPage(command.from);
  own.block = NandBlock(command.block);
  own.data = buffers_.find(command.data);
  if (command.oob != nullptr) own.oob = {static_cast<std::byte*>(command.oob), command.oob_bytes};
  own.retry = static_cast<std::uint8_t>(command.retry);
  own.subpage = static_cast<std::uint8_t>(command.subpage);
  own.led = command.led != 0;
  return own;
}

void PluginMachine::submit(PluginOperation& operation, tessera_flash_command* commands, std::uint32_t count) {
  if (ports_.flash == nullptr) throw FirmwareFault("flash() on a drive without flash");
  if (count == 0) throw FirmwareFault("flash() without a command");
  const FlashShape shape = ports_.flash->shape();
  operation.flash.clear();
  for (std::uint32_t i = 0; i < count; ++i) operation.flash.push_back(checked(commands[i], shape));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (commands[i].next == TESSERA_NO_COMMAND) continue;
    if (commands[i].next >= count)
      throw FirmwareFault("a flash command names command " + std::to_string(commands[i].next) + " as its next");
    operation.flash[i].next = &operation.flash[commands[i].next];
  }
  operation.told = commands;
}

}  // namespace tessera
