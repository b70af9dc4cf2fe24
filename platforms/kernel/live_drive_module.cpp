#include "platforms/kernel/live_drive_module.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "platforms/description/quantity.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

using namespace literals;

namespace {

/// How often it is looked whether the drive is idle, as at the end of a run.
constexpr Picoseconds idle_poll = 1_ms;

bool elaborated = false;

std::string in_words(Picoseconds time) { return print_quantity(Dimension::time, time.value()); }

DriveConfig load(const LiveSetup& setup) {
  if (elaborated)
    throw InputError(
        "this process has elaborated a drive already, which SystemC does once per process: make another in a process of its own");
  if (setup.content == ContentMode::tags) throw InputError("content: expected \"none\" or \"bytes\", found \"tags\"");
  const SearchPath search = SearchPath::standard(setup.program);
  DriveConfig config = load_drive(search.load(DescriptionFile::drive, setup.drive), setup.set, setup.layer, {setup.firmware, 10});
  refuse_translating_host(config, "a drive under a test bench has the bench for its host");
  if (config.host.command_timeout != Picoseconds(0))
    throw config.refusal("host.command_timeout is " + in_words(config.host.command_timeout) +
                         "; expected 0 s: a test bench aborts nothing");
  if (setup.prefill) config.prefill_overridden = "prefill says how much of the drive holds data";
  config.caches_overridden = "a drive under a test bench begins with empty caches";
  return config;
}

/// The last thing before the elaboration begins: what fails in the midst of one cannot be done again either.
DriveParts parts_of(const LiveSetup& setup) {
  elaborated = true;
  DriveParts parts = DriveParts::alone();
  parts.check_protocol = setup.check_protocol;
  return parts;
}

}  // namespace

LiveDrive::LiveDrive(const LiveSetup& setup)
    : config_(load(setup)),
      plan_(plan_drive(config_)),
      prefill_percent_(setup.prefill.value_or(config_.prefill)),
      content_(setup.content),
      start_delay_(RandomStream(setup.seed, "run.spindle_phase").below(revolution(config_.media.speed).value())),
      drive_(std::make_unique<DriveModule>("drive", config_, plan_, content_, setup.seed, parts_of(setup))),
      host_(std::make_unique<HostModule>("host", drive_->timeline_module())),
      power_(drive_->timeline(), *drive_, *this),
      measurement_(*drive_),
      signals_(drive_->timeline(), *this),
      tags_(config_.host.tags),
      by_tag_(tags_) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(failure_report, sc_core::SC_DO_NOTHING);  // rethrow_failure() brings it
  for (std::uint32_t tag = tags_; tag-- > 0;) free_tags_.push_back(tag);
  host_->socket.bind(drive_->host_socket());
  if (HostInterfaceModule* const interface = drive_->direct_host()) host_->reach(*interface);
  host_->set_receiver([this](HostRequest& request) { completed(request); });
  power_.boot();
  capacity_ = Bytes(drive_->firmware().user_sectors() * drive_->sector_shape().sector_bytes);
  std::vector<FoundSignal> all;
  for (const DriveModule::SignalRoot& root : drive_->signal_roots()) add_signals(root.name, root.signals, all);
  signals_.begin(std::move(all));
}

void LiveDrive::boot() { static_cast<void>(run_until({Ready{}})); }

bool LiveDrive::last_at_this_instant() const {
  Timeline& timeline = drive_->timeline();
  return timeline.empty() || timeline.next() != timeline.now();
}

void LiveDrive::require_callable() const {
  if (!ended_.empty()) throw ModelBug("the simulation has ended: " + ended_);
  if (running_ && std::this_thread::get_id() != runner_)
    throw InputError("the drive runs in another thread: call it when it stands still, or from a function that it calls");
}

void LiveDrive::require_still() const {
  require_callable();
  if (running_) throw InputError("the drive runs: a function that it calls can submit requests, stop it and cut the power, but not run it");
}

std::optional<std::size_t> LiveDrive::run_until(const std::vector<Event>& events) {
  require_still();
  arm(events);
  if (!came_) run();
  disarm();
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return came_;
}

