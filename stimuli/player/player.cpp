#include "stimuli/player/player.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/simulated_time.hpp"
#include "stimuli/player/named_percentiles.hpp"

namespace tessera {

Player::Player(const PlayerConfig& config, Timeline& timeline, TraceSource& source, HostLink& link)
    : config_(config), timeline_(timeline), source_(source), link_(link), errors_(config.errors, config.tags, timeline, *this) {
  config_.policy = config.policy.settled(source);
  if (config.tags < 1 || config.tags > 65'536) throw InputError("host tags: " + std::to_string(config.tags) + "; expected 1 to 65536");
  TESSERA_CHECK(!config_.policy.bounded() || config_.policy.depth >= 1, "a bounded replay policy needs a depth");
  const std::uint32_t places = config_.policy.bounded() ? config_.policy.depth : config.tags;
  pool_ = std::make_unique<HostRequest[]>(places);
  for (std::uint32_t i = places; i-- > 0;) free_requests_.push_back(&pool_[i]);
  for (std::uint32_t i = config.tags; i-- > 0;) free_tags_.push_back(i);
  at_drive_.resize(config.tags);
  waiting_.resize(places);
}

void Player::start() {
  TESSERA_CHECK(!started_, "a player was started twice");
  started_ = true;
  origin_ = now();
  pump();
}

void Player::on_time(std::uint64_t) {
  timer_posted_ = false;
  quiet_ = looks_ && timeline_.actions() == looked_at_ + 1;
  looks_ = false;
  pump();
  quiet_ = false;
}

void Player::stop() {
  stopped_ = true;
  input_over_ = true;
  have_next_ = false;
  if (timer_posted_) timeline_.withdraw(*this);
  timer_posted_ = false;
  pump();
}

/// Moves everything that can move at now(). A drive that completes from within issue() only marks progress for the loop.
void Player::pump() {
  if (pumping_ || !started_) return;
  pumping_ = true;
  while (issue_first_waiting() || admit_next()) {
  }
  pumping_ = false;
  if (ended_ || !input_over_ || have_next_ || waiting_count_ > 0 || outstanding() > 0) return;
  ended_ = true;
  if (end_listener_ != nullptr) end_listener_->on_end(timeline_.now());
}

bool Player::issue_first_waiting() {
  if (waiting_count_ == 0 || !tag_free()) return false;
  HostRequest& request = *waiting_[waiting_head_];
  if (waits_for_zone(request)) return false;
  if (manages_zones(request.op)) ++managing_;
  waiting_head_ = waiting_head_ + 1 == waiting_.size() ? 0 : waiting_head_ + 1;
  --waiting_count_;
  request.tag = free_tags_.back();
  free_tags_.pop_back();
  at_drive_[request.tag] = &request;
  request.life.account(LifePhase::host_queue, timeline_.now(), Cause::tags);
  request.life.issue = timeline_.now();
  send(request);
  return true;
}

/// What manages a zone waits for the writes there, too: the drive hears of a write when its data has come, and of a reset at once.
bool Player::waits_for_zone(const HostRequest& request) const {
  const bool managing = manages_zones(request.op);
  if (config_.zone_blocks == 0 || !(managing || (managing_ != 0 && request.op == HostOp::write))) return false;
  const auto zone = [this](const HostRequest& of) { return of.blocks.first.value() / config_.zone_blocks; };
  return std::ranges::any_of(at_drive_, [&](const HostRequest* other) {
    if (other == nullptr || !(manages_zones(other->op) || (managing && other->op == HostOp::write))) return false;
    return other->all_zones || (managing && request.all_zones) || zone(*other) == zone(request);
  });
}

bool Player::admit_next() {
  if (!place_free() || !read_ahead()) return false;
  const LongTime arrival = arrival_of_next();
  if (config_.age && arrival > origin_ + *config_.age) {
    input_over_ = true;
    have_next_ = false;
    return false;
  }
  if (arrival > now()) return wait_until(arrival);
  require_clock(arrival);
  take(arrival);
  return true;
}

/// Whether it has come, because the drive rested until then.
bool Player::wait_until(LongTime arrival) {
  if (timer_posted_) return false;
  const LongTime gap = arrival - now();
  const Picoseconds quiet = resting_ == nullptr ? Picoseconds(0) : resting_->quiet();
  if (quiet_ && timeline_.empty() && gap > LongTime(quiet)) {
    const Picoseconds by = std::min(gap, LongTime(end_of_input)).picoseconds();
    if (resting_->rest(by)) {
      rested_ += by;
      statistics_.rest(by);
      return true;
    }
  }
  // The drive may be at rest once what it has planned is over.
  const Picoseconds busy_until = timeline_.empty() ? timeline_.now() : timeline_.next();
  const LongTime look = LongTime(busy_until) + rested_ + quiet;
  looks_ = quiet > Picoseconds(0) && arrival > look + quiet;
  require_clock(looks_ ? look : arrival);
  timeline_.post((looks_ ? look - rested_ : arrival - rested_).picoseconds(), *this);
  looked_at_ = timeline_.actions();
  timer_posted_ = true;
  return false;
}

bool Player::read_ahead() {
  if (have_next_ || input_over_) return have_next_;
  have_next_ = source_.next(next_);
  input_over_ = !have_next_;
  return have_next_;
}

/// See ReplayPolicy. A bounded policy that finds its time past was held back until now by a lack of places.
LongTime Player::arrival_of_next() const {
  if (config_.policy.kind == ReplayKind::closed) return now();
  if (!config_.policy.bounded() || taken_ == 0) return origin_ + next_.time();
  if (config_.policy.kind == ReplayKind::think) return last_completion_ + *next_.think;
  return std::max(now(), last_arrival_ + (next_.time() - last_input_));
}

void Player::require_clock(LongTime until) const {
  if (until <= rested_ + end_of_input) return;
  const std::string which = source_.position() + ": the request arrives after more than 200 days of simulated time";
  throw InputError(which + (resting_ == nullptr ? ", which is as far as a run goes"
                                                : " in which the drive had work or waited for some: only its rests may go past that"));
}

void Player::take(LongTime arrival) {
  const Bytes block(host_block_bytes);
  if (next_.offset % block != Bytes(0) || next_.size % block != Bytes(0))
    throw InputError(source_.position() + ": offset " + std::to_string(next_.offset.value()) + " B, size " +
                     std::to_string(next_.size.value()) + " B; expected multiples of 512 B");
  HostRequest& request = *free_requests_.back();
  free_requests_.pop_back();
  request.op = next_.op;
  request.force_unit_access = next_.force_unit_access;
  request.all_zones = next_.all_zones;
  request.blocks = {HostBlock(next_.offset / block), static_cast<std::uint32_t>(next_.size / block)};
  request.number = taken_;
  request.status = Status::ok;
  request.content.clear();
  request.attempts = 0;
  request.life.begin((arrival - rested_).picoseconds());
  if (taken_++ == 0) {
    first_arrival_ = arrival;
    first_input_ = next_.time();
  }
  last_arrival_ = arrival;
  last_input_ = next_.time();
  have_next_ = false;
  statistics_.arrived((arrival - rested_).picoseconds());
  std::size_t place = waiting_head_ + waiting_count_++;
  if (place >= waiting_.size()) place -= waiting_.size();
  waiting_[place] = &request;
}

void Player::completed(HostRequest& request) {
  TESSERA_CHECK(powered_ && request.tag < at_drive_.size() && at_drive_[request.tag] == &request,
                "a request was completed that is not at the drive");
  const Picoseconds now = timeline_.now();
  TESSERA_CHECK(request.life.mark == now, "a request's life was not accounted up to its completion");
  if (checker_ != nullptr) checker_->completed(request);
  if (errors_.keeps(request)) return;
  statistics_.completed(request, now, config_.warmup);
  for (RequestObserver* observer : observers_) observer->on_complete(request, now);
  ++completions_;
  last_completion_ = this->now();
  at_drive_[request.tag] = nullptr;
  if (manages_zones(request.op)) --managing_;
  free_tags_.push_back(request.tag);
  free_requests_.push_back(&request);
  pump();
}

void Player::send(HostRequest& request) {
  errors_.sent(request);
  if (checker_ != nullptr) checker_->issued(request);
  link_.issue(request);
}

void Player::power_lost() {
  TESSERA_CHECK(powered_, "the power was lost twice");
  powered_ = false;
  for (HostRequest* request : at_drive_)
    if (request != nullptr) request->life.cut_short(timeline_.now());
  if (checker_ != nullptr) {
    for (const HostRequest* request : at_drive_)
      if (request != nullptr && errors_.at_drive(*request)) checker_->lost(*request);
    checker_->power_cut();
  }
  errors_.power_lost();
}

void Player::power_restored() {
  TESSERA_CHECK(!powered_, "the power was restored twice");
  powered_ = true;
  std::vector<HostRequest*> lost;
  for (HostRequest* request : at_drive_)
    if (request != nullptr) lost.push_back(request);
  std::sort(lost.begin(), lost.end(), [](const HostRequest* a, const HostRequest* b) { return a->number < b->number; });
  pumping_ = true;  // what waited comes after what was lost
  for (HostRequest* request : lost) {
    request->life.account(LifePhase::outage, timeline_.now(), Cause::recovery);
    send(*request);
  }
  pumping_ = false;
  pump();
}

std::optional<double> Player::time_dilation() const {
  if (taken_ < 2 || last_input_ == first_input_) return std::nullopt;
  return (last_arrival_ - first_arrival_).in_picoseconds() / (last_input_ - first_input_).in_picoseconds();
}

void Player::report(MetricSet& metrics) const {
  const std::uint64_t measured = taken_ > config_.warmup ? taken_ - config_.warmup : 0;
  metrics.add("host.requests", static_cast<double>(measured), "1", "requests that arrived, after the warm-up");
  statistics_.report(metrics, config_.tags);
  report_percentiles(statistics_, config_.percentiles, metrics);
  errors_.report(metrics);
  metrics.add("host.time_dilation", time_dilation(), "1", "span of the arrivals over the span of the input's times");
}

}  // namespace tessera
