#include "nvme/data_pointer.hpp"

#include <algorithm>

namespace tessera::nvme {

namespace {

constexpr std::size_t prp_bytes = 8;
constexpr std::size_t descriptor_bytes = 16;
constexpr std::uint32_t most_segments = 4096;                                   // of one command: a list that loops ends here
constexpr Outcome wrong_second(NvmeStatus::prp_offset_invalid, parameter(32));  // PRP2, or the list that it names

/// The list behind PRP2: page addresses, whose last in a page names the next page of the list where more follow.
Outcome follow_list(HostMemory& memory, std::uint64_t list, std::uint32_t left, std::uint32_t page, std::vector<HostSegment>& segments) {
  if (list % prp_bytes != 0) return wrong_second;
  std::vector<std::byte> entries(page);
  while (left > 0) {
    const std::uint32_t room = page - static_cast<std::uint32_t>(list % page);
    const std::uint32_t pages = (left + page - 1) / page;
    const std::uint32_t count = std::min<std::uint32_t>(room / prp_bytes, pages);
    const std::span<std::byte> read(entries.data(), count * prp_bytes);
    if (!memory.read(list, read)) return NvmeStatus::data_transfer_error;
    const bool chained = count < pages;
    for (std::uint32_t i = 0; i < count - chained; ++i) {
      const auto address = get<std::uint64_t>(read, i * prp_bytes);
      if (address % page != 0) return wrong_second;
      segments.push_back({address, std::min(left, page)});
      left -= segments.back().bytes;
    }
    if (!chained) break;
    list = get<std::uint64_t>(read, (count - 1) * prp_bytes);
    if (list % page != 0) return wrong_second;
  }
  return NvmeStatus::success;
}

Outcome follow_prp(HostMemory& memory, const NvmeCommand& command, std::uint32_t bytes, std::uint32_t page,
                   std::vector<HostSegment>& segments) {
  if (command.prp1 % 4 != 0) return NvmeStatus::prp_offset_invalid;
  const std::uint32_t first = std::min(bytes, page - static_cast<std::uint32_t>(command.prp1 % page));
  segments.push_back({command.prp1, first});
  const std::uint32_t left = bytes - first;
  if (left == 0) return NvmeStatus::success;
  if (left > page) return follow_list(memory, command.prp2, left, page, segments);
  if (command.prp2 % page != 0) return wrong_second;
  segments.push_back({command.prp2, left});
  return NvmeStatus::success;
}

struct Descriptor {
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint8_t kind = 0;
};

enum DescriptorKind : std::uint8_t { data_block = 0x0, bit_bucket = 0x1, segment = 0x2, last_segment = 0x3 };

Descriptor descriptor_at(std::span<const std::byte> bytes, std::size_t at) {
  const auto identifier = get<std::uint8_t>(bytes, at + 15);
  // A subtype other than "address" is none that this controller knows.
  return {get<std::uint64_t>(bytes, at), get<std::uint32_t>(bytes, at + 8),
          static_cast<std::uint8_t>((identifier & 0xf) != 0 ? 0xf : identifier >> 4)};
}

NvmeStatus take_block(const Descriptor& block, bool reads, std::uint32_t& left, std::vector<HostSegment>& segments) {
  if (block.length == 0) return NvmeStatus::success;
  if (block.kind == bit_bucket && !reads) return NvmeStatus::success;  // "ignored" for data to the controller
  if (left < block.length || segments.size() == most_segments) return NvmeStatus::sgl_length_invalid;
  segments.push_back({block.address, block.length, block.kind == bit_bucket});
  left -= block.length;
  return NvmeStatus::success;
}

NvmeStatus follow_sgl(HostMemory& memory, const NvmeCommand& command, std::uint32_t bytes, std::vector<HostSegment>& segments) {
  std::byte in_command[descriptor_bytes];
  put(in_command, 0, command.prp1);
  put(in_command, 8, command.prp2);
  const bool reads = (command.opcode & 3) == 2;  // data goes to the host
  std::uint32_t left = bytes;
  Descriptor next = descriptor_at(in_command, 0);
  for (std::uint32_t lists = 0;; ++lists) {
    if (next.kind == data_block || next.kind == bit_bucket) {
      const NvmeStatus status = take_block(next, reads, left, segments);
      if (status != NvmeStatus::success) return status;
      break;
    }
    if (next.kind != segment && next.kind != last_segment) return NvmeStatus::sgl_type_invalid;
    if (next.length == 0 || next.length % descriptor_bytes != 0 || next.length > page_of_data * 16 || lists == most_segments)
      return NvmeStatus::invalid_sgl_segment;
    std::vector<std::byte> list(next.length);
    if (!memory.read(next.address, list)) return NvmeStatus::data_transfer_error;
    const bool last = next.kind == last_segment;
    bool chained = false;
    for (std::size_t at = 0; at < list.size(); at += descriptor_bytes) {
      const Descriptor block = descriptor_at(list, at);
      if (block.kind == segment || block.kind == last_segment) {
        if (at + descriptor_bytes != list.size()) return NvmeStatus::sgl_descriptors_invalid;
        if (last) return NvmeStatus::invalid_sgl_segment;
        next = block;
        chained = true;
        break;
      }
      if (block.kind != data_block && block.kind != bit_bucket) return NvmeStatus::sgl_type_invalid;
      const NvmeStatus status = take_block(block, reads, left, segments);
      if (status != NvmeStatus::success) return status;
    }
    if (!chained && !last) return NvmeStatus::invalid_sgl_segment;  // a segment descriptor that is not the last has one after it
    if (!chained) break;
  }
  return left == 0 ? NvmeStatus::success : NvmeStatus::sgl_length_invalid;
}

}  // namespace

Outcome find_data(HostMemory& memory, const NvmeCommand& command, std::uint32_t bytes, std::uint32_t page,
                  std::vector<HostSegment>& segments) {
  segments.clear();
  return command.psdt == 0 ? follow_prp(memory, command, bytes, page, segments) : follow_sgl(memory, command, bytes, segments);
}

}  // namespace tessera::nvme
