#include "controller/disk_channel.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

bool reads_into(const MediaChain& chain, const DataBuffer& buffer) {
  return chain.steps().front().op == MediaOp::read && chain.steps().front().data.buffer == &buffer;
}

/// Background work that no word of its task or of an event names is still that.
Cause cause_of(const MediaChain& chain) {
  if (chain.priority == MediaClass::recovery) return Cause::recovery;
  const Cause cause = chain.wait.root->work.now;
  return cause == Cause::host && chain.priority == MediaClass::background ? Cause::background : cause;
}

}  // namespace

DiskChannel::DiskChannel(Timeline& timeline, Executor& executor, MediaLink& link, DmaPort& dma, const Positioning& positioning,
                         const TrackCapacity& tracks, const ControllerConfig& config)
    : timeline_(timeline),
      executor_(executor),
      link_(link),
      dma_(dma),
      positioning_(positioning),
      tracks_(tracks),
      queue_({config.scheduling, config.age_limit, config.age_interval, config.background_age_limit, config.yields_to}),
      read_priority_(config.read_priority),
      bus_latency_(config.bus_latency),
      fifo_(config.disk_fifo) {}

[[gnu::always_inline]] inline Picoseconds DiskChannel::background_busy(Picoseconds at) const {
  const Picoseconds began = recovering_ ? recovery_began_ : chain_began_;
  const bool background =
      recovering_ ? recovering_ == MediaClass::background : current_ != nullptr && current_->priority == MediaClass::background;
  return background && at > began ? background_total_ + (at - began) : background_total_;
}

/// The chain waits no more at the queue, and its request knows for what it did: for other requests where there is no other work.
inline void DiskChannel::end_wait(MediaChain& chain) {
  const Picoseconds now = timeline_.now();
  chain.breakdown.background_wait = background_busy(now) - chain.breakdown.background_wait;
  chain.breakdown.queue = (now - chain.submitted) - chain.breakdown.background_wait;
  RequestLife* const life = chain.wait.root->life;
  if (shares_.any()) [[unlikely]]
    return charge_wait(chain, life);
  if (life == nullptr) return;
  if (life->helped | (life->works_for != Cause::host)) [[unlikely]]
    return charge_wait(chain, life);
  life->charge(Cause::requests, now - chain.arrived);
}

/// What a request does in several tasks it does not wait for, and what it does for a cause is charged to that as a whole.
void DiskChannel::charge_wait(MediaChain& chain, RequestLife* life) {
  if (chain.priority == MediaClass::recovery) return;  // those do not wait
  const Picoseconds now = timeline_.now();
  const Picoseconds own = life != nullptr && life == helped_life_ ? now - std::max(chain.arrived, chain_began_) : Picoseconds(0);
  if (life != nullptr && life->works_for != Cause::host) life = nullptr;
  shares_.end_wait(std::exchange(chain.place, 0), chain.arrived, now, own, life, chain.wait.root->work);
}

void DiskChannel::submit(MediaChain& chain) {
  if (supervisor_ != nullptr && supervisor_->armed()) [[unlikely]]
    supervisor_->look_up(chain);
  chain.steps_done = 0;
  chain.breakdown = {};
  std::uint64_t headers = 0;
  for (const MediaStep& step : chain.steps()) headers += step.header != nullptr ? 1 : step.headers.size();
  executor_.charge(CpuOperation::media_step, chain.steps().size());
  executor_.charge(CpuOperation::record_word, headers * record_words(header_bytes));
  executor_.suspend_for(chain.wait, LifePhase::media_queue, 1,
                        {*this, submitted_.put(&chain) * alarms + chain_here, bus_latency_, BusInitiator::disk});
}

void DiskChannel::on_time(std::uint64_t argument) {
  switch (static_cast<Alarm>(argument % alarms)) {
    case recovered: return resume_service();
    case turned: return step_ended();
    case abandoned: return give_up(*abandoned_.take(argument / alarms));
    default: return arrived(*submitted_.take(argument / alarms));
  }
}

