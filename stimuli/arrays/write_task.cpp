#include "stimuli/arrays/write_task.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

std::ptrdiff_t offset(std::size_t bytes) { return static_cast<std::ptrdiff_t>(bytes); }

}  // namespace

WriteTask::WriteTask(ArrayHost& host, std::uint32_t tag, std::vector<ArrayPart> parts)
    : ArrayTask(host, parts.front().row), tag_(tag), parts_(std::move(parts)) {
  fresh_.resize(host.layout_.columns());
  unread_.resize(host.layout_.width());
  for (const ArrayPart& part : parts_) fresh_[part.column] = {part.begin, part.end()};
}

void WriteTask::start() {
  ChunkRange band = {parts_.front().begin, parts_.front().end()};
  for (const ArrayPart& part : parts_) band = {std::min(band.begin, part.begin), std::max(band.end, part.end())};
  lock(band);
}

void WriteTask::plan() {
  const ArrayLayout& layout = host_.layout_;
  const std::vector<bool> gone = missing();
  for (std::size_t member = 0; member < gone.size(); ++member) unread_[member] = unread_[member] || gone[member];
  if (static_cast<std::uint32_t>(std::ranges::count(unread_, true)) > layout.parities()) return by_sectors();
  plan_ = unread_ == gone ? plan_write(layout.columns(), layout.parities(), fresh_, unread_)
                          : plan_decode(layout.columns(), layout.parities(), fresh_, unread_);
  old_.assign(layout.width(), Content(bytes(plan_.band.count())));
  std::vector<Step> steps;
  for (std::uint32_t member = 0; member < plan_.reads.size(); ++member)
    if (!plan_.reads[member].empty()) steps.push_back({member, HostOp::read, plan_.reads[member], {}});
  if (steps.empty()) return compute();
  stage_ = Stage::read;
  begin_stage(std::move(steps), CommandPriority::foreground);
}

/// What cannot be read of the whole band may be read of each sector, from other drives.
void WriteTask::by_sectors() {
  ChunkRange band{~std::uint32_t{0}, 0};
  for (const ArrayPart& part : parts_) band = {std::min(band.begin, part.begin), std::max(band.end, part.end())};
  const std::uint32_t sector = host_.sector_blocks_;
  if (band.count() <= sector || host_.beyond_rescue(row_, band)) return done(Status::media_error);
  std::vector<std::unique_ptr<WriteTask>> pieces;
  for (std::uint32_t begin = band.begin; begin < band.end; begin = (begin / sector + 1) * sector) {
    std::vector<ArrayPart> parts;
    for (const ArrayPart& part : parts_)
      if (const ArrayPart piece = part.within(begin, (begin / sector + 1) * sector); piece.count != 0) parts.push_back(piece);
    if (parts.empty()) continue;
    pieces.push_back(std::make_unique<WriteTask>(host_, tag_, std::move(parts)));
    pieces.back()->life_ = life_;
  }
  host_.open_[tag_].parts += static_cast<std::uint32_t>(pieces.size()) - 1;
  ArrayHost& host = host_;
  const auto self = end();
  for (auto& piece : pieces) host.start(std::move(piece));
}

void WriteTask::took(std::uint32_t member, HostRequest& command) {
  if (stage_ == Stage::read) {
    if (!ok(command.status)) {
      unread_[member] = true;
      status_ = command.status;
    } else if (host_.kept_ != 0) {
      std::ranges::copy(command.content, old_[member].begin() + offset(bytes(plan_.reads[member].begin - plan_.band.begin)));
    }
    return;
  }
  // What a drive did not write, because it failed or because the place is bad, the others stand for. The journal's places are no row's.
  if (stage_ == Stage::log && !ok(command.status) && command.status != Status::aborted) status_ = command.status;
}

void WriteTask::stage_over() {
  if (stage_ == Stage::write) return done(status_ == Status::aborted ? Status::media_error : status_);
  if (stage_ == Stage::log && ok(status_)) return write_row();
  if (stage_ == Stage::log) return done(status_);
  if (ok(status_)) return compute();
  status_ = Status::ok;
  plan();
}

void WriteTask::count_way() const {
  ArrayCounts& counts = host_.counts_;
  switch (plan_.way) {
    case WriteWay::whole: ++counts.whole_rows; break;
    case WriteWay::no_parity: ++counts.without_parity; break;
    case WriteWay::read_modify: ++counts.read_modifies; break;
    case WriteWay::reconstruct: ++counts.reconstructs; break;
    case WriteWay::decode: ++counts.decodes; break;
  }
}

/// Data as it will be, and parity for it, over the band.
void WriteTask::compute() {
  const std::uint32_t columns = host_.layout_.columns();
  count_way();
  std::uint32_t through = plan_.way == WriteWay::read_modify ? 2 * static_cast<std::uint32_t>(parts_.size()) : columns;
  if (plan_.way == WriteWay::decode) through += columns;
  if (plan_.way != WriteWay::no_parity) host_.charge_parity(plan_.band.count(), through * host_.layout_.parities());
  if (host_.kept_ == 0) return write();
  if (plan_.way == WriteWay::decode) recover(old_, columns, unread_);
  if (plan_.way == WriteWay::read_modify) {
    for (std::uint32_t parity = 0; parity < host_.layout_.parities(); ++parity) modify_parity(parity);
    lay_new_data();
  } else {
    lay_new_data();
    for (std::uint32_t parity = 0; parity < host_.layout_.parities(); ++parity) encode(old_, columns, parity);
  }
  write();
}

