#include "controller/memory_controller.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace tessera {

namespace {

constexpr std::byte noise{0x5a};

/// Data of host, disk or flash: neither the CPU's own nor an entry of a ring.
bool of_device(const DmaTransfer& transfer) { return transfer.engine >= BusInitiator::host && transfer.account != BusAccount::descriptors; }

}  // namespace

MemoryController::MemoryController(Executor& executor, CpuLink& cpu, DramLink& link, Interconnect& bus, SectorShape shape,
                                   const MemoryMap& map, const ControllerConfig& config)
    : executor_(executor),
      cpu_(cpu),
      direct_(cpu.direct()),
      link_(link),
      bus_(bus),
      shape_(shape),
      placement_(map.placement),
      dram_({"DRAM", "dram.capacity"}, DramAddress(0), map.dram),
      tcm_(config.tcm, config.clock, map.tcm_by_address),
      image_size_(map.image),
      image_in_tcm_(map.image_in_tcm),
      host_capacity_(map.host_buffer),
      staging_capacity_(config.staging_buffer),
      staging_(config.staging_buffer.value() / shape.sector_bytes) {
  if (config.data_cache.size > Bytes(0)) cache_.emplace("data_cache", config.data_cache, config.clock, map.dram, cpu);
  if (!cache_) executor.price_later(direct_);
  reserve_host_buffers();
}

void MemoryController::reserve_host_buffers() {
  if (image_size_ != Bytes(0)) static_cast<void>(dram_.allocate(MemoryCategory::code, image_size_, "firmware image (--elf)"));
  if (image_in_tcm_ != Bytes(0)) static_cast<void>(tcm_.allocate(MemoryCategory::code, image_in_tcm_, "firmware image (--elf)"));
  host_base_ = allocate(MemoryCategory::host_buffer, host_capacity_, "host buffer (host.buffer)");
  staging_base_ = allocate(MemoryCategory::host_buffer, staging_capacity_, "staging buffer (controller.staging_buffer)");
}

DramAddress MemoryController::allocate(MemoryCategory category, Bytes size, std::string_view what) {
  const DramAddress address = placement_.in_tcm(category) ? tcm_.allocate(category, size, what) : dram_.allocate(category, size, what);
  overflows_ = dram_.overflows() || tcm_.overflows();
  return address;
}

void MemoryController::check_capacity() {
  if (std::ranges::any_of(dumped_, &Dumped::torn)) ++torn_dumps_found_;
  // Firmware on a processor of its own stops at what is not there.
  const char* const counted = executor_.served_elsewhere() ? "what came before it, if nothing else comes" : "all the rest";
  dram_.close(counted);
  tcm_.close(counted);
}

std::uint64_t MemoryController::pieces_of(Bytes size) { return (size.value() + dump_piece.value() - 1) / dump_piece.value(); }

std::vector<std::string> MemoryController::placement_notes() const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < memory_categories; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    if (category == MemoryCategory::descriptors) continue;  // of the controller, or nobody's
    if (placement_.in_tcm(category) && reserved(category) == Bytes(0))
      notes.push_back(std::string("firmware.placement.") + to_string(category) +
                      ": without effect, this firmware has nothing of that kind");
  }
  return notes;
}

MemoryRegion MemoryController::reserve(MemoryCategory category, Bytes size, std::string_view what) {
  const DramAddress address = allocate(category, size, what);
  if (const auto shown = shown_bytes(address, size); !shown.empty()) return {address, shown};
  // calloc leaves untouched pages of a large table unbacked in the simulator.
  auto* bytes = static_cast<std::byte*>(std::calloc(std::max<std::size_t>(size.value(), 1), 1));
  TESSERA_CHECK(bytes != nullptr, "the simulator is out of memory for a modelled table");
  backing_.push_back({{bytes, std::free}, size, address});
  return {address, {bytes, size.value()}};
}

