#include "platforms/run/simulation.hpp"

#include "base/error.hpp"
#include "platforms/run/stop_signals.hpp"

namespace tessera {

using namespace literals;

namespace {

/// How often a drain looks whether the drive has become quiet, and for how long it waits.
constexpr Picoseconds drain_poll = 1_ms;
constexpr Picoseconds drain_patience = 86'400_s;

/// Requests of a verification sweep under way at once, as far as the drive has tags.
constexpr std::uint32_t verification_depth = 8;

std::vector<Picoseconds> moved_by(std::vector<Picoseconds> cuts, Picoseconds origin) {
  for (Picoseconds& at : cuts) at += origin;
  return cuts;
}

}  // namespace

Simulation::Simulation(DriveModule& drive, const SimulationConfig& config,
                       const std::function<std::unique_ptr<TraceSource>(Bytes)>& open_input)
    : drive_(drive),
      config_(config),
      host_("host", drive.timeline_module()),
      source_(open_input(first_boot())),
      player_(config.player, drive.timeline(), *source_, host_),
      scoreboard_(config.check ? std::make_unique<Scoreboard>(config.content, config.promise) : nullptr),
      measurement_(drive) {
  host_.socket.bind(drive.host_socket());
  if (scoreboard_ != nullptr) player_.set_checker(*scoreboard_);
  player_.add_observer(*this);
  player_.set_end_listener(*this);
}

void Simulation::post_now(Step step) { drive_.timeline().post(drive_.timeline().now(), *this, step); }

void Simulation::boot(bool after_cut) {
  const Picoseconds powered = drive_.timeline().now();
  drive_.power_on(after_cut, [this, after_cut, powered](Status status) {
    TESSERA_CHECK(ok(status), "the firmware did not boot");
    // The boot task ran ahead of the timeline by its CPU time: the drive answers when that has passed.
    const Picoseconds answers = drive_.controller().executor().now();
    if (after_cut) {
      recovery_ = answers - powered;
      drive_.timeline().post(answers, *this, recovered);
    } else {
      drive_.timeline().post(answers + config_.start_delay, *this, begin_replay);
    }
  });
}

Bytes Simulation::first_boot() {
  boot(false);
  const std::uint64_t sectors = drive_.firmware().user_sectors();
  drive_.firmware().prefill(sectors * config_.prefill_percent / 100);
  return Bytes(sectors * drive_.sector_shape().sector_bytes);
}

void Simulation::run() {
  sc_core::sc_start();
  drive_.timeline_module().rethrow_failure();
  TESSERA_CHECK(metrics_.has_value(), "the simulation ended with requests unserved: a completion was lost");
}

void Simulation::on_time(std::uint64_t argument) {
  switch (static_cast<Step>(argument)) {
    case begin_replay:
      origin_ = drive_.timeline().now();
      cuts_ = CutSchedule(moved_by(config_.cuts, origin_));
      measurement_.begin();
      host_.set_receiver([this](HostRequest& request) { player_.completed(request); });
      player_.start();
      schedule_cut();
      return;
    case cut: return make_cut();
    case restart: return boot(true);
    case recovered:
      if (scoreboard_ == nullptr) return resume_replay();
      return verify([this] { resume_replay(); });
    case begin_drain: return drain();
    case poll_idle:
      if (drive_.idle()) return measure();
      if (drive_.timeline().now() >= drain_limit_)
        throw ModelBug("liveness: the drive did not become idle within a simulated day after the last request\n" +
                       drive_.controller().account());
      drive_.timeline().post(drive_.timeline().now() + drain_poll, *this, poll_idle);
      return;
  }
}

void Simulation::schedule_cut() {
  if (const auto next = cuts_.next()) drive_.timeline().post(*next, *this, cut);
}

void Simulation::make_cut() {
  if (replay_ended_) return;
  const Picoseconds now = drive_.timeline().now();
  if (cut_listener_) cut_listener_(now);
  host_.power_lost();
  player_.power_lost();
  drive_.power_off();
  if (const auto& torn = drive_.media().device().torn(); torn && scoreboard_ != nullptr)
    scoreboard_->exempt_torn(torn->held, torn->written);
  drive_.timeline().post(now + drive_.restart_delay(), *this, restart);
}

void Simulation::resume_replay() {
  host_.set_receiver([this](HostRequest& request) { player_.completed(request); });
  cuts_.happened(drive_.timeline().now());
  schedule_cut();
  player_.power_restored();
}

void Simulation::on_complete(const HostRequest& request, Picoseconds) {
  if (!ok(request.status) && request.number >= config_.player.warmup && scoreboard_ != nullptr && scoreboard_->exempted(request.blocks))
    ++excused_;
  if (config_.player.warmup != 0 && player_.completions() == config_.player.warmup) measurement_.begin();
  if (stop_signal() != 0) stop();
}

void Simulation::stop() {
  if (!player_.stopped()) player_.stop();
}

void Simulation::on_end(Picoseconds) {
  replay_ended_ = true;
  post_now(begin_drain);
}

void Simulation::drain() {
  flush_ = {};
  flush_.op = HostOp::flush;
  flush_.life.begin(drive_.timeline().now());
  if (scoreboard_ != nullptr) scoreboard_->issued(flush_);
  host_.set_receiver([this](HostRequest& request) {
    TESSERA_CHECK(ok(request.status), "the flush that drains the drive failed");
    if (scoreboard_ != nullptr) scoreboard_->completed(request);
    drain_limit_ = drive_.timeline().now() + drain_patience;
    post_now(poll_idle);
  });
  host_.issue(flush_);
}

void Simulation::measure() {
  metrics_ = measurement_.end(player_);
  // Layers that look for nothing at boot have no figure of their own.
  if (metrics_->find("recovery.time") == nullptr) {
    const auto ms = recovery_ ? std::optional(static_cast<double>(recovery_->value()) * 1e-9) : std::nullopt;
    metrics_->add("recovery.time", ms, "ms", "time of the last recovery after a power cut");
  }
  measured_until_ = drive_.timeline().now();
  if (scoreboard_ == nullptr) return drive_.timeline_module().stop();
  verify([this] { drive_.timeline_module().stop(); });
}

Simulation::Sweep::Sweep(DriveModule& of_drive, HostModule& host, Scoreboard& scoreboard, std::uint32_t tags, std::function<void()> then)
    : judge(scoreboard),
      source(scoreboard),
      player({ReplayPolicy{ReplayKind::closed, std::min(tags, verification_depth)}, std::min(tags, verification_depth), 0},
             of_drive.timeline(), source, host),
      drive(of_drive),
      next(std::move(then)) {
  player.set_checker(scoreboard);
  player.set_end_listener(*this);
  player.add_observer(*this);
}

void Simulation::Sweep::on_complete(const HostRequest& request, Picoseconds) {
  if (!ok(request.status) && !judge.exempted(request.blocks)) judge.unreadable(request);
}

void Simulation::Sweep::on_end(Picoseconds) { next(); }

void Simulation::verify(std::function<void()> next) {
  sweep_ = std::make_unique<Sweep>(drive_, host_, *scoreboard_, config_.player.tags, std::move(next));
  if (sweep_->source.requests() == 0) return sweep_->next();
  host_.set_receiver([this](HostRequest& request) { sweep_->player.completed(request); });
  sweep_->player.start();
}

}  // namespace tessera
