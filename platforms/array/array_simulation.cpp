#include "platforms/array/array_simulation.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "platforms/run/promise.hpp"
#include "platforms/run/stop_signals.hpp"

namespace tessera {

using namespace literals;

namespace {

constexpr Picoseconds drain_poll = 1_ms;
constexpr Picoseconds drain_patience = 86'400_s;

std::vector<ArrayDrive> links_of(ArrayDrives& drives) {
  std::vector<ArrayDrive> links;
  for (std::size_t i = 0; i < drives.size(); ++i)
    links.push_back({.link = drives[i].host.get(),
                     .tags = drives[i].config.host.tags,
                     .forgets = !drives.keeps_acknowledged(i),
                     .zeros_after_trim = drives[i].config.firmware.zeros_after_trim});
  return links;
}

DurabilityPromise promise_of(const ArrayDrives& drives) {
  return drives.keep_acknowledged() ? DurabilityPromise::acknowledged : DurabilityPromise::flushed;
}

}  // namespace

ArraySimulation::ArraySimulation(const ArrayDescription& array, ArrayDrives& drives, const ArraySimulationConfig& config,
                                 const std::function<std::unique_ptr<TraceSource>(Bytes)>& open_input)
    : array_(array),
      drives_(drives),
      config_(config),
      host_(array.host, power_on(), drives.sector_blocks(), drives.timeline(), links_of(drives), config.content),
      source_(open_input(Bytes(host_.layout().user_blocks() * host_block_bytes))),
      player_(config.player, drives.timeline(), *source_, host_),
      scoreboard_(config.check ? std::make_unique<Scoreboard>(config.content, promise_of(drives), drives.sector_blocks()) : nullptr) {
  for (std::uint32_t i = 0; i < drives_.size(); ++i)
    drives_[i].host->set_receiver([this, i](HostRequest& command) {
      power_[i]->cycle.answered();
      host_.completed(i, command);
    });
  if (scoreboard_ != nullptr) player_.set_checker(*scoreboard_);
  player_.add_observer(*this);
  player_.set_end_listener(*this);
  host_.set_thrown_out_listener([this](std::uint32_t drive, DriveFault why) { throw_out(drive, why); });
  host_.set_rebuild_listener([this](bool begins) {
    chapter_ = begins ? Chapter::rebuild : Chapter::rebuilt;
    if (begins || !array_.host.rebuild.ends_run || player_.stopped() || player_.ended()) return;
    stopped_by_rebuild_ = true;
    player_.stop();
  });
}

/// Prefilled sectors hold no data that anybody wrote: they are zeros to parity, as on drives that were assembled new.
ArrayLayout ArraySimulation::power_on() {
  booting_ = static_cast<std::uint32_t>(drives_.size());
  for (std::uint32_t i = 0; i < drives_.size(); ++i) {
    drives_[i].boots = true;
    power_.push_back(std::make_unique<DrivePower>(*this, i));
    power_[i]->cycle.boot();
  }
  ArrayLayout layout = drives_.layout(array_);
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    DriveOfArray& drive = drives_[i];
    const std::uint64_t sectors = drive.module->firmware().user_sectors();
    // A spare is empty: nobody has written to it yet.
    const std::uint32_t percent = drive.spare ? 0 : config_.prefill_percent.value_or(drive.config.prefill);
    drive.module->prefill(sectors / 100 * percent + sectors % 100 * percent / 100, false);
  }
  return layout;
}

void ArraySimulation::post(Picoseconds at, Event event) { drives_.timeline().post(at, *this, event); }

void ArraySimulation::run() {
  try {
    drives_.calendar().reschedule();
    sc_core::sc_start();
    drives_.calendar().rethrow_failure();
    TESSERA_CHECK(measured_, "the simulation ended with requests unserved: a completion was lost");
  } catch (const std::exception& error) {
    if (report_ != nullptr) report_->failed(error);
    throw;
  }
}

