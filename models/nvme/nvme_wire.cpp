#include "nvme/nvme_wire.hpp"

namespace tessera::nvme {

NvmeCommand decode(std::span<const std::byte> entry) {
  const auto word = get<std::uint32_t>(entry, 0);
  NvmeCommand command;
  command.opcode = static_cast<std::uint8_t>(word & 0xff);
  command.fuse = static_cast<std::uint8_t>(word >> 8 & 3);
  command.psdt = static_cast<std::uint8_t>(word >> 14 & 3);
  command.id = static_cast<std::uint16_t>(word >> 16);
  command.namespace_id = get<std::uint32_t>(entry, 4);
  command.prp1 = get<std::uint64_t>(entry, 24);
  command.prp2 = get<std::uint64_t>(entry, 32);
  for (std::size_t i = 0; i < 6; ++i) command.dword[i] = get<std::uint32_t>(entry, 40 + 4 * i);
  return command;
}

namespace {

/// What a host may send again without a change: faults of the moment. All else says Do Not Retry.
bool may_retry(NvmeStatus status) {
  return status == NvmeStatus::success || status == NvmeStatus::data_transfer_error || status == NvmeStatus::internal_error ||
         status == NvmeStatus::abort_requested || status == NvmeStatus::write_fault || status == NvmeStatus::unrecovered_read_error ||
         status == NvmeStatus::abort_limit_exceeded || status == NvmeStatus::async_event_limit_exceeded;
}

}  // namespace

std::uint16_t status_field(NvmeStatus status) {
  constexpr unsigned more = 1U << 13, do_not_retry = 1U << 14;
  return static_cast<std::uint16_t>(static_cast<unsigned>(status) | (status == NvmeStatus::success ? 0 : more) |
                                    (may_retry(status) ? 0 : do_not_retry));
}

Outcome::Outcome(NvmeStatus code) : status(code) {
  switch (code) {
    case NvmeStatus::invalid_opcode: location = parameter(0); break;
    case NvmeStatus::invalid_namespace:
    case NvmeStatus::feature_not_of_namespace: location = parameter(4); break;
    case NvmeStatus::prp_offset_invalid:
    case NvmeStatus::invalid_sgl_segment:
    case NvmeStatus::sgl_descriptors_invalid:
    case NvmeStatus::sgl_length_invalid:
    case NvmeStatus::sgl_type_invalid: location = parameter(24); break;
    case NvmeStatus::command_sequence_error:
    case NvmeStatus::lba_out_of_range:
    case NvmeStatus::invalid_queue_identifier:
    case NvmeStatus::invalid_log_page:
    case NvmeStatus::invalid_queue_deletion: location = parameter(40); break;
    case NvmeStatus::invalid_queue_size: location = parameter(42); break;
    case NvmeStatus::feature_not_saveable: location = parameter(43, 7); break;
    case NvmeStatus::completion_queue_invalid:
    case NvmeStatus::invalid_interrupt_vector: location = parameter(46); break;
    default: break;
  }
}

void encode(const NvmeCompletion& completion, std::span<std::byte> entry) {
  put<std::uint32_t>(entry, 0, completion.result);
  put<std::uint32_t>(entry, 4, 0);
  put<std::uint16_t>(entry, 8, completion.sq_head);
  put<std::uint16_t>(entry, 10, completion.sq);
  put<std::uint32_t>(entry, 12,
                     completion.command | std::uint32_t{completion.phase} << 16 | std::uint32_t{status_field(completion.status)} << 17);
}

}  // namespace tessera::nvme
