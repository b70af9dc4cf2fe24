#include "platforms/torture/trial.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"
#include "platforms/drive/luns.hpp"
#include "platforms/run/promise.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t queue_depth = 32;
constexpr std::uint64_t requests_after_cut = 24;
/// Operations of a drain that are cut, and instants drawn over it and the verification behind it.
constexpr std::uint64_t drain_operations = 32;
constexpr std::uint32_t late_instants = 16;
/// Cuts in a row; one copy in so many is cut again, at so many instants: some 500 copies of a long run, one in six of a short one.
constexpr std::uint32_t most_in_a_row = 3;
constexpr std::uint64_t at_least_one_in = 6;
constexpr std::uint64_t cut_again_of_a_run = 500;
constexpr std::uint64_t most_copies_of_a_copy = 6;
constexpr std::uint32_t random_cuts_of_a_copy = 2;
/// Of wall-clock time: a copy takes milliseconds, under a sanitizer a second.
constexpr std::chrono::seconds hangs_after{240};

const char* name_of(Simulation::Stage stage, Simulation::Phase phase) {
  using Stage = Simulation::Stage;
  using Phase = Simulation::Phase;
  if (phase == Phase::starting) return "start";
  if (phase == Phase::recovery) return "recovery";
  if (phase == Phase::verification) return "verification";
  switch (stage) {
    case Stage::format:
    case Stage::restore:
    case Stage::ready: return "format";
    case Stage::replay: return "replay";
    case Stage::drain: return "drain";
    case Stage::read_back: return "verification";
  }
  return "";
}

}  // namespace

Trial::Trial(const TrialConfig& config, int pipe)
    : config_(config),
      pipe_(pipe),
      drive_("drive", *config.drive, config.plan, ContentMode::tags, config.seed, DriveParts::alone()),
      watch_(drive_, [this](const PersistentOperation& operation) { begins(operation); }),
      simulation_(drive_, simulation_config(),
                  [&](Bytes capacity) {
                    const Bytes sector = config.drive->media.sector_size;
                    auto source =
                        config.input({capacity.value() / host_block_bytes, sector, config.drive->host.buffer - sector,
                                      drive_.media().device().geometry().most_sectors(),
                                      config.drive->visible_zone_size() / Bytes(host_block_bytes), config.drive->asks_for_faults(),
                                      config.drive->selected().takes_writes_anywhere(), may_forget_writes(*config.drive)});
                    zoned_ = dynamic_cast<ZonedWorkload*>(source.get());
                    if (!config.drive->logical_units.several()) return source;
                    return address_units(std::move(source), lun_ends(drive_), LunOf::address);
                  }),
      instants_(drive_.timeline(), config.seed, [this](const Instant& instant) { reached(instant); }),
      children_(config.jobs, [this](const std::string& name, int signal, int status) {
        Finding bad = Finding::from_line(name);
        bad.outcome = Finding::Outcome::crash;
        bad.messages = {signal == SIGALRM ? "it hung"
                        : signal != 0     ? std::string("it ended by ") + strsignal(signal)
                                          : "it ended with status " + std::to_string(status)};
        write_line(pipe_, bad.to_line());
      }) {
  simulation_.add_observer(*this);
  simulation_.set_cut_listener([this](const char* kind, Picoseconds) {
    if (std::string_view(kind) == "dump_failed") return;  // a part of the cut
    since_cut_ = 0;
    if (zoned_ != nullptr) zoned_->power_lost();
    if (config_.exact) note_cut("as asked for");
  });
}

SimulationConfig Trial::simulation_config() const {
  SimulationConfig simulation;
  simulation.player.policy = ReplayPolicy{ReplayKind::queue, queue_depth};
  simulation.player.tags = config_.drive->host.tags;
  simulation.content = ContentMode::tags;
  simulation.promise = promise_of(*config_.drive);
  simulation.check = true;
  simulation.prefill_percent = config_.prefill_percent;
  simulation.start_delay =
      Picoseconds(RandomStream(config_.seed, "run.spindle_phase").below(revolution(config_.drive->media.speed).value()));
  simulation.cuts = config_.cut_at;
  simulation.boot_cuts = config_.boot_cuts;
  return simulation;
}

void Trial::run() {
  Finding found;
  try {
    simulation_.run();
    found = verdict();
  } catch (const FirmwareFault& fault) {
    found = threw(Finding::Outcome::fault, fault.what());
  } catch (const std::exception& error) {
    found = threw(Finding::Outcome::bug, error.what());
  }
  children_.wait_for_all();
  write_line(pipe_, found.to_line());
}

Finding Trial::threw(Finding::Outcome outcome, const char* what) const {
  Finding found = finding_;
  found.outcome = outcome;
  found.messages.insert(found.messages.begin(), what);
  return found;
}

