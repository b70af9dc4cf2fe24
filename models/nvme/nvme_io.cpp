// The NVM command set (NVMe 1.4, 6).
#include <algorithm>

#include "nvme/nvme_controller.hpp"

namespace tessera::nvme {

namespace {

constexpr std::uint64_t zeros_bytes = 1U << 20U;  // of one write of zeros
constexpr std::uint64_t trim_bytes = 1U << 30U;   // of one trim: a payload's length has 32 bits
constexpr std::size_t range_bytes = 16;

bool contains(const Namespace& space, std::uint64_t first, std::uint64_t blocks) {
  return first <= space.blocks && blocks <= space.blocks - first;
}

}  // namespace

Outcome Controller::check_namespace(std::uint32_t number) const {
  if (number == 0 || number > namespaces_.size()) return NvmeStatus::invalid_namespace;
  return namespaces_[number - 1].blocks == 0 ? Outcome(NvmeStatus::invalid_field, parameter(4)) : NvmeStatus::success;
}

Controller::Answer Controller::io(Command& command) {
  const NvmeCommand& entry = command.entry;
  if (entry.fuse != 0) return Outcome(NvmeStatus::invalid_field, parameter(1));
  if (entry.psdt == 3) return Outcome(NvmeStatus::invalid_field, parameter(1, 6));
  const bool known = entry.opcode <= io_read || entry.opcode == io_write_zeroes || entry.opcode == io_dataset_management;
  if (!known) return NvmeStatus::invalid_opcode;
  const bool of_all = entry.opcode == io_flush && entry.namespace_id == every_namespace;
  if (const Outcome outcome = check_namespace(entry.namespace_id); !of_all && outcome.failed()) return outcome;
  if (entry.opcode == io_flush) {
    submit(command, BlockOp::flush, 0, 0);
    return std::nullopt;
  }
  const Namespace& space = namespaces_[entry.namespace_id - 1];
  if (entry.opcode == io_write_zeroes) return write_zeroes(command, space);
  return entry.opcode == io_dataset_management ? deallocate(command, space) : transfer(command, space);
}

Controller::Answer Controller::transfer(Command& command, const Namespace& space) {
  const NvmeCommand& entry = command.entry;
  const std::uint64_t bytes = entry.blocks() * block_bytes;
  if (bytes > std::uint64_t{page_of_data} << config_.transfer_pages) return Outcome(NvmeStatus::invalid_field, parameter(48));
  if (!contains(space, entry.first_block(), entry.blocks())) return NvmeStatus::lba_out_of_range;
  const Outcome found = find_data(memory_, entry, static_cast<std::uint32_t>(bytes), page_bytes(), command.segments);
  if (found.failed()) return found;
  command.data.resize(bytes);
  const bool writes = entry.opcode == io_write;
  if (writes && !gather(memory_, command.segments, command.data)) return NvmeStatus::data_transfer_error;
  const bool fua = writes && ((entry.cdw(12) >> 30 & 1) != 0 || (config_.volatile_cache && !features_.caches_writes()));
  command.reads_media = !writes && config_.volatile_cache && (entry.cdw(12) >> 30 & 1) != 0;
  if (command.reads_media)
    submit(command, BlockOp::flush, 0, 0);
  else if (writes)
    submit(command, BlockOp::write, space.offset + entry.first_block() * block_bytes, bytes, command.data.data(), fua);
  else
    submit_read(command);
  return std::nullopt;
}

void Controller::submit_read(Command& command) {
  const std::uint64_t at = namespaces_[command.entry.namespace_id - 1].offset + command.entry.first_block() * block_bytes;
  submit(command, BlockOp::read, at, command.data.size(), command.data.data());
}

/// The drive knows no such command: it is written zeros.
Controller::Answer Controller::write_zeroes(Command& command, const Namespace& space) {
  const NvmeCommand& entry = command.entry;
  if (!contains(space, entry.first_block(), entry.blocks())) return NvmeStatus::lba_out_of_range;
  const std::uint64_t begin = space.offset + entry.first_block() * block_bytes, end = begin + entry.blocks() * block_bytes;
  command.data.resize(std::min(zeros_bytes, end - begin));
  const bool fua = (entry.cdw(12) >> 30 & 1) != 0 || (config_.volatile_cache && !features_.caches_writes());
  for (std::uint64_t at = begin; at < end; at += zeros_bytes)
    submit(command, BlockOp::write, at, std::min(zeros_bytes, end - at), command.data.data(), fua);
  return std::nullopt;
}

/// Dataset Management: attributes but Deallocate are hints that the drive does not take.
Controller::Answer Controller::deallocate(Command& command, const Namespace& space) {
  const NvmeCommand& entry = command.entry;
  std::vector<std::byte> ranges(((entry.cdw(10) & 0xff) + 1) * range_bytes);
  const Outcome outcome = from_host(command, ranges);
  if (outcome.failed()) return outcome;
  for (std::size_t at = 0; at < ranges.size(); at += range_bytes)
    if (!contains(space, get<std::uint64_t>(ranges, at + 8), get<std::uint32_t>(ranges, at + 4)))
      return Outcome(NvmeStatus::lba_out_of_range, no_parameter);
  if ((entry.cdw(11) >> 2 & 1) == 0) return NvmeStatus::success;
  for (std::size_t at = 0; at < ranges.size(); at += range_bytes) {
    const std::uint64_t begin = space.offset + get<std::uint64_t>(ranges, at + 8) * block_bytes;
    const std::uint64_t end = begin + get<std::uint32_t>(ranges, at + 4) * block_bytes;
    for (std::uint64_t part = begin; part < end; part += trim_bytes) submit(command, BlockOp::trim, part, std::min(trim_bytes, end - part));
  }
  return command.transfers == 0 ? Answer(NvmeStatus::success) : std::nullopt;
}

/// The drive has ended all of it: its status, and a read's data to the host.
void Controller::finish_io(Command& command) {
  if (command.failed) {
    command.outcome = command.aborted                                                               ? NvmeStatus::abort_requested
                      : command.entry.opcode == io_read                                             ? NvmeStatus::unrecovered_read_error
                      : command.entry.opcode == io_write || command.entry.opcode == io_write_zeroes ? NvmeStatus::write_fault
                                                                                                    : NvmeStatus::internal_error;
    return;
  }
  if (command.entry.opcode == io_read && !scatter(memory_, command.segments, command.data)) {
    command.outcome = NvmeStatus::data_transfer_error;
    return;
  }
  if (command.entry.opcode == io_read || command.entry.opcode == io_write)
    logs_.transferred(command.entry.opcode == io_read, command.entry.blocks());
}

}  // namespace tessera::nvme