void ArraySimulation::stop() {
  if (!player_.stopped()) player_.stop();
}

void ArraySimulation::on_time(std::uint64_t argument) {
  switch (static_cast<Event>(argument)) {
    case begin_replay: return start_replay();
    case fail_drive: return fail_next();
    case cut_power: return cut_next();
    case begin_scrub: scrub_begun_ = true; return host_.start_scrub();
    case all_answer: return go_on_together();
    case begin_drain: return drain();
    case poll_idle: return poll();
    case end_window: return window_over();
    case switch_off_leaving: return switch_off_left();
  }
}

/// Where the host goes on it waits for the drive.
void ArraySimulation::link_lost(std::uint32_t i) {
  if (!drives_[i].failed && !drives_[i].boots) host_.drive_suspended(i);
  drives_[i].host->power_lost();
}

void ArraySimulation::answers(std::uint32_t i) {
  power_[i]->cycle.serve();
  if (!std::exchange(drives_[i].boots, false)) return host_.drive_resumed(i);
  if (--booting_ == 0) go_on_together();
}

/// Faults can take more than the firmware keeps twice, or come faster than it boots: to the array, such a drive failed.
void ArraySimulation::stays_dead(std::uint32_t i) {
  const DriveConfig& config = drives_[i].config;
  TESSERA_CHECK(config.asks_for_faults() || !config.foreign_firmware().empty(), "a drive of the array did not boot");
  if (!std::exchange(drives_[i].boots, false)) return leave_out(i);
  dead_.push_back(i);
  if (--booting_ == 0) post(drives_.timeline().now(), all_answer);
}

void ArraySimulation::leave_out(std::uint32_t dead) {
  if (drives_[dead].failed) return;  // meanwhile
  throw_out(dead, DriveFault::no_boot);
  host_.drive_failed(dead);
}

void ArraySimulation::leave_out_dead() {
  for (const std::uint32_t dead : std::exchange(dead_, {})) leave_out(dead);
}

/// All that boot together answer: the first time, or after a cut of all.
void ArraySimulation::go_on_together() {
  if (dark_) {
    leave_out_dead();
    return host_.recover([this] { go_on(); });
  }
  const Picoseconds begin = beginning();
  begin == drives_.timeline().now() ? start_replay() : post(begin, begin_replay);
}

/// When the replay begins.
Picoseconds ArraySimulation::beginning() {
  const Picoseconds answered = drives_.timeline().now();
  const WindowConfig& window = array_.host.window;
  if (!window.used()) return answered;
  if (window.begin < answered)
    throw InputError("window.begin is " + std::to_string(window.begin.value() / 1'000'000) + " us, and the drives answer " +
                     std::to_string(answered.value() / 1'000'000) + " us after the power came; expected no less");
  return window.begin;
}

/// What is still under way stays out of the results.
void ArraySimulation::window_over() {
  draining_ = true;
  if (!replayed_) failure_ = "requests were left at the end of the window: they are not in the results; expected a longer window.length";
  measure();
}

void ArraySimulation::start_replay() {
  replaying_ = true;
  origin_ = measured_from_ = drives_.timeline().now();
  for (std::size_t i = 0; i < drives_.size(); ++i) drives_[i].measurement->begin();
  host_.reset_statistics();
  host_.set_receiver([this](HostRequest& request) { player_.completed(request); });
  leave_out_dead();
  if (stop_signal() != 0) stop();
  schedule();
  player_.start();
}

/// What is still to happen to the drives.
void ArraySimulation::schedule() {
  const Picoseconds now = drives_.timeline().now();
  const auto soon = [this, now](Picoseconds at) { return std::max(now, origin_ + at); };
  if (next_failure_ < array_.failures.size()) post(soon(array_.failures[next_failure_].at), fail_drive);
  if (next_cut_ < array_.cuts.size()) post(soon(array_.cuts[next_cut_].at), cut_power);
  if (array_.host.scrub.enabled && !scrub_begun_) post(soon(array_.host.scrub.at), begin_scrub);
  if (array_.host.window.used()) post(origin_ + array_.host.window.length, end_window);
}

