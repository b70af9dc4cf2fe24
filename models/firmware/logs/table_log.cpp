#include "firmware/logs/table_log.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "firmware/logs/crc32_of_zeros.hpp"
#include "firmware/logs/header_scan.hpp"

namespace tessera {

TableLog::TableLog(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, RecordType type, Table& table,
                   std::uint64_t piece_sectors)
    : media_(ports.media),
      cpu_(ports.cpu),
      type_(type),
      table_(table),
      sector_bytes_(geometry.sector_bytes),
      layout_(geometry, log, media_, ConventionalLayout::Reserve::none),
      superblock_(media_, {layout_.piece({LogicalSector(0), 1}), layout_.piece({LogicalSector(1), 1}), layout_.piece({LogicalSector(2), 1}),
                           layout_.piece({LogicalSector(3), 1})}),
      piece_sectors_(piece_sectors),
      half_sectors_((layout_.sectors() - Superblock::sectors) / 2),
      image_((table.image_bytes() + sector_bytes_ - 1) / sector_bytes_ * sector_bytes_),
      sector_(sector_bytes_) {
  TESSERA_CHECK(layout_.sectors() >= least_sectors(table.image_bytes(), sector_bytes_), "the log region of a table is too small");
}

PhysicalRun TableLog::place(std::uint64_t sector, std::uint64_t count) const {
  const std::uint64_t at = half(superblock_.generation()) + changes_at() + sector;
  return layout_.piece({LogicalSector(at), static_cast<std::uint32_t>(count)});
}

SectorHeader TableLog::header_of(std::uint64_t record, const Words& words) const {
  return encode({type_, record, 1, {superblock_.generation(), words[0], words[1], words[2], words[3]}});
}

Task<Status> TableLog::append(Words words, std::span<const std::byte> bytes) {
  std::ranges::fill(sector_, std::byte{0});
  std::ranges::copy(bytes, sector_.begin());
  Status status = status_;
  if (ok(status) && room() == 0) status = co_await make_room();
  if (!ok(status)) co_return status;
  status = co_await write_change(words);
  if (ok(status)) co_return Status::ok;
  const Status renewed = co_await write_checkpoint();
  if (ok(renewed)) status = co_await write_change(words);
  if (!ok(status)) status_ = status;
  co_return status;
}

/// For whoever has a change to append: reported as work of its own.
Task<Status> TableLog::make_room() {
  const std::uint64_t generation = superblock_.generation();
  cpu_.event({"checkpoint", FirmwareEvent::Edge::begin, generation, records_});
  const Status status = co_await write_checkpoint();
  cpu_.event({"checkpoint", FirmwareEvent::Edge::end, generation, image_sectors()});
  co_return status;
}

/// With what is in sector_.
Task<Status> TableLog::write_change(const Words& words) {
  SectorHeader header = header_of(records_, words);
  MediaChain chain(MediaClass::dependent);
  for (std::uint64_t copy = 0; copy < change_copies; ++copy)
    chain.add({MediaOp::write, StepHint::position, place(records_ * change_copies + copy, 1), {}, sector_, &header});
  const Status status = co_await media_.run(chain);
  if (!ok(status)) co_return status;
  ++records_;
  sectors_written_ += change_copies;
  co_return Status::ok;
}

Task<Status> TableLog::append_together(std::span<const Words> changes, std::span<const std::byte> sectors) {
  TESSERA_CHECK(changes.size() <= std::min<std::uint64_t>(room(), most_together) && sectors.size() == changes.size() * sector_bytes_,
                "changes have no room in the log of a table");
  std::vector<std::byte> copies;
  std::vector<SectorHeader> headers;
  for (std::size_t change = 0; change < changes.size(); ++change) {
    const std::span<const std::byte> sector = sectors.subspan(change * sector_bytes_, sector_bytes_);
    const SectorHeader header = header_of(records_ + change, changes[change]);
    for (std::uint64_t copy = 0; copy < change_copies; ++copy) {
      copies.insert(copies.end(), sector.begin(), sector.end());
      headers.push_back(header);
    }
  }
  const std::span<std::byte> bytes(copies);
  for (std::uint64_t done = 0; done < headers.size();) {
    MediaStep step;
    step.op = MediaOp::write;
    step.run = place(records_ * change_copies + done, headers.size() - done);
    step.system = bytes.subspan(done * sector_bytes_, std::size_t{step.run.count} * sector_bytes_);
    step.headers = std::span(headers).subspan(done, step.run.count);
    MediaChain chain(MediaClass::dependent);
    chain.add(step);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
    done += step.run.count;
  }
  records_ += changes.size();
  sectors_written_ += headers.size();
  co_return Status::ok;
}

Task<Status> TableLog::recover() {
  Status status = co_await superblock_.load();
  if (!ok(status)) co_return status;
  faulty_ = !superblock_.found_twice();
  status = co_await read_checkpoint();
  if (!ok(status)) co_return status;
  co_return co_await replay_changes();
}

/// A drive that takes no more writes goes on with the copies that there are.
Task<bool> TableLog::repair() {
  if (!faulty_) co_return false;
  co_await mend_changes();
  const Status status = co_await write_checkpoint();
  co_return ok(status);
}

/// Later ones do without those that cannot be written.
Task<void> TableLog::mend_changes() {
  for (Unread& unread : unread_) {
    MediaChain chain(MediaClass::dependent);
    chain.add({MediaOp::write, StepHint::position, place(unread.sector, 1), {}, unread.bytes, &unread.header});
    const Status status = co_await media_.run(chain);
    sectors_written_ += ok(status) ? 1 : 0;
  }
  unread_.clear();
}

Task<Status> TableLog::replay_changes() {
  records_ = 0;
  bool ended = false;        // neither copy of the next change is there
  std::uint64_t unread = 0;  // copies of the next change that cannot be read
  std::vector<bool> unknown;
  Unread last{};  // the change found last
  for (std::uint64_t sector = 0; !ended && sector < records_in_half() * change_copies;) {
    const PhysicalRun run = place(sector, records_in_half() * change_copies - sector);
    std::vector<std::byte> sectors(std::size_t{run.count} * sector_bytes_);
    std::vector<SectorHeader> headers(run.count);
    MediaStep step{MediaOp::read, StepHint::position, run, {}, sectors};
    step.headers = headers;
    co_await read_headers(media_, step, unknown);
    for (std::uint32_t i = 0; i < run.count; ++i, ++sector) {
      faulty_ = faulty_ || unknown[i];
      if (unknown[i]) unread_.push_back({sector, {}, std::vector<std::byte>(sector_bytes_)});
      const std::optional<LogRecord> record = decode(headers[i]);
      const bool current = record && record->type == type_ && record->payload[0] == superblock_.generation();
      const bool copy_of_last = sector / change_copies + 1 == records_;
      if (copy_of_last && !(current && record->sequence + 1 == records_)) faulty_ = true;  // a cut came between the copies
      if (copy_of_last && unknown[i]) unread_.back() = {sector, last.header, last.bytes};
      if (ended && current && record->sequence > records_) co_return Status::corrupt;  // both copies of a change are lost
      if (ended || sector / change_copies != records_) continue;
      if (current && record->sequence == records_) {
        const std::span<const std::byte> bytes = std::span(sectors).subspan(std::size_t{i} * sector_bytes_, sector_bytes_);
        table_.replay({record->payload[1], record->payload[2], record->payload[3], record->payload[4]}, bytes);
        last.header = headers[i];
        last.bytes.assign(bytes.begin(), bytes.end());
        if (!unread_.empty() && unread_.back().sector + 1 == sector && sector % change_copies != 0)
          unread_.back() = {sector - 1, last.header, last.bytes};
        ++records_;
        unread = 0;
        faulty_ = faulty_ || sector % change_copies != 0;
        continue;
      }
      unread += unknown[i] ? 1 : 0;
      ended = sector % change_copies == change_copies - 1;
    }
  }
  // A change may hide behind the last one found: a cut tears one sector at most, so one of two that it left unwritten can be read.
  co_return unread == change_copies ? Status::corrupt : Status::ok;
}

Task<Status> TableLog::write_checkpoint() {
  if (!ok(status_)) co_return status_;
  cpu_.charge(CpuOperation::record_word, record_words(image_.size()));
  const std::uint64_t used = table_.used_bytes();
  const std::span<std::byte> image(image_);
  std::ranges::fill(image.subspan(used, std::max(used, filled_) - used), std::byte{0});
  filled_ = used;
  table_.save(image);
  const std::uint64_t first = half(superblock_.generation() + 1);
  for (std::uint64_t copy = 0; copy < checkpoint_copies; ++copy) {
    const Status status = co_await write_image(first + copy * image_sectors());
    if (!ok(status)) co_return status;
  }
  const Superblock::Payload payload{crc32_with_zeros(image.first(used), image.size() - used)};
  status_ = co_await superblock_.write(payload);
  if (!ok(status_)) co_return status_;
  records_ = 0;
  sectors_written_ += changes_at() + Superblock::sectors / 2;
  co_return Status::ok;
}

/// The step for what lies on one track of at most `count` sectors of the image, whose copy begins at `first`.
MediaStep TableLog::image_step(MediaOp op, std::uint64_t first, std::uint64_t done, std::uint64_t count) {
  MediaStep step;
  step.op = op;
  step.run = layout_.piece({LogicalSector(first + done), static_cast<std::uint32_t>(count)});
  step.system = std::span(image_).subspan(done * sector_bytes_, std::uint64_t{step.run.count} * sector_bytes_);
  return step;
}

Task<Status> TableLog::write_image(std::uint64_t first) {
  for (std::uint64_t done = 0; done < image_sectors();) {
    const MediaStep step = image_step(MediaOp::write, first, done, std::min(image_sectors() - done, piece_sectors_));
    done += step.run.count;
    MediaChain chain(MediaClass::dependent);
    chain.add(step);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> TableLog::read_checkpoint() {
  const std::uint64_t first = half(superblock_.generation());
  filled_ = image_.size();
  for (std::uint64_t done = 0; done < image_sectors();) {
    const MediaStep step = image_step(MediaOp::read, first, done, image_sectors() - done);
    MediaChain chain(MediaClass::dependent);
    chain.add(step);
    Status status = co_await media_.run(chain);
    if (!ok(status)) status = co_await read_image_sectors(first, done, step.run.count);
    if (!ok(status)) co_return status;
    done += step.run.count;
  }
  cpu_.charge(CpuOperation::record_word, record_words(image_.size()));
  if (crc32(image_) != superblock_.payload()[0]) co_return Status::corrupt;
  table_.load(image_);
  co_return Status::ok;
}

/// Sectors of the image of which one cannot be read: each from the copy that has it.
Task<Status> TableLog::read_image_sectors(std::uint64_t first, std::uint64_t done, std::uint32_t count) {
  faulty_ = true;
  for (const std::uint64_t end = done + count; done < end; ++done) {
    Status status = Status::corrupt;
    for (std::uint64_t copy = 0; !ok(status) && copy < checkpoint_copies; ++copy) {
      MediaChain chain(MediaClass::dependent);
      chain.add(image_step(MediaOp::read, first + copy * image_sectors(), done, 1));
      status = co_await media_.run(chain);
    }
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

}  // namespace tessera