/// The channel's engine has read the chain's descriptor.
void DiskChannel::arrived(MediaChain& chain) {
  chain.submitted = chain.wait.root->since;
  // Until it is served, `background_wait` holds the background time that had passed before; serve_next() takes the difference.
  chain.breakdown.background_wait = background_busy(timeline_.now());
  chain.arrived = timeline_.now();
  if (chain.priority == MediaClass::recovery) return serve(chain);
  if (shares_.any()) [[unlikely]]
    chain.place = shares_.begin_wait(timeline_.now());
  queue_.push(chain, yields(chain));
  longest_queue_ = std::max(longest_queue_, queue_.size());
  depth_.set(queue_.size(), timeline_.now());
  if (current_ == nullptr && !recovering_) serve_next();
}

/// Whether the chain lets host reads go before it. A write's first chain that reads makes an update of it, with all that follows.
bool DiskChannel::yields(const MediaChain& chain) const {
  RootTask& root = *chain.wait.root;
  if (root.host_read) return false;
  if (root.host_write && chain.steps().front().op == MediaOp::read) root.updates = true;
  return read_priority_ == ReadPriority::over_all || (read_priority_ == ReadPriority::over_updates && root.updates);
}

void DiskChannel::serve_next() {
  MediaChain& chain = queue_.pop(positioning_, timeline_.now());
  depth_.set(queue_.size(), timeline_.now());
  serve(chain);
}

void DiskChannel::serve(MediaChain& chain) {
  TESSERA_CHECK(current_ == nullptr, "a media chain is served while another is");
  const Picoseconds now = timeline_.now();
  end_wait(chain);
  if (supervisor_ != nullptr && supervisor_->armed() && chain.priority != MediaClass::recovery && supervisor_->concerns(chain))
      [[unlikely]] {
    chain.status = Status::ok;
    return hand_over(chain);
  }
  current_ = &chain;
  chain_began_ = landed_ = now;
  helped_life_ = chain.wait.root->work.serves;
  shares_.turn_to(cause_of(chain), now);
  ++chains_;
  start(chain.steps().front());
}

void DiskChannel::start(const MediaStep& step) {
  if (guard_ != nullptr && step.op == MediaOp::write) [[unlikely]]
    guard_->fetched(step.data);
  if (op_.watched()) [[unlikely]]
    show(step);
  link_.start(step);
}

void DiskChannel::show(const MediaStep& step) const {
  const Picoseconds now = timeline_.now();
  op_.set(step.op == MediaOp::read ? 1 : 2, now);
  class_.set(static_cast<std::uint64_t>(current_->priority), now);
  tag_.set(current_->wait.root->tag, now);
  serial_.set(steps_, now);
  surface_.set(step.run.track.surface, now);
  radius_.set(step.run.track.radius, now);
  sector_.set(step.run.first, now);
  sectors_.set(step.run.count, now);
}

void DiskChannel::step_done(const MediaBreakdown& timing, Status status) {
  TESSERA_CHECK(current_ != nullptr, "the media completed a step that nobody asked for");
  MediaChain& chain = *current_;
  ++steps_;
  const MediaStep& step = chain.steps()[chain.steps_done];
  ++(step.op == MediaOp::read ? served_.media_reads : served_.media_writes);
  (step.op == MediaOp::read ? served_.sectors_read : served_.sectors_written) += step.run.count;
  if (step.early != nullptr && supervisor_ != nullptr && supervisor_->armed()) [[unlikely]]
    step.early->count = 0;  // of a sector that was relocated the old copy passes
  if (guard_ != nullptr && step.op == MediaOp::read) [[unlikely]]
    for (const DataSpan& data : {step.data, step.early != nullptr ? step.early->place : DataSpan()}) guard_->stored(data);
  if (step.op == MediaOp::read && step.data.buffer != nullptr && step.data.buffer->read_flow().is_open()) note_arrival(step, timing);
  if (quiet_) {
    current_ = nullptr;
    return quiet_();
  }
  if (const RequestLife* life = chain.wait.root->life; life != nullptr && life->lane != nullptr) [[unlikely]] {
    const Picoseconds transfer = timeline_.now() - timing.transfer;
    life->enter(LifePhase::seek, transfer - timing.rotation - timing.seek);
    life->enter(LifePhase::rotation, transfer - timing.rotation);
    life->enter(LifePhase::transfer, transfer);
  }
  chain.breakdown.queue += timing.queue;
  chain.breakdown.seek += timing.seek;
  chain.breakdown.rotation += timing.rotation;
  chain.breakdown.transfer += timing.transfer;
  step_status_ = status;
  const Picoseconds late = move_data(step, timing);
  if (late == Picoseconds(0)) return step_ended();
  chain.breakdown.rotation += late;
  turning_ = true;
  timeline_.post(timeline_.now() + late, *this, turned);
}

