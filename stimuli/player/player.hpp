#pragma once
// The host: takes requests from a trace or a generator, issues them when the replay policy and the host's tags allow, and
// measures what comes back. Pure; a thin module gives it the drive's link.
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/percentile.hpp"
#include "base/timeline.hpp"
#include "host/host_request.hpp"
#include "stimuli/player/error_handling.hpp"
#include "stimuli/player/player_statistics.hpp"
#include "stimuli/player/replay_policy.hpp"
#include "stimuli/player/request_observer.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// Where requests go. The answer is Player::completed(), at a later time or from within issue().
class HostLink {
 public:
  virtual ~HostLink() = default;
  virtual void issue(HostRequest& request) = 0;
  /// Gives up an issued request; it is answered later all the same.
  virtual void abort(HostRequest& request) = 0;
};

/// Told once that the input is used up (or the player was stopped) and every issued request is completed.
class PlayerEndListener {
 public:
  virtual ~PlayerEndListener() = default;
  virtual void on_end(Picoseconds now) = 0;
};

/// Whom a player asks to let time pass in which nothing happens, without the clock.
class Resting {
 public:
  /// How long there must have been no action at all before a rest; 0: no rests now.
  virtual Picoseconds quiet() = 0;
  /// Whether the drive is at rest. Then `by` has passed when it returns, and the timeline's now() is what it was.
  virtual bool rest(Picoseconds by) = 0;

 protected:
  ~Resting() = default;
};

struct PlayerConfig {
  ReplayPolicy policy;
  std::uint32_t tags = 32;   ///< requests that may be at the drive at once; 1 .. 65536
  std::uint64_t warmup = 0;  ///< first requests that stay out of the statistics
  ErrorHandlingConfig errors{};
  std::optional<LongTime> age{};          ///< takes no requests that arrive later than that after start()
  std::vector<Percentile> percentiles{};  ///< of the latency, beside those that are always reported
  std::uint64_t zone_blocks = 0;          ///< of a zone, where the host sees zones
};

/// Requests beyond the tags wait at the host in order of arrival; their life accounts that as LifePhase::host_queue. Under the
/// open loop they wait in the input itself, so memory does not grow with the backlog.
///
/// Where the host sees zones it waits for the end of a command that manages one before it writes there: the drive admits a write when it
/// arrives, whatever the zone's reset on its way would make of it. All that arrived later waits, too.
///
/// A verification sweep (scoreboard/verification_source.hpp) is a second player, closed loop, over the same link while this one
/// has nothing at the drive: after the end, or between power_lost() and power_restored().
class Player final : public TimelineListener, private ErrorHandling::Host {
 public:
  /// All references must outlive the player. InputError if the configuration is out of range.
  Player(const PlayerConfig& config, Timeline& timeline, TraceSource& source, HostLink& link);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  void set_checker(ContentChecker& checker) { checker_ = &checker; }
  void add_observer(RequestObserver& observer) { observers_.push_back(&observer); }
  void set_resting(Resting& resting) { resting_ = &resting; }
  void set_end_listener(PlayerEndListener& listener) { end_listener_ = &listener; }

  /// Time 0 of the input is the timeline's now().
  void start();
  /// The drive completed `request` at now(): its status, content and life are final, and its life is accounted up to now().
  void completed(HostRequest& request);
  /// Takes no more requests from the input; what has arrived at the host is still issued.
  void stop();

  /// The drive lost its power at now(): what it held comes back unacknowledged. Arrivals wait at the host from here on.
  void power_lost();
  /// The drive answers again at now(): the lost requests are issued again, in their first order, then what has waited. Their
  /// life accounts the time since they were last accounted for as LifePhase::outage.
  void power_restored();

  void on_time(std::uint64_t argument) override;

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Between power_lost() and power_restored() it is not.
  [[nodiscard]] bool powered() const { return powered_; }
  /// Requests at the drive (or lost by it and not yet issued again).
  [[nodiscard]] std::uint32_t outstanding() const { return static_cast<std::uint32_t>(at_drive_.size() - free_tags_.size()); }
  /// Requests completed, warm-up and failures included.
  [[nodiscard]] std::uint64_t completions() const { return completions_; }
  [[nodiscard]] const PlayerStatistics& statistics() const { return statistics_; }
  /// Span of the arrivals over the span of the input's times: 1 where nothing was held back. Empty below two requests or where
  /// all of the input's times are equal.
  [[nodiscard]] std::optional<double> time_dilation() const;
  void report(MetricSet& metrics) const;

 private:
  void pump();
  void send(HostRequest& request);
  void send_again(HostRequest& request) override { send(request); }
  void give_up(HostRequest& request) override { link_.abort(request); }
  bool issue_first_waiting();
  bool admit_next();
  bool read_ahead();
  void take(LongTime arrival);
  [[nodiscard]] bool wait_until(LongTime arrival);
  [[nodiscard]] LongTime now() const { return rested_ + timeline_.now(); }
  [[nodiscard]] LongTime arrival_of_next() const;
  /// InputError at the record in hand where the clock does not go as far as that.
  void require_clock(LongTime until) const;
  [[nodiscard]] bool tag_free() const { return powered_ && errors_.idle() && !free_tags_.empty(); }
  [[nodiscard]] bool place_free() const { return config_.policy.bounded() ? !free_requests_.empty() : tag_free() && waiting_count_ == 0; }
  [[nodiscard]] bool waits_for_zone(const HostRequest& request) const;

  PlayerConfig config_;
  Timeline& timeline_;
  TraceSource& source_;
  HostLink& link_;
  ContentChecker* checker_ = nullptr;
  std::vector<RequestObserver*> observers_;
  PlayerEndListener* end_listener_ = nullptr;
  Resting* resting_ = nullptr;

  std::unique_ptr<HostRequest[]> pool_;  // one a tag (open loop) or one a place of the policy
  std::vector<HostRequest*> free_requests_;
  std::vector<std::uint32_t> free_tags_;
  std::vector<HostRequest*> at_drive_;  // by tag; null where the tag is free
  std::vector<HostRequest*> waiting_;   // ring of arrived requests without a tag; bounded policies only
  std::size_t waiting_head_ = 0;
  std::size_t waiting_count_ = 0;
  std::uint32_t managing_ = 0;  // requests at the drive that manage zones

  TraceRecord next_;  // read ahead
  bool have_next_ = false;
  bool input_over_ = false;
  LongTime rested_;       // the times that follow count it, unlike the timeline's
  LongTime origin_;       // of start()
  LongTime first_input_;  // of the first and the last request taken, as the input has it
  LongTime last_input_;
  LongTime first_arrival_;  // and as it arrived
  LongTime last_arrival_;
  LongTime last_completion_;
  std::uint64_t looked_at_ = 0;  // actions of the timeline when the timer was posted
  bool looks_ = false;           // the timer comes before the arrival, to see whether the drive rests
  bool quiet_ = false;           // nothing else happened until then
  std::uint64_t taken_ = 0;
  std::uint64_t completions_ = 0;
  bool timer_posted_ = false;  // for the arrival of next_
  bool pumping_ = false;
  bool powered_ = true;
  bool started_ = false;
  bool stopped_ = false;
  bool ended_ = false;
  PlayerStatistics statistics_;
  ErrorHandling errors_;
};

}  // namespace tessera
