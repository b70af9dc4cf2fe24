#include "firmware/command_server.hpp"

namespace tessera {

namespace {
/// How long a task waits before it asks for a staging buffer again: about one media command.
constexpr Picoseconds buffer_retry{10'000'000'000};
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

}  // namespace tessera
