// Of a live drive: its requests, and its power.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "platforms/kernel/live_drive_module.hpp"

namespace tessera {

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
    flushing_ = false;
    return stop();
  }
  const SharedRequest ended = std::exchange(by_tag_[request.tag], nullptr);
  statistics_.completed(request, now(), 0);
  free_tags_.push_back(request.tag);
  ended->state = LiveRequest::State::done;
  ended->ended = now();
  const bool sending = std::exchange(sending_, true);  // what the bench submits now comes after what waited
  tell(ended);
  sending_ = sending;
  send_waiting(0);
}

void LiveDrive::tell(const SharedRequest& request) {
  if (const auto told = std::exchange(request->on_end, nullptr)) guarded([&] { told(request); });
  for (std::size_t i = 0; i < awaited_.size(); ++i)
    if (const auto* const awaited = std::get_if<SharedRequest>(&awaited_[i].event); awaited != nullptr && *awaited == request) come(i);
}

void LiveDrive::drain() {
  require_still();
  if (!ready()) throw InputError("the drive is not ready: expected one that has power and has booted");
  call_at(now(), [this] {
    flush_ = {};
    flush_.op = HostOp::flush;
    flush_.life.begin(now());
    flushing_ = true;
    host_->issue(flush_);
  });
  static_cast<void>(run_until({}));  // until it is answered
  if (interrupted_ || flushing_) return;
  if (!ok(flush_.status)) throw ModelBug(std::string("the flush failed: ") + to_string(flush_.status));
  static_cast<void>(run_until({Idle{}}));
}

void LiveDrive::power_on(bool after_power_cut) {
  state_ = State::booting;
  firmware_runs_ = true;
  drive_->power_on(after_power_cut, [this, boot = ++boots_](Status status) { booted(status, boot); });
}

/// The boot task ran ahead of the calendar by its CPU time: the drive answers when that has passed.
void LiveDrive::booted(Status status, std::uint64_t boot) {
  if (!ok(status)) throw ModelBug(std::string("the drive did not boot: ") + to_string(status));
  const Picoseconds answers = drive_->controller().executor().now();
  if (begun_)
    post(answers, recovered_, boot);
  else
    post(answers + start_delay_, begin_);
}

void LiveDrive::begin(std::uint64_t) {
  begun_ = true;
  measurement_->begin();
  recovered(boots_);
}

void LiveDrive::recovered(std::uint64_t boot) {
  if (boot != boots_ || state_ != State::booting) return;
  state_ = State::ready;
  for (std::size_t i = 0; i < awaited_.size(); ++i)
    if (std::holds_alternative<Ready>(awaited_[i].event)) come(i);
  send_waiting(0);
}

void LiveDrive::cut_power() {
  require_callable();
  if (state_ == State::dark) throw InputError("the drive has no power: nothing can be cut");
  post(now(), cut_);
  if (!running_) static_cast<void>(run_until({now()}));
}

void LiveDrive::cut(std::uint64_t) {
  if (state_ == State::dark) return;
  state_ = State::dark;
  ++boots_;
  drive_->timeline().withdraw(boot_);
  host_->power_lost();
  std::exchange(firmware_runs_, false) ? drive_->power_off() : drive_->power_off_before_boot();
  lose_requests();
}

void LiveDrive::lose_requests() {
  flushing_ = false;
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
  if (state_ != State::dark) throw InputError("the drive has power already");
  state_ = State::booting;
  post(now() + drive_->restart_delay() - drive_->outage(), boot_, boots_);
}

void LiveDrive::boot_again(std::uint64_t boot) {
  if (boot == boots_) power_on(true);
}

/// What the host had at the drive is lost, and the firmware boots again.
void LiveDrive::restart_firmware() {
  state_ = State::booting;
  const std::uint64_t boot = ++boots_;
  host_->power_lost();
  drive_->restart_firmware([this, boot] {
    firmware_runs_ = false;
    post(now() + drive_->restart_time(), boot_, boot);
  });
  lose_requests();
}

}  // namespace tessera
