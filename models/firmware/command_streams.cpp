// Commands with more data than their buffer holds. The data goes through the buffer in pieces of half of it. Two tasks carry them, the
// command's own and one beside it, each every other piece through a half of its own: so the layer has a piece while it works for the one
// before, and the media goes from one to the next without a turn in between, as long as the link is quicker. The command holds its buffer
// from the start, so that it waits for no other command's.
//
// Data crosses the link in order. A write is as durable as the layer makes each piece; when all of them are, it is acknowledged. A cut in
// between leaves old and new sectors side by side, as it may within any write.
#include <algorithm>
#include <array>
#include <utility>

#include "firmware/command_server.hpp"

namespace tessera {

/// A command that streams: how its sectors are cut, what becomes of it, and whose piece is to cross the link next. In the frame of its own
/// task, which outlives the other.
class CommandServer::Stream {
 public:
  Stream(const Ports& ports, HostCommand& of, LogicalRun sectors, const WriteOptions& how)
      : command(of),
        options(how),
        ports_(ports),
        run_(sectors),
        half_(of.buffer.sectors() / 2),
        halves_{HostPiece{of, 0}, HostPiece{of, 1}} {}

  HostCommand& command;
  WriteOptions options;

  [[nodiscard]] std::uint32_t count() const { return (run_.count - 1) / half_ + 1; }
  [[nodiscard]] LogicalRun run(std::uint32_t number) const {
    const std::uint32_t done = number * half_;
    return {run_.first + done, std::min(half_, run_.count - done)};
  }
  [[nodiscard]] HostPiece& piece(std::uint32_t number) { return halves_[number % 2]; }

  /// Makes the half's piece the one of this number.
  HostPiece& aim(std::uint32_t number) {
    const std::uint64_t blocks_per_sector = ports_.memory.shape().blocks();
    const LogicalRun sectors = run(number);
    const std::uint64_t first = std::max(command.blocks.first.value(), sectors.first.value() * blocks_per_sector);
    const std::uint64_t end = std::min(command.blocks.end().value(), sectors.end().value() * blocks_per_sector);
    HostPiece& piece = halves_[number % 2];
    piece.blocks = {HostBlock(first), static_cast<std::uint32_t>(end - first)};
    piece.where = command.buffer.part(piece.half * half_, sectors.count);
    clear_lost(piece.where);
    return piece;
  }

  /// Of the first piece that failed; the others are given up.
  [[nodiscard]] Status status() const { return status_; }
  void fail(Status status) {
    if (ok(status) || !ok(status_)) return;
    status_ = status;
    wake();
  }

  /// Waits until it is the piece's turn to cross the link, or the stream has failed.
  [[nodiscard]] auto turn_of(std::uint32_t number) { return Wait{*this, LifePhase::link, number}; }
  void cross(HostPiece& piece) {
    ports_.host.begin(piece);
    ++crossed_;
    wake();
  }
  /// Waits until the task beside has begun, or ended.
  [[nodiscard]] auto begin_of_other() { return Wait{*this, LifePhase::cpu_wait, other_began}; }
  [[nodiscard]] auto end_of_other() { return Wait{*this, LifePhase::media_queue, other_ended}; }
  void other_is(bool at_its_end) {
    began_ = true;
    ended_ = at_its_end;
    wake();
  }

 private:
  static constexpr std::uint32_t other_ended = ~std::uint32_t{0};
  static constexpr std::uint32_t other_began = other_ended - 1;

  /// Of one of the two tasks: the other one never waits at the same time.
  struct Wait {
    Stream& stream;
    LifePhase phase;
    std::uint32_t for_what;
    [[nodiscard]] bool await_ready() const { return stream.over(for_what); }
    void await_suspend(std::coroutine_handle<> task) {
      stream.wait_.task = task;
      stream.waiting_for_ = for_what;
      stream.waits_ = true;
      stream.ports_.cpu.suspend(stream.wait_, phase);
    }
    void await_resume() const {}
  };

