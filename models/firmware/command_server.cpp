#include "firmware/command_server.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "firmware/ports/cpu_port.hpp"

namespace tessera {

namespace {
/// How long a task waits before it asks for a staging buffer again: about one media command.
constexpr Picoseconds buffer_retry{10'000'000'000};
constexpr std::uint32_t most_zeros = 256;  // ours: sectors that are written at once after a TRIM
}  // namespace

Task<Status> CommandServer::boot(bool after_power_cut) {
  Status status = Status::ok;
  if (after_power_cut) {
    status = co_await layer_.recover();
  } else {
    status = co_await layer_.format();
  }
  if (ok(status)) layer_.start_background();
  co_return status;
}

Task<void> CommandServer::serve(HostCommand& command) {
  Status status = Status::rule_violation;
  if (command.op == HostOp::flush) {
    status = co_await layer_.flush();
  } else if (command.op == HostOp::zone_report || manages_zones(command.op)) {
    status = co_await serve_zones(command);
  } else if (inside(command.blocks)) {
    switch (command.op) {
      case HostOp::read: status = co_await read(command); break;
      case HostOp::write:
        if (zones_ != nullptr)
          status = co_await write_to_zone(command);
        else
          status = co_await write(command);
        break;
      case HostOp::trim: status = co_await trim(command); break;
      default: break;
    }
  }
  ports_.host.complete(command, status);
}

LogicalRun CommandServer::enclosing(HostRun blocks) const {
  const std::uint64_t per_sector = ports_.memory.shape().blocks();
  const std::uint64_t first = blocks.first.value() / per_sector;
  const std::uint64_t end = (blocks.end().value() + per_sector - 1) / per_sector;
  return {LogicalSector(first), static_cast<std::uint32_t>(end - first)};
}

bool CommandServer::whole_sectors(HostRun blocks) const {
  const std::uint64_t per_sector = ports_.memory.shape().blocks();
  return blocks.first.value() % per_sector == 0 && blocks.end().value() % per_sector == 0;
}

CommandServer::Edges CommandServer::edges_of(HostRun blocks, LogicalRun run) const {
  const std::uint64_t per_sector = ports_.memory.shape().blocks();
  return {static_cast<std::uint32_t>(blocks.first.value() % per_sector),
          static_cast<std::uint32_t>(run.end().value() * per_sector - blocks.end().value())};
}

bool CommandServer::inside(HostRun blocks) const {
  const std::uint64_t capacity = layer_.user_sectors() * ports_.memory.shape().blocks();
  return blocks.count > 0 && blocks.count <= capacity && blocks.first.value() <= capacity - blocks.count;
}

Task<Status> CommandServer::read(HostCommand& command) {
  const LogicalRun run = enclosing(command.blocks);
  auto lock = locks_.shared(CommandRange::of(run));
  co_await lock;
  if (command.aborted) co_return Status::aborted;
  if (zones_ != nullptr) {
    const Status admitted = zones_->admit_read(command.blocks);
    if (!ok(admitted)) co_return admitted;
  }
  if (overheads_.any()) {
    const bool hit = overheads_.ask_for_hits(HostOp::read) && layer_.holds(run);
    ports_.cpu.spend(overheads_.begin(HostOp::read, hit));
  }
  if (command.buffer.sectors() < run.count) co_return co_await stream(command, run, {});
  const DataSpan data = command.buffer.all();
  const Status status = co_await layer_.read(run, data);
  // What came out of a buffer of the drive may have been lost in it.
  co_return ok(status) && any_lost(data) ? Status::lost : status;
}

Task<Status> CommandServer::write(HostCommand& command) {
  const LogicalRun run = enclosing(command.blocks);
  auto lock = locks_.exclusive(CommandRange::of(run));
  co_await lock;
  if (command.aborted) co_return Status::aborted;
  if (overheads_.any()) {
    const bool hit = overheads_.ask_for_hits(HostOp::write) && !command.force_unit_access && layer_.absorbs(run);
    ports_.cpu.spend(overheads_.begin(HostOp::write, hit));
  }
  layer_.received(run);
  const bool whole = whole_sectors(command.blocks);
  WriteOptions options{.durable = command.force_unit_access, .tag = command.tag};
  if (command.buffer.sectors() < run.count) {
    unaligned_ += whole ? 0 : 1;
    co_return co_await stream(command, run, options);
  }
  if (command.data_at_host) {
    ports_.host.fetch(command);
    if (!whole || !layer_.streams_writes()) {
      HostReceipt receipt{command};
      co_await ports_.host.received(receipt);
    }
  }
  const DataSpan data = command.buffer.all();
  const Edges left_out = edges_of(command.blocks, run);
  if (!whole && !options.durable && layer_.takes_parts(run, left_out.head, left_out.tail)) {
    options.head = left_out.head;
    options.tail = left_out.tail;
  } else if (!whole) {
    ++unaligned_;
    const Status completed = co_await complete_edges(command.blocks, run, data);
    if (!ok(completed)) co_return completed;
  }
  co_return co_await layer_.write(run, data, options);
}

/// Fills the blocks of the first and the last sector of `data` that are not to be written from what these sectors hold now.
Task<Status> CommandServer::complete_edges(HostRun blocks, LogicalRun run, DataSpan data) {
  const std::uint32_t per_sector = ports_.memory.shape().blocks();
  const auto [head, tail] = edges_of(blocks, run);  // blocks to keep
  const std::uint32_t last = run.count - 1;

  DataBuffer old = ports_.memory.acquire(2);
  while (old.sectors() == 0) {
    const Picoseconds later = ports_.cpu.now() + buffer_retry;
    co_await ports_.cpu.sleep_until(later);
    old = ports_.memory.acquire(2);
  }
  // Sectors next to one another are read at once; otherwise only those that need it are.
  const bool together = last <= 1 && head != 0 && (last == 0 || tail != 0);
  const std::uint32_t first_read = head != 0 ? 0 : last;
  const LogicalRun first_run{run.first + first_read, together ? last + 1 : 1};
  const DataSpan first_old = old.part(0, first_run.count);
  Status status = co_await layer_.read(first_run, first_old);
  if (ok(status) && head != 0 && tail != 0 && !together) {
    const LogicalRun last_run{run.first + last, 1};
    const DataSpan last_old = old.part(1, 1);
    status = co_await layer_.read(last_run, last_old);
  }
  if (ok(status)) {
    const std::uint32_t in_first = last == 0 ? per_sector - head - tail : per_sector - head;
    if (head != 0 || last == 0) ports_.memory.merge_blocks(data.part(0, 1), old.part(0, 1), head, in_first);
    if (tail != 0 && last != 0) ports_.memory.merge_blocks(data.part(last, 1), old.part(head != 0 ? 1 : 0, 1), 0, per_sector - tail);
    if (any_lost(data)) status = Status::lost;
  }
  ports_.memory.release(std::move(old));
  co_return status;
}

/// Sectors that the command covers only in part keep their data.
Task<Status> CommandServer::trim(HostCommand& command) {
  if (zeros_after_trim_) co_return co_await trim_to_zeros(command);
  const std::uint64_t per_sector = ports_.memory.shape().blocks();
  const std::uint64_t first = (command.blocks.first.value() + per_sector - 1) / per_sector;
  const std::uint64_t end = command.blocks.end().value() / per_sector;
  if (first >= end) co_return Status::ok;
  const LogicalRun run{LogicalSector(first), static_cast<std::uint32_t>(end - first)};
  auto lock = locks_.exclusive(CommandRange::of(run));
  co_await lock;
  if (command.aborted) co_return Status::aborted;
  co_return co_await layer_.trim(run);
}

/// First the layer may give up what it has no copy of in front; then zeros are written, but where a boot, too, finds nothing. Parts of
/// sectors keep the rest of them.
Task<Status> CommandServer::trim_to_zeros(HostCommand& command) {
  const std::uint32_t per_sector = ports_.memory.shape().blocks();
  const LogicalRun all = enclosing(command.blocks);
  auto lock = locks_.exclusive(CommandRange::of(all));
  co_await lock;
  if (command.aborted) co_return Status::aborted;
  const auto [head, tail] = edges_of(command.blocks, all);
  LogicalRun whole{all.first + (head != 0 ? 1U : 0U),
                   all.count - std::min<std::uint32_t>(all.count, (head != 0 ? 1U : 0U) + (tail != 0 ? 1U : 0U))};
  if (whole.count != 0) {
    const Status status = co_await layer_.trim(whole);
    if (!ok(status)) co_return status;
  }
  const auto blocks_from = [&](LogicalSector sector) { return HostBlock(sector.value() * per_sector); };
  for (HostBlock at = command.blocks.first; at < command.blocks.end();) {
    LogicalRun held{LogicalSector(at.value() / per_sector), 1};
    if (held.first >= whole.first && held.first < whole.end())
      held = layer_.first_held({held.first, static_cast<std::uint32_t>(std::min<std::uint64_t>(whole.end() - held.first, most_zeros))});
    at = std::max(at, blocks_from(held.first));
    const HostBlock end = std::min(command.blocks.end(), blocks_from(held.end()));
    if (at >= end) continue;
    const Status status = co_await write_zeros({at, static_cast<std::uint32_t>(end - at)}, command.tag);
    if (!ok(status)) co_return status;
    at = end;
  }
  co_return Status::ok;
}

/// As a write of the host.
Task<Status> CommandServer::write_zeros(HostRun blocks, HostTag tag) {
  const LogicalRun run = enclosing(blocks);
  std::uint32_t room = run.count;
  DataBuffer zeros = ports_.memory.acquire(room);
  while (zeros.sectors() == 0) {
    const Picoseconds later = ports_.cpu.now() + buffer_retry;
    co_await ports_.cpu.sleep_until(later);
    room = std::max<std::uint32_t>(room / 2, 1);
    zeros = ports_.memory.acquire(room);
  }
  Status status = Status::ok;
  for (std::uint32_t done = 0; ok(status) && done < run.count;) {
    const LogicalRun part{run.first + done, std::min(zeros.sectors(), run.count - done)};
    const DataSpan data = zeros.part(0, part.count);
    ports_.memory.clear(data);
    const std::uint64_t per_sector = ports_.memory.shape().blocks();
    const HostBlock first(std::max(blocks.first.value(), part.first.value() * per_sector));
    const HostBlock end(std::min(blocks.end().value(), part.end().value() * per_sector));
    const HostRun written{first, static_cast<std::uint32_t>(end - first)};
    if (!whole_sectors(written)) status = co_await complete_edges(written, part, data);
    if (ok(status)) status = co_await layer_.write(part, data, {.tag = tag});
    zeros_written_ += part.count;
    done += part.count;
  }
  ports_.memory.release(std::move(zeros));
  co_return status;
}

// --- Commands with more data than their buffer holds ---

// Commands with more data than their buffer holds. The data goes through the buffer in pieces of half of it. Two tasks carry them, the
// command's own and one beside it, each every other piece through a half of its own: so the layer has a piece while it works for the one
// before, and the media goes from one to the next without a turn in between, as long as the link is quicker. The command holds its buffer
// from the start, so that it waits for no other command's.
//
// Data crosses the link in order. A write is as durable as the layer makes each piece; when all of them are, it is acknowledged. A cut in
// between leaves old and new sectors side by side, as it may within any write.

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

