// Admin commands (NVMe 1.4, 5).
#include <algorithm>
#include <utility>

#include "nvme/nvme_controller.hpp"

namespace tessera::nvme {

namespace {

constexpr std::uint32_t low(std::uint32_t word) { return word & 0xffff; }
constexpr std::uint32_t high(std::uint32_t word) { return word >> 16; }
Outcome invalid_field(unsigned byte, unsigned bit = 0) { return {NvmeStatus::invalid_field, parameter(byte, bit)}; }

}  // namespace

Controller::Answer Controller::admin(Command& command) {
  const NvmeCommand& entry = command.entry;
  if (entry.fuse != 0) return invalid_field(1);
  if (entry.psdt != 0) return invalid_field(1, 6);
  switch (entry.opcode) {
    case delete_io_sq: return delete_submission_queue(command);
    case create_io_sq: return create_submission_queue(entry);
    case get_log_page: return log_page(command);
    case delete_io_cq: return delete_completion_queue(entry);
    case create_io_cq: return create_completion_queue(entry);
    case identify: return identify_what(command);
    case abort_command: return abort(command);
    case set_features: return set_feature(command);
    case get_features: return get_feature(command);
    case async_event_request:
      if (held_events_.size() == most_events) return NvmeStatus::async_event_limit_exceeded;
      held_events_.push_back(entry.id);
      command.used = false;  // answered when there is an event
      free_.push_back(index_of(command));
      look_at_health();
      return std::nullopt;
    default: return NvmeStatus::invalid_opcode;
  }
}

Controller::Answer Controller::create_completion_queue(const NvmeCommand& entry) {
  const std::uint32_t number = low(entry.cdw(10)), last = high(entry.cdw(10)), flags = entry.cdw(11);
  if (number == 0 || number > high(features_.value(number_of_queues)) + 1 || cqs_[number].exists)
    return NvmeStatus::invalid_queue_identifier;
  if (last == 0 || last > static_cast<std::uint16_t>(config_.queue_entries - 1) || (cc_ >> 20 & 0xf) != 4)
    return NvmeStatus::invalid_queue_size;
  if ((flags & 1) == 0) return invalid_field(44);  // CAP.CQR: contiguous
  if (entry.prp1 % page_bytes() != 0) return NvmeStatus::prp_offset_invalid;
  if (!interrupts_.exists(high(flags))) return NvmeStatus::invalid_interrupt_vector;
  cqs_[number] = {.exists = true,
                  .base = entry.prp1,
                  .size = last + 1,
                  .interrupts = (flags & 2) != 0,
                  .vector = static_cast<std::uint16_t>(high(flags))};
  queues_created_ = true;
  return NvmeStatus::success;
}

Controller::Answer Controller::create_submission_queue(const NvmeCommand& entry) {
  const std::uint32_t number = low(entry.cdw(10)), last = high(entry.cdw(10)), flags = entry.cdw(11);
  const std::uint32_t completions = high(flags);
  if (number == 0 || number > low(features_.value(number_of_queues)) + 1 || sqs_[number].exists)
    return NvmeStatus::invalid_queue_identifier;
  if (completions == 0 || completions >= cqs_.size()) return Outcome(NvmeStatus::invalid_queue_identifier, parameter(46));
  if (!cqs_[completions].exists) return NvmeStatus::completion_queue_invalid;
  if (last == 0 || last > static_cast<std::uint16_t>(config_.queue_entries - 1) || (cc_ >> 16 & 0xf) != 6)
    return NvmeStatus::invalid_queue_size;
  if ((flags & 1) == 0) return invalid_field(44);
  if (entry.prp1 % page_bytes() != 0) return NvmeStatus::prp_offset_invalid;
  sqs_[number] = {.exists = true, .base = entry.prp1, .size = last + 1, .completion_queue = static_cast<std::uint16_t>(completions)};
  ++cqs_[completions].users;
  return NvmeStatus::success;
}

Controller::Answer Controller::delete_completion_queue(const NvmeCommand& entry) {
  const std::uint32_t number = low(entry.cdw(10));
  if (number == 0 || number >= cqs_.size() || !cqs_[number].exists) return NvmeStatus::invalid_queue_identifier;
  if (cqs_[number].users != 0) return NvmeStatus::invalid_queue_deletion;
  cqs_[number] = {};
  interrupts_.look_at(cqs_);
  return NvmeStatus::success;
}

/// Commands that the controller has fetched are served first; the others are dropped.
Controller::Answer Controller::delete_submission_queue(Command& command) {
  const std::uint32_t number = low(command.entry.cdw(10));
  if (number == 0 || number >= sqs_.size() || !sqs_[number].exists || sqs_[number].ending) return NvmeStatus::invalid_queue_identifier;
  SubmissionQueue& queue = sqs_[number];
  if (queue.in_flight != 0) {
    queue.ending = true;
    deletions_.push_back(index_of(command));
    return std::nullopt;
  }
  --cqs_[queue.completion_queue].users;
  queue = {};
  return NvmeStatus::success;
}

Outcome Controller::to_host(Command& command, std::span<const std::byte> data) {
  const Outcome found = find_data(memory_, command.entry, static_cast<std::uint32_t>(data.size()), page_bytes(), command.segments);
  if (found.failed()) return found;
  return scatter(memory_, command.segments, data) ? NvmeStatus::success : NvmeStatus::data_transfer_error;
}

Outcome Controller::from_host(Command& command, std::span<std::byte> data) {
  const Outcome found = find_data(memory_, command.entry, static_cast<std::uint32_t>(data.size()), page_bytes(), command.segments);
  if (found.failed()) return found;
  return gather(memory_, command.segments, data) ? NvmeStatus::success : NvmeStatus::data_transfer_error;
}

Controller::Answer Controller::identify_what(Command& command) {
  enum : std::uint8_t { a_namespace = 0, controller = 1, active_list = 2, descriptors = 3 };
  const std::uint32_t number = command.entry.namespace_id;
  const bool known = number != 0 && number <= namespaces_.size();
  switch (command.entry.cdw(10) & 0xff) {
    case a_namespace:
      if (!known) return NvmeStatus::invalid_namespace;
      return to_host(command, namespaces_[number - 1].blocks == 0 ? std::vector<std::byte>(page_of_data)
                                                                  : identify_namespace(config_, number, namespaces_[number - 1]));
    case controller: return to_host(command, identify_controller(config_, static_cast<std::uint32_t>(namespaces_.size())));
    case active_list:
      if (number >= every_namespace - 1) return NvmeStatus::invalid_namespace;
      return to_host(command, active_namespaces(namespaces_, number));
    case descriptors:
      if (const Outcome outcome = check_namespace(number); outcome.failed()) return outcome;
      return to_host(command, namespace_descriptors(config_, number));
    default: return invalid_field(40);
  }
}

Controller::Answer Controller::log_page(Command& command) {
  const NvmeCommand& entry = command.entry;
  const std::uint64_t bytes = ((std::uint64_t{low(entry.cdw(11))} << 16 | high(entry.cdw(10))) + 1) * 4;
  const std::uint64_t offset = entry.cdw(12) | std::uint64_t{entry.cdw(13)} << 32;
  enum : std::uint8_t { errors = 1, smart = 2, firmware = 3, error_type = 0, smart_type = 1 };
  const std::uint32_t number = entry.cdw(10) & 0xff;
  std::vector<std::byte> page;
  switch (number) {
    case errors: page = logs_.errors(); break;
    case smart: {
      const DriveHealth current = health();
      page = logs_.smart(current, now(), warnings(current));
      break;
    }
    case firmware: page = Logs::firmware(config_); break;
    default: return NvmeStatus::invalid_log_page;
  }
  // No page is of one namespace (5.14).
  if (entry.namespace_id != 0 && entry.namespace_id != every_namespace) return invalid_field(4);
  if (bytes > std::uint64_t{page_of_data} << config_.transfer_pages) return invalid_field(42);
  if (offset % 4 != 0 || offset > page.size()) return invalid_field(48);
  page.erase(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(offset));
  page.resize(bytes);
  const Outcome outcome = to_host(command, page);
  const bool retains_event = (entry.cdw(10) >> 15 & 1) != 0;
  if (outcome.failed() || retains_event) return outcome;
  if (number == errors) clear_event(error_type);
  if (number == smart) {
    clear_event(smart_type);
    look_at_health();
  }
  return outcome;
}

Controller::Answer Controller::set_feature(Command& command) {
  const auto feature = static_cast<std::uint8_t>(command.entry.cdw(10));
  std::uint32_t value = command.entry.cdw(11);
  const std::uint32_t space = command.entry.namespace_id;
  if (!features_.exists(feature)) return invalid_field(40);
  if ((command.entry.cdw(10) >> 31) != 0) return NvmeStatus::feature_not_saveable;
  if (space != 0 && space != every_namespace) {
    if (space > namespaces_.size()) return NvmeStatus::invalid_namespace;
    if (feature != error_recovery) return NvmeStatus::feature_not_of_namespace;
  }
  if (!features_.has_selected(feature, value, true)) return invalid_field(44);
  if (feature == number_of_queues) {
    if (low(value) == 0xffff) return invalid_field(44);
    if (high(value) == 0xffff) return invalid_field(46);
    if (queues_created_) return NvmeStatus::command_sequence_error;
    const std::uint32_t most = config_.io_queues - 1;
    const bool again = std::exchange(queues_allocated_, true);
    value = again ? features_.value(feature) : std::min(low(value), most) | std::min(high(value), most) << 16;
    command.result = value;
  }
  if (feature == power_management && (value & 0x1f) != 0) return invalid_field(44);   // there is power state 0
  if (feature == error_recovery && (value >> 16 & 1) != 0) return invalid_field(46);  // DULBE: NSFEAT bit 2 is 0
  features_.set(feature, value);
  if (feature == temperature_threshold || feature == event_configuration) look_at_health();
  return NvmeStatus::success;
}

Controller::Answer Controller::get_feature(Command& command) {
  enum : std::uint8_t { current = 0, by_default = 1, saved = 2, supported = 3 };
  constexpr std::uint32_t changeable = 4;
  const auto feature = static_cast<std::uint8_t>(command.entry.cdw(10));
  const std::uint32_t selects = command.entry.cdw(11);
  if (!features_.exists(feature)) return invalid_field(40);
  if (!features_.has_selected(feature, selects, false)) return invalid_field(44);
  switch (command.entry.cdw(10) >> 8 & 7) {
    case current: command.result = features_.value(feature, selects); return NvmeStatus::success;
    case by_default:
    case saved: command.result = features_.initial(feature, selects); return NvmeStatus::success;
    case supported: command.result = changeable; return NvmeStatus::success;
    default: return invalid_field(41);
  }
}

/// Requests for events can be aborted, and commands that are at the drive or wait in front of it. Others, and those that the drive ends all
/// the same, run to their end, which the result says.
Controller::Answer Controller::abort(Command& command) {
  const auto is_abort = [](const Command& other) { return other.used && other.sq == 0 && other.entry.opcode == abort_command; };
  if (std::ranges::count_if(commands_, is_abort) > most_aborts) return NvmeStatus::abort_limit_exceeded;
  const std::uint32_t sq = low(command.entry.cdw(10));
  const auto id = static_cast<std::uint16_t>(high(command.entry.cdw(10)));
  if (Command* const aborted = sq == 0 ? take_event_request(id) : give_up_command(sq, id)) {
    command.after = index_of(*aborted);
    return NvmeStatus::success;
  }
  constexpr std::uint32_t not_aborted = 1;
  command.result = not_aborted;
  return NvmeStatus::success;
}

Controller::Command* Controller::take_event_request(std::uint16_t id) {
  const auto held = std::ranges::find(held_events_, id);
  if (held == held_events_.end() || free_.empty()) return nullptr;
  held_events_.erase(held);
  Command& request = take_slot();
  request.entry.opcode = async_event_request;
  request.entry.id = id;
  end(request, NvmeStatus::abort_requested);
  return &request;
}

Controller::Command* Controller::give_up_command(std::uint32_t sq, std::uint16_t id) {
  const auto at = std::ranges::find_if(
      commands_, [&](const Command& other) { return other.used && other.sq == sq && other.entry.id == id && other.transfers != 0; });
  if (at == commands_.end()) return nullptr;
  give_up(*at);
  if (at->transfers == 0) finished_.push_back(index_of(*at));
  return &*at;
}

}  // namespace tessera::nvme
