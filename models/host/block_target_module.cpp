#include "host/block_target_module.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/byte_enables.hpp"

namespace tessera {

BlockTargetModule::BlockTargetModule(sc_core::sc_module_name name, TimelineModule& drive, BlockTargetConfig config)
    : sc_core::sc_module(name),
      drive_(drive),
      target_("socket", drive, *this),
      initiator_("to_host", drive, *this),
      socket(target_.socket),
      to_host(initiator_.socket),
      config_(std::move(config)),
      commands_(config_.tags) {
  for (std::uint32_t tag = config_.tags; tag > 0; --tag) free_.push_back(tag - 1);
}

tlm::tlm_response_status BlockTargetModule::refusal(const tlm::tlm_generic_payload& payload) const {
  const auto* extension = payload.get_extension<BlockExtension>();
  const auto op = extension == nullptr ? BlockExtension::Op::transfer : extension->op;
  if ((payload.get_command() == tlm::TLM_IGNORE_COMMAND) != (op != BlockExtension::Op::transfer)) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (op == BlockExtension::Op::flush) return tlm::TLM_OK_RESPONSE;
  if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::uint64_t length = payload.get_data_length();
  if (length == 0 || length % host_block_bytes != 0 || payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t capacity = config_.capacity().value();
  if (capacity == 0) return tlm::TLM_GENERIC_ERROR_RESPONSE;  // no power
  if (payload.get_address() % host_block_bytes != 0 || payload.get_address() > capacity || length > capacity - payload.get_address())
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const bool needs_data = op == BlockExtension::Op::transfer && config_.content == ContentMode::bytes;
  return needs_data && payload.get_data_ptr() == nullptr ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
}

bool BlockTargetModule::arrived(tlm::tlm_generic_payload& payload) {
  was_used_ = true;
  const auto* extension = payload.get_extension<BlockExtension>();
  Transfer& transfer = transfers_.emplace_back();
  transfer.payload = &payload;
  transfer.merges = payload.is_write() && !enables_of(payload).all(0, payload.get_data_length());
  if (transfer.merges) transfer.merged.resize(payload.get_data_length());
  transfer.op = payload.is_read() || transfer.merges         ? HostOp::read
                : payload.is_write()                         ? HostOp::write
                : extension->op == BlockExtension::Op::flush ? HostOp::flush
                                                             : HostOp::trim;
  transfer.force_unit_access = extension != nullptr && extension->force_unit_access;
  if (transfer.op != HostOp::flush) {
    transfer.next = payload.get_address() / host_block_bytes;
    transfer.end = transfer.next + payload.get_data_length() / host_block_bytes;
  }
  sending_ = &transfer;
  send_commands();
  kept_back_ = sending_ != nullptr;
  return !kept_back_;
}

/// Commands that have no tag yet are not sent any more. A write that leaves bytes out goes on: other requests wait for it as it is.
void BlockTargetModule::signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  const auto at = std::ranges::find(transfers_, &payload, &Transfer::payload);
  if (phase != ABORT_REQ || at == transfers_.end() || at->merges) return;
  Transfer* const transfer = &*at;
  for (Command& command : commands_) {
    if (command.transfer != transfer) continue;
    const auto sent = std::ranges::find_if(initiator_.outstanding(), [&](tlm::tlm_generic_payload* one) {
      return one->get_extension<HostExtension>()->request == &command.request;
    });
    initiator_.signal(**sent, ABORT_REQ);
  }
  if (sending_ != transfer) return;
  sending_ = nullptr;
  transfer->failed = true;
  transfer->end = transfer->next;
  if (std::exchange(kept_back_, false)) target_.accept();
  if (transfer->commands == 0) end(*transfer);
}

/// As many as there are tags for.
void BlockTargetModule::send_commands() {
  while (serves_ && sending_ != nullptr && !(sending_->reads_first() && sending_->next == sending_->end) && !free_.empty()) {
    Command& command = commands_[free_.back()];
    command.request.tag = free_.back();
    free_.pop_back();
    Transfer& transfer = *sending_;
    command.transfer = &transfer;
    ++transfer.commands;
    const std::uint64_t most = transfer.op == HostOp::trim ? transfer.end : config_.largest.value() / host_block_bytes;
    command.request.blocks = {HostBlock(transfer.next), static_cast<std::uint32_t>(std::min(most, transfer.end - transfer.next))};
    transfer.next = command.request.blocks.end().value();
    if (transfer.next == transfer.end && !transfer.reads_first()) sending_ = nullptr;
    send(command, transfer);
  }
}

void BlockTargetModule::send(Command& command, Transfer& transfer) {
  HostRequest& request = command.request;
  request.op = transfer.op;
  request.force_unit_access = transfer.force_unit_access;
  request.number = numbers_++;
  request.status = Status::ok;
  request.aborted = false;
  request.life.begin(drive_.timeline().now());
  take_content(command, transfer);
  if (!debug_writes_.empty()) note_sent(request);
  auto& payload = payloads_.take();
  const auto bytes = static_cast<unsigned>(std::uint64_t{request.blocks.count} * host_block_bytes);
  payload.set_command(transfer.payload->get_command());
  payload.set_address(request.blocks.first.value() * host_block_bytes);
  payload.set_data_ptr(request.content.size() == bytes && bytes != 0 ? reinterpret_cast<unsigned char*>(request.content.data()) : nullptr);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.extension.request = &request;
  initiator_.send(payload);
}

/// What is kept of a block are its first bytes.
void BlockTargetModule::take_content(Command& command, const Transfer& transfer) {
  HostRequest& request = command.request;
  const bool moves = transfer.op == HostOp::read || transfer.op == HostOp::write;
  const unsigned char* const source = transfer.merges ? transfer.merged.data() : transfer.payload->get_data_ptr();
  const std::size_t kept = moves ? kept_per_block(config_.content) : 0;
  request.content.assign(request.blocks.count * kept, std::byte{0});
  if (transfer.op != HostOp::write || kept == 0 || source == nullptr) return;
  const unsigned char* bytes = source + (request.blocks.first.value() * host_block_bytes - transfer.payload->get_address());
  for (std::uint32_t block = 0; block < request.blocks.count; ++block)
    std::memcpy(request.content.data() + block * kept, bytes + block * host_block_bytes, kept);
}

void BlockTargetModule::give_content(const HostRequest& request, Transfer& transfer) {
  const tlm::tlm_generic_payload& payload = *transfer.payload;
  unsigned char* const bytes = transfer.merges ? transfer.merged.data() : payload.get_data_ptr();
  if (bytes == nullptr) return;
  const ByteEnables enables = transfer.merges ? ByteEnables() : enables_of(payload);
  const std::size_t kept = kept_per_block(config_.content);
  std::size_t at = request.blocks.first.value() * host_block_bytes - payload.get_address();
  for (std::uint32_t number = 0; number < request.blocks.count; ++number, at += host_block_bytes) {
    Block block{};
    if (kept != 0) std::memcpy(block.data(), request.content.data() + number * kept, kept);
    enables.copy(bytes + at, block.data(), block.size(), at);
  }
}

/// What the write leaves out has been read.
void BlockTargetModule::merge(Transfer& transfer) {
  if (transfer.failed) {
    sending_ = nullptr;
    kept_back_ = false;
    return target_.accept();
  }
  const tlm::tlm_generic_payload& payload = *transfer.payload;
  if (payload.get_data_ptr() != nullptr) enables_of(payload).copy(transfer.merged.data(), payload.get_data_ptr(), transfer.merged.size());
  transfer.op = HostOp::write;
  transfer.next = payload.get_address() / host_block_bytes;
}

void BlockTargetModule::note_sent(const HostRequest& request) {
  if (request.op != HostOp::write && request.op != HostOp::trim) return;
  for (std::uint32_t i = 0; i < request.blocks.count; ++i) debug_writes_.sent(request.blocks.first + i);
}

/// Of blocks that were written without time.
void BlockTargetModule::put_right(HostRequest& request) {
  constexpr Block zeros{};
  for (std::uint32_t i = 0; i < request.blocks.count && request.op != HostOp::flush; ++i) {
    const HostBlock block = request.blocks.first + i;
    if (request.op == HostOp::trim) {
      debug_writes_.acknowledged(block, zeros);
      continue;
    }
    const std::span<std::byte> bytes(request.content.data() + std::size_t{i} * host_block_bytes, host_block_bytes);
    request.op == HostOp::read ? debug_writes_.read(block, bytes) : debug_writes_.acknowledged(block, bytes);
  }
}

/// What the host knows now. Of a block that only was read nothing is kept where what it held at first is known.
void BlockTargetModule::remember(const HostRequest& request) {
  if (config_.content != ContentMode::bytes || request.op == HostOp::flush) return;
  for (std::uint32_t i = 0; i < request.blocks.count; ++i) {
    const std::uint64_t number = request.blocks.first.value() + i;
    if (request.op == HostOp::read && first_ != nullptr && !image_.contains(number)) continue;
    if (request.op != HostOp::trim)
      std::memcpy(image_[number].data(), request.content.data() + std::size_t{i} * host_block_bytes, host_block_bytes);
    else if (first_ == nullptr)
      image_.erase(number);
    else
      image_[number].fill(std::byte{0});
  }
}

void BlockTargetModule::peek(HostBlock block, std::span<std::byte> to) const {
  const auto known = image_.find(block.value());
  if (known != image_.end())
    std::ranges::copy(known->second, to.begin());
  else if (first_ != nullptr)
    first_->read(block, to);
  else
    std::ranges::fill(to, std::byte{0});
}

void BlockTargetModule::each_acknowledged(const std::function<void(HostBlock)>& visit) const {
  for (const auto& [block, bytes] : image_) visit(HostBlock(block));
}

void BlockTargetModule::answered(tlm::tlm_generic_payload& payload) {
  Command& command = commands_[payload.get_extension<HostExtension>()->request->tag];
  HostRequest& request = command.request;
  Transfer& transfer = *command.transfer;
  if (!ok(request.status)) {
    transfer.failed = true;
  } else {
    if (!debug_writes_.empty()) put_right(request);
    if (request.op == HostOp::read) give_content(request, transfer);
    remember(request);
  }
  free_.push_back(request.tag);
  command.transfer = nullptr;
  --transfer.commands;
  if (transfer.reads_first() && transfer.commands == 0 && transfer.next == transfer.end) merge(transfer);
  if (sending_ != nullptr) send_commands();
  if (transfer.commands == 0 && transfer.next == transfer.end && sending_ != &transfer) end(transfer);
  if (sending_ == nullptr && std::exchange(kept_back_, false)) target_.accept();
}

void BlockTargetModule::end(Transfer& transfer) {
  tlm::tlm_generic_payload& done = *std::exchange(transfer.payload, nullptr);
  done.set_response_status(transfer.failed ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  while (!transfers_.empty() && transfers_.front().payload == nullptr) transfers_.pop_front();
  target_.respond(done);
}

unsigned BlockTargetModule::debug(tlm::tlm_generic_payload& payload) {
  const unsigned bytes = access_without_time(payload);
  if (payload.is_write() && bytes < payload.get_data_length()) {
    const std::string found = std::string(name()) + ": a debug write at byte " + std::to_string(payload.get_address()) + " ends after " +
                              std::to_string(bytes) + " of " + std::to_string(payload.get_data_length()) + " B";
    SC_REPORT_WARNING(debug_write_report, (found + ": " + why_not(payload, bytes) + "; use b_transport").c_str());
  }
  return bytes;
}

/// Of a debug write that ended after so many bytes.
std::string BlockTargetModule::why_not(const tlm::tlm_generic_payload& payload, unsigned bytes) const {
  const Bytes capacity = config_.capacity();
  const std::uint64_t at = payload.get_address() + bytes;
  if (config_.content != ContentMode::bytes) return "the drive keeps no bytes (ContentMode::bytes)";
  if (capacity == Bytes(0)) return "the drive has no power or has not booted";
  if (at >= capacity.value()) return "the drive ends at byte " + std::to_string(capacity.value());
  if (has_wrong_enables(payload)) return "its byte enables are none: no length, or values other than 0 and 0xff";
  return "a transfer of block " + std::to_string(at / host_block_bytes) + " is under way";
}

bool BlockTargetModule::under_way(HostBlock block) const {
  return std::ranges::any_of(transfers_, [at = block.value() * host_block_bytes](const Transfer& transfer) {
    if (transfer.payload == nullptr || transfer.op == HostOp::flush) return false;
    const std::uint64_t begin = transfer.payload->get_address();
    return begin <= at && at < begin + transfer.payload->get_data_length();
  });
}

/// A read gives what the host was last acknowledged, a write comes after that. It changes what blocks held at first, where that is not too
/// late; otherwise its bytes are kept here.
unsigned BlockTargetModule::access_without_time(tlm::tlm_generic_payload& payload) {
  const std::uint64_t capacity = config_.capacity().value();
  const bool writes = payload.is_write();
  if ((!payload.is_read() && !writes) || payload.get_address() >= capacity || config_.content != ContentMode::bytes) return 0;
  if (has_wrong_enables(payload)) return 0;
  const ByteEnables enables = enables_of(payload);
  const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), capacity - payload.get_address()));
  for (unsigned done = 0; done < bytes;) {
    const std::uint64_t at = payload.get_address() + done;
    const HostBlock number(at / host_block_bytes);
    const auto offset = static_cast<unsigned>(at % host_block_bytes);
    const unsigned count = std::min(static_cast<unsigned>(host_block_bytes) - offset, bytes - done);
    Block block;
    peek(number, block);
    if (writes) {
      const Block before = block;
      enables.copy(block.data() + offset, payload.get_data_ptr() + done, count, done);
      if (under_way(number)) return done;
      if (first_ == nullptr || !first_->write(number, block)) {
        debug_writes_.put(number, before, block);
        image_[number.value()] = block;
      }
    } else {
      enables.copy(payload.get_data_ptr() + done, block.data() + offset, count, done);
    }
    done += count;
  }
  return bytes;
}

void BlockTargetModule::power_on() {
  serves_ = true;
  send_commands();
  if (sending_ == nullptr && std::exchange(kept_back_, false)) target_.accept();
}

void BlockTargetModule::power_off() {
  serves_ = false;
  sending_ = nullptr;
  initiator_.power_off();
  free_.clear();
  for (std::uint32_t tag = config_.tags; tag > 0; --tag) free_.push_back(tag - 1);
  for (Command& command : commands_) command.transfer = nullptr;
  const std::deque<Transfer> ended = std::exchange(transfers_, {});
  if (std::exchange(kept_back_, false)) target_.accept();  // what comes behind it waits for the next boot
  for (const Transfer& transfer : ended) {
    if (transfer.payload == nullptr) continue;
    transfer.payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    target_.respond(*transfer.payload);
  }
}

}  // namespace tessera