  [[nodiscard]] bool over(std::uint32_t for_what) const {
    if (for_what == other_began) return began_;
    if (for_what == other_ended) return ended_;
    return for_what == crossed_ || !ok(status_);
  }
  void wake() {
    if (waits_ && over(waiting_for_)) {
      waits_ = false;
      ports_.cpu.make_ready(wait_);
    }
  }

  const Ports& ports_;
  LogicalRun run_;
  std::uint32_t half_;
  std::array<HostPiece, 2> halves_;
  Status status_ = Status::ok;
  std::uint32_t crossed_ = 0;  // pieces that have begun to cross
  bool began_ = false;         // the task beside
  bool ended_ = false;
  bool waits_ = false;
  std::uint32_t waiting_for_ = 0;
  DeviceWait wait_;
};

/// The link is asked for a write's first two pieces at once; of a read, the layer for the first one first. The command's own task has the
/// last piece, so that it rarely waits for the other task.
Task<Status> CommandServer::stream(HostCommand& command, LogicalRun run, WriteOptions options) {
  Stream stream(ports_, command, run, options);
  const std::uint32_t own = (stream.count() - 1) % 2;
  if (command.op == HostOp::write) {
    stream.cross(stream.aim(0));
    stream.cross(stream.aim(1));
  }
  ports_.cpu.spawn(stream_beside(stream, 1 - own), "stream");
  if (own != 0) co_await stream.begin_of_other();
  co_await stream_pieces(stream, own);
  co_await stream.end_of_other();
  co_return stream.status();
}

Task<void> CommandServer::stream_beside(Stream& stream, std::uint32_t first) {
  stream.other_is(false);
  co_await stream_pieces(stream, first);
  stream.other_is(true);
}

/// Every other piece from `first` on.
Task<void> CommandServer::stream_pieces(Stream& stream, std::uint32_t first) {
  const bool writes = stream.command.op == HostOp::write;
  for (std::uint32_t number = first; ok(stream.status()) && number < stream.count(); number += 2) {
    Status status;
    if (writes)
      status = co_await stream_in(stream, number);
    else
      status = co_await stream_out(stream, number);
    stream.fail(status);
  }
  HostPiece& piece = stream.piece(first);
  if (piece.crosses) co_await ports_.host.crossed(piece);
  stream.fail(piece.status);
}

/// From the link into the half, and to the layer.
Task<Status> CommandServer::stream_in(Stream& stream, std::uint32_t number) {
  HostPiece& piece = stream.piece(number);
  if (number >= 2) {
    co_await stream.turn_of(number);
    if (!ok(stream.status())) co_return Status::ok;
    stream.cross(stream.aim(number));
  }
  if (piece.crosses) co_await ports_.host.crossed(piece);
  Status status = stream.command.aborted ? Status::aborted : piece.status;
  const LogicalRun sectors = stream.run(number);
  const DataSpan data = piece.where;
  if (ok(status) && !whole_sectors(piece.blocks)) status = co_await complete_edges(piece.blocks, sectors, data);
  if (ok(status))
    status = co_await layer_.write(sectors, data, stream.options);
  else if (zones_ != nullptr)
    zones_->withdraw(piece.blocks);  // the other piece waits for this one
  co_return status;
}

/// From the layer into the half, once the link has carried away what was there, and to the link.
Task<Status> CommandServer::stream_out(Stream& stream, std::uint32_t number) {
  HostPiece& piece = stream.piece(number);
  if (piece.crosses) co_await ports_.host.crossed(piece);
  Status status = stream.command.aborted ? Status::aborted : piece.status;
  if (!ok(status)) co_return status;
  stream.aim(number);
  const DataSpan data = piece.where;
  status = co_await layer_.read(stream.run(number), data);
  if (ok(status) && any_lost(data)) status = Status::lost;
  if (!ok(status)) co_return status;
  co_await stream.turn_of(number);
  if (ok(stream.status())) stream.cross(piece);
  co_return status;
}

}  // namespace tessera