void LiveDrive::arm(const std::vector<Event>& events) {
  std::vector<Awaited> awaited;
  for (const Event& event : events) {
    std::uint32_t signal = 0;
    if (const auto* const at = std::get_if<Picoseconds>(&event); at != nullptr && *at < now())
      throw InputError("the drive is at " + in_words(now()) + ": expected a later instant, found " + in_words(*at));
    if (const auto* const condition = std::get_if<SignalCondition>(&event)) {
      signal = signals_.watch(condition->signal);
      condition->check(signals_.info(signal));
    }
    awaited.push_back({event, signal});
  }
  awaited_ = std::move(awaited);
  came_.reset();
  stopped_ = false;
  interrupted_ = false;
  for (std::size_t i = 0; i < awaited_.size() && !came_; ++i) {
    if (const auto* const at = std::get_if<Picoseconds>(&awaited_[i].event))
      post(*at, limit_, i);
    else if (std::holds_alternative<Idle>(awaited_[i].event))
      post(now(), idle_, i);
    else if (holds(awaited_[i]))
      came_ = i;
  }
}

void LiveDrive::disarm() {
  drive_->timeline().withdraw(limit_);
  drive_->timeline().withdraw(idle_);
  drive_->timeline().withdraw(look_);
  awaited_.clear();
}

/// The kernel returns when it was paused, and when nothing is left to happen.
void LiveDrive::run() {
  running_ = true;
  runner_ = std::this_thread::get_id();
  try {
    while (!came_ && !stopped_ && !interrupted_ && thrown_ == nullptr && !drive_->timeline().empty()) {
      drive_->timeline_module().reschedule();
      sc_core::sc_start();
      drive_->rethrow_failure();
    }
  } catch (const std::exception& failure) {
    ended_ = failure.what();
    running_ = false;
    throw;
  }
  running_ = false;
}

void LiveDrive::stop() {
  stopped_ = true;
  if (running_) drive_->timeline_module().pause();
}

void LiveDrive::interrupt() {
  interrupted_ = true;
  drive_->timeline_module().pause_soon();
}

void LiveDrive::come(std::size_t event) {
  if (!came_) came_ = event;
  drive_->timeline_module().pause();
}

bool LiveDrive::holds(const Awaited& awaited) {
  if (const auto* const condition = std::get_if<SignalCondition>(&awaited.event)) {
    const std::optional<std::uint64_t> value = signals_.value(awaited.signal);
    return value && condition->holds(*value, signals_.info(awaited.signal));
  }
  if (const auto* const request = std::get_if<SharedRequest>(&awaited.event)) return (*request)->over();
  return std::holds_alternative<Ready>(awaited.event) && ready();
}

/// After everything else that happens at the instant.
void LiveDrive::at_limit(std::uint64_t event) {
  if (!last_at_this_instant()) return post(now(), limit_, event);
  come(event);
}

void LiveDrive::signal_changes(std::uint32_t signal, Picoseconds at) {
  for (std::size_t i = 0; i < awaited_.size(); ++i) {
    if (!std::holds_alternative<SignalCondition>(awaited_[i].event) || awaited_[i].signal != signal) continue;
    if (at > now())
      post(at, look_);
    else if (holds(awaited_[i]))
      come(i);
  }
}

void LiveDrive::look_at_signals(std::uint64_t) {
  for (std::size_t i = 0; i < awaited_.size(); ++i)
    if (std::holds_alternative<SignalCondition>(awaited_[i].event) && holds(awaited_[i])) come(i);
}

void LiveDrive::look_whether_idle(std::uint64_t event) {
  if (outstanding() == 0 && !flushing_ && (!has_power() || (ready() && drive_->idle()))) return come(event);
  if (drive_->timeline().empty()) return stop();  // nothing is left that could make it so
  post(now() + idle_poll, idle_, event);
}

