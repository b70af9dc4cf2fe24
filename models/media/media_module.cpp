#include "media/media_module.hpp"

#include <utility>

#include "base/byte_enables.hpp"

namespace tessera {

namespace {

MediaAddressing addressing_of(const MediaDevice& device) {
  const TrackGeometry& geometry = device.geometry();
  return {.surfaces = geometry.surfaces(),
          .radii = static_cast<std::uint32_t>(geometry.tracks() / geometry.surfaces()),
          .most_sectors = geometry.most_sectors(),
          .sector_bytes = device.content().shape().sector_bytes};
}

}  // namespace

MediaModule::MediaModule(sc_core::sc_module_name name, TimelineModule& drive, const MediaConfig& config, const FormatPlan& plan,
                         ContentMode content, std::uint64_t seed)
    : sc_core::sc_module(name),
      drive_(drive),
      target_("socket", drive, *this),
      socket(target_.socket),
      device_(config, plan, content, seed),
      addressing_(addressing_of(device_)) {
  for (std::uint32_t arm = 0; arm < device_.arms(); ++arm) lanes_.emplace_back(*this, arm);
}

tlm::tlm_response_status MediaModule::refusal(const tlm::tlm_generic_payload& payload) const {
  if (!device_.powered()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const auto* extension = payload.get_extension<MediaExtension>();
  const bool firmwares = extension != nullptr && (extension->system || extension->buffer.buffer != nullptr);
  if (firmwares && !enables_of(payload).all(0, payload.get_data_length())) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (!addressing_.contains(payload.get_address())) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if ((payload.get_data_length() & (addressing_.sector_bytes - 1)) != 0 || payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

std::uint32_t MediaModule::arm_of(const tlm::tlm_generic_payload& payload) const {
  return device_.arm_of(addressing_.sector_at(payload.get_address()).track);
}

bool MediaModule::arrived(tlm::tlm_generic_payload& payload) {
  Lane& lane = lanes_[arm_of(payload)];
  if (lane.busy()) {
    next_ = &payload;
    return false;
  }
  lane.begin(payload);
  return true;
}

void MediaModule::start(const MediaStep& step) { lanes_[device_.arm_of(step.run.track)].start(step); }

void MediaModule::signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (phase == GIVE_UP_REQ) lanes_[arm_of(payload)].signalled(payload);
}

void MediaModule::step_over() {
  if (next_ == nullptr || lanes_[arm_of(*next_)].busy()) return;
  tlm::tlm_generic_payload& payload = *std::exchange(next_, nullptr);
  lanes_[arm_of(payload)].begin(payload);
  target_.accept();
}

void MediaModule::power_off() {
  device_.cut(drive_.timeline().now());
  for (Lane& lane : lanes_) lane.power_off();
  if (next_ != nullptr) target_.drop(*std::exchange(next_, nullptr));
  target_.power_off();
}

void MediaModule::power_on() { device_.restore(drive_.timeline().now()); }

void MediaModule::Lane::begin(tlm::tlm_generic_payload& payload) {
  payload_ = &payload;
  MediaExtension& extension = attach<MediaExtension>(payload);
  const MediaAddressing& addressing = module_.addressing_;
  const PhysicalSector first = addressing.sector_at(payload.get_address());
  step_ = {.op = payload.is_read() ? MediaOp::read : MediaOp::write,
           .hint = extension.hint,
           .run = {first.track, first.index, payload.get_data_length() >> addressing.sector_shift()},
           .data = extension.buffer,
           .system = {},
           .header = extension.header,
           .headers = extension.headers};
  if (extension.system)
    step_.system = {reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length()};
  else if (step_.data.buffer == nullptr)
    step_.data = PlainDataExtension::take(payload, module_.device_.content().shape());
  merges_ = payload.is_write() && !enables_of(payload).all(0, payload.get_data_length());
  if (merges_) step_.op = MediaOp::read;
  begin_step();
  const MediaTiming& timing = module_.device_.timing(arm_);
  extension.timing = {.queue = {}, .background_wait = {}, .seek = timing.seek, .rotation = timing.rotation, .transfer = timing.transfer};
}

void MediaModule::Lane::start(const MediaStep& step) {
  TESSERA_CHECK(!busy(), "the media was given a step while its arm has one in hand");
  by_call_ = true;
  step_ = step;
  begin_step();
}

void MediaModule::Lane::begin_step() {
  Timeline& timeline = module_.drive_.timeline();
  begun_ = timeline.now();
  timeline.post(module_.device_.start(step_, begun_).end, *this);
}

void MediaModule::Lane::end_at(Picoseconds end) {
  module_.drive_.timeline().withdraw(*this);
  module_.drive_.timeline().post(end, *this);
}

void MediaModule::Lane::give_up() {
  if (by_call_) end_at(module_.device_.give_up(module_.drive_.timeline().now(), arm_));
}

void MediaModule::Lane::signalled(tlm::tlm_generic_payload& payload) {
  if (payload_ != &payload) return;
  const Picoseconds end = module_.device_.give_up(module_.drive_.timeline().now(), arm_);
  const MediaTiming& timing = module_.device_.timing(arm_);
  auto& told = payload.get_extension<MediaExtension>()->timing;
  told.seek = timing.seek;
  told.rotation = timing.rotation;
  told.transfer = timing.transfer;
  end_at(end);
}

void MediaModule::Lane::on_time(std::uint64_t) { by_call_ ? call_over() : payload_over(); }

void MediaModule::Lane::call_over() {
  by_call_ = false;  // the answer may bring the next step
  const MediaTiming timing = module_.device_.timing(arm_);
  const Status status = module_.device_.finish(arm_);
  const MediaBreakdown parts{
      .queue = {}, .background_wait = {}, .seek = timing.seek, .rotation = timing.rotation, .transfer = timing.transfer};
  module_.controller_->step_done(with_queue(parts, module_.drive_.timeline().now() - begun_), status, arm_);
}

void MediaModule::Lane::payload_over() {
  MediaExtension& extension = *payload_->get_extension<MediaExtension>();
  extension.status = module_.device_.finish(arm_);
  if (std::exchange(merges_, false) && ok(extension.status)) return write_merged();
  tlm::tlm_generic_payload& payload = *std::exchange(payload_, nullptr);  // the answer may bring the next step
  PlainDataExtension::give_back(payload);
  payload.set_response_status(ok(extension.status) ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  module_.target_.respond(payload);
  module_.step_over();
}

/// Sectors are written whole: what the payload leaves out was read a turn before.
void MediaModule::Lane::write_merged() {
  if (payload_->get_data_ptr() != nullptr) PlainDataExtension::merge(*payload_);
  step_.op = MediaOp::write;
  begin_step();
}

void MediaModule::Lane::power_off() {
  module_.drive_.timeline().withdraw(*this);
  if (payload_ != nullptr) module_.target_.drop(*std::exchange(payload_, nullptr));
  by_call_ = false;
}

}  // namespace tessera
