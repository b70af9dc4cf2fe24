#include "stimuli/readers/block_event.hpp"

#include "base/error.hpp"

namespace tessera {
namespace {

constexpr const char* step_words[] = {"queue", "issue", "complete"};
constexpr const char* step_letters[] = {"Q", "D", "C"};

std::size_t place(BlockEvent event) { return static_cast<std::size_t>(event); }

}  // namespace

std::optional<BlockEvent> block_event_argument(const std::string& format, std::string_view argument) {
  if (argument.empty()) return std::nullopt;
  for (const auto event : {BlockEvent::queue, BlockEvent::issue, BlockEvent::complete})
    if (argument == step_words[place(event)]) return event;
  throw InputError("--format " + format + ":" + std::string(argument) + ": expected queue, issue or complete after the colon");
}

BlockEvent first_block_event(const BlockEventCounts& head) {
  if (head[0] != 0) return BlockEvent::queue;
  if (head[1] != 0) return BlockEvent::issue;
  return head[2] != 0 ? BlockEvent::complete : BlockEvent::queue;
}

std::string block_event_text(BlockEvent event) {
  return std::string(step_words[place(event)]) + " events (" + step_letters[place(event)] + ")";
}

std::string block_event_note(BlockEvent event, bool named) {
  if (event == BlockEvent::queue) return "";
  std::string why = "requests are the " + block_event_text(event);
  if (!named)
    why += event == BlockEvent::issue ? ", as there are no queue events (Q)" : ", as there are no queue (Q) and no issue (D) events";
  return why + (event == BlockEvent::issue ? ": times are those of issue to the drive" : ": times are those of completion, not of arrival");
}

std::string no_block_event(BlockEvent wanted, const BlockEventCounts& found, const std::string& format) {
  std::string others;
  std::string choice;
  for (const auto event : {BlockEvent::queue, BlockEvent::issue, BlockEvent::complete}) {
    if (found[place(event)] == 0) continue;
    others += (others.empty() ? " but " : " and ") + std::to_string(found[place(event)]) + " " + block_event_text(event);
    if (choice.empty()) choice = ": choose --format " + format + ":" + step_words[place(event)];
  }
  return "the trace holds no request: the file has no " + block_event_text(wanted) + others + choice;
}

namespace {

/// What follows the Z; takes it off.
bool parse_zone(std::string_view& letters, BlockOperation& operation) {
  if (letters.empty()) return false;
  operation.kind = letters.front() == 'A' ? BlockOperation::Kind::append : BlockOperation::Kind::zone;
  switch (letters.front()) {
    case 'A': break;
    case 'R':
      operation.of_zone = HostOp::zone_reset;
      operation.all_zones = letters.starts_with("RA");
      break;
    case 'O': operation.of_zone = HostOp::zone_open; break;
    case 'C': operation.of_zone = HostOp::zone_close; break;
    case 'F': operation.of_zone = HostOp::zone_finish; break;
    default: return false;
  }
  letters.remove_prefix(operation.all_zones ? 2 : 1);
  return true;
}

}  // namespace

std::optional<BlockOperation> parse_rwbs(std::string_view rwbs) {
  using Kind = BlockOperation::Kind;
  BlockOperation operation;
  if (rwbs.starts_with('F')) {
    operation.flush_first = true;
    rwbs.remove_prefix(1);
  }
  if (rwbs.empty()) return operation.flush_first ? std::optional(operation) : std::nullopt;
  const char letter = rwbs.front();
  rwbs.remove_prefix(1);
  switch (letter) {
    case 'R': operation.kind = Kind::read; break;
    case 'W': operation.kind = Kind::write; break;
    case 'D': operation.kind = Kind::trim; break;
    case 'Z':
      if (parse_zone(rwbs, operation)) break;
      return std::nullopt;
    case 'N': break;
    case 'F':  // the operation is a flush
      if (operation.flush_first) break;
      return std::nullopt;
    default: return std::nullopt;
  }
  if (rwbs.find_first_not_of("FASMEUZOCR") != std::string_view::npos) return std::nullopt;
  operation.force_unit_access =
      rwbs.find('F') != std::string_view::npos && (operation.kind == Kind::write || operation.kind == Kind::append);
  return operation;
}

const char* to_request(const BlockOperation& operation, BlockEvent step, RawRecord& raw, std::optional<RawRecord>& next) {
  using Kind = BlockOperation::Kind;
  if (operation.flush_first && (raw.size == 0 || operation.kind == Kind::none)) {
    raw.op = HostOp::flush;
    return nullptr;
  }
  if (operation.kind == Kind::zone) {
    raw.op = operation.of_zone;
    raw.all_zones = operation.all_zones;
    return nullptr;
  }
  if (operation.kind == Kind::none) return "requests that move no data left out";
  if (raw.size == 0) return "requests without an extent (commands that are passed through) left out";
  raw.op = operation.kind == Kind::read ? HostOp::read : operation.kind == Kind::trim ? HostOp::trim : HostOp::write;
  raw.force_unit_access = operation.force_unit_access;
  if (operation.kind == Kind::append) raw.append = step == BlockEvent::complete ? ZoneAppend::placed : ZoneAppend::to_zone;
  if (operation.flush_first) {
    next = raw;
    raw.op = HostOp::flush;
    raw.force_unit_access = false;
    raw.append = ZoneAppend::none;
  }
  return nullptr;
}

void StackedDevices::remapped(std::string_view upper, std::string_view lower) {
  if (upper != lower) pairs_.emplace(upper, lower);
}

void StackedDevices::has_request(std::string_view device) {
  if (device == last_) [[likely]]
    return;
  last_ = device;
  devices_.emplace(device);
}

std::string StackedDevices::twice() const {
  for (const auto& [upper, lower] : pairs_)
    if (devices_.contains(upper) && devices_.contains(lower))
      return "requests of " + upper + " are there again on " + lower + ", the device below it: choose one with --volume " + upper +
             " or --volume " + lower;
  return "";
}

}  // namespace tessera
