#include "controller/disk_channel.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera {

namespace {

bool reads_into(const MediaChain& chain, const DataBuffer& buffer) {
  return chain.steps().front().op == MediaOp::read && chain.steps().front().data.buffer == &buffer;
}

/// Of a run that goes on on the next track.
constexpr std::size_t pieces_at_a_track_end = 2;

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
      at_once_(positioning.at_once()),
      read_priority_(config.read_priority),
      bus_latency_(config.bus_latency),
      fifo_(config.disk_fifo) {
  const MediaQueue::Order order{config.scheduling,           config.age_limit, config.age_interval, config.age_pause,
                                config.background_age_limit, config.yields_to};
  for (std::uint32_t arm = 0; arm < positioning.arms(); ++arm)
    lanes_.emplace_back(arm, positioning.arm(arm), order, arm == 0 ? signals_ : signals_.part("arm" + std::to_string(arm)));
}

std::size_t DiskChannel::queued() const {
  std::size_t sum = 0;
  for (const DiskLane& lane : lanes_) sum += lane.queue.size();
  return sum;
}

[[gnu::always_inline]] inline Picoseconds DiskChannel::background_busy(const DiskLane& lane, Picoseconds at) const {
  const Picoseconds began = recovering_ ? recovery_began_ : lane.chain_began;
  const bool background =
      recovering_ ? recovering_ == MediaClass::background : lane.current != nullptr && lane.current->priority == MediaClass::background;
  return background && at > began ? lane.background_total + (at - began) : lane.background_total;
}

/// The chain waits no more at the queue, and its request knows for what it did: for other requests where there is no other work.
inline void DiskChannel::end_wait(DiskLane& lane, MediaChain& chain) {
  const Picoseconds now = timeline_.now();
  if (chain.steps_done != 0) [[unlikely]] {  // at its second arm
    chain.breakdown.queue += now - chain.arrived;
  } else {
    chain.breakdown.background_wait = background_busy(lane, now) - chain.breakdown.background_wait;
    chain.breakdown.queue = (now - chain.submitted) - chain.breakdown.background_wait;
  }
  RequestLife* const life = chain.wait.root->life;
  if (lane.shares.any()) [[unlikely]]
    return charge_wait(lane, chain, life);
  if (life == nullptr) return;
  if (life->helped | (life->works_for != Cause::host)) [[unlikely]]
    return charge_wait(lane, chain, life);
  life->charge(Cause::requests, now - chain.arrived);
}

/// What a request does in several tasks it does not wait for, and what it does for a cause is charged to that as a whole.
void DiskChannel::charge_wait(DiskLane& lane, MediaChain& chain, RequestLife* life) {
  if (chain.priority == MediaClass::recovery) return;  // those do not wait
  const Picoseconds now = timeline_.now();
  const Picoseconds own = life != nullptr && life == lane.helped_life ? now - std::max(chain.arrived, lane.chain_began) : Picoseconds(0);
  if (life != nullptr && life->works_for != Cause::host) life = nullptr;
  lane.shares.end_wait(std::exchange(chain.place, 0), chain.arrived, now, own, life, chain.wait.root->work);
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
    case turned: return step_ended(lanes_[argument / alarms]);
    case fed: return feed(lanes_[argument / alarms]);
    case answered: return land(landings_.take(argument / alarms));
    case abandoned: return give_up(*abandoned_.take(argument / alarms));
    default: return arrived(*submitted_.take(argument / alarms));
  }
}

/// The channel's engine has read the chain's descriptor.
void DiskChannel::arrived(MediaChain& chain) {
  DiskLane& lane = lane_of(chain.steps().front());
  const Picoseconds now = timeline_.now();
  chain.submitted = chain.wait.root->since;
  // Until it is served, `background_wait` holds the background time that had passed before; serve_next() takes the difference.
  chain.breakdown.background_wait = background_busy(lane, now);
  chain.landed = {};
  if (!unwanted_.empty() && std::erase(unwanted_, &chain) != 0) [[unlikely]] {
    chain.arrived = now;
    if (lane.shares.any()) chain.place = lane.shares.begin_wait(now);
    return drop(lane, chain);
  }
  enqueue(lane, chain);
}