/// Adds the difference of new and old data.
void WriteTask::modify_parity(std::uint32_t parity) {
  const std::uint32_t columns = host_.layout_.columns();
  const Content& given = host_.open_[tag_].request->content;
  for (const ArrayPart& part : parts_) {
    const auto from = offset(bytes(part.begin - plan_.band.begin));
    Content difference(old_[part.column].begin() + from, old_[part.column].begin() + from + offset(bytes(part.count)));
    add_to(difference, ConstContentSpan(given).subspan(bytes(part.offset), bytes(part.count)));
    const ContentSpan sum = ContentSpan(old_[columns + parity]).subspan(static_cast<std::size_t>(from), difference.size());
    add_scaled(sum, difference, parity_factor(host_.layout_.parities(), parity, part.column));
  }
}

void WriteTask::lay_new_data() {
  const Content& given = host_.open_[tag_].request->content;
  for (const ArrayPart& part : parts_)
    std::copy_n(given.begin() + offset(bytes(part.offset)), bytes(part.count),
                old_[part.column].begin() + offset(bytes(part.begin - plan_.band.begin)));
}

void WriteTask::write() {
  const ArrayLayout& layout = host_.layout_;
  const std::vector<bool> gone = missing();
  writes_.clear();
  const auto add = [&](std::uint32_t member, ChunkRange range) {
    if (gone[member]) return;
    MemberWrite& write = writes_.emplace_back(MemberWrite{member, range, {}});
    if (host_.kept_ == 0) return;
    const auto from = old_[member].begin() + offset(bytes(range.begin - plan_.band.begin));
    write.content.assign(from, from + offset(bytes(range.count())));
  };
  for (const ArrayPart& part : parts_) add(part.column, {part.begin, part.end()});
  for (std::uint32_t parity = 0; parity < layout.parities(); ++parity) add(layout.columns() + parity, plan_.band);
  if (writes_.empty()) return done(Status::media_error);
  if (host_.journal_.place() == JournalPlace::none || plan_.way == WriteWay::no_parity) return write_row();
  host_.journal_.take([this](std::uint32_t record) { log(record); });
}

/// Nothing of the row is written before the record is whole.
void WriteTask::log(std::uint32_t record) {
  life_.account(LifePhase::lock, host_.timeline_.now(), Cause::requests);  // for a free record
  record_ = record;
  stage_ = Stage::log;
  RowJournal::Record& kept = host_.journal_[record];
  kept.row = row_;
  kept.writes = writes_;
  ++host_.counts_.journal_records;
  host_.counts_.journal_bytes += host_.journal_.size(record).value();
  if (!host_.journal_.on_drives()) {
    const Picoseconds when = host_.timeline_.now() + host_.journal_.nvram_time(record);
    return host_.timeline_.post(when, *this);
  }
  const std::vector<bool> gone = missing();
  const HostRun place = host_.journal_.place_of(record);
  Content content(bytes(place.count));
  auto to = content.end() - offset(host_.journal_.size(record).value() / host_block_bytes * host_.kept_);  // after the header
  for (const MemberWrite& write : writes_) to = std::ranges::copy(write.content, to).out;
  std::vector<Step> steps;
  for (std::uint32_t member = host_.layout_.columns(); member < gone.size(); ++member)
    if (!gone[member]) steps.push_back({member, HostOp::write, {}, content, {}, place});
  if (steps.empty()) return write_row();  // the parity's drives failed meanwhile
  begin_stage(std::move(steps), CommandPriority::foreground);
}

void WriteTask::on_time(std::uint64_t) {
  life_.account(LifePhase::host_queue, host_.timeline_.now());
  write_row();
}

WriteTask::~WriteTask() {
  if (stage_ == Stage::log && !host_.journal_.on_drives()) host_.timeline_.withdraw(*this);
}

void WriteTask::write_row() {
  if (record_) host_.journal_[*record_].valid = true;
  std::vector<Step> steps;
  for (MemberWrite& write : writes_)
    steps.push_back({write.member, HostOp::write, write.range, std::move(write.content), {}, {}, host_.durable(tag_)});
  stage_ = Stage::write;
  if (host_.kept_ != 0) host_.written_.insert(row_.value());
  begin_stage(std::move(steps), CommandPriority::foreground);
}

/// A row of which more is missing than the array survives is not written, whatever the drives that are left say.
void WriteTask::done(Status status) {
  if (ok(status) && host_.beyond_rescue(row_, plan_.band)) status = Status::media_error;
  if (stage_ == Stage::write && !host_.durable(tag_)) host_.keep_in_doubt(row_);
  const auto self = end();
  if (record_) host_.journal_.release(*record_);
  host_.part_done(tag_, parts_.front().offset, status, life_);
}

}  // namespace tessera
