#include "media/media_device.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/error.hpp"

namespace tessera {

namespace {

/// The description, once it and the plan are known to be good.
const MediaConfig& checked(const MediaConfig& config, const FormatPlan& plan) {
  std::string message;
  for (const std::string& problem : check_plan(geometry_of(config), plan)) message += (message.empty() ? "format: " : "; ") + problem;
  if (!message.empty()) throw InputError(message);
  return config;
}

SectorShape shape_of(const MediaConfig& config, ContentMode content) {
  return {static_cast<std::uint32_t>(config.sector_size.value()), content};
}

}  // namespace

MediaDevice::MediaDevice(const MediaConfig& config, const FormatPlan& plan, ContentMode content, std::uint64_t seed)
    : config_(checked(config, plan)),
      geometry_(config_, plan),
      mechanics_(config_, geometry_),
      store_(tessera::shape_of(config_, content), std::uint64_t{geometry_.radii()} * geometry_.surfaces(), geometry_.most_sectors()),
      powerfail_(seed, "media.powerfail") {
  statistics_.regions.resize(geometry_.regions().size());
  for (const NumberRow& row : config_.unreadable_sectors)
    add_unreadable({{static_cast<std::uint32_t>(row[0]), static_cast<std::uint32_t>(row[1])}, static_cast<std::uint32_t>(row[2])});
}

void MediaDevice::add_unreadable(PhysicalSector sector) {
  TESSERA_CHECK(geometry_.contains(sector.track), "an unreadable sector lies outside the drive");
  const std::uint64_t key = geometry_.linear(sector.track) * geometry_.most_sectors() + sector.index;
  const auto at = std::lower_bound(unreadable_.begin(), unreadable_.end(), key);
  if (at == unreadable_.end() || *at != key) unreadable_.insert(at, key);
}

/// Finds the run's track; false if the run does not lie on one.
bool MediaDevice::resolve(const PhysicalRun& run) {
  if (!geometry_.contains(run.track)) return false;
  group_ = &geometry_.group_of(run.track.radius);
  if (group_->region == TrackGroup::no_region) return false;
  shape_ = geometry_.shape_of(run.track, *group_);
  track_ = geometry_.linear(run.track);
  return run.count != 0 && run.count <= shape_.sectors() && run.first < shape_.sectors();
}

MediaTiming MediaDevice::start(const MediaStep& step, Picoseconds now) {
  TESSERA_CHECK(powered_, "a media step without power");
  TESSERA_CHECK(step_ == nullptr, "a media step while another is in flight");
  step_ = &step;
  begin_ = now;
  ++statistics_.commands;
  violation_ = !resolve(step.run);
  if (violation_) {
    timing_ = {{}, {}, {}, now};
    return timing_;
  }
  const Motion motion = mechanics_.plan(step, shape_, now);
  entry_ = motion.entry;
  transfer_begin_ = now + motion.overhead + motion.seek + motion.rotation;
  timing_ = {motion.seek, motion.rotation, motion.overhead + motion.transfer, transfer_begin_ + motion.transfer};

  const PhysicalTrack from = mechanics_.head();
  mechanics_.moved(step, shape_.sectors());
  const PhysicalTrack to = mechanics_.head();
  if (from.radius != to.radius) {
    statistics_.seeks.record(from.radius > to.radius ? from.radius - to.radius : to.radius - from.radius);
  } else if (from.surface != to.surface) {
    ++statistics_.head_switches;
  }
  if (observer_ != nullptr) announce(from, motion);
  return timing_;
}

void MediaDevice::announce(PhysicalTrack from, const Motion& motion) const {
  const PhysicalTrack to = mechanics_.head();
  if (motion.seek != Picoseconds()) observer_->state(MediaState::seek, from, begin_ + motion.overhead);
  if (motion.rotation != Picoseconds()) observer_->state(MediaState::rotate, to, begin_ + motion.overhead + motion.seek);
  observer_->state(step_->op == MediaOp::read ? MediaState::read : MediaState::write, to, transfer_begin_);
}

/// Calls f(first, count, offset) for the one or two unwrapped pieces of the run's sectors [offset, offset + count).
template <class F>
void MediaDevice::each_piece(std::uint32_t offset, std::uint32_t count, F&& f) const {
  if (count == 0) return;
  const std::uint32_t sectors = shape_.sectors();
  std::uint32_t first = step_->run.first + offset;
  if (first >= sectors) first -= sectors;
  const std::uint32_t head = std::min(count, sectors - first);
  f(first, head, offset);
  if (head < count) f(std::uint32_t{0}, count - head, offset + head);
}

std::uint32_t MediaDevice::header_sector() const {
  const std::uint32_t last = step_->run.first + step_->run.count - 1;
  return last < shape_.sectors() ? last : last - shape_.sectors();
}

void MediaDevice::write_part(std::uint32_t offset, std::uint32_t count) {
  each_piece(offset, count, [&](std::uint32_t first, std::uint32_t n, std::uint32_t from) {
    if (step_->system.empty()) {
      store_.write(track_, first, n, content_of(step_->data.buffer == nullptr ? DataSpan() : step_->data.part(from, n)));
    } else {
      const std::size_t bytes = store_.shape().sector_bytes;
      store_.write_system(track_, first, n, step_->system.subspan(from * bytes, n * bytes));
    }
    if (!step_->headers.empty())
      for (std::uint32_t i = 0; i < n; ++i) store_.write_header(track_, first + i, step_->headers[from + i]);
    if (any_lost(step_->data))
      for (std::uint32_t i = 0; i < n; ++i)
        if (step_->data.buffer->is_lost(step_->data.first + from + i)) store_.mark_lost(track_, first + i);
  });
  statistics_.regions[group_->region].sectors_written += count;
}

void MediaDevice::damage_from(std::uint32_t first, std::uint32_t count) {
  const DamageReach reach = damage_reach(geometry_, *group_, step_->run.track.radius);
  if (reach.none() || count == 0) return;
  const PhysicalTrack written = step_->run.track;
  for (std::uint32_t radius = written.radius - reach.below; radius <= written.radius + reach.above; ++radius) {
    if (radius == written.radius) continue;
    const PhysicalTrack victim{written.surface, radius};
    const std::uint64_t number = geometry_.linear(victim);
    if (!store_.occupied(number)) continue;
    const TrackShape shape = geometry_.shape_of(victim);
    const SectorArc arc = overlapped_arc(geometry_, shape_, first, count, shape);
    const std::uint32_t head = std::min(arc.count, shape.sectors() - arc.first);
    store_.damage(number, arc.first, head);
    store_.damage(number, 0, arc.count - head);
  }
}

void MediaDevice::write_run() {
  write_part(0, step_->run.count);
  if (step_->header != nullptr) store_.write_header(track_, header_sector(), *step_->header);
  damage_from(entry_, step_->run.count);
}

/// Marks the unreadable sectors of a piece that was read; whether there are any.
bool MediaDevice::read_defects(std::uint32_t first, std::uint32_t count, std::uint32_t offset) {
  const std::uint64_t base = track_ * geometry_.most_sectors();
  auto at = std::lower_bound(unreadable_.begin(), unreadable_.end(), base + first);
  bool found = false;
  for (; at != unreadable_.end() && *at < base + first + count; ++at) {
    found = true;
    const auto sector = static_cast<std::uint32_t>(*at - base) - first + offset;
    if (step_->data.buffer != nullptr) {
      store_.mark_destroyed(content_of(step_->data.part(sector, 1)));
      step_->data.buffer->mark_lost(step_->data.first + sector);
    }
    if (!step_->system.empty()) {
      const std::size_t bytes = store_.shape().sector_bytes;
      std::ranges::fill(step_->system.subspan(sector * bytes, bytes), std::byte{0});
    }
    if (step_->header != nullptr && sector + 1 == step_->run.count) step_->header->fill(std::byte{0});
    if (!step_->headers.empty()) step_->headers[sector].fill(std::byte{0});
  }
  return found;
}

Status MediaDevice::read_run() {
  Status status = Status::ok;
  if (step_->header != nullptr) store_.read_header(track_, header_sector(), *step_->header);
  bool defect = false;
  clear_lost(step_->data);
  each_piece(0, step_->run.count, [&](std::uint32_t first, std::uint32_t n, std::uint32_t from) {
    Status piece = store_.read(track_, first, n, content_of(step_->data.buffer == nullptr ? DataSpan() : step_->data.part(from, n)));
    if (!step_->system.empty()) {
      const std::size_t bytes = store_.shape().sector_bytes;
      piece = store_.read_system(track_, first, n, step_->system.subspan(from * bytes, n * bytes));
    }
    if (!ok(piece)) {
      status = status == Status::damaged ? status : piece;
      for (std::uint32_t i = 0; i < n && step_->data.buffer != nullptr; ++i)
        if (!ok(store_.status(track_, first + i))) step_->data.buffer->mark_lost(step_->data.first + from + i);
    }
    if (!step_->headers.empty())
      for (std::uint32_t i = 0; i < n; ++i) store_.read_header(track_, first + i, step_->headers[from + i]);
    if (!unreadable_.empty()) defect = read_defects(first, n, from) || defect;
  });
  statistics_.regions[group_->region].sectors_read += step_->run.count;
  if (status == Status::damaged) ++statistics_.damaged_reads;
  if (defect) ++statistics_.media_errors;
  return defect ? Status::media_error : status;
}

/// Adds the step's time up to `until`, no later than its end, to the state in which it was spent.
void MediaDevice::account(Picoseconds until) {
  const Picoseconds elapsed = until - begin_;
  const Picoseconds overhead = (transfer_begin_ - begin_) - timing_.seek - timing_.rotation;
  const Picoseconds in_overhead = std::min(elapsed, overhead);
  const Picoseconds in_seek = std::min(elapsed - in_overhead, timing_.seek);
  const Picoseconds in_rotation = std::min(elapsed - in_overhead - in_seek, timing_.rotation);
  statistics_.seek_time += in_seek;
  statistics_.rotation_time += in_rotation;
  (step_->op == MediaOp::read ? statistics_.read_time : statistics_.write_time) += elapsed - in_seek - in_rotation;
}

Status MediaDevice::finish() {
  TESSERA_CHECK(step_ != nullptr, "no media step is in flight");
  Status status = Status::ok;
  if (violation_) {
    ++statistics_.rule_violations;
    status = Status::rule_violation;
  } else {
    account(timing_.end);
    if (step_->op == MediaOp::read)
      status = read_run();
    else
      write_run();
  }
  step_ = nullptr;
  if (observer_ != nullptr) observer_->state(MediaState::idle, mechanics_.head(), timing_.end);
  return status;
}

/// What of the write in flight reached the platter by `now`, which lies before the step's end.
void MediaDevice::write_before(Picoseconds now) {
  if (now <= transfer_begin_) return;
  const std::uint64_t elapsed = (now - transfer_begin_).value();
  const std::uint32_t count = step_->run.count;
  const auto passed = [&](std::uint32_t n) { return geometry_.passing(shape_, entry_, n); };
  std::uint32_t complete = 0;  // largest n whose sectors have passed
  for (std::uint32_t above = count + 1; complete + 1 < above;) {
    const std::uint32_t middle = complete + (above - complete) / 2;
    (passed(middle) <= elapsed ? complete : above) = middle;
  }
  const bool in_flight = complete < count && passed(complete) < elapsed;

  bool renewed = config_.powerfail_sector == PowerfailSector::atomic_new;
  if (in_flight && config_.powerfail_sector == PowerfailSector::atomic) renewed = powerfail_.below(2) == 1;
  const std::uint32_t fresh = complete + (in_flight && renewed ? 1 : 0);

  // In order of transfer from the entry sector on; only a whole track starts elsewhere than at the run's first sector.
  const std::uint32_t first = step_->run.first;
  const std::uint32_t offset = entry_ >= first ? entry_ - first : entry_ + shape_.sectors() - first;
  const std::uint32_t head = std::min(fresh, count - offset);
  write_part(offset, head);
  write_part(0, fresh - head);
  if (fresh == count && step_->header != nullptr) store_.write_header(track_, header_sector(), *step_->header);
  if (in_flight && config_.powerfail_sector == PowerfailSector::corrupt)
    tear((entry_ + complete) % shape_.sectors(), (offset + complete) % count);
  damage_from(entry_, complete + (in_flight ? 1 : 0));
}

/// Makes `sector`, at `offset` in the write in flight, unreadable.
void MediaDevice::tear(std::uint32_t sector, std::uint32_t offset) {
  const SectorShape& shape = store_.shape();
  TornSector torn;
  if (shape.mode != ContentMode::none && step_->data.buffer != nullptr) {
    torn.held.resize(shape.kept());
    static_cast<void>(store_.read(track_, sector, 1, torn.held));
    const ConstContentSpan written = content_of(step_->data.part(offset, 1));
    torn.written.assign(written.begin(), written.end());
  }
  torn_ = std::move(torn);
  store_.destroy(track_, sector);
}

void MediaDevice::cut(Picoseconds now) {
  TESSERA_CHECK(powered_, "a power cut without power");
  torn_.reset();
  if (step_ != nullptr && !violation_) {
    account(std::min(now, timing_.end));
    if (step_->op == MediaOp::write) {
      if (now < timing_.end)
        write_before(now);
      else
        write_run();
    }
  }
  step_ = nullptr;
  powered_ = false;
  statistics_.off_since = now;
  mechanics_.park();
  if (observer_ != nullptr) observer_->state(MediaState::off, mechanics_.head(), now);
}

void MediaDevice::restore(Picoseconds now) {
  TESSERA_CHECK(!powered_, "the media already has power");
  powered_ = true;
  statistics_.off_time += now - statistics_.off_since;
  if (observer_ != nullptr) observer_->state(MediaState::idle, mechanics_.head(), now);
}

void MediaDevice::report(MetricSet& metrics, Picoseconds now) const {
  statistics_.report(metrics, config_, geometry_.regions(), now, powered_);
}

}  // namespace tessera