void DiskChannel::enqueue(DiskLane& lane, MediaChain& chain) {
  const Picoseconds now = timeline_.now();
  chain.arrived = now;
  if (chain.priority == MediaClass::recovery) return serve(lane, chain);
  if (lane.shares.any()) [[unlikely]]
    chain.place = lane.shares.begin_wait(now);
  lane.queue.push(chain, yields(chain));
  longest_queue_ = std::max(longest_queue_, queued());
  lane.depth.set(lane.queue.size(), now);
  if (lane.current == nullptr && !stopped() && active_ < at_once_) serve_next(lane);
}

/// Whether the chain lets host reads go before it. A write's first chain that reads makes an update of it, with all that follows. A
/// read-ahead of scattered pieces takes as long as so many reads, and the nearest of them may be nearer than the host's own.
bool DiskChannel::yields(const MediaChain& chain) const {
  RootTask& root = *chain.wait.root;
  if (root.work.now == Cause::read_ahead && chain.steps().size() > pieces_at_a_track_end) return read_priority_ != ReadPriority::none;
  if (root.host_read) return false;
  if (root.host_write && chain.steps().front().op == MediaOp::read) root.updates = true;
  return read_priority_ == ReadPriority::over_all || (read_priority_ == ReadPriority::over_updates && root.updates);
}

/// One lane has become free: it goes on, or where it has to share the limit, the next one in turn.
void DiskChannel::serve_waiting(const DiskLane& after) {
  const auto lanes = static_cast<std::uint32_t>(lanes_.size());
  const std::uint32_t first = at_once_ < lanes ? after.arm + 1 : after.arm;
  for (std::uint32_t i = 0; i < lanes && active_ < at_once_ && !stopped(); ++i) {
    DiskLane& lane = lanes_[first + i < lanes ? first + i : first + i - lanes];
    if (lane.current == nullptr && !lane.queue.empty()) serve_next(lane);
  }
}

void DiskChannel::serve_next(DiskLane& lane) {
  const PhysicalRun& last = lane.last;
  const bool at_end = lane.queue.size() > 1 && last.count != 0 && last.first + last.count == tracks_.sectors_on(last.track);
  MediaChain& chain = lane.queue.pop(lane.positioning, timeline_.now(), at_end ? &last.track : nullptr);
  lane.depth.set(lane.queue.size(), timeline_.now());
  serve(lane, chain);
}

void DiskChannel::serve(DiskLane& lane, MediaChain& chain) {
  TESSERA_CHECK(lane.current == nullptr, "a media chain is served while another is");
  const Picoseconds now = timeline_.now();
  end_wait(lane, chain);
  if (supervisor_ != nullptr && supervisor_->armed() && chain.priority != MediaClass::recovery && supervisor_->concerns(chain))
      [[unlikely]] {
    chain.status = Status::ok;
    return hand_over(chain);
  }
  lane.current = &chain;
  ++active_;
  lane.chain_began = now;
  lane.landed = std::max(now, chain.landed);
  lane.helped_life = chain.wait.root->work.serves;
  lane.shares.turn_to(cause_of(chain), now);
  if (chain.steps_done == 0) ++chains_;
  start(lane, chain.steps()[chain.steps_done]);
}

void DiskChannel::start(DiskLane& lane, const MediaStep& step) {
  if (guard_ != nullptr && step.op == MediaOp::write) [[unlikely]]
    guard_->fetched(step.data);
  if (lane.op.watched()) [[unlikely]]
    show(lane, step);
  if (dma_.in_bursts()) [[unlikely]]
    announce(lane, step);
  link_.start(step);
}

void DiskChannel::show(const DiskLane& lane, const MediaStep& step) const {
  const std::uint64_t op = step.op == MediaOp::read ? 1 : 2;
  const auto of_class = static_cast<std::uint64_t>(lane.current->priority);
  const auto& [track, first, count] = step.run;
  lane.op.set_row<8>({op, of_class, lane.current->wait.root->tag, steps_, track.surface, track.radius, first, count}, timeline_.now());
}