void ArraySimulation::fail_next() {
  const std::uint32_t failing = array_.failures[next_failure_++].drive;
  if (!drives_[failing].failed) fail(failing);
  if (next_failure_ < array_.failures.size())
    post(std::max(drives_.timeline().now(), origin_ + array_.failures[next_failure_].at), fail_drive);
  drain_when_done();
}

/// The drive may be in the midst of answering: its power goes next.
void ArraySimulation::throw_out(std::uint32_t out, DriveFault why) {
  DriveOfArray& drive = drives_[out];
  thrown_out_.push_back({out, drives_.timeline().now() - origin_, why});
  if (!measured_) drive.metrics = metrics_of(out);
  drive.failed = true;
  chapter_ = Chapter::degraded;
  leaving_.push_back(out);
  post(drives_.timeline().now(), switch_off_leaving);
}

void ArraySimulation::switch_off_left() {
  for (const std::uint32_t out : std::exchange(leaving_, {})) power_[out]->cycle.off();
}

/// It stops where it is, and keeps what it counted until then.
void ArraySimulation::fail(std::uint32_t failing) {
  DriveOfArray& drive = drives_[failing];
  if (!measured_ && power_[failing]->cycle.firmware_runs()) drive.metrics = metrics_of(failing);
  drive.failed = true;
  power_[failing]->cycle.off();
  chapter_ = Chapter::degraded;
  host_.drive_failed(failing);
  if (std::exchange(drive.boots, false) && --booting_ == 0) post(drives_.timeline().now(), all_answer);
}

void ArraySimulation::cut_next() {
  const ArrayPowerCut& cut = array_.cuts[next_cut_++];
  if (next_cut_ < array_.cuts.size()) post(std::max(drives_.timeline().now(), origin_ + array_.cuts[next_cut_].at), cut_power);
  if (dark_ || draining_) return;
  ++cuts_made_;
  cut.drives.empty() ? cut_all() : cut_some(cut.drives);
}

/// The host loses its memory with the drives.
void ArraySimulation::cut_all() {
  drives_.timeline().withdraw(*this);
  switch_off_left();
  dark_ = true;
  booting_ = 0;
  Picoseconds boot_after;
  if (player_.powered()) player_.power_lost();
  host_.power_lost();
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    DriveOfArray& drive = drives_[i];
    if (drive.failed) continue;
    drive.boots = true;
    ++booting_;
    boot_after = std::max(boot_after, drive.module->restart_delay());
  }
  for (std::size_t i = 0; i < drives_.size(); ++i)
    if (!drives_[i].failed) power_[i]->cycle.cut(boot_after);
  schedule();
}

/// The host goes on, and waits for them.
void ArraySimulation::cut_some(const std::vector<std::uint32_t>& drives) {
  for (const std::uint32_t i : drives)
    if (!drives_[i].failed && power_[i]->cycle.phase() != PowerCycle::Phase::outage) power_[i]->cycle.cut();
}

/// The array has its drives again, and what can be put right is; everything that was written is read, by a copy of this process, before the
/// requests go on.
void ArraySimulation::go_on() {
  if (scoreboard_ != nullptr) {
    auto copy = std::make_unique<ProcessCopy>();
    if (copy->is_copy()) return look_as_copy(std::move(copy));
    if (hear_sweep(*copy, *scoreboard_) == SweepEnd::stopped) stop();
  }
  dark_ = false;
  host_.set_receiver([this](HostRequest& request) { player_.completed(request); });
  player_.power_restored();
  drain_when_done();
}

