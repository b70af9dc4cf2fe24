// Section III-C of the paper: reads.
#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"

namespace tessera::mu_rmw {

Task<Status> MuRmw::read(LogicalRun run, DataSpan data) {
  const LogicalSector last = run.end() - 1;
  NumberLocks::Lock groups(group_locks_, {group_of(run.first), group_of(last) + 1}, LockMode::shared);
  co_await groups;
  NumberLocks::Lock bands(band_locks_, {split_(run.first).lbn, split_(last).lbn + 1ULL}, LockMode::shared);
  co_await bands;
  const Scratches::Handle scratch = scratches_.take();
  Scratch& work = *scratch;
  Status status = co_await read_tables(run, data, work);
  if (!ok(status)) co_return status;
  const std::span<const std::uint32_t> pages(work.pages);
  status = co_await reader_.read_flash(pages, data, work.commands);
  if (!ok(status)) co_return status;
  co_return co_await reader_.read_bands(run, pages, data);
}

/// Finds the flash page of each sector. The page that holds a sub-table is read with its data, which often is what is asked for.
Task<Status> MuRmw::read_tables(LogicalRun run, DataSpan data, Scratch& scratch) {
  scratch.pages.assign(run.count, no_page);
  scratch.commands.clear();
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = within_group({run.first + done, run.count - done});
    const std::uint32_t newest = map_.directory(group_of(piece.first));
    if (newest != no_page) {
      FlashCommand& command = scratch.commands.emplace_back();
      command.op = FlashOp::read;
      command.aim(newest, shape_);
      command.data = data.part(done, 1);
    }
    done += piece.count;
  }
  if (scratch.commands.empty()) co_return Status::ok;
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), scratch.commands.size() * codec_.bytes()));
  for (std::size_t i = 0; i < scratch.commands.size(); ++i) scratch.commands[i].oob = image(scratch, i);
  const std::span<FlashCommand> commands(scratch.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!delivered(status)) co_return status;

  scratch.table.resize(split_.q());
  for (std::size_t i = 0; i < scratch.commands.size(); ++i) {
    const FlashCommand& command = scratch.commands[i];
    OobHeader header;
    const bool readable = ok(command.status) || command.status == Status::lost;
    if (readable && !codec_.decode(image(scratch, i), header, scratch.table)) co_return Status::corrupt;
    const std::uint32_t offset = command.data.first - data.first;
    const LogicalRun piece = within_group({run.first + offset, run.count - offset});
    if (!readable && !table_from_tags(split_(piece.first), scratch.table)) co_return command.status;
    const auto slots = scratch.table.begin() + split_(piece.first).off;
    std::copy(slots, slots + piece.count, scratch.pages.begin() + offset);
    if (!ok(command.status)) continue;  // a sector that lies beside the sub-table is read again, and found to be lost
    if (header.kind != OobHeader::Kind::data || header.lsn < piece.first || header.lsn >= piece.end()) continue;
    const auto place = static_cast<std::uint32_t>(header.lsn - run.first);
    if (scratch.pages[place] != command.target(shape_)) continue;
    if (place != offset) ports_.memory.copy(data.part(offset, 1), data.part(place, 1));
    if (any_lost(data.part(place, 1))) continue;  // in the buffer: the page is read again
    scratch.pages[place] = BandReader::read_along;
    reader_.count_flash_read();
  }
  co_return Status::ok;
}

}  // namespace tessera::mu_rmw
