// What the controller does about data and tables that the DRAM's error-correcting code could not correct.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "controller/memory_controller.hpp"

namespace tessera {

void MemoryController::expect_errors(Timeline& timeline, std::function<void()> restart) {
  timeline_ = &timeline;
  restart_ = std::move(restart);
}

/// Words of an extent that is priced elsewhere, where they lie in the DRAM.
void MemoryController::move(DramAddress address, Bytes bytes, Access access) {
  if (!Tcm::holds(address)) link_.move(address, bytes, access, executor_.now());
}

/// A DMA out of a buffer, of bytes that lie in `data`.
DmaGrant MemoryController::read_out(const DataSpan& data, const DmaTransfer& transfer, Picoseconds at) {
  in_hand_ = data;
  const DmaGrant grant = dma(transfer, at);
  in_hand_ = {};
  return grant;
}

Picoseconds MemoryController::from_host(const DataBuffer& buffer, std::uint32_t first, std::uint32_t count, Picoseconds carrying,
                                        Picoseconds at) {
  const DramAddress address = buffer.address() + std::uint64_t{first} * host_block_bytes;
  const Bytes size(std::uint64_t{count} * host_block_bytes);
  if (traffic() != nullptr)
    host_extent_ = send({BusInitiator::host, address, size, Access::write, at - std::min(at, carrying), carrying, Bytes(0)});
  return dma({BusInitiator::host, address, size, Access::write, carrying, carrying}, at).end;
}

MemoryController::Fetched MemoryController::to_host(DataBuffer& buffer, std::uint32_t first, std::uint32_t count, Picoseconds carrying,
                                                    Picoseconds at) {
  const std::uint64_t lost = lost_sectors_;
  const DramAddress address = buffer.address() + std::uint64_t{first} * host_block_bytes;
  const Bytes size(std::uint64_t{count} * host_block_bytes);
  if (traffic() != nullptr) host_extent_ = send({.engine = BusInitiator::host, .address = address, .bytes = size});
  const DmaGrant grant = read_out(buffer.all(), {BusInitiator::host, address, size, Access::read, carrying}, at);
  return {std::max(at + carrying, grant.end) - carrying, lost_sectors_ == lost};
}

void MemoryController::fetched(const DataSpan& data) {
  if (data.buffer == nullptr) return;
  in_hand_ = data;
  move(address_of(data), bytes_of(data.count), Access::read);
  in_hand_ = {};
}

void MemoryController::stored(const DataSpan& data) {
  if (data.buffer != nullptr) move(address_of(data), bytes_of(data.count), Access::write);
}

/// What a merge takes of the old sector, in front of block `first` and behind `count` of them.
void MemoryController::check_merge(const DataSpan& sector, const DataSpan& old, std::uint32_t first, std::uint32_t count) {
  const auto take = [&](std::uint32_t begin, std::uint32_t end) {
    const std::uint64_t offset = std::uint64_t{begin} * host_block_bytes;
    const Bytes size(std::uint64_t{end - begin} * host_block_bytes);
    in_hand_ = old;
    move(address_of(old) + offset, size, Access::read);
    in_hand_ = {};
    move(address_of(sector) + offset, size, Access::write);
  };
  take(0, first);
  take(first + count, shape_.blocks());
}

void MemoryController::uncorrectable(DramAddress address, Bytes size) {
  TESSERA_CHECK(timeline_ != nullptr, "a DRAM failed that cannot fail");
  if (in_hand_.buffer == nullptr) return fail_table();
  const std::uint64_t begin = address.value() - in_hand_.buffer->address().value();
  const std::uint64_t end = begin + size.value();
  for (std::uint64_t sector = begin / shape_.sector_bytes; sector * shape_.sector_bytes < end; ++sector)
    lose(*in_hand_.buffer, static_cast<std::uint32_t>(sector));
}

void MemoryController::lose(DataBuffer& buffer, std::uint32_t sector) {
  if (buffer.is_lost(sector)) return;
  ++lost_sectors_;
  buffer.mark_lost(sector);
  if (listener_ != nullptr) listener_->destroyed(buffer.content(sector, 1));
}

/// The exception comes with the access: what the running task did before stands, what it does behind never leaves the controller, as all
/// of that takes effect at a later instant of the timeline.
void MemoryController::fail_table() {
  if (table_failed_) return;
  table_failed_ = true;
  timeline_->post(executor_.now(), *this);
}

void MemoryController::on_time(std::uint64_t) { restart_(); }

void MemoryController::halt() {
  if (timeline_ != nullptr) timeline_->withdraw(*this);
}

/// Dumped buffers are read as the power fails, or as the firmware begins anew. A word of a dumped table that cannot be read is put right
/// from the check bytes of the data that it describes.
void MemoryController::save_dumped() {
  if (timeline_ == nullptr) return;
  for (const Dumped& region : dumped_)
    if (region.buffer != nullptr) fetched(region.buffer->all());
}

void MemoryController::report_errors(MetricSet& metrics) const {
  if (timeline_ == nullptr) return;
  metrics.count("dram.lost_sectors", static_cast<double>(lost_sectors_), "sectors", "sectors that were lost in a buffer of the DRAM");
}

}  // namespace tessera