/// The step's data crosses bus and DRAM while it passes the head, with the FIFO between them; of a write the FIFO is filled before. Gives
/// the revolutions that are lost because the FIFO ran over or empty: the rest of the run passes the head again for each.
Picoseconds DiskChannel::move_data(const MediaStep& step, const MediaBreakdown& timing) {
  if (step_status_ == Status::rule_violation || step_status_ == Status::aborted) return {};
  Picoseconds passing = timing.transfer;
  if (step.early != nullptr) [[unlikely]]
    passing += passing * step.early->count / step.run.count;
  const DmaGrant grant = dma_.disk_moved(step, passing);
  if (step.op == MediaOp::read) landed_ = std::max(landed_, grant.end);
  if (grant.behind <= fifo_) return {};
  const std::uint64_t turns = (grant.behind.value() - 1) / fifo_.value();
  missed_turns_ += turns;
  return std::max(positioning_.revolution(), Picoseconds(1)) * turns;
}

void DiskChannel::step_ended() {
  turning_ = false;
  MediaChain& chain = *current_;
  const Status status = step_status_;
  const bool supervised = status == Status::media_error && supervisor_ != nullptr && chain.priority != MediaClass::recovery;
  chain.status = !supervised && chain.goes_on(status) ? Status::ok : status;
  if (ok(chain.status)) ++chain.steps_done;
  if (ok(chain.status) && chain.steps_done < chain.steps().size()) return start(chain.steps()[chain.steps_done]);
  finish();
}

/// The sectors came in one after another; those of a whole track from any of them on, so that nothing is said of the first ones.
void DiskChannel::note_arrival(const MediaStep& step, const MediaBreakdown& timing) const {
  const Picoseconds last = timeline_.now();
  const bool whole_track = step.run.count == tracks_.sectors_on(step.run.track);
  const Picoseconds first = whole_track ? last : last - timing.transfer + timing.transfer / step.run.count;
  step.data.buffer->read_flow().arrived(step.data.first, step.run.count, first, last);
}

void DiskChannel::abandon(const DataBuffer& buffer) {
  timeline_.post(executor_.ring(DeviceRegister::disk_doorbell), *this, abandoned_.put(&buffer) * alarms + abandoned);
}

void DiskChannel::give_up(const DataBuffer& buffer) {
  const Picoseconds now = timeline_.now();
  while (MediaChain* const chain = queue_.take([&](const MediaChain& waiting) { return reads_into(waiting, buffer); })) {
    end_wait(*chain);
    chain->status = Status::aborted;
    account(*chain, now);
    executor_.interrupt(chain->wait, InterruptLine::disk, now);
  }
  depth_.set(queue_.size(), now);
  if (current_ != nullptr && !turning_ && reads_into(*current_, buffer)) link_.give_up();
}

void DiskChannel::finish() {
  MediaChain& chain = *current_;
  const Picoseconds now = timeline_.now();
  busy_ += now - chain_began_;
  if (chain.priority == MediaClass::background) background_total_ += now - chain_began_;
  shares_.turn_to(recovering_ ? Cause::recovery : Cause::host, now);
  current_ = nullptr;
  op_.set(0, now);
  if (chain.status == Status::media_error && supervisor_ != nullptr && chain.priority != MediaClass::recovery) [[unlikely]]
    return hand_over(chain);
  if (landed_ > now) chain.breakdown.transfer += landed_ - now;
  account(chain, std::max(now, landed_));
  executor_.interrupt(chain.wait, InterruptLine::disk, std::max(now, landed_));
  if (!queue_.empty() && !recovering_) serve_next();
}