/// No cut, no failure and no arrival happens to the copy.
void ArraySimulation::look_as_copy(std::unique_ptr<ProcessCopy> copy) {
  copy->close_files();
  report_ = std::make_unique<SweepReport>(std::move(copy), *scoreboard_);
  drives_.timeline().withdraw(*this);
  drives_.timeline().withdraw(player_);
  sweep_ = std::make_unique<VerificationSweep>(drives_.timeline(), host_, *scoreboard_, config_.player.tags,
                                               [this] { report_->ended(sweep_->stopped() ? SweepEnd::stopped : SweepEnd::whole); });
  sweep_->report_to(*report_);
  sweep_->start();
}

void ArraySimulation::on_complete(const HostRequest& request, Picoseconds now) {
  if (ok(request.status) && request.number >= config_.player.warmup)
    latency_[static_cast<std::size_t>(chapter_)].record(now - request.life.arrival);
  if (ok(request.status) && request.op == HostOp::write && request.number < config_.player.warmup)
    warmup_written_ += Bytes(request.blocks.count * host_block_bytes);
  if (config_.player.warmup != 0 && player_.completions() == config_.player.warmup) end_warmup();
  if (stop_signal() != 0) stop();
}

void ArraySimulation::on_end(Picoseconds) {
  if (stop_signal() != 0) stop();  // the input may go on after what was read of it
  replayed_ = true;
  drain_when_done();
}

/// The run goes on until what was to happen to the drives has happened, and its rebuilds have ended.
void ArraySimulation::drain_when_done() {
  const bool stopped = stop_signal() != 0;
  if (!replayed_ || draining_ || dark_ || (array_.host.window.used() && !stopped)) return;
  if (!stopped && next_failure_ < array_.failures.size()) return;
  post(drives_.timeline().now(), begin_drain);
}

bool ArraySimulation::busy() const { return host_.rebuilding() || host_.scrubbing() || (array_.host.scrub.enabled && !scrub_begun_); }

/// A drive whose firmware has restarted is not idle before it serves.
bool ArraySimulation::idle() const {
  for (std::size_t i = 0; i < drives_.size(); ++i)
    if (!drives_[i].failed && (power_[i]->cycle.phase() != PowerCycle::Phase::on || !drives_[i].module->idle())) return false;
  return true;
}

void ArraySimulation::drain() {
  if (busy() && stop_signal() == 0) {
    if (wait_listener_) wait_listener_("a scrub is still to begin");
    return post(drives_.timeline().now() + drain_poll, begin_drain);
  }
  draining_ = true;
  flush_ = {};
  flush_.op = HostOp::flush;
  flush_.life.begin(drives_.timeline().now());
  if (scoreboard_ != nullptr) scoreboard_->issued(flush_);
  host_.set_receiver([this](HostRequest& request) { drained(request); });
  host_.issue(flush_);
}

void ArraySimulation::drained(const HostRequest& flush) {
  if (!ok(flush.status)) failure_ = std::string("the drain's flush failed: ") + to_string(flush.status);
  if (scoreboard_ != nullptr) scoreboard_->completed(flush);
  drain_limit_ = drives_.timeline().now() + drain_patience;
  post(drives_.timeline().now(), poll_idle);
}

void ArraySimulation::poll() {
  const bool late = drives_.timeline().now() >= drain_limit_;
  if (late) failure_ = "the drives were still at work a simulated day after the last request: what they did later is not in the results";
  if (late || stop_signal() != 0 || (idle() && host_.idle() && !busy())) return measure();
  if (wait_listener_) wait_listener_("the drives come to rest");
  post(drives_.timeline().now() + drain_poll, poll_idle);
}