/// Of a memory that shows them; a table that does not fit is refused later.
std::span<std::byte> MemoryController::shown_bytes(DramAddress address, Bytes size) {
  const bool in_tcm = Tcm::holds(address);
  const auto bytes = in_tcm ? tcm_.bytes() : link_.bytes();
  const std::uint64_t begin = in_tcm ? address - Tcm::base : address.value();
  if (begin > bytes.size() || size.value() > bytes.size() - begin) return {};
  return bytes.subspan(begin, size.value());
}

MemoryController::Dumped& MemoryController::next_dumped(MemoryCategory category, Bytes size, std::string_view what) {
  const DramAddress address = allocate(category, size, what);
  if (next_dumped_ == dumped_.size()) {
    dumped_.push_back({std::string(what), nullptr, nullptr, address, size, category});
    dumped_bytes_ += dump_piece * pieces_of(size);
  }
  Dumped& region = dumped_[next_dumped_++];
  TESSERA_CHECK(region.what == what && region.size == size, "firmware reserved other dumped regions than before the power cut");
  region.address = address;
  return region;
}

MemoryRegion MemoryController::reserve_dumped(MemoryCategory category, Bytes size, std::string_view what) {
  Dumped& region = next_dumped(category, size, what);
  if (region.bytes == nullptr) region.bytes = std::make_unique<std::byte[]>(size.value());
  return {region.address, {region.bytes.get(), size.value()}, region.torn};
}

DataBuffer& MemoryController::reserve_dumped_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) {
  Dumped& region = next_dumped(category, bytes_of(sectors), what);
  if (region.buffer == nullptr) region.buffer = std::make_unique<DataBuffer>(region.address, sectors, shape_);
  return *region.buffer;
}

DataBuffer MemoryController::reserve_buffer(MemoryCategory category, std::uint32_t sectors, std::string_view what) {
  const DramAddress address = allocate(category, bytes_of(sectors), what);
  return {address, sectors, shape_};
}

DramAddress MemoryController::address_of(std::span<const std::byte> bytes) const {
  const auto offset_in = [&bytes](const std::byte* region, std::uint64_t size) -> std::optional<std::uint64_t> {
    if (std::less<>()(bytes.data(), region) || !std::less<>()(bytes.data(), region + size)) return std::nullopt;
    return static_cast<std::uint64_t>(bytes.data() - region);
  };
  const auto dram = link_.bytes();
  if (const auto offset = offset_in(dram.data(), dram.size())) return DramAddress(*offset);
  const auto tcm = tcm_.bytes();
  if (const auto offset = offset_in(tcm.data(), tcm.size())) return Tcm::base + *offset;
  for (const Backing& region : backing_)
    if (const auto offset = offset_in(region.bytes.get(), region.size.value())) return region.address + *offset;
  for (const Dumped& region : dumped_)
    if (region.bytes != nullptr)
      if (const auto offset = offset_in(region.bytes.get(), region.size.value())) return region.address + *offset;
  return staging_base_;
}

void MemoryController::touch(DramAddress address, std::uint32_t bytes, Access access) {
  if (Tcm::holds(address) || !executor_.access_later(address, bytes, access)) [[unlikely]]
    access_now(address, bytes, access);
}

void MemoryController::access_now(DramAddress address, std::uint32_t bytes, Access access) {
  if (!executor_.runs_task()) return;  // before the boot: the image is loaded in no time, so neither bus nor memory is busy with it
  if (overflows_) return;              // a table that lies past the end of its memory is filled; check_capacity() will refuse it
  if (!Tcm::holds(address) && executor_.make_room() && executor_.access_later(address, bytes, access)) return;
  executor_.charge(CpuOperation::table_access, 1);
  if (Tcm::holds(address)) return executor_.spend(tcm_.access(address, bytes));
  const Picoseconds now = executor_.now();
  if (cache_) return executor_.stall(cache_->access(address, bytes, access, now));
  executor_.stall(direct_.open() ? direct_.access(address, bytes, access, now) : cpu_.access(address, bytes, access, now));
}

std::uint64_t MemoryController::send(const DmaExtent& extent) const {
  return extent.bytes == Bytes(0) || Tcm::holds(extent.address) ? 0 : traffic()->begin(extent);
}

