// Commands with more data than their buffer holds. The data goes through the buffer in pieces of half of it: while the layer works for one
// half, the link carries the other. The command holds its buffer from the start, so that it waits for no other command's.
//
// A write is as durable as the layer makes each piece; when all of them are, it is acknowledged. A cut in between leaves old and new
// sectors side by side, as it may within any write.
#include <algorithm>
#include <array>

#include "firmware/command_server.hpp"

namespace tessera {

namespace {

/// How a command's sectors are cut into pieces of half its buffer.
class Pieces {
 public:
  Pieces(HostCommand& command, LogicalRun run, std::uint32_t blocks_per_sector)
      : command_(command), run_(run), half_(command.buffer.sectors() / 2), blocks_per_sector_(blocks_per_sector) {}

  [[nodiscard]] std::uint32_t count() const { return (run_.count - 1) / half_ + 1; }
  [[nodiscard]] LogicalRun run(std::uint32_t number) const {
    const std::uint32_t done = number * half_;
    return {run_.first + done, std::min(half_, run_.count - done)};
  }
  /// Makes `piece` the one of this number.
  void aim(HostPiece& piece, std::uint32_t number) const {
    const LogicalRun sectors = run(number);
    const std::uint64_t first = std::max(command_.blocks.first.value(), sectors.first.value() * blocks_per_sector_);
    const std::uint64_t end = std::min(command_.blocks.end().value(), sectors.end().value() * blocks_per_sector_);
    piece.blocks = {HostBlock(first), static_cast<std::uint32_t>(end - first)};
    piece.where = command_.buffer.part(piece.half * half_, sectors.count);
    clear_lost(piece.where);
  }

 private:
  HostCommand& command_;
  LogicalRun run_;
  std::uint32_t half_;
  std::uint32_t blocks_per_sector_;
};

}  // namespace

/// The link is asked for the next piece before the layer writes the one that has come.
Task<Status> CommandServer::stream_in(HostCommand& command, LogicalRun run, WriteOptions options) {
  const Pieces cut(command, run, ports_.memory.shape().blocks());
  std::array<HostPiece, 2> halves{HostPiece{command, 0}, HostPiece{command, 1}};
  const auto ask = [&](std::uint32_t number) {
    cut.aim(halves[number % 2], number);
    ports_.host.begin(halves[number % 2]);
  };
  Status status = Status::ok;
  ask(0);
  for (std::uint32_t number = 0; ok(status) && number < cut.count(); ++number) {
    if (number + 1 < cut.count()) ask(number + 1);
    HostPiece& piece = halves[number % 2];
    if (piece.crosses) co_await ports_.host.crossed(piece);
    status = command.aborted ? Status::aborted : piece.status;
    const LogicalRun sectors = cut.run(number);
    const DataSpan data = piece.where;
    if (ok(status) && !whole_sectors(piece.blocks)) status = co_await complete_edges(piece.blocks, sectors, data);
    if (ok(status)) status = co_await layer_.write(sectors, data, options);
  }
  for (HostPiece& piece : halves)
    if (piece.crosses) co_await ports_.host.crossed(piece);
  co_return status;
}

/// The layer reads into one half while the link carries the other away.
Task<Status> CommandServer::stream_out(HostCommand& command, LogicalRun run) {
  const Pieces cut(command, run, ports_.memory.shape().blocks());
  std::array<HostPiece, 2> halves{HostPiece{command, 0}, HostPiece{command, 1}};
  Status status = Status::ok;
  for (std::uint32_t number = 0; ok(status) && number < cut.count(); ++number) {
    HostPiece& piece = halves[number % 2];
    if (piece.crosses) co_await ports_.host.crossed(piece);
    status = command.aborted ? Status::aborted : piece.status;
    if (!ok(status)) break;
    cut.aim(piece, number);
    const DataSpan data = piece.where;
    status = co_await layer_.read(cut.run(number), data);
    if (ok(status) && any_lost(data)) status = Status::lost;
    if (ok(status)) ports_.host.begin(piece);
  }
  for (HostPiece& piece : halves) {
    if (piece.crosses) co_await ports_.host.crossed(piece);
    if (ok(status)) status = piece.status;
  }
  co_return status;
}

}  // namespace tessera
