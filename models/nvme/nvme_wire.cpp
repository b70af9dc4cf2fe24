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
         status == NvmeStatus::abort_requested || status == NvmeStatus::write_fault || status == NvmeStatus::unrecovered_read_error;
}

}  // namespace

void encode(const NvmeCompletion& completion, std::span<std::byte> entry) {
  const auto status = static_cast<std::uint32_t>(completion.status);
  put<std::uint32_t>(entry, 0, completion.result);
  put<std::uint32_t>(entry, 4, 0);
  put<std::uint16_t>(entry, 8, completion.sq_head);
  put<std::uint16_t>(entry, 10, completion.sq);
  put<std::uint32_t>(entry, 12,
                     completion.command | std::uint32_t{completion.phase} << 16 | (status & 0xff) << 17 | (status >> 8 & 7) << 25 |
                         std::uint32_t{!may_retry(completion.status)} << 31);
}

}  // namespace tessera::nvme
