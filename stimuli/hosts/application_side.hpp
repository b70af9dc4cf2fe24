#pragma once
// The application's side of a translating host: how many of its requests are open, how they end, when those do that the host answers from
// memory, and since when the application has asked for nothing.
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "base/timeline.hpp"
#include "host/host_request.hpp"

namespace tessera {

class ApplicationSide final : private TimelineListener {
 public:
  /// `answer(tag)` is called when a request of answer_later() is due; `go_on()` after it, and when the application may have been idle for
  /// `idle_after`.
  ApplicationSide(Timeline& timeline, Picoseconds answer_time, Picoseconds idle_after, std::function<void(std::uint32_t)> answer,
                  std::function<void()> go_on);

  void set_receiver(std::function<void(HostRequest&)> receiver) { receiver_ = std::move(receiver); }
  void request_began() { ++outstanding_; }
  /// Hands the request over, which may bring the next one at once. `held_up`, `command`: see end_life().
  void end(HostRequest& request, Status status, Picoseconds held_up, const RequestLife* command);
  /// The request with this tag ends after the time that the host takes for an answer.
  void answer_later(std::uint32_t tag);
  /// The host itself was at work until now.
  void busy_until_now() { last_activity_ = timeline_.now(); }
  void power_lost();

  [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }
  /// Nothing is open, and nothing was for `idle_after`.
  [[nodiscard]] bool idle() const { return outstanding_ == 0 && timeline_.now() >= last_activity_ + idle_after_; }

 private:
  enum Alarm : std::uint64_t { answer_due, idle_since };
  void on_time(std::uint64_t argument) override;
  void set_idle_alarm();

  Timeline& timeline_;
  Picoseconds answer_time_;
  Picoseconds idle_after_;
  std::function<void(std::uint32_t)> answer_;
  std::function<void()> go_on_;
  std::function<void(HostRequest&)> receiver_;
  std::uint32_t outstanding_ = 0;
  std::deque<std::uint32_t> answers_;  // tags, in the order of their time
  Picoseconds last_activity_;
  bool idle_alarm_ = false;
};

}  // namespace tessera
