#include "firmware/zones/buffer_region.hpp"

#include "base/check.hpp"
#include "firmware/logs/log_record.hpp"

namespace tessera {

BufferRegion::BufferRegion(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, std::uint32_t slots)
    : media_(ports.media), layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none), slots_(slots) {
  TESSERA_CHECK(slots <= layout_.sectors(), "a buffer has more slots than its region has sectors");
}

Task<Status> BufferRegion::write(std::uint32_t first, std::span<const SlotRecord> records, DataSpan data, MediaClass priority) {
  const auto headers = headers_.take();
  headers->clear();
  for (const SlotRecord& record : records)
    headers->push_back(encode({RecordType::slot, record.sequence, 1, {record.sector.value(), record.tag}}));

  const auto count = static_cast<std::uint32_t>(records.size());
  MediaChain chain(priority);
  for (std::uint32_t done = 0; done < count;) {
    chain.clear();
    while (done < count && chain.steps().size() < MediaChain::max_steps) {
      const PhysicalRun run = place(first + done, count - done);
      MediaStep step;
      step.op = MediaOp::write;
      step.run = run;
      step.data = data.part(done, run.count);
      step.headers = std::span(*headers).subspan(done, run.count);
      chain.add(step);
      done += run.count;
    }
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  sectors_written_ += count;
  co_return Status::ok;
}

Task<Status> BufferRegion::read(std::span<const SlotRun> runs, MediaClass priority) {
  MediaChain chain(priority, priority == MediaClass::host ? LostSectors::fail : LostSectors::carry);
  std::uint32_t done = 0;  // sectors of the run in hand
  for (std::size_t i = 0; i < runs.size();) {
    chain.clear();
    while (i < runs.size() && chain.steps().size() < MediaChain::max_steps) {
      const SlotRun& run = runs[i];
      const PhysicalRun piece = place(run.first + done, run.data.count - done);
      chain.read(piece, run.data.part(done, piece.count));
      done += piece.count;
      if (done < run.data.count) continue;
      done = 0;
      ++i;
    }
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// A track a step, so that the scan costs little more than a turn a track.
Task<void> BufferRegion::scan(Finder& finder) {
  const auto headers = headers_.take();
  for (std::uint32_t slot = 0; slot < slots_;) {
    MediaStep step;
    step.op = MediaOp::read;
    step.run = place(slot, slots_ - slot);
    headers->assign(step.run.count, SectorHeader{});
    step.headers = *headers;
    MediaChain chain(MediaClass::host);
    chain.add(step);
    // A sector that cannot be read has no record: a cut tore it before its write was acknowledged.
    static_cast<void>(co_await media_.run(chain));
    for (std::uint32_t i = 0; i < step.run.count; ++i) {
      const std::optional<LogRecord> record = decode((*headers)[i]);
      if (!record || record->type != RecordType::slot) continue;
      newest_ = std::max(newest_, record->sequence);
      finder.found(slot + i, {LogicalSector(record->payload[0]), record->sequence, record->payload[1]});
    }
    slot += step.run.count;
  }
}

}  // namespace tessera
