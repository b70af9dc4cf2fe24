#pragma once
// What travels in TLM-2.0 payloads between the modules of a drive. The base protocol is kept: BEGIN_REQ is answered with
// END_REQ at once, BEGIN_RESP with TLM_COMPLETED; annotated delays carry the drive's local time (base/timeline_module.hpp).
#include <tlm>

#include <memory>
#include <vector>

#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "host/host_request.hpp"

namespace tessera {

/// One step of a media chain. The payload's command and data length state direction and bytes.
struct MediaExtension : tlm::tlm_extension<MediaExtension> {
  const MediaStep* step = nullptr;
  MediaBreakdown timing;       ///< set by the media: seek, rotation, transfer
  Status status = Status::ok;  ///< set by the media
  tlm_extension_base* clone() const override { return new MediaExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const MediaExtension&>(other); }
};

/// One flash command.
struct FlashExtension : tlm::tlm_extension<FlashExtension> {
  FlashCommand* command = nullptr;
  Picoseconds busy;  ///< set by the NAND: array and bus time, without queueing
  tlm_extension_base* clone() const override { return new FlashExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const FlashExtension&>(other); }
};

/// Marks a DRAM transaction as a DMA burst of an extent, priced in closed form; without it, it is a metadata access.
struct DmaExtension : tlm::tlm_extension<DmaExtension> {
  bool timed = true;  ///< false: data of the disk's or the flash's DMA, whose time in the DRAM is not modelled
  /// Where the DRAM that answers with an error puts the words that it could not correct; it may leave it empty. Null: nobody asks.
  std::vector<DramAddress>* failed = nullptr;
  tlm_extension_base* clone() const override { return new DmaExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const DmaExtension&>(other); }
};

/// The host, or the host interface towards the controller, gives up the command of the payload, which is answered later with BEGIN_RESP as
/// any other: a phase of our own beside the base protocol's, accepted without another.
DECLARE_EXTENDED_PHASE(ABORT_REQ);

/// One host command; see host/host_request.hpp for who owns what.
struct HostExtension : tlm::tlm_extension<HostExtension> {
  HostRequest* request = nullptr;
  tlm_extension_base* clone() const override { return new HostExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const HostExtension&>(other); }
};

/// Payloads with their extension, reused: a payload from `new` costs 200 ns, one from here 30. All of them end with the pool,
/// also those whose answer never came (a power cut, an interrupted run).
template <class Extension>
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;
  /// A payload with one reference and a cleared extension; release() it.
  tlm::tlm_generic_payload& take() {
    tlm::tlm_generic_payload* payload = nullptr;
    if (free_.empty()) {
      payload = all_.emplace_back(std::make_unique<tlm::tlm_generic_payload>(this)).get();
      payload->set_extension(new Extension);
    } else {
      payload = free_.back();
      free_.pop_back();
      *payload->template get_extension<Extension>() = Extension();
    }
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload->acquire();
    return *payload;
  }

  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace tessera