/// What a function of the bench throws is kept until the kernel has returned.
void LiveDrive::guarded(const std::function<void()>& function) {
  try {
    function();
  } catch (...) {
    if (thrown_ == nullptr) thrown_ = std::current_exception();
    drive_->timeline_module().pause();
  }
}

void LiveDrive::call_at(Picoseconds when, std::function<void()> function) {
  require_callable();
  if (when < now()) throw InputError("the drive is at " + in_words(now()) + ": expected a later instant, found " + in_words(when));
  calls_.emplace(next_call_, std::move(function));
  post(when, call_, next_call_++);
}

void LiveDrive::call_function(std::uint64_t number) {
  const auto call = calls_.extract(number);
  guarded(call.mapped());
}

MetricSet LiveDrive::metrics() {
  const bool has_firmware = power_.firmware_runs() || power_.phase() == PowerCycle::Phase::stopping;
  if (!has_firmware || !begun_) throw InputError("the drive has no power: metrics are those of a drive with its firmware");
  MetricSet host;
  host.add("host.requests", static_cast<double>(issued_), "1", "requests that arrived, after the warm-up");
  statistics_.report(host, tags_);
  return measurement_->end(std::move(host));
}

// --- Requests and power ---

SharedRequest LiveDrive::submit(Order order) {
  require_callable();
  auto request = std::make_shared<LiveRequest>();
  HostRequest& host = request->host;
  const Bytes length(std::uint64_t{order.blocks.count} * host_block_bytes);
  const std::uint64_t end = order.blocks.first.value() * host_block_bytes + length.value();
  if (moves_data(order.op) && length == Bytes(0)) throw InputError("a request of 0 B: expected at least 512 B");
  if (moves_data(order.op) && end > capacity_.value())
    throw InputError("a request that ends at " + std::to_string(end) + " B, and the drive holds " + std::to_string(capacity_.value()) +
                     " B");
  const bool holds_bytes = content_ == ContentMode::bytes && moves_data(order.op);
  if (order.op != HostOp::write && !order.content.empty()) throw InputError("only a write takes data");
  if (!holds_bytes && !order.content.empty()) throw InputError("data needs a drive with content=\"bytes\"");
  if (order.op == HostOp::write && holds_bytes && order.content.size() != length.value())
    throw InputError("a write of " + std::to_string(length.value()) + " B: expected as many bytes of data, found " +
                     std::to_string(order.content.size()));
  host.op = order.op;
  host.blocks = order.blocks;
  host.force_unit_access = order.force_unit_access;
  host.all_zones = order.all_zones;
  host.content = std::move(order.content);
  if (host.op == HostOp::read && holds_bytes) host.content.assign(length.value(), std::byte{0});
  host.number = issued_++;
  host.life.begin(now());
  request->on_end = std::move(order.on_end);
  statistics_.arrived(now());
  waiting_.push_back(request);
  if (!running_)
    post(now(), send_);
  else
    send_waiting(0);
  return request;
}

/// From within an action of the calendar.
void LiveDrive::send_waiting(std::uint64_t) {
  if (sending_) return;
  sending_ = true;
  while (ready() && !waiting_.empty() && !free_tags_.empty()) {
    const SharedRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    HostRequest& host = request->host;
    host.tag = free_tags_.back();
    free_tags_.pop_back();
    by_tag_[host.tag] = request;
    request->state = LiveRequest::State::at_drive;
    host.life.account(LifePhase::host_queue, now(), Cause::tags);
    host.life.issue = now();
    host_->issue(host);
  }
  sending_ = false;
}

void LiveDrive::completed(HostRequest& request) {
  if (&request == &flush_) {
    flushing_ = flush_sent_ = false;
    free_tags_.push_back(flush_.tag);
    send_waiting(0);
    return stop();
  }
  const SharedRequest ended = std::exchange(by_tag_[request.tag], nullptr);
  power_.answered();
  statistics_.completed(request, now(), 0);
  free_tags_.push_back(request.tag);
  ended->state = LiveRequest::State::done;
  ended->ended = now();
  const bool sending = std::exchange(sending_, true);  // what the bench submits now comes after what waited
  tell(ended);
  sending_ = sending;
  send_waiting(0);
  send_flush();
}

