#include "firmware/zones/buffer_region.hpp"

#include <vector>

#include "base/check.hpp"
#include "firmware/logs/header_scan.hpp"
#include "firmware/logs/log_record.hpp"

namespace tessera {

namespace {

LogRecord to_log_record(const SlotRecord& record) {
  LogRecord log{RecordType::slot, record.sequence, 1, {record.sector.value(), record.tag}};
  for (std::size_t i = 0; i < record.names.size(); ++i) log.payload[2 + i] = encode_name(record.names[i]);
  return log;
}

SlotRecord to_slot_record(const LogRecord& log) {
  SlotRecord record{LogicalSector(log.payload[0]), log.sequence, log.payload[1]};
  for (std::size_t i = 0; i < record.names.size(); ++i) record.names[i] = decode_name(log.payload[2 + i]);
  return record;
}

}  // namespace

BufferRegion::BufferRegion(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, std::uint32_t slots)
    : media_(ports.media), layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none), slots_(slots) {
  TESSERA_CHECK(slots <= layout_.sectors(), "a buffer has more slots than its region has sectors");
}

Task<Status> BufferRegion::write(std::uint32_t first, std::span<const SlotRecord> records, DataSpan data, MediaClass priority) {
  const auto headers = headers_.take();
  headers->clear();
  for (const SlotRecord& record : records) headers->push_back(encode(to_log_record(record)));

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

bool BufferRegion::may_pass_slot_in_front(std::uint32_t slot, std::uint32_t first, std::uint32_t count) const {
  const PhysicalRun at = place(slot, 1);
  return at.first != 0 && slot >= first + at.first && slot - at.first + media_.sectors_on(at.track) <= first + count;
}

/// A track a step, so that the scan costs little more than a turn a track.
Task<void> BufferRegion::scan(Finder& finder) {
  const auto headers = headers_.take();
  std::vector<bool> unknown;
  for (std::uint32_t slot = 0; slot < slots_;) {
    MediaStep step;
    step.op = MediaOp::read;
    step.run = place(slot, slots_ - slot);
    headers->assign(step.run.count, SectorHeader{});
    step.headers = *headers;
    co_await read_headers(media_, step, unknown);
    for (std::uint32_t i = 0; i < step.run.count; ++i) {
      if (unknown[i]) finder.unknown(slot + i);
      const std::optional<LogRecord> record = decode((*headers)[i]);
      if (!record || record->type != RecordType::slot) continue;
      newest_ = std::max(newest_, record->sequence);
      finder.found(slot + i, to_slot_record(*record));
    }
    slot += step.run.count;
  }
}

}  // namespace tessera
