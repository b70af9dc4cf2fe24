#include "platforms/torture/combined_trial.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"
#include "firmware/defects/spare_layout.hpp"
#include "platforms/drive/parameter_attributes_module.hpp"
#include "platforms/output/run_folder.hpp"
#include "platforms/run/input.hpp"
#include "platforms/run/promise.hpp"
#include "platforms/state/state_file.hpp"
#include "platforms/torture/hurtful_workload.hpp"
#include "platforms/torture/trace_text.hpp"

namespace tessera {

namespace {

/// A run of some hundred requests makes some thousands, on in-place bands of 128 tracks half a million; one that makes so many never rests.
constexpr std::uint64_t most_operations = 2'000'000;
/// Of the operations that follow an instant, the one to cut at is among so many.
constexpr std::uint64_t operations_ahead = 12;
constexpr std::uint64_t requests_between_cuts = 60;
/// In front of the time of a cut that does not count from the start of the replay.
constexpr std::string_view before_replay = "boot+";

}  // namespace

CombinedTrial::CombinedTrial(CombinedDraw::Drawn& drawn, const SearchPath& search, const CombinedFiles& files, std::uint32_t part,
                             CombinedResult result)
    : drawn_(drawn),
      search_(search),
      files_(files),
      part_(part),
      result_(std::move(result)),
      random_(drawn.run.options.seed, "torture.campaign.cuts." + std::to_string(part)),
      loaded_(part == 0 ? nullptr : std::make_unique<SavedState>(files.state)),
      drive_("drive", drawn.drive, drawn.plan, ContentMode::tags, drawn.run.options.seed, DriveParts::alone()),
      verifies_(
          std::ranges::any_of(parameters_of(drawn.drive),
                              [](const Parameter& parameter) { return parameter.name == "verify_packets" && parameter.value == "true"; })),
      watch_(drive_, [this](const PersistentOperation& operation) { begins(operation); }),
      instants_(drive_.timeline(), drawn.run.options.seed + part, [this](const Instant&) { reached(); }) {
  result_.part = part;
  if (drawn.run.exact) result_.cuts[part] = drawn.run.exact_cuts[part];
  if (loaded_ != nullptr) {
    loaded_->require_fit(facts_of(drawn.run.options, drawn.drive, ContentMode::tags));
    loaded_->load(drive_);
    ++result_.loaded;
  }
  cuts_left_ = drawn.run.exact ? 0 : drawn.run.cuts;
  simulation_ = std::make_unique<Simulation>(drive_, simulation_config(), [this](Bytes capacity) { return open(capacity); });
  if (loaded_ != nullptr) {
    simulation_->load_scoreboard(loaded_->rest());
    loaded_->require_end();
  }
  simulation_->add_observer(*this);
  simulation_->set_drain_listener([this](Status status) { flush_allowed_ = allowed(status) || excuses_flush(status); });
  simulation_->set_cut_listener([this](const char* kind, Picoseconds) {
    if (zoned_ != nullptr && std::string_view(kind) != "dump_failed") zoned_->power_lost();
    if (std::string_view(kind) == "dump_failed" && drawn_.drive.firmware.refresh.used()) forgot_rewrite_ = true;
    result_.met_both_copies = result_.met_both_copies || met_both_copies();
    faults_at_power_on_ = drive_.media().device().statistics().write_faults;
    destroyed_at_power_on_ = drive_.media().device().statistics().damaged_reads;
  });
  if (part == 0 && drawn.run.saved_after != 0)
    simulation_->shut_down_at_end([this] {
      cuts_left_ = 0;
      result_.met_both_copies = result_.met_both_copies || met_both_copies();
      StateFacts facts = facts_of(drawn_.run.options, drawn_.drive, ContentMode::tags);
      facts.requests = simulation_->player().completions();
      state_ = state_of(drive_, simulation_->scoreboard(), facts);
    });
  // One cut in twenty falls into the format or the boot before the replay.
  if (cuts_left_ > 0 && random_.below(20) == 0)
    plan_cut();
  else
    plan_next();
}

SimulationConfig CombinedTrial::simulation_config() const {
  const DriveConfig& drive = drawn_.drive;
  const cli::RunOptions& options = drawn_.run.options;
  SimulationConfig simulation;
  simulation.player.policy = ReplayPolicy{static_cast<ReplayKind>(options.replay.mode), options.replay.depth};
  simulation.player.tags = drive.host.tags;
  simulation.player.errors = {drive.host.command_timeout, drive.host.abort_timeout, drive.host.retry_delay, drive.host.command_retries};
  simulation.content = ContentMode::tags;
  simulation.promise = promise_of(drive);
  simulation.check = true;
  simulation.prefill_percent = options.prefill_percent;
  simulation.restored = part_ != 0;
  simulation.start_delay = Picoseconds(RandomStream(options.seed, "run.spindle_phase").below(revolution(drive.media.speed).value()));
  if (part_ == 0) simulation.restarts = options.restarts;
  for (const std::string& cut : drawn_.run.exact_cuts[part_]) {
    const bool of_boot = cut.starts_with(before_replay);
    const Picoseconds at(std::stoull(of_boot ? cut.substr(before_replay.size()) : cut));
    (of_boot ? simulation.boot_cuts : simulation.cuts).push_back(at);
  }
  return simulation;
}

/// The requests are drawn for the drive's capacity, written down and read as `tessera-sim run` reads them.
std::unique_ptr<TraceSource> CombinedTrial::open(Bytes capacity) {
  if (drawn_.drive.visible_zone_size() != Bytes(0)) return open_zoned(capacity);
  const Bytes sector = drawn_.drive.media.sector_size;
  const CombinedRun& run = drawn_.run;
  if (part_ == 0 && !run.exact) {
    HurtfulWorkload::Drive shape;
    shape.blocks = std::min(run.span != 0 ? run.span : ~std::uint64_t{0}, capacity.value() / host_block_bytes);
    shape.sector_blocks = static_cast<std::uint32_t>(sector.value() / host_block_bytes);
    shape.track_sectors = drive_.media().device().geometry().most_sectors();
    shape.barriers = run.barriers;
    shape.largest = static_cast<std::uint32_t>((drawn_.drive.host.buffer - sector).value() / host_block_bytes);
    HurtfulWorkload workload(run.options.seed, shape);
    make_way(files_.trace);
    std::ofstream file(files_.trace);
    file << trace_text(first_requests(workload, run.requests));
    if (!file.flush()) throw InputError(files_.trace.string() + ": cannot be written");
  }
  cli::RunOptions options = run.options;
  options.trace.emplace();
  options.trace->file = files_.trace;
  options.trace->columns = trace_columns;
  if (part_ == 0 && run.saved_after != 0) options.limit = run.saved_after;
  if (part_ != 0) options.skip = run.saved_after;
  InputLimits limits{.capacity = capacity, .sector = sector};
  limits.luns = drawn_.drive.logical_units;
  limits.lun_ends = lun_ends(drive_);
  return open_input(options, search_, limits);
}

/// What it sends depends on what the drive answers, so that there is no trace of it. A part that goes on has numbers of its own.
std::unique_ptr<TraceSource> CombinedTrial::open_zoned(Bytes capacity) {
  const CombinedRun& run = drawn_.run;
  if (capacity < drawn_.drive.selected().zone_size()) throw InputError("a host that writes zones has nothing to do on a drive without one");
  const std::uint64_t sector = drawn_.drive.media.sector_size.value();
  const ZonedWorkload::Drive shape{
      .blocks = capacity.value() / host_block_bytes,
      .zone_blocks = drawn_.drive.selected().zone_size() / Bytes(host_block_bytes),
      .sector_blocks = static_cast<std::uint32_t>(sector / host_block_bytes),
      .largest = static_cast<std::uint32_t>((drawn_.drive.host.buffer.value() - sector) / host_block_bytes),
      .requests = run.saved_after == 0 ? run.requests
                  : part_ == 0         ? run.saved_after
                                       : run.requests - run.saved_after,
      .one_at_a_time = true,
      .anywhere = drawn_.drive.selected().takes_writes_anywhere(),
      .may_forget = may_forget_writes(drawn_.drive),
      .faults = drawn_.drive.asks_for_faults(),
  };
  auto workload = std::make_unique<ZonedWorkload>(run.options.seed + part_, shape);
  zoned_ = workload.get();
  return workload;
}

CombinedResult CombinedTrial::run() {
  using Outcome = Finding::Outcome;
  const auto threw = [this](Outcome outcome, const std::string& what) {
    result_.outcome = outcome;
    result_.messages.insert(result_.messages.begin(), what);
  };
  try {
    simulation_->run();
    judge();
    if (result_.outcome == Outcome::good && saved()) {
      make_way(files_.state);
      write_state(files_.state, state_);
    }
    if (simulation_->failed() > 0 || !simulation_->drain_failure().empty()) state_.clear();  // as `run`: such a drive is not saved
  } catch (const InputError& error) {
    threw(Outcome::refused, error.what());
  } catch (const FirmwareFault& fault) {
    threw(Outcome::fault, fault.what());
  } catch (const std::exception& error) {
    threw(never_rests_ ? Outcome::hang : Outcome::bug, error.what());
  }
  return result_;
}

/// Whether there are as many sectors that were not read since power-on, nor written, as the firmware keeps copies. Of what a host that
/// translates keeps there is one.
bool CombinedTrial::met_both_copies() const {
  const std::size_t copies = drawn_.drive.hosts.translates() ? 1 : 2;
  return drive_.media().device().failing().size() >= copies;
}

/// A drive that can neither read nor write what it keeps twice does not boot, and says so: its boot met as many bad sectors. Without spares
/// a write that stopped is enough. The copy of a host that translates may have been destroyed by a rewrite that a dump forgot. A flash
/// cache does without its checkpoint while it can read all pages: where a boot met both copies and a cut took the checkpoint that was to
/// replace it, a later boot finds none, though all sectors are good again. Records of a host pass through the DRAM as its data do: a double
/// error there stores them as lost.
bool CombinedTrial::excuses_death(Status status) {
  const bool unread = !ok(status) && delivered(status);  // stored as lost, too: a refresh could not read it either
  const bool said = unread || status == Status::corrupt || status == Status::read_only;
  const std::uint64_t met = drive_.media().device().statistics().damaged_reads - destroyed_at_power_on_;
  if (unread && drawn_.drive.hosts.translates() && forgot_rewrite_ && met != 0) return true;
  if (status == Status::lost && drawn_.drive.hosts.translates() && drive_.controller().memory().lost_sectors() != 0) return true;
  const bool without_checkpoint = result_.met_both_copies && status == Status::corrupt && drive_.nand() != nullptr;
  return said && drawn_.drive.asks_for_faults() && (met_both_copies() || without_checkpoint || cannot_write(status));
}

/// Whether the run came to an end that the promise allows.
bool CombinedTrial::drained(Status status) {
  if (simulation_->drain_failure().empty()) return true;
  if (simulation_->never_read_back()) {  // it boots and answers; a large drive is read for longer than its firmware lives
    ++result_.excused;
    return drawn_.drive.dram.bit_error_rate != 0;
  }
  if (simulation_->dead()) {
    ++result_.dead;
    if (excuses_death(status)) return true;
    result_.messages.push_back("its boot met " + std::to_string(drive_.media().device().failing().size()) + " bad sectors");
    return false;
  }
  return flush_allowed_ && !simulation_->unfinished();
}

void CombinedTrial::judge() {
  using Outcome = Finding::Outcome;
  const Scoreboard& scoreboard = *simulation_->scoreboard();
  result_.requests += completed_;
  result_.blocks += scoreboard.checked();
  const bool flushed = drained(simulation_->drain_status());
  if (!flushed) {
    ++failures_;
    result_.messages.push_back(simulation_->drain_failure());
  }
  if (simulation_->overdue() > 0) {
    ++failures_;
    result_.messages.push_back(simulation_->first_overdue());
  }
  if (failures_ > 0) result_.outcome = Outcome::failure;
  if (scoreboard.errors() == 0) return;
  result_.outcome = Outcome::loss;
  result_.messages.insert(result_.messages.begin(), scoreboard.messages().begin(), scoreboard.messages().end());
}

/// What a drive may answer without a loss: it takes no more writes, or the host gave the command up.
bool CombinedTrial::allowed(Status status) const {
  if (status == Status::read_only) return drawn_.drive.asks_for_faults();
  return status == Status::aborted && drawn_.drive.host.command_timeout != Picoseconds(0);
}

/// Without spares a write that stopped is an error for whatever needs it: a slot, a record, a merge. It may be so until the next boot.
bool CombinedTrial::cannot_write(Status status) const {
  return status == Status::media_error && !SpareLayout(geometry_of(drawn_.drive.media)).usable() &&
         drive_.media().device().statistics().write_faults > faults_at_power_on_;
}

/// A packet that is read back and cannot be is written elsewhere, a few times. Its headers are nobody's data, so that no version tells of
/// it.
bool CombinedTrial::cannot_verify(Status status) const {
  return status == Status::media_error && verifies_ && !drive_.media().device().failing().empty();
}

/// A FLUSH may fail while there is anything that the description's faults destroyed.
bool CombinedTrial::excuses_flush(Status status) const { return cannot_write(status) || simulation_->scoreboard()->some_exempted(); }

/// What the description's faults destroyed answers with an error.
bool CombinedTrial::excused(const HostRequest& request) const {
  if (request.op == HostOp::flush) return excuses_flush(request.status);
  return (request.op != HostOp::read && (cannot_write(request.status) || cannot_verify(request.status))) ||
         simulation_->scoreboard()->excused(request);
}

/// Of a host that keeps books of zones; what breaks the drive's word is a failure.
bool CombinedTrial::host_expects(const HostRequest& request) {
  if (zoned_ == nullptr) return false;
  const ZonedWorkload::Verdict verdict = zoned_->completed(request);
  if (verdict.complaint.empty()) return verdict.in_order;
  ++failures_;
  result_.messages.push_back("request " + std::to_string(request.number) + ": " + verdict.complaint);
  return verdict.in_order;
}

void CombinedTrial::on_complete(const HostRequest& request, Picoseconds) {
  ++completed_;
  const bool expected = host_expects(request);
  if (!ok(request.status) && !expected && !allowed(request.status)) {
    if (excused(request)) {
      ++result_.excused;
    } else {
      ++failures_;
      result_.messages.push_back("request " + std::to_string(request.number) + " to blocks " +
                                 std::to_string(request.blocks.first.value()) + " to " + std::to_string(request.blocks.end().value()) +
                                 " failed: " + to_string(request.status));
    }
  }
  const bool saves_next = drawn_.run.hasty && part_ == 0 && completed_ == drawn_.run.saved_after;
  if (saves_next || (cut_after_ != 0 && completed_ >= cut_after_)) plan_cut();
}

/// The next cut comes after some more requests, where they are that many.
void CombinedTrial::plan_next() {
  if (cuts_left_ > 0) cut_after_ = completed_ + 1 + random_.below(requests_between_cuts);
}

/// A cut at one of the next persistent operations, or at any instant of the next second.
void CombinedTrial::plan_cut() {
  cut_after_ = 0;
  if (cuts_left_ == 0) return;
  if (random_.below(2) == 0)
    cut_at_nth_ = 1 + random_.below(operations_ahead);
  else
    instants_.draw_after(drive_.timeline().now());
}

void CombinedTrial::begins(const PersistentOperation& operation) {
  if (never_rests_ = ++operations_ >= most_operations; never_rests_)
    throw ModelBug("the firmware never rests: " + std::to_string(operations_) + " writes, programs and erases for " +
                   std::to_string(completed_) + " requests");
  if (cut_at_nth_ == 0 || --cut_at_nth_ > 0) return;
  instants_.draw_of(operation);
}

void CombinedTrial::reached() {
  const Simulation::Phase phase = simulation_->phase();
  if (cuts_left_ == 0 || (saved() && part_ == 0)) return;
  if (phase == Simulation::Phase::outage) return plan_cut();
  --cuts_left_;
  if (phase == Simulation::Phase::recovery || phase == Simulation::Phase::starting) ++result_.cuts_in_recovery;
  const Picoseconds now = drive_.timeline().now();
  result_.cuts[part_].push_back(simulation_->stage() < Simulation::Stage::replay
                                    ? std::string(before_replay) + std::to_string(now.value()) + "ps"
                                    : std::to_string((now - simulation_->origin()).value()) + "ps");
  simulation_->cut_now();
  if (cuts_left_ == 0) return;
  switch (random_.below(drawn_.run.hasty ? 2 : 4)) {
    case 0: instants_.draw_after(now + drive_.outage()); return;  // in the recovery or the verification
    case 1: cut_at_nth_ = 1 + random_.below(operations_ahead); return;
    default: return plan_next();
  }
}

}  // namespace tessera
