// How long an operation takes, on the channel, in the array and in error correction.
#include "nand/bit_errors.hpp"
#include "nand/nand_device.hpp"

namespace tessera {

/// A page is programmed whole, with what fills it up; of a page that is read only the subpages cross that were asked for.
Bytes NandDevice::transfer_size(const FlashCommand& command) const {
  std::uint64_t subpages = 0;
  for (const FlashCommand* part = &command; part != nullptr; part = part->next) ++subpages;
  switch (command.op) {
    case FlashOp::read: return (config_.subpage_size() + config_.subpage_oob()) * subpages;
    case FlashOp::program: return config_.page_size + config_.oob_size;
    case FlashOp::read_oob: return config_.subpage_oob() * subpages;
    case FlashOp::copyback: {
      std::uint64_t bytes = 0;
      for (const FlashCommand* part = &command; part != nullptr; part = part->next) bytes += part->oob.size();
      return Bytes(bytes);
    }
    case FlashOp::erase: break;
  }
  return Bytes(0);
}

bool NandDevice::needs_loading(Kind kind) const {
  return config_.command_time > Picoseconds(0) || (programs(kind) && config_.bus_rate != BytesPerSecond(0));
}

/// Command and address cycles, those of a read and a program for a copyback, and the data of a program.
Picoseconds NandDevice::load_time(FlashOp op, Bytes moves) const {
  const bool data = tessera::programs(op) && config_.bus_rate != BytesPerSecond(0);
  const std::uint64_t commands = op == FlashOp::copyback ? 2 : 1;
  return config_.command_time * commands + (data ? transfer_time(moves, config_.bus_rate) : Picoseconds(0));
}

Picoseconds NandDevice::unload_time(FlashOp op, Bytes moves) const {
  const bool data = op == FlashOp::read || op == FlashOp::read_oob;
  return data && config_.bus_rate != BytesPerSecond(0) ? transfer_time(moves, config_.bus_rate) : Picoseconds(0);
}

Picoseconds NandDevice::reading_time(const Operation& operation) const {
  if (operation.kind != Kind::read && operation.kind != Kind::copyback) return Picoseconds(0);
  return config_.read_time_of(page_type(operation.kind == Kind::read ? operation.address : operation.from)) +
         config_.read_retry_time * operation.retry;
}

/// Of a program or an erase.
Picoseconds NandDevice::changing_time(const Operation& operation) const {
  if (operation.kind == Kind::read) return Picoseconds(0);
  return operation.kind == Kind::erase ? config_.erase_time : config_.program_time_of(page_type(operation.address));
}

/// In proportion to the wrong bits that a codeword of such a page has on average.
Picoseconds NandDevice::decoding_time(const FlashCommand& command) const {
  if (config_.ecc_time_per_bit == Picoseconds(0)) return config_.ecc_time;
  const std::uint64_t bits = array_.wrong_bits(command.page, command.retry, timeline_.now());
  const auto longer = static_cast<unsigned __int128>(config_.ecc_time_per_bit.value()) * bits >> 32;
  return config_.ecc_time + Picoseconds(static_cast<std::uint64_t>(longer));
}

}  // namespace tessera