void LiveDrive::tell(const SharedRequest& request) {
  if (const auto told = std::exchange(request->on_end, nullptr)) guarded([&] { told(request); });
  for (std::size_t i = 0; i < awaited_.size(); ++i)
    if (const auto* const awaited = std::get_if<SharedRequest>(&awaited_[i].event); awaited != nullptr && *awaited == request) come(i);
}

void LiveDrive::drain() {
  require_still();
  if (!ready()) throw InputError("the drive is not ready: expected one that has power and has booted");
  if (!flushing_) {  // not that of a drain that was interrupted
    flush_ = {};
    flush_.op = HostOp::flush;
  }
  flushing_ = true;
  call_at(now(), [this] { send_flush(); });
  static_cast<void>(run_until({}));  // until it is answered
  if (interrupted_ || flushing_) return;
  if (!ok(flush_.status)) refuse_or_fail(std::string("the flush failed: ") + to_string(flush_.status));
  static_cast<void>(run_until({Idle{}}));
}

/// It covers what ended before it: requests that are under way, or wait, come first.
void LiveDrive::send_flush() {
  if (!flushing_ || flush_sent_ || outstanding() > 0) return;
  flush_sent_ = true;
  std::erase(free_tags_, flush_.tag);
  flush_.life.begin(now());
  host_->issue(flush_);
}

/// What faults bring about is no failure of the model.
void LiveDrive::refuse_or_fail(const std::string& why) const {
  if (config_.asks_for_faults() || !config_.foreign_firmware().empty()) throw InputError(why);
  throw ModelBug(why);
}

void LiveDrive::formats() { drive_->prefill(drive_->firmware().user_sectors() * prefill_percent_ / 100, false); }

void LiveDrive::stays_dead(Status status) {
  guarded([this, status] { refuse_or_fail(std::string("the drive did not boot: ") + to_string(status)); });
}

void LiveDrive::gives_up() {
  guarded([] { throw InputError(PowerCycle::never_ready()); });
}

void LiveDrive::recovered() {
  if (!begun_) return post(now() + start_delay_, begin_);
  power_.serve();
  ready_ = true;
  for (std::size_t i = 0; i < awaited_.size(); ++i)
    if (std::holds_alternative<Ready>(awaited_[i].event)) come(i);
  send_waiting(0);
}

void LiveDrive::begin(std::uint64_t) {
  begun_ = true;
  measurement_->begin();
  recovered();
}

void LiveDrive::cut_power() {
  require_callable();
  if (!has_power()) throw InputError("the drive has no power: nothing can be cut");
  post(now(), cut_);
  if (!running_) static_cast<void>(run_until({now()}));
}

void LiveDrive::cut(std::uint64_t) {
  if (has_power()) power_.off();
}

void LiveDrive::link_lost(Why why) {
  ready_ = false;
  drive_->timeline().withdraw(begin_);
  host_->power_lost();
  if (why == Why::restart) lose_requests();
}

void LiveDrive::power_lost(const PowerLoss&) { lose_requests(); }

void LiveDrive::lose_requests() {
  flushing_ = flush_sent_ = false;
  std::vector<SharedRequest> lost;
  for (SharedRequest& request : by_tag_)
    if (request != nullptr) lost.push_back(std::move(request));
  std::ranges::sort(lost, {}, [](const SharedRequest& request) { return request->host.number; });
  by_tag_.assign(tags_, nullptr);
  free_tags_.clear();
  for (std::uint32_t tag = tags_; tag-- > 0;) free_tags_.push_back(tag);
  for (const SharedRequest& request : lost) {
    request->host.life.cut_short(now());
    request->state = LiveRequest::State::lost;
    request->ended = now();
    statistics_.lost(now());
  }
  for (const SharedRequest& request : lost) tell(request);
}

void LiveDrive::power_on() {
  require_callable();
  if (has_power()) throw InputError("the drive has power already");
  power_.come_back();
}

}  // namespace tessera
