#include "stimuli/hosts/application_side.hpp"

#include <utility>

#include "stimuli/hosts/host_requests.hpp"

namespace tessera {

ApplicationSide::ApplicationSide(Timeline& timeline, Picoseconds answer_time, Picoseconds idle_after,
                                 std::function<void(std::uint32_t)> answer, std::function<void()> go_on)
    : timeline_(timeline), answer_time_(answer_time), idle_after_(idle_after), answer_(std::move(answer)), go_on_(std::move(go_on)) {}

void ApplicationSide::end(HostRequest& request, Status status, Picoseconds held_up, const RequestLife* command) {
  end_life(request, timeline_.now(), held_up, command);
  request.status = status;
  --outstanding_;
  last_activity_ = timeline_.now();
  if (outstanding_ == 0 && !idle_alarm_) set_idle_alarm();
  receiver_(request);
}

void ApplicationSide::answer_later(std::uint32_t tag) {
  answers_.push_back(tag);
  timeline_.post(timeline_.now() + answer_time_, *this, answer_due);
}

void ApplicationSide::set_idle_alarm() {
  idle_alarm_ = true;
  timeline_.post(last_activity_ + idle_after_, *this, idle_since);
}

void ApplicationSide::on_time(std::uint64_t argument) {
  if (static_cast<Alarm>(argument) == answer_due) {
    const std::uint32_t tag = answers_.front();
    answers_.pop_front();
    answer_(tag);
  } else {
    idle_alarm_ = false;
    if (outstanding_ == 0 && !idle()) set_idle_alarm();
  }
  go_on_();
}

void ApplicationSide::power_lost() {
  timeline_.withdraw(*this);
  outstanding_ = 0;
  answers_.clear();
  idle_alarm_ = false;
}

}  // namespace tessera