void Trial::on_complete(const HostRequest& request, Picoseconds) {
  ++completed_;
  ++since_cut_;
  const bool expected = host_expects(request);
  if (!ok(request.status) && !expected && !in_order(request.status) && !simulation_.scoreboard()->excused(request)) {
    ++failures_;
    finding_.messages.push_back("request " + std::to_string(request.number) + " to blocks " + std::to_string(request.blocks.first.value()) +
                                " to " + std::to_string(request.blocks.end().value()) + " failed: " + to_string(request.status));
  }
  const bool enough = simulation_.cuts_made() > 0 ? since_cut_ >= requests_after_cut : operations_ >= config_.operations;
  if (!enough || simulation_.partial()) return;
  simulation_.stop();
  for (std::uint32_t i = 0; i < late_instants && depth_ == 0 && !config_.exact; ++i) instants_.draw_after(drive_.timeline().now());
}

/// Whether a host that keeps books of zones expects the status; what breaks the drive's word is a failure.
bool Trial::host_expects(const HostRequest& request) {
  if (zoned_ == nullptr) return false;
  ZonedWorkload::Verdict verdict = zoned_->completed(request);
  if (verdict.complaint.empty()) return verdict.in_order;
  ++failures_;
  finding_.messages.push_back("request " + std::to_string(request.number) + ": " + verdict.complaint);
  return verdict.in_order;
}

/// A drive that runs out of spares takes no more writes: with faults in its description that is no loss.
bool Trial::in_order(Status status) const { return status == Status::read_only && config_.drive->asks_for_faults(); }

void Trial::begins(const PersistentOperation& operation) {
  if (simulation_.cuts_made() == 0) ++operations_;
  if (config_.exact || !worth_a_cut()) return;
  instants_.enumerate(operation);
  if (depth_ > 0 || config_.cuts * operations_ <= drawn_ * config_.operations) return;
  ++drawn_;
  const Picoseconds mean_gap(drive_.timeline().now().value() / operations_);
  instants_.draw(mean_gap * 2);
}

/// Whether this process makes a copy at an operation that begins now.
bool Trial::worth_a_cut() const {
  if (depth_ > 0) return cut_again_ && simulation_.phase() != Simulation::Phase::on;
  return operations_ <= config_.operations ||
         (simulation_.stage() == Simulation::Stage::drain && operations_ <= config_.operations + drain_operations);
}

void Trial::reached(const Instant& instant) {
  if (simulation_.phase() == Simulation::Phase::outage) return;
  if (depth_ > 0 && copies_ >= most_copies_of_a_copy) return;
  const std::uint64_t number = ++copies_;
  const Finding before = finding_;
  note_cut(instant.in_words());
  if (children_.fork(finding_.to_line(), hangs_after / (depth_ + 1))) return cut_as_copy(number);
  finding_ = before;
  if (depth_ > 0) children_.wait_for_all();
}

/// The power is about to be cut, here or in a copy.
void Trial::note_cut(std::string instant) {
  finding_.stage = name_of(simulation_.stage(), simulation_.phase());
  finding_.instant = std::move(instant);
  finding_.cuts.push_back(cut_text());
}

void Trial::cut_as_copy(std::uint64_t number) {
  ++depth_;
  copies_ = 0;
  instants_.forget();
  instants_.reseed(config_.seed ^ (number * most_in_a_row + depth_));
  const std::uint64_t one_in = std::max(at_least_one_in, (3 * config_.operations + config_.cuts) / cut_again_of_a_run);
  cut_again_ = depth_ < most_in_a_row && instants_.random().below(one_in) == 0;
  children_.limit(1);
  simulation_.cut_now();
  for (std::uint32_t i = 0; i < random_cuts_of_a_copy && cut_again_; ++i) instants_.draw_after(drive_.timeline().now() + drive_.outage());
}

std::string Trial::cut_text() {
  const Picoseconds now = drive_.timeline().now();
  if (simulation_.stage() < Simulation::Stage::replay) return "boot+" + std::to_string(now.value()) + "ps";
  return std::to_string((now - simulation_.origin()).value()) + "ps";
}

Finding Trial::verdict() {
  Finding found = finding_;
  const Scoreboard& scoreboard = *simulation_.scoreboard();
  found.operations = operations_;
  found.requests = completed_;
  found.user_blocks = drive_.firmware().user_sectors() * drive_.sector_shape().blocks();
  const bool drained = simulation_.drain_failure().empty() || in_order(simulation_.drain_status());
  if (!drained) found.messages.push_back(simulation_.drain_failure());
  if (simulation_.overdue() > 0) found.messages.push_back(simulation_.first_overdue());
  if (failures_ > 0 || !drained || simulation_.overdue() > 0) found.outcome = Finding::Outcome::failure;
  if (scoreboard.errors() > 0) {
    found.outcome = Finding::Outcome::loss;
    found.messages.insert(found.messages.begin(), scoreboard.messages().begin(), scoreboard.messages().end());
  }
  return found;
}

void run_trial(const TrialConfig& config, int pipe) {
  try {
    Trial trial(config, pipe);
    trial.run();
    _exit(0);
  } catch (const InputError& error) {
    Finding refused;
    refused.outcome = Finding::Outcome::refused;
    refused.messages.emplace_back(error.what());
    write_line(pipe, refused.to_line());
  }
  _exit(0);
}

}  // namespace tessera