DmaGrant MemoryController::dma(const DmaTransfer& transfer, Picoseconds at) {
  if (!Tcm::holds(transfer.address)) {
    if (direct_.open()) return direct_.dma(transfer, at);
    return link_.traffic() != nullptr && of_device(transfer) ? bus_.transfer(transfer, at) : link_.dma(transfer, at);
  }
  tcm_.moved(transfer.bytes);
  return bus_.transfer(transfer, at);
}

DataBuffer MemoryController::recycled(std::vector<DataBuffer>& pool, DramAddress address, std::uint32_t sectors, SectorShape shape) {
  if (pool.empty()) return {address, sectors, shape};
  DataBuffer buffer = std::move(pool.back());
  pool.pop_back();
  buffer.reset(address, sectors, shape);
  return buffer;
}

void MemoryController::set_level(TimeWeighted& in_use, Signal level, std::uint64_t bytes) {
  const Picoseconds now = executor_.now();
  in_use.set(bytes, now);
  level.set(bytes, now);
}

DataBuffer MemoryController::acquire(std::uint32_t sectors) {
  const std::uint64_t size = bytes_of(sectors).value();
  TESSERA_CHECK(size <= staging_capacity_.value(), "a staging buffer larger than the pool was asked for");
  executor_.charge_task(CpuOperation::copy, 1);
  const auto place = staging_.take(sectors);
  if (!place) return {};
  set_level(staging_in_use_, staging_level_, staging_.held() * shape_.sector_bytes);
  return recycled(free_buffers_, staging_base_ + *place * shape_.sector_bytes, sectors, shape_);
}

void MemoryController::release(DataBuffer&& buffer) {
  executor_.charge_task(CpuOperation::copy, 1);
  staging_.give_back((buffer.address() - staging_base_) / shape_.sector_bytes, buffer.sectors());
  set_level(staging_in_use_, staging_level_, staging_.held() * shape_.sector_bytes);
  free_buffers_.push_back(std::move(buffer));
}

void MemoryController::acquire_host(DataBuffer& buffer, std::uint64_t place, std::uint32_t sectors) {
  const std::uint64_t size = bytes_of(sectors).value();
  TESSERA_CHECK(place + size <= host_capacity_.value(), "the host interface admitted more data than its buffer holds");
  set_level(host_in_use_, host_level_, host_in_use_.level() + size);
  buffer.reset(host_base_ + place, sectors, shape_);
}

void MemoryController::release_host(const DataBuffer& buffer) {
  set_level(host_in_use_, host_level_, host_in_use_.level() - bytes_of(buffer.sectors()).value());
}

void MemoryController::copy(DataSpan from, DataSpan to) {
  TESSERA_CHECK(from.count == to.count, "a copy between spans of different lengths");
  executor_.charge_task(CpuOperation::copy, 1);
  const Bytes size = bytes_of(from.count);
  const DmaGrant read = read_out(from, {BusInitiator::copy, address_of(from), size, Access::read}, executor_.now());
  executor_.stall(dma({BusInitiator::copy, address_of(to), size, Access::write}, read.end).end);
  const ContentSpan source = content_of(from);
  if (!source.empty()) std::memcpy(content_of(to).data(), source.data(), source.size());
  clear_lost(to);
  if (!any_lost(from)) return;
  for (std::uint32_t i = 0; i < from.count; ++i) to.buffer->mark_as(to.first + i, *from.buffer, from.first + i);
}

void MemoryController::merge_blocks(DataSpan sector, DataSpan old, std::uint32_t first, std::uint32_t count) {
  TESSERA_CHECK(sector.count == 1 && old.count == 1 && first + count <= shape_.blocks(), "a merge works on one sector");
  executor_.charge_task(CpuOperation::copy, 1);
  const Bytes kept(host_block_bytes * (shape_.blocks() - count));
  executor_.stall(dma({BusInitiator::copy, sector.buffer->address(), kept, Access::write}, executor_.now()).end);
  if (timeline_ != nullptr) [[unlikely]]
    check_merge(sector, old, first, count);
  if (count < shape_.blocks() && any_lost(old)) sector.buffer->mark_lost(sector.first);
  const ContentSpan to = content_of(sector);
  if (to.empty()) return;
  const ContentSpan from = content_of(old);
  const std::size_t block = kept_per_block(shape_.mode);
  std::memcpy(to.data(), from.data(), first * block);
  const std::size_t behind = std::size_t{first + count} * block;
  std::memcpy(to.data() + behind, from.data() + behind, to.size() - behind);
}

