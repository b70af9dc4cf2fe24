#include "media/media_module.hpp"

#include <utility>

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
      addressing_(addressing_of(device_)) {}

tlm::tlm_response_status MediaModule::refusal(const tlm::tlm_generic_payload& payload) const {
  if (!device_.powered()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (!addressing_.contains(payload.get_address())) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if ((payload.get_data_length() & (addressing_.sector_bytes - 1)) != 0 || payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

bool MediaModule::arrived(tlm::tlm_generic_payload& payload) {
  if (payload_ != nullptr) {
    next_ = &payload;
    return false;
  }
  begin(payload);
  return true;
}

void MediaModule::begin(tlm::tlm_generic_payload& payload) {
  payload_ = &payload;
  MediaExtension& extension = attach<MediaExtension>(payload);
  const PhysicalSector first = addressing_.sector_at(payload.get_address());
  step_ = {.op = payload.is_read() ? MediaOp::read : MediaOp::write,
           .hint = extension.hint,
           .run = {first.track, first.index, payload.get_data_length() >> addressing_.sector_shift()},
           .data = extension.buffer,
           .system = {},
           .header = extension.header,
           .headers = extension.headers};
  if (extension.system)
    step_.system = {reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length()};
  else if (step_.data.buffer == nullptr)
    step_.data = PlainDataExtension::take(payload, device_.content().shape());
  const MediaTiming timing = device_.start(step_, drive_.timeline().now());
  drive_.timeline().post(timing.end, *this);
  extension.timing = {.queue = {}, .background_wait = {}, .seek = timing.seek, .rotation = timing.rotation, .transfer = timing.transfer};
}

void MediaModule::start(const MediaStep& step) {
  TESSERA_CHECK(!by_call_ && payload_ == nullptr, "the media was given a step while one is in hand");
  by_call_ = true;
  begun_ = drive_.timeline().now();
  step_ = step;
  drive_.timeline().post(device_.start(step_, begun_).end, *this);
}

void MediaModule::give_up() {
  if (!by_call_) return;
  const Picoseconds end = device_.give_up(drive_.timeline().now());
  drive_.timeline().withdraw(*this);
  drive_.timeline().post(end, *this);
}

/// Of a call.
void MediaModule::step_over() {
  by_call_ = false;  // the answer may bring the next step
  const MediaTiming timing = device_.timing();
  const Status status = device_.finish();
  const MediaBreakdown parts{
      .queue = {}, .background_wait = {}, .seek = timing.seek, .rotation = timing.rotation, .transfer = timing.transfer};
  controller_->step_done(with_queue(parts, drive_.timeline().now() - begun_), status);
}

void MediaModule::signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (phase != GIVE_UP_REQ || payload_ != &payload) return;
  const Picoseconds end = device_.give_up(drive_.timeline().now());
  const MediaTiming& timing = device_.timing();
  auto& told = payload.get_extension<MediaExtension>()->timing;
  told.seek = timing.seek;
  told.rotation = timing.rotation;
  told.transfer = timing.transfer;
  drive_.timeline().withdraw(*this);
  drive_.timeline().post(end, *this);
}

void MediaModule::on_time(std::uint64_t) {
  if (by_call_) return step_over();
  tlm::tlm_generic_payload& payload = *std::exchange(payload_, nullptr);  // the answer may bring the next step
  MediaExtension& extension = *payload.get_extension<MediaExtension>();
  extension.status = device_.finish();
  PlainDataExtension::give_back(payload);
  payload.set_response_status(ok(extension.status) ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  target_.respond(payload);
  if (next_ == nullptr || payload_ != nullptr) return;
  begin(*std::exchange(next_, nullptr));
  target_.accept();
}

void MediaModule::power_off() {
  drive_.timeline().withdraw(*this);
  device_.cut(drive_.timeline().now());
  for (auto* payload : {std::exchange(payload_, nullptr), std::exchange(next_, nullptr)})
    if (payload != nullptr) target_.drop(*payload);
  target_.power_off();
  by_call_ = false;
}

void MediaModule::power_on() { device_.restore(drive_.timeline().now()); }

}  // namespace tessera
