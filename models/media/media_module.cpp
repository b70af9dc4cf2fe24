#include "media/media_module.hpp"

namespace tessera {

MediaModule::MediaModule(sc_core::sc_module_name name, TimelineModule& drive, const MediaConfig& config, const FormatPlan& plan,
                         ContentMode content, std::uint64_t seed)
    : sc_core::sc_module(name), socket("socket"), drive_(drive), device_(config, plan, content, seed) {
  socket.register_nb_transport_fw(this, &MediaModule::nb_transport_fw);
}

tlm::tlm_sync_enum MediaModule::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  TESSERA_CHECK(phase == tlm::BEGIN_REQ, "the media takes no phase but BEGIN_REQ");
  TESSERA_CHECK(payload_ == nullptr, "the media is still at the step before");
  auto* extension = payload.get_extension<MediaExtension>();
  TESSERA_CHECK(extension != nullptr && extension->step != nullptr, "a payload without a media step");
  drive_.synchronise(delay);
  payload_ = &payload;
  const MediaTiming timing = device_.start(*extension->step, drive_.timeline().now());
  drive_.timeline().post(timing.end, *this);
  drive_.reschedule();
  extension->timing.seek = timing.seek;
  extension->timing.rotation = timing.rotation;
  extension->timing.transfer = timing.transfer;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void MediaModule::on_time(std::uint64_t) {
  tlm::tlm_generic_payload& payload = *payload_;
  payload_ = nullptr;  // the answer may bring the next step
  auto* extension = payload.get_extension<MediaExtension>();
  extension->status = device_.finish();
  payload.set_response_status(ok(extension->status) ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = drive_.ahead();
  const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_COMPLETED, "a media response is to be completed at once");
}

void MediaModule::power_off() {
  drive_.timeline().withdraw(*this);
  device_.cut(drive_.timeline().now());
  payload_ = nullptr;
}

void MediaModule::power_on() { device_.restore(drive_.timeline().now()); }

}  // namespace tessera