  struct Wait {
    Stream& stream;
    LifePhase phase;
    std::uint32_t for_what;
    [[nodiscard]] bool await_ready() const { return stream.over(for_what); }
    void await_suspend(std::coroutine_handle<> task) {
      Waiter& waiter = stream.waiter_for(for_what);
      waiter.wait.task = task;
      waiter.for_what = for_what;
      waiter.waits = true;
      stream.ports_.cpu.suspend(waiter.wait, phase);
    }
    void await_resume() const {}
  };

  [[nodiscard]] bool over(std::uint32_t for_what) const {
    if (for_what == other_began) return began_;
    if (for_what == other_ended) return ended_;
    return for_what == crossed_ || !ok(status_);
  }
  /// Each task has its own: one that was made ready may still wait for a core when the other begins to wait.
  struct Waiter {
    bool waits = false;
    std::uint32_t for_what = 0;
    DeviceWait wait;
  };
  [[nodiscard]] Waiter& waiter_for(std::uint32_t for_what) { return waiters_[for_what < other_began ? for_what % 2 : (count() - 1) % 2]; }
  void wake() {
    for (Waiter& waiter : waiters_) {
      if (!waiter.waits || !over(waiter.for_what)) continue;
      waiter.waits = false;
      ports_.cpu.make_ready(waiter.wait);
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
  std::array<Waiter, 2> waiters_;
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

// --- Zones ---

// Commands of drives whose host sees zones. The rules are the layer's; here are locks, order and what the caches must forget.

/// Admitted in the order of arrival, before a lock can change it: a read of what lies after the pointer may hold the sectors of one write
/// and not those of the next. What cannot be written leaves a gap that later writes of the zone must not jump.
Task<Status> CommandServer::write_to_zone(HostCommand& command) {
  const Status admitted = zones_->admit_write(command.blocks);
  if (!ok(admitted)) co_return admitted;
  const Status status = co_await write(command);
  if (!ok(status)) zones_->withdraw(command.blocks);
  co_return status;
}

Task<Status> CommandServer::serve_zones(HostCommand& command) {
  if (zones_ == nullptr) co_return Status::unsupported;
  if (manages_zones(command.op) && command.all_zones) co_return co_await manage_all_zones(command);
  const std::uint64_t blocks = zones_->zone_blocks();
  const std::uint64_t zone = command.blocks.first.value() / blocks;
  if (zone >= zones_->zones()) co_return Status::rule_violation;
  if (command.op == HostOp::zone_report) co_return report_zones(command);
  if (command.blocks.first.value() % blocks != 0) co_return Status::invalid_field;
  co_return co_await manage_zone(command, static_cast<std::uint32_t>(zone));
}

/// From the zone that the first block lies in, as many as the pages have room for; one page where the host asks for none.
Status CommandServer::report_zones(HostCommand& command) {
  const std::uint64_t first = command.blocks.first.value() / zones_->zone_blocks();
  const std::uint64_t room = zones_in_report(std::max<std::uint32_t>(command.blocks.count, 1));
  const std::uint64_t end = std::min<std::uint64_t>(zones_->zones(), first + room);
  for (std::uint64_t zone = first; zone < end; ++zone) {
    ports_.cpu.charge(CpuOperation::record_word, record_words(zone_descriptor_bytes));
    ports_.host.report(command, zones_->describe(static_cast<std::uint32_t>(zone)));
  }
  return Status::ok;
}

/// Reads and writes of the zone end first, and those that came later wait. A reset is the caches' business, too.
Task<Status> CommandServer::manage_zone(HostCommand& command, std::uint32_t zone) {
  const std::uint64_t sectors = zones_->zone_blocks() / ports_.memory.shape().blocks();
  const LogicalRun run{LogicalSector(zone * sectors), static_cast<std::uint32_t>(sectors)};
  auto lock = locks_.exclusive(CommandRange::of(run));
  co_await lock;
  if (command.aborted) co_return Status::aborted;
  if (command.op == HostOp::zone_reset) co_return co_await layer_.reset(run);
  co_return co_await zones_->manage(command.op, zone);
}

Task<Status> CommandServer::manage_all_zones(HostCommand& command) {
  for (std::uint32_t zone = 0; zone < zones_->zones(); ++zone) {
    if (!zones_->concerns(command.op, zone)) continue;
    const Status status = co_await manage_zone(command, zone);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// --- Figures ---

void CommandServer::report(MetricSet& metrics) const {
  metrics.count("unaligned.rmw", static_cast<double>(unaligned_), "1",
                "host writes that did not cover whole sectors and had to read the rest first");
  if (zeros_after_trim_) metrics.count("trim.zeros", static_cast<double>(zeros_written_), "sectors", "sectors of zeros written for TRIMs");
}

}  // namespace tessera