void DiskChannel::step_done(const MediaBreakdown& timing, Status status, std::uint32_t arm) {
  DiskLane& lane = lanes_[arm];
  TESSERA_CHECK(lane.current != nullptr, "the media completed a step that nobody asked for");
  MediaChain& chain = *lane.current;
  ++steps_;
  ++lane.steps;
  const MediaStep& step = chain.steps()[chain.steps_done];
  lane.last = step.run;
  ++(step.op == MediaOp::read ? served_.media_reads : served_.media_writes);
  (step.op == MediaOp::read ? served_.sectors_read : served_.sectors_written) += step.run.count;
  if (step.early != nullptr && supervisor_ != nullptr && supervisor_->armed()) [[unlikely]]
    step.early->count = 0;  // of a sector that was relocated the old copy passes
  if (guard_ != nullptr && step.op == MediaOp::read) [[unlikely]]
    for (const DataSpan& data : {step.data, step.early != nullptr ? step.early->place : DataSpan()}) guard_->stored(data);
  if (step.op == MediaOp::read && step.data.buffer != nullptr && step.data.buffer->read_flow().is_open()) note_arrival(step, timing);
  if (quiet_) {
    leave(lane);
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
  lane.step_status = status;
  const Picoseconds late = move_data(lane, step, timing);
  if (dma_.in_bursts() && waits_for_bursts(lane, step, late)) [[unlikely]]
    return;
  if (late == Picoseconds(0)) return step_ended(lane);
  chain.breakdown.rotation += late;
  lane.turning = true;
  timeline_.post(timeline_.now() + late, *this, lane.arm * alarms + turned);
}

/// The step's data crosses bus and DRAM while it passes the head, with the FIFO between them; of a write the FIFO is filled before. Gives
/// the revolutions that are lost because the FIFO ran over or empty: the rest of the run passes the head again for each.
Picoseconds DiskChannel::move_data(DiskLane& lane, const MediaStep& step, const MediaBreakdown& timing) {
  if (moves_nothing(lane.step_status)) {
    dma_.disk_gave_up(lane.arm);
    return {};
  }
  Picoseconds passing = timing.transfer;
  if (step.early != nullptr) [[unlikely]]
    passing += passing * step.early->count / step.run.count;
  const DmaGrant grant = dma_.disk_moved(step, passing, lane.arm);
  if (step.op == MediaOp::read) lane.landed = std::max(lane.landed, grant.end);
  if (grant.behind <= fifo_) return {};
  const std::uint64_t turns = (grant.behind.value() - 1) / fifo_.value();
  missed_turns_ += turns;
  return std::max(positioning_.revolution(), Picoseconds(1)) * turns;
}

void DiskChannel::step_ended(DiskLane& lane) {
  lane.turning = false;
  MediaChain& chain = *lane.current;
  const Status status = lane.step_status;
  const bool supervised = status == Status::media_error && supervisor_ != nullptr && chain.priority != MediaClass::recovery;
  chain.status = !supervised && chain.goes_on(status) ? Status::ok : status;
  if (ok(chain.status)) ++chain.steps_done;
  if (!ok(chain.status) || chain.steps_done == chain.steps().size()) return finish(lane);
  const MediaStep& next = chain.steps()[chain.steps_done];
  if (&lane_of(next) != &lane) [[unlikely]]
    return change_arm(lane);
  start(lane, next);
}

/// The arm has done with the chain in hand.
void DiskChannel::leave(DiskLane& lane) {
  const Picoseconds now = timeline_.now();
  lane.busy += now - lane.chain_began;
  if (lane.current->priority == MediaClass::background) lane.background_total += now - lane.chain_began;
  lane.shares.turn_to(recovering_ ? Cause::recovery : Cause::host, now);
  lane.current = nullptr;
  --active_;
  lane.op.set(0, now);
}

/// The chain's next step is another arm's: it waits in that one's queue.
void DiskChannel::change_arm(DiskLane& lane) {
  MediaChain& chain = *lane.current;
  chain.landed = lane.landed;
  leave(lane);
  enqueue(lane_of(chain.steps()[chain.steps_done]), chain);
  go_on(lane);
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

/// Its doorbell is rung at once, while the descriptors of chains that were submitted before it are still read.
void DiskChannel::give_up(const DataBuffer& buffer) {
  submitted_.each([&](const MediaChain* chain) {
    if (chain != nullptr && reads_into(*chain, buffer)) unwanted_.push_back(chain);
  });
  for (DiskLane& lane : lanes_) {
    while (MediaChain* const chain = lane.queue.take([&](const MediaChain& waiting) { return reads_into(waiting, buffer); }))
      drop(lane, *chain);
    lane.depth.set(lane.queue.size(), timeline_.now());
    if (lane.current != nullptr && !lane.turning && reads_into(*lane.current, buffer)) link_.give_up(lane.arm);
  }
}

/// A chain that nobody waits for any more ends before it was served.
void DiskChannel::drop(DiskLane& lane, MediaChain& chain) {
  const Picoseconds now = timeline_.now();
  end_wait(lane, chain);
  chain.status = Status::aborted;
  account(chain, now);
  executor_.interrupt(chain.wait, InterruptLine::disk, now);
}

void DiskChannel::finish(DiskLane& lane) {
  MediaChain& chain = *lane.current;
  const Picoseconds now = timeline_.now();
  leave(lane);
  if (chain.status == Status::media_error && supervisor_ != nullptr && chain.priority != MediaClass::recovery) [[unlikely]]
    return hand_over(chain);
  if (!dma_.in_bursts() || !lands_later(lane, chain)) complete(chain, now, lane.landed);
  go_on(lane);
}

/// The steps of the chain, which the arm left, ended at `ended`, and what they read is in the DRAM at `landed`.
void DiskChannel::complete(MediaChain& chain, Picoseconds ended, Picoseconds landed) {
  if (landed > ended) chain.breakdown.transfer += landed - ended;
  account(chain, std::max(ended, landed));
  executor_.interrupt(chain.wait, InterruptLine::disk, std::max(ended, landed));
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

// --- A DRAM that takes bursts ---

// The disk channel before a DRAM that takes bursts: what a step moves is under way while it passes the head, and not all of it is answered
// when the step ends.

/// The engine knows from the servo when the step's first sector is under the head. Of a write it fills the FIFO before.
void DiskChannel::announce(const DiskLane& lane, const MediaStep& step) {
  const bool write = step.op == MediaOp::write;
  const Picoseconds now = timeline_.now();
  const Picoseconds passing = positioning_.revolution() * step.run.count / std::max(tracks_.sectors_on(step.run.track), 1U);
  dma_.disk_starts(step, now + lane.positioning.positioning_time(step.run, write, now), std::max(passing, Picoseconds(1)),
                   write ? fifo_ : Bytes(0), lane.arm);
}

/// Whether a write's step ends without all of its data: the arm waits.
bool DiskChannel::waits_for_bursts(DiskLane& lane, const MediaStep& step, Picoseconds late) {
  if (step.op != MediaOp::write || moves_nothing(lane.step_status)) return false;
  const Picoseconds now = timeline_.now();
  if (dma_.disk_done(lane.arm, *this, lane.arm * alarms + fed, now + late)) return false;
  lane.turning = true;
  lane.passed = now;
  lane.late = late;
  return true;
}

/// The data is here. Where the FIFO ran empty, the rest of the run is written as it comes round again.
void DiskChannel::feed(DiskLane& lane) {
  const Picoseconds now = timeline_.now();
  const Picoseconds turn = std::max(positioning_.revolution(), Picoseconds(1));
  const Picoseconds since = now - lane.passed;
  Picoseconds until = now;
  if (lane.late != Picoseconds(0)) {
    const std::uint64_t turns = (since + turn - Picoseconds(1)) / turn;
    missed_turns_ += turns - lane.late / turn;
    until = lane.passed + turn * turns;
  }
  lane.current->breakdown.rotation += until - lane.passed;
  if (until == now) return step_ended(lane);
  timeline_.post(until, *this, lane.arm * alarms + turned);
}

/// Whether the chain, of which the arm has done the last step, waits for bursts of any arm that served it.
bool DiskChannel::lands_later(const DiskLane& lane, MediaChain& chain) {
  const bool changed_arms = chain.landed != Picoseconds(0);
  const auto arms = static_cast<std::uint32_t>(lanes_.size());
  return wait_for({&chain, timeline_.now(), lane.landed, changed_arms ? 0 : lane.arm, changed_arms ? arms : lane.arm + 1});
}

bool DiskChannel::wait_for(Landing landing) {
  while (landing.arm < landing.end) {
    const std::uint32_t arm = landing.arm++;
    const std::uint64_t number = landings_.put(landing);
    if (!dma_.disk_done(arm, *this, number * alarms + answered, landing.landed)) {
      ++landing_;
      return true;
    }
    landings_.take(number);
  }
  return false;
}

void DiskChannel::land(Landing landing) {
  --landing_;
  if (!wait_for(landing)) complete(*landing.chain, landing.ended, timeline_.now());
}

// --- Chains in trouble, and the stop of the channel ---

/// An arm has become free. Where a chain is in trouble, those that have changed arms go on to their ends first: the supervisor meets none
/// of them half-way.
void DiskChannel::go_on(const DiskLane& after) {
  if (!stopped()) return serve_waiting(after);
  if (recovering_) return;
  for (DiskLane& lane : lanes_) {
    if (lane.current != nullptr || active_ == at_once_) continue;
    if (MediaChain* const chain = lane.queue.take([](const MediaChain& waiting) { return waiting.steps_done != 0; })) serve(lane, *chain);
  }
  recover_next();
}

/// Gives the chain to the supervisor, once the other arms have done with what they have in hand.
void DiskChannel::hand_over(MediaChain& chain) {
  account(chain, timeline_.now());
  troubled_.push_back(&chain);
  go_on(lanes_.front());
}

/// As a task of its own behind an interrupt.
void DiskChannel::recover_next() {
  if (recovering_ || troubled_.empty() || active_ != 0) return;
  MediaChain& chain = *troubled_.front();
  troubled_.erase(troubled_.begin());
  recovering_ = chain.priority;
  recovery_began_ = timeline_.now();
  for (DiskLane& lane : lanes_) lane.shares.turn_to(Cause::recovery, recovery_began_);
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
  const Picoseconds now = timeline_.now();
  for (DiskLane& lane : lanes_) {
    if (recovering_ == MediaClass::background) lane.background_total += now - recovery_began_;
    lane.shares.turn_to(Cause::host, now);
  }
  recovering_.reset();
  go_on(lanes_.back());
}

void DiskChannel::power_off() {
  timeline_.withdraw(*this);
  landings_.clear();
  landing_ = 0;
  submitted_.clear();
  abandoned_.clear();
  unwanted_.clear();
  troubled_.clear();
  recovering_.reset();
  quiet_ = nullptr;
  active_ = 0;
  for (DiskLane& lane : lanes_) {
    lane.queue.clear();
    for (const Signal signal : {lane.depth, lane.op}) signal.set(0, timeline_.now());
    lane.current = nullptr;
    lane.last = {};
    lane.shares.clear();
    lane.helped_life = nullptr;
    lane.turning = false;
  }
}

void DiskChannel::halt(std::function<void()> quiet) {
  timeline_.withdraw(*this);
  dma_.withdraw(*this);
  landings_.clear();
  landing_ = 0;
  submitted_.clear();
  abandoned_.clear();
  unwanted_.clear();
  troubled_.clear();
  recovering_.reset();
  for (DiskLane& lane : lanes_) {
    if (std::exchange(lane.turning, false)) {  // the media has done its part
      lane.current = nullptr;
      --active_;
    }
    lane.queue.clear();
    lane.shares.clear();
  }
  quiet_ = std::move(quiet);
}

// --- Figures ---

void DiskChannel::reset_statistics() {
  chains_ = steps_ = missed_turns_ = 0;
  longest_queue_ = queued();
  for (DiskLane& lane : lanes_) {
    lane.busy = Picoseconds(0);
    lane.steps = 0;
    lane.queue.reset_statistics();
    lane.shares.reset_statistics();
  }
}

void DiskChannel::report(MetricSet& metrics, LongTime elapsed) const {
  const LongTime of_all_arms = elapsed * lanes_.size();
  Picoseconds busy;
  std::uint64_t aged = 0;
  WorkShares::Times work{};
  for (const DiskLane& lane : lanes_) {
    busy += lane.busy;
    aged += lane.queue.aged();
    lane.shares.add_to(work);
  }
  metrics.add("disk_channel.utilisation", share_of(busy, of_all_arms), "1",
              "share of the measured time in which the head-disk assembly was busy");
  for (const DiskLane& lane : lanes_) {
    if (lanes_.size() == 1) break;
    const std::string arm = "disk_channel.arm." + std::to_string(lane.arm);
    metrics.add(arm + ".utilisation", share_of(lane.busy, elapsed), "1", "share of the measured time in which the arm was busy");
    metrics.count(arm + ".commands", static_cast<double>(lane.steps), "1", "media commands that the arm served");
  }
  metrics.count("disk_channel.chains", static_cast<double>(chains_), "1", "chains of media commands served");
  metrics.count("disk_channel.commands", static_cast<double>(steps_), "1", "media commands served");
  metrics.count("disk_channel.missed_turns", static_cast<double>(missed_turns_), "1",
                "revolutions lost because the disk channel's FIFO ran over or empty");
  const auto share_aged = chains_ == 0 ? std::nullopt : std::optional(static_cast<double>(aged) / static_cast<double>(chains_));
  metrics.add("disk_channel.aged", share_aged, "1", "share of the chains that were served out of turn because of their age");
  WorkShares::report(work, metrics, of_all_arms);
  metrics.add("disk_channel.queue.max", static_cast<double>(longest_queue_), "1", "longest queue at the disk channel");
}

}  // namespace tessera