void ArraySimulation::measure() {
  for (std::uint32_t i = 0; i < drives_.size(); ++i)
    if (!drives_[i].failed && power_[i]->cycle.firmware_runs()) drives_[i].metrics = metrics_of(i);
  player_.report(metrics_);
  host_.report(metrics_);
  report_chapters(metrics_);
  add_write_amplification();
  if (host_.layout().redundant() || array_.host.time_out != Picoseconds(0))
    metrics_.add("array.thrown_out", static_cast<double>(thrown_out_.size()), "1",
                 "drives that the array did without after an error, or after array.time_out");
  metrics_.add("capacity.user", static_cast<double>(host_.layout().user_blocks() * host_block_bytes), "B", "what the host can address");
  metrics_.add("run.measured_seconds", static_cast<double>((drives_.timeline().now() - measured_from_).value()) * 1e-12, "s",
               "simulated time of the measured part");
  measured_ = true;
  if (scoreboard_ == nullptr || stop_signal() != 0) return finish();
  sweep_ = std::make_unique<VerificationSweep>(drives_.timeline(), host_, *scoreboard_, config_.player.tags, [this] {
    host_.audit([this](const RowAudit& audit) {
      rows_differing_ = audit.differing;
      scoreboard_->report(metrics_);
      metrics_.add("array.rows_differing", static_cast<double>(audit.differing), "1",
                   "rows that were written whose parity or copies do not fit the data at the end");
      metrics_.add("array.rows_incomplete", static_cast<double>(audit.incomplete), "1",
                   "rows that were written of which a member was missing or unreadable at the end: they could not be compared");
      finish();
    });
  });
  sweep_->start();
}

void ArraySimulation::finish() { drives_.calendar().stop(); }

// --- Figures ---

// What a run of an array counts of its drives, and of requests by what the array was at.

namespace {

/// Names of the chapters in metrics, and what they are.
constexpr std::array<std::pair<const char*, const char*>, ArraySimulation::chapters> chapter_names{
    {{"whole", "served before a drive failed"},
     {"degraded", "served after a drive failed, before its rebuild began"},
     {"rebuild", "served during a rebuild"},
     {"rebuilt", "served after the last rebuild"}}};

/// Bytes, by the drive's metrics.
double platters_written(const DriveOfArray& drive, const MetricSet& metrics) {
  const Metric* const sectors = metrics.find("media.sectors_written.total");
  return sectors == nullptr ? 0 : sectors->value.value_or(0) * drive.module->sector_shape().sector_bytes;
}

}  // namespace

/// What failed before it has been measured already.
void ArraySimulation::end_warmup() {
  measured_from_ = drives_.timeline().now();
  for (std::uint32_t i = 0; i < drives_.size(); ++i) {
    if (drives_[i].failed || !power_[i]->cycle.firmware_runs()) continue;
    warmup_platters_ += platters_written(drives_[i], metrics_of(i));
    drives_[i].measurement->begin();
  }
  host_.end_warmup();
}

/// Of the whole replay: what buffers hold at the end of a warm-up would else count as written for nothing.
void ArraySimulation::add_write_amplification() {
  double platters = warmup_platters_;
  for (std::size_t i = 0; i < drives_.size(); ++i) platters += platters_written(drives_[i], drives_[i].metrics);
  const Bytes host = warmup_written_ + player_.statistics().bytes_written();
  metrics_.add("array.write_amplification.media",
               host == Bytes(0) ? std::nullopt : std::optional(platters / static_cast<double>(host.value())), "1",
               "bytes that all drives wrote to their platters since the start of the replay, warm-up included, over the host's");
}

MetricSet ArraySimulation::metrics_of(std::uint32_t drive) {
  MetricSet commands;
  host_.queue(drive).statistics().report(commands, drives_[drive].config.host.tags);
  return drives_[drive].measurement->end(std::move(commands));
}

void ArraySimulation::report_chapters(MetricSet& metrics) const {
  for (std::size_t i = 0; i < chapters; ++i)
    if (const auto& [name, words] = chapter_names[i]; latency_[i].count() > 0) {
      metrics.add(std::string("array.requests.") + name, static_cast<double>(latency_[i].count()), "1", std::string("requests ") + words);
      latency_[i].report(metrics, std::string("array.latency.") + name, std::string("time from arrival to completion, requests ") + words);
    }
}

}  // namespace tessera