/// Adds the parts of a chain, which ends or is handed over at `until`, to the life of the request that waits for it.
void DiskChannel::account(const MediaChain& chain, Picoseconds until) {
  RequestLife* const life = chain.wait.root->life;
  if (life == nullptr) return;
  const MediaBreakdown& parts = chain.breakdown;
  if (life->works_for != Cause::host) [[unlikely]]
    life->charge(life->works_for, until - life->mark);
  const auto count = [life](LifePhase phase, Picoseconds time) {
    life->parts[static_cast<std::size_t>(phase)] += time;
    life->mark += time;
  };
  count(LifePhase::background_wait, parts.background_wait);
  count(LifePhase::media_queue, parts.queue);
  count(LifePhase::seek, parts.seek);
  count(LifePhase::rotation, parts.rotation);
  count(LifePhase::transfer, parts.transfer);
  TESSERA_CHECK(life->mark == until, "the parts of a media chain do not sum to its duration");
}

/// Gives the chain to the supervisor, as a task of its own behind an interrupt.
void DiskChannel::hand_over(MediaChain& chain) {
  account(chain, timeline_.now());
  recovering_ = chain.priority;
  recovery_began_ = timeline_.now();
  shares_.turn_to(Cause::recovery, recovery_began_);
  TaskWork& work = executor_.start(recover(chain), nullptr, InterruptLine::disk, recovery_began_).work;
  work.task = work.now = Cause::recovery;
}

Task<void> DiskChannel::recover(MediaChain& chain) {
  chain.status = co_await supervisor_->carry_out(chain);
  chain.wait.phase = LifePhase::error_recovery;
  executor_.make_ready(chain.wait);
  timeline_.post(executor_.now(), *this, recovered);
}

void DiskChannel::resume_service() {
  if (recovering_ == MediaClass::background) background_total_ += timeline_.now() - recovery_began_;
  recovering_.reset();
  shares_.turn_to(Cause::host, timeline_.now());
  if (!queue_.empty()) serve_next();
}

void DiskChannel::power_off() {
  timeline_.withdraw(*this);
  queue_.clear();
  submitted_.clear();
  abandoned_.clear();
  for (const Signal signal : {depth_, op_}) signal.set(0, timeline_.now());
  current_ = nullptr;
  shares_.clear();
  helped_life_ = nullptr;
  turning_ = false;
  recovering_.reset();
  quiet_ = nullptr;
}

void DiskChannel::halt(std::function<void()> quiet) {
  timeline_.withdraw(*this);
  if (std::exchange(turning_, false)) current_ = nullptr;  // the media has done its part
  queue_.clear();
  submitted_.clear();
  abandoned_.clear();
  shares_.clear();
  recovering_.reset();
  quiet_ = std::move(quiet);
}

void DiskChannel::reset_statistics() {
  chains_ = steps_ = missed_turns_ = 0;
  busy_ = Picoseconds(0);
  longest_queue_ = queue_.size();
  queue_.reset_statistics();
  shares_.reset_statistics();
}

void DiskChannel::report(MetricSet& metrics, Picoseconds elapsed) const {
  metrics.add("disk_channel.utilisation", share_of(busy_, elapsed), "1",
              "share of the measured time in which the head-disk assembly was busy");
  metrics.count("disk_channel.chains", static_cast<double>(chains_), "1", "chains of media commands served");
  metrics.count("disk_channel.commands", static_cast<double>(steps_), "1", "media commands served");
  metrics.count("disk_channel.missed_turns", static_cast<double>(missed_turns_), "1",
                "revolutions lost because the disk channel's FIFO ran over or empty");
  const auto aged = chains_ == 0 ? std::nullopt : std::optional(static_cast<double>(queue_.aged()) / static_cast<double>(chains_));
  metrics.add("disk_channel.aged", aged, "1", "share of the chains that were served out of turn because of their age");
  shares_.report(metrics, elapsed);
  metrics.add("disk_channel.queue.max", static_cast<double>(longest_queue_), "1", "longest queue at the disk channel");
}

}  // namespace tessera
