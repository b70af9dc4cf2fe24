#include "platforms/run/simulation.hpp"

#include "base/error.hpp"
#include "base/liveness_bug.hpp"
#include "firmware/defects/spare_layout.hpp"
#include "platforms/drive/drive_health.hpp"
#include "platforms/drive/luns.hpp"
#include "platforms/run/drive_host.hpp"
#include "platforms/run/medium_truth.hpp"
#include "platforms/run/stop_signals.hpp"

namespace tessera {

using namespace literals;

namespace {

/// How often a drain looks whether the drive has become quiet, and for how long it waits.
constexpr Picoseconds drain_poll = 1_ms;
constexpr Picoseconds drain_patience = 86'400_s;
constexpr Picoseconds drain_look = 3'600_s;
/// Without any action before a rest: all that the parts have reserved ahead is over then.
constexpr Picoseconds quiet_before_rest = 10_ms;
/// Polls in a row that find no other event: parts that are not the drive's own may have some elsewhere, but not for 100 s.
constexpr std::uint32_t most_quiet_polls = 100'000;

std::vector<Picoseconds> moved_by(std::vector<Picoseconds> cuts, Picoseconds origin) {
  for (Picoseconds& at : cuts) at += origin;
  return cuts;
}

/// How often the drive tries to read a sector before it takes its data for lost. Without spares nobody retries.
std::uint32_t reads_before_loss(const DriveConfig& config) {
  return SpareLayout(geometry_of(config.media)).usable() ? 1 + config.firmware.defects.read_retries : 1;
}

}  // namespace

Simulation::Simulation(DriveModule& drive, const SimulationConfig& config,
                       const std::function<std::unique_ptr<TraceSource>(Bytes)>& open_input)
    : drive_(drive),
      config_(config),
      host_("host", drive.timeline_module()),
      boot_cuts_(moved_by(config.boot_cuts, drive.timeline().now())),
      stage_(config.restored ? Stage::restore : Stage::format),
      power_(drive.timeline(), drive, *this, config.restored),
      source_([&] {
        power_.boot();
        make_luns();
        return open_input(Bytes(user_sectors() * drive.sector_shape().sector_bytes));
      }()),
      player_(config_.player, drive.timeline(), *source_, *front_),
      scoreboard_(config.check ? std::make_unique<Scoreboard>(
                                     config.content, config.promise, drive.sector_shape().blocks(),
                                     drive.prefill_contents() == nullptr ? PrefilledBlocks() : drive.prefill_contents()->blocks())
                               : nullptr),
      measurement_(drive, translation_.get()) {
  host_.socket.bind(drive.host_socket());
  if (HostInterfaceModule* const interface = drive.direct_host()) host_.reach(*interface);
  if (scoreboard_ != nullptr) {
    scoreboard_->expect_zones(drive_.config().visible_zone_size() / Bytes(host_block_bytes));
    if (drive_.config().visible_zone_size() != Bytes(0) && !drive_.config().selected().takes_writes_anywhere())
      scoreboard_->expect_zones_cut_at_their_ends();
    if (drive_.dump_engine().can_fail()) scoreboard_->expect_failed_dumps();
    if (zeros_after_trim(drive_.config())) scoreboard_->expect_zeros_after_trim();
    player_.set_checker(*scoreboard_);
    listen_to_faults(*scoreboard_);
  }
  player_.add_observer(*this);
  player_.set_end_listener(*this);
  schedule_cut();
}

void Simulation::listen_to_faults(FaultListener& listener) {
  if (drive_.has_own_media()) {
    MediaDevice& device = drive_.media().device();
    device.set_fault_listener(&listener, reads_before_loss(drive_.config()));
    device.before_write_with_unread([this] {
      if (drive_.boots() && phase() == Phase::recovery) excuse_missed();
    });
  }
  if (drive_.nand() != nullptr) drive_.nand()->device().set_fault_listener(&listener);
  drive_.controller().memory().set_fault_listener(&listener);
}

/// Where the description asks for one; the drive has just been switched on for the first time.
void Simulation::make_translating_host() {
  if (translation_ != nullptr || !drive_.config().hosts.translates()) return;
  translation_ = tessera::make_translating_host(drive_, config_.content, host_);
  front_ = translation_.get();
  host_.set_receiver([this](HostRequest& command) { translation_->completed(command); });
}

/// A queue for each logical unit.
void Simulation::make_luns() {
  if (!drive_.config().logical_units.several()) return;
  std::vector<std::uint64_t> ends;
  for (const Bytes end : lun_ends(drive_)) ends.push_back(end.value() / host_block_bytes);
  config_.player.tags = LunQueues::most_waiting * static_cast<std::uint32_t>(ends.size());
  luns_ = std::make_unique<LunQueues>(host_, drive_.timeline(), std::move(ends), drive_.config().host.tags);
  front_ = luns_.get();
}

std::uint64_t Simulation::user_sectors() const {
  return translation_ == nullptr ? drive_.firmware().user_sectors() : translation_->user_sectors();
}

void Simulation::post_now(Event event) { drive_.timeline().post(drive_.timeline().now(), *this, event); }

void Simulation::run() {
  try {
    sc_core::sc_start();
    drive_.rethrow_failure();
    TESSERA_CHECK(metrics_.has_value(), "the simulation ended with requests unserved: a completion was lost");
  } catch (const std::exception& error) {
    if (report_ != nullptr) report_->failed(error);
    throw;
  }
}

void Simulation::on_time(std::uint64_t argument) {
  switch (static_cast<Event>(argument)) {
    case begin_replay: return start_replay();
    case cut: return cut_when_due();
    case restart: return restart_when_due();
    case begin_drain: return drain();
    case poll_idle:
      if (stop_signal() != 0) stop();
      if (idle() || !drain_failure_.empty() || stop_signal() != 0) return measure();
      if (drive_.timeline().now() >= drain_limit_) return end_drain();
      if (drive_.timeline().now() >= next_look_) look_at_work();
      quiet_polls_ = drive_.timeline().empty() ? quiet_polls_ + 1 : 0;
      if (quiet_polls_ >= most_quiet_polls) never_idle();
      drive_.timeline().post(drive_.timeline().now() + drain_poll, *this, poll_idle);
      return;
  }
}

/// A first boot is not looked at: the replay follows it.
void Simulation::recovered() {
  if (phase() == Phase::on) return drive_.timeline().post(drive_.timeline().now() + config_.start_delay, *this, begin_replay);
  translation_ == nullptr ? look_at_recovered() : recover_host();
}

/// The host lost its memory with the drive's power, and finds its tables again.
void Simulation::recover_host() {
  host_.set_receiver([this](HostRequest& command) { translation_->completed(command); });
  translation_->recover([this](Status status) { ok(status) ? look_at_recovered() : stays_dead(status); });
}

void Simulation::look_at_recovered() {
  if (scoreboard_ == nullptr) return go_on();
  if (config_.looks_apart && report_ == nullptr) return look_apart();
  power_.verify();
  verify([this] {
    if (report_ == nullptr) return go_on();
    report_->ended(sweep_->stopped() ? SweepEnd::stopped : SweepEnd::whole);
  });
}

void Simulation::look_apart() {
  auto copy = std::make_unique<ProcessCopy>();
  if (copy->is_copy()) return look_as_copy(std::move(copy));
  switch (hear_sweep(*copy, *scoreboard_)) {
    case SweepEnd::whole: break;
    case SweepEnd::stopped: verification_stopped_ = true; break;
    case SweepEnd::restarted: ++verifications_restarted_; break;
  }
  go_on();
}

/// Nothing but the sweep happens to the copy, and the restarts that errors of the DRAM make: no cut and no arrival.
void Simulation::look_as_copy(std::unique_ptr<ProcessCopy> copy) {
  copy->close_files();
  report_ = std::make_unique<SweepReport>(std::move(copy), *scoreboard_);
  listen_to_faults(*report_);
  drive_.timeline().withdraw(*this);
  drive_.timeline().withdraw(player_);
  boot_cuts_ = cuts_ = restarts_ = CutSchedule();
  look_at_recovered();
}

/// What lies where under a host that translates is its own affair: such a drive's prefilled contents have no marks to be read back by.
void Simulation::formats() {
  make_translating_host();
  const std::uint64_t sectors = user_sectors() * config_.prefill_percent / 100;
  if (translation_ == nullptr) return drive_.prefill(sectors, config_.check);
  drive_.prefill(translation_->prefill(sectors), false);
}

void Simulation::booted() {
  excuse_what_no_boot_can_know();
  excused_unread_.clear();
  if (stage_ >= Stage::ready) return;
  stage_ = Stage::ready;
  power_.serve();
  if (!player_.powered()) player_.power_restored();
}

/// A boot that a cut ended may have written down what it found: what it could not read counts.
void Simulation::excuse_what_no_boot_can_know() {
  if (scoreboard_ == nullptr || !drive_.has_own_media()) return;
  excuse_reads_in_doubt();
  excuse_missed();
}

/// Of what this boot could not read so far, before it writes over it, too. A host that translates has its own blocks where the drive has
/// others.
void Simulation::excuse_missed() {
  const MediaDevice& device = drive_.media().device();
  if (device.unread() == excused_unread_) return;
  excused_unread_ = device.unread();
  const std::uint32_t blocks = drive_.sector_shape().blocks();
  const auto excuse = [&](const MissedPacket& missed, std::uint64_t first, Scoreboard::Piece piece) {
    const HostRun run{HostBlock(first + missed.run.first.value() * blocks), missed.run.count * blocks};
    const std::vector<HostRun> blocks_of = translation_ == nullptr ? std::vector<HostRun>{run} : blocks_in(device, missed);
    report_ == nullptr ? scoreboard_->untold(blocks_of, piece) : report_->untold(blocks_of, piece);
  };
  // A media cache numbers its sectors from the end of the conventional zones on.
  const DriveConfig& config = drive_.config();
  const std::uint64_t conventional =
      config.has_zones() ? drive_.firmware().conventional_zones() * (config.selected().zone_size() / Bytes(host_block_bytes)) : 0;
  for (const MissedPacket& missed : missed_packets(device)) excuse(missed, conventional, {missed.position, missed.after});
  for (const MissedPacket& missed : missed_records(device)) excuse(missed, 0, {~missed.position, missed.after});
}

void Simulation::excuse(const MediaDevice& device, const ReadDoubt& doubt) {
  if (translation_ == nullptr) return report_ == nullptr ? scoreboard_->in_doubt(doubt.blocks) : report_->in_doubt(doubt.blocks);
  FaultListener& listener = report_ == nullptr ? static_cast<FaultListener&>(*scoreboard_) : *report_;
  tell_doubted(device, doubt, listener);
}

void Simulation::excuse_reads_in_doubt() {
  const MediaDevice& device = drive_.media().device();
  for (const ReadDoubt& doubt : founded_doubts(device, drive_.reads_in_doubt())) excuse(device, doubt);
}

/// Faults can take more than the firmware keeps twice, and firmware of the user's may give its boot up; then the drive does not come ready,
/// and the run ends here.
void Simulation::stays_dead(Status status) {
  TESSERA_CHECK(drive_.config().asks_for_faults() || !drive_.config().foreign_firmware().empty(), "the firmware did not boot");
  end_dead(status, std::string("the drive did not boot: ") + to_string(status));
}

void Simulation::gives_up() {
  if (report_ != nullptr) {
    lose_requests();
    report_->ended(SweepEnd::restarted);
  }
  never_read_back_ = sweep_ != nullptr && sweep_->running();
  end_dead(Status::corrupt, never_read_back_ ? PowerCycle::never_read_back() : PowerCycle::never_ready());
}

void Simulation::end_dead(Status status, const std::string& why) {
  dead_ = true;
  drain_status_ = status;
  drain_failure_ = why;
  drive_.timeline().withdraw(*this);
  if (stage_ < Stage::replay) measurement_.begin();
  add_results();
  finish();
}

void Simulation::start_replay() {
  drive_.timeline().withdraw(*this);  // a cut that was asked for before the replay comes too late
  stage_ = Stage::replay;
  origin_ = drive_.timeline().now();
  cuts_ = CutSchedule(moved_by(config_.cuts, origin_));
  restarts_ = CutSchedule(moved_by(config_.restarts, origin_));
  measurement_.begin();
  if (luns_ != nullptr) luns_->reset_statistics();
  front_->set_receiver([this](HostRequest& request) { player_.completed(request); });
  if (config_.rest_after && translation_ == nullptr && drive_.may_rest()) player_.set_resting(*this);
  if (stop_signal() != 0) stop();
  player_.start();
  schedule_cut();
}

void Simulation::schedule_cut() {
  if (const auto next = schedule().next()) drive_.timeline().post(*next, *this, cut);
  if (const auto next = restarts_.next()) drive_.timeline().post(*next, *this, restart);
}

/// A cut comes after everything else that happens at its instant, so that one command line cuts at one place.
void Simulation::cut_when_due() {
  if (!drive_.timeline().empty() && drive_.timeline().next() == drive_.timeline().now()) return post_now(cut);
  schedule().happened(drive_.timeline().now());
  cut_now();
}

/// In an outage there is no power to cut.
void Simulation::cut_soon() {
  if (!schedule().add(drive_.timeline().now())) return;
  ++cuts_added_;
  if (phase() != Phase::outage) return post_now(cut);
  schedule().dark_until(drive_.timeline().now() + Picoseconds(1));
}

void Simulation::cut_now() {
  TESSERA_CHECK(phase() != Phase::outage, "a power cut in an outage");
  ++cuts_made_;
  if (cut_listener_) cut_listener_("power_cut", drive_.timeline().now());
  lose_power();
}

/// Cuts that were asked for until the power comes back find none, whoever took it.
void Simulation::lose_power() {
  schedule().dark_until(drive_.timeline().now() + drive_.outage());
  power_.cut();
}

void Simulation::link_lost(Why why) {
  if (why == Why::restart) {
    ++restarts_made_;
    if (cut_listener_) cut_listener_("firmware_restart", drive_.timeline().now());
  }
  drive_.timeline().withdraw(*this);
  lose_requests();
  if (drive_.boots() && phase() == Phase::recovery && scoreboard_ != nullptr && drive_.has_own_media() && why == Why::cut)
    excuse_reads_in_doubt();
  schedule_cut();
}

void Simulation::power_lost(const PowerLoss& loss) {
  if (loss.dump_failed && cut_listener_) cut_listener_("dump_failed", drive_.timeline().now());
  if (scoreboard_ == nullptr) return;
  if (loss.lost_writes) scoreboard_->dump_failed();
  if (loss.dump_failed && !drive_.config().knows_lost_records()) scoreboard_->lost_records_untold();
  if (!drive_.has_own_media()) return;
  for (const TornSector& torn : drive_.media().device().torn()) scoreboard_->exempt_torn(torn.held, torn.written);
}

/// One that falls into an outage or another restart restarts nothing.
void Simulation::restart_when_due() {
  const Picoseconds now = drive_.timeline().now();
  restarts_.happened(now);
  if (power_.firmware_runs()) {
    ++scheduled_restarts_made_;
    return power_.restart();
  }
  if (const auto next = restarts_.next()) drive_.timeline().post(*next, *this, restart);
}

/// What the host had at the drive will not be answered: its flush, the reads of a verification, the requests of the replay.
void Simulation::lose_requests() {
  host_.power_lost();
  if (translation_ != nullptr) translation_->power_lost();
  if (luns_ != nullptr) luns_->power_lost();
  if (flushing_ && scoreboard_ != nullptr) scoreboard_->lost(flush_);
  flushing_ = false;
  if (sweep_ != nullptr) sweep_->power_lost();
  sweep_.reset();
  if (player_.powered()) player_.power_lost();
}

/// The drive has recovered and everything was there.
void Simulation::go_on() {
  power_.serve();
  front_->set_receiver([this](HostRequest& request) { player_.completed(request); });
  player_.power_restored();
  switch (stage_) {
    case Stage::ready: drive_.timeline().post(drive_.timeline().now() + config_.start_delay, *this, begin_replay); return;
    case Stage::drain: return post_now(begin_drain);
    case Stage::read_back: return finish();
    case Stage::format:
    case Stage::restore:
    case Stage::replay: return;
  }
}

void Simulation::on_complete(const HostRequest& request, Picoseconds) {
  power_.answered();
  const bool fails = !ok(request.status) && request.status != Status::read_only;
  if (fails && request.number >= config_.player.warmup && scoreboard_ != nullptr && scoreboard_->excused(request)) ++excused_;
  if (config_.player.warmup != 0 && player_.completions() == config_.player.warmup) measurement_.begin();
  if (stop_signal() != 0) stop();
}

void Simulation::stop() {
  if (!player_.stopped()) player_.stop();
}

void Simulation::on_end(Picoseconds) {
  if (stop_signal() != 0) stop();  // the input may go on behind what was read of it
  stage_ = Stage::drain;
  if (translation_ != nullptr) translation_->application_ended();
  post_now(begin_drain);
}

void Simulation::drain() {
  flush_ = {};
  flush_.op = HostOp::flush;
  flush_.life.begin(drive_.timeline().now());
  flushing_ = true;
  if (scoreboard_ != nullptr) scoreboard_->issued(flush_);
  front_->set_receiver([this](HostRequest& request) { drained(request); });
  front_->issue(flush_);
}

void Simulation::drained(const HostRequest& flush) {
  flushing_ = false;
  drain_status_ = flush.status;
  if (!ok(flush.status)) drain_failure_ = std::string("the drain's flush failed: ") + to_string(flush.status);
  if (scoreboard_ != nullptr) scoreboard_->completed(flush);
  if (drain_listener_) drain_listener_(flush.status);
  drain_limit_ = drive_.timeline().now() + drain_patience;
  quiet_polls_ = 0;
  work_before_ = work_done_ = drive_.controller().work().operations;
  next_look_ = drive_.timeline().now() + drain_look;
  post_now(poll_idle);
}

void Simulation::measure() {
  add_results();
  if (is_off_) return shut_down();
  if (scoreboard_ == nullptr) return finish();
  verify([this] { finish(); });
}

/// So that the end of a long drain knows whether the drive did anything in its last hour.
void Simulation::look_at_work() {
  work_before_ = work_done_;
  work_done_ = drive_.controller().work().operations;
  next_look_ = drive_.timeline().now() + drain_look;
}

void Simulation::never_idle() const {
  throw LivenessBug("liveness: the drive does nothing after the last request, and is not idle\n" + drive_.controller().account());
}

/// A drive that works for a day after the last request is slow, or has work without end; one that does nothing and is not idle never will
/// be.
void Simulation::end_drain() {
  const DeviceWork work = drive_.controller().work();
  if (!work.busy && work.operations == work_before_) never_idle();
  unfinished_ = true;
  drain_failure_ = "the drive was still at work a simulated day after the last request: what it did later is not in the results";
  measure();
}

/// The drive is flushed and idle; what only the dump saves goes the way of a power cut. A cut that was still to come finds no drive.
void Simulation::shut_down() {
  const bool whole = drain_failure_.empty();
  lose_power();
  if (whole) is_off_();
  if (scoreboard_ == nullptr) finish();
}

void Simulation::add_results() {
  stage_ = Stage::read_back;
  metrics_ = measurement_.end(player_);
  if (luns_ != nullptr) luns_->report(*metrics_);
  if (scoreboard_ != nullptr)
    metrics_->add("host.excused", static_cast<double>(excused_), "1",
                  "of host.failed, requests to sectors that the description's faults destroyed");
  measured_until_ = drive_.timeline().now();
}

void Simulation::finish() { drive_.timeline_module().stop(); }

void Simulation::verify(std::function<void()> next) {
  const auto ended = [this, next = std::move(next)] {
    verification_stopped_ = verification_stopped_ || sweep_->stopped();
    next();
  };
  sweep_ = std::make_unique<VerificationSweep>(drive_, *front_, *scoreboard_, config_.player.tags, ended);
  if (report_ != nullptr) sweep_->report_to(*report_);
  sweep_->start();
}

// --- Rests ---

Picoseconds Simulation::quiet() {
  const bool may = config_.rest_after && phase() == Phase::on && drive_.timeline().now() - origin_ >= *config_.rest_after;
  if (!may) return Picoseconds(0);
  drive_.stand_down();
  return quiet_before_rest;
}

bool Simulation::rest(Picoseconds by) {
  if (!idle()) return false;
  drive_.rest(by);
  measurement_.rest(by);
  rested_ += by;
  if (rest_listener_) rest_listener_(by);
  return true;
}

}  // namespace tessera