void MemoryController::clear(DataSpan span) {
  executor_.charge_task(CpuOperation::copy, 1);
  const ContentSpan content = content_of(span);
  std::fill(content.begin(), content.end(), std::byte{0});
  clear_lost(span);
  if (timeline_ != nullptr) [[unlikely]]
    stored(span);
}

void MemoryController::power_off() {
  save_dumped();
  halt();
  table_failed_ = false;
  backing_.clear();
  for (Dumped& region : dumped_) region.torn = false;  // the firmware has taken over what there was of it
  dram_.clear();
  tcm_.clear();
  if (cache_) cache_->clear();
  next_dumped_ = 0;
  set_level(host_in_use_, host_level_, 0);
  set_level(staging_in_use_, staging_level_, 0);
  staging_.clear();
  reserve_host_buffers();
}

bool MemoryController::dumped(std::uint64_t pieces) {
  bool lost_writes = false;
  for (const bool buffers : {false, true})
    for (Dumped& region : dumped_) {
      if ((region.buffer != nullptr) != buffers) continue;
      const std::uint64_t saved = std::min(pieces, pieces_of(region.size));
      pieces -= saved;
      region.torn = saved < pieces_of(region.size);
      if (region.torn) lose_behind(region, dump_piece * saved);
      lost_writes = lost_writes || (region.torn && region.category == MemoryCategory::write_cache && buffers);
    }
  return lost_writes;
}

/// What boot finds there failed its check, and is anything but what was there.
void MemoryController::lose_behind(Dumped& region, Bytes saved) {
  if (region.buffer == nullptr) {
    std::fill(region.bytes.get() + saved.value(), region.bytes.get() + region.size.value(), noise);
    return;
  }
  DataBuffer& buffer = *region.buffer;
  for (auto sector = static_cast<std::uint32_t>(saved.value() / shape_.sector_bytes); sector < buffer.sectors(); ++sector) {
    const ContentSpan content = content_of(buffer.part(sector, 1));
    if (listener_ != nullptr && region.category != MemoryCategory::write_cache) listener_->destroyed(content);
    std::ranges::fill(content, noise);
    buffer.mark_lost(sector);
  }
}

void MemoryController::report(MetricSet& metrics, Picoseconds now) const {
  metrics.add("metadata.bytes", static_cast<double>(reserved(MemoryCategory::metadata).value()), "B",
              "memory that the firmware's tables occupy, as allocated");
  for (std::size_t i = 0; i < memory_categories; ++i) {
    const auto category = static_cast<MemoryCategory>(i);
    metrics.add(std::string("dram.reserved.") + to_string(category), static_cast<double>(dram_.reserved(category).value()), "B",
                std::string("DRAM reserved for ") + to_string(category));
  }
  metrics.add("dram.reserved.total", static_cast<double>(dram_.used().value()), "B",
              "DRAM reserved, all categories, rounded to cache lines");
  tcm_.report(metrics);
  if (cache_) cache_->report(metrics);
  metrics.add("recovery.dumps_torn", static_cast<double>(torn_dumps_found_), "1",
              "boots that found pieces of the dump missing and went on without them");
  metrics.add("dram.host_buffer.peak", static_cast<double>(host_in_use_.peak()), "B", "most host data in the buffer at once");
  metrics.add("dram.host_buffer.mean", host_in_use_.mean(now), "B", "host data in the buffer, weighted by time");
  metrics.add("dram.staging.peak", static_cast<double>(staging_in_use_.peak()), "B", "most staging buffer in use at once");
  metrics.add("dram.staging.mean", staging_in_use_.mean(now), "B", "staging buffer in use, weighted by time");
  report_errors(metrics);
}

// --- Errors of the DRAM ---

// What the controller does about data and tables that the DRAM's error-correcting code could not correct.

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
