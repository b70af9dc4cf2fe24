#pragma once
// What travels in TLM-2.0 payloads between the modules of a drive. A payload says in its own fields what TLM has fields for: command,
// address in the target's window, data length, data pointer, response. An extension carries the rest, and may be missing.
//
// The data pointer names the data's bytes where these exist: those of the firmware's own sectors, and those of the host in content mode
// `bytes`. Otherwise it is null, and what the content mode keeps travels as the shadow of a buffer (base/data_buffer.hpp).
#include <tlm>

#include <memory>
#include <span>
#include <vector>

#include "bus/dma_transfer.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "host/host_request.hpp"

namespace tessera {

/// The payload's extension, or a new one that ends with the payload.
template <class Extension>
Extension& attach(tlm::tlm_generic_payload& payload) {
  auto* extension = payload.get_extension<Extension>();
  if (extension != nullptr) return *extension;
  extension = new Extension;
  payload.has_mm() ? payload.set_auto_extension(extension) : payload.set_extension(extension);
  return *extension;
}

/// One step of a media chain. Read or write; address: first sector (base/media_address.hpp); length: whole sectors of its track, at whose
/// end a run wraps.
struct MediaExtension : tlm::tlm_extension<MediaExtension> {
  StepHint hint = StepHint::position;
  bool system = false;                ///< the bytes are the firmware's own
  DataSpan buffer;                    ///< shadow of host data, and marks of lost sectors; null where nobody keeps either
  SectorHeader* header = nullptr;     ///< see MediaStep
  std::span<SectorHeader> headers{};  ///< see MediaStep
  MediaBreakdown timing;              ///< set by the media: seek, rotation, transfer; the rest of the time counts as queue
  Status status = Status::ok;         ///< set by the media where the response says too little
  tlm_extension_base* clone() const override { return new MediaExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const MediaExtension&>(other); }
};

/// One flash command. Read and program: address page * page size, with that of the sector in the page; length: one sector. Further sectors
/// of the page that take part are the command's `next`. TLM_IGNORE_COMMAND, of no length: a read of out-of-band bytes alone, at the address
/// of their sector, or an erase, at the address of the block's first page.
struct FlashExtension : tlm::tlm_extension<FlashExtension> {
  FlashCommand
      command;         ///< operation, out-of-band bytes, retry level, shadow; the NAND sets page or block from the address, and the status
  Picoseconds busy;    ///< set by the NAND: array and bus time, without queueing
  bool plain = false;  ///< set by the NAND: the payload came without an extension
  std::vector<FlashCommand> further;  ///< the NAND's own: of a payload of several sectors that came without an extension
  tlm_extension_base* clone() const override { return new FlashExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const FlashExtension&>(other); }
};

/// A device's own: the kept content of a payload that has bytes and no shadow.
struct PlainDataExtension : tlm::tlm_extension<PlainDataExtension> {
  DataBuffer buffer;
  bool taken = false;
  tlm_extension_base* clone() const override { return new PlainDataExtension; }
  void copy_from(const tlm_extension_base&) override {}

  /// A shadow of the payload's sectors with their bytes in it, of a write those that take part and ff for the others; null for a payload
  /// without a data pointer.
  static DataSpan take(tlm::tlm_generic_payload& payload, SectorShape shape);
  /// Puts the bytes that take part over what was read into the shadow.
  static void merge(tlm::tlm_generic_payload& payload);
  /// Gives back what a read brought; does nothing for a payload that take() made no shadow for.
  static void give_back(tlm::tlm_generic_payload& payload);
};

/// Marks a DRAM transaction as an extent of a DMA engine, priced in closed form; without it, it is a single access of the CPU.
struct DmaExtension : tlm::tlm_extension<DmaExtension> {
  bool timed = true;     ///< false: only the words are looked at, the time counts elsewhere
  DmaTransfer transfer;  ///< engine, pace and what goes with it; address, length and direction are the payload's
  Bytes behind;          ///< DmaGrant::behind, the most of whoever prices it on the way
  /// Where the DRAM that answers with an error puts the words that it could not correct; it may leave it empty. Null: nobody asks.
  std::vector<DramAddress>* failed = nullptr;
  tlm_extension_base* clone() const override { return new DmaExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const DmaExtension&>(other); }
};

/// The host, or the host interface towards the controller, gives up the command of the payload, which is answered later with BEGIN_RESP as
/// any other: a phase of our own beside the base protocol's, accepted without another. At a block target: the transfer of the payload.
DECLARE_EXTENDED_PHASE(ABORT_REQ);

/// The controller wants a media command no more: a read ends as soon as the arm has landed or the sector under the head has passed, as
/// `aborted`; a medium that does not know the phase lets it end.
DECLARE_EXTENDED_PHASE(GIVE_UP_REQ);

/// The controller asks the host interface, backwards on the command's payload, to carry HostRequest::piece: of the data of a write that
/// came without it, or of a read that streams; accepted at once.
DECLARE_EXTENDED_PHASE(DATA_REQ);

/// What a payload to a command's mailbox slot writes there.
struct MailboxSlot {
  std::uint64_t first_block = 0;  ///< 512 B blocks
  std::uint32_t blocks = 0;
  std::uint8_t op = 0;  ///< HostOp
  bool force_unit_access = false;
};

/// One host command; see host/host_request.hpp for who owns what.
struct HostExtension : tlm::tlm_extension<HostExtension> {
  HostRequest* request = nullptr;
  tlm_extension_base* clone() const override { return new HostExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const HostExtension&>(other); }
};

/// What a plain payload at a block target asks for beside reading and writing. With `flush` and `trim` it is a TLM_IGNORE_COMMAND.
struct BlockExtension : tlm::tlm_extension<BlockExtension> {
  enum class Op : std::uint8_t { transfer, flush, trim };
  Op op = Op::transfer;
  bool force_unit_access = false;
  tlm_extension_base* clone() const override { return new BlockExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const BlockExtension&>(other); }
};

/// Payloads with their extension, reused: a payload from `new` costs 200 ns, one from here 30. All of them end with the pool,
/// also those whose answer never came (a power cut, an interrupted run).
template <class Extension>
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  /// A payload that holds its extension: nobody has to look for it, or frees it.
  class Payload final : public tlm::tlm_generic_payload {
    struct Held final : Extension {
      void free() override {}
    };
    Held held_;

   public:
    Extension& extension = held_;

    explicit Payload(tlm::tlm_mm_interface* manager) : tlm::tlm_generic_payload(manager) { this->set_extension(&extension); }
    ~Payload() override { this->clear_extension(&extension); }
    Payload(const Payload&) = delete;
    Payload& operator=(const Payload&) = delete;
  };

  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;
  /// A payload with one reference and a cleared extension; release() it.
  Payload& take() {
    Payload* payload = nullptr;
    if (free_.empty()) {
      payload = all_.emplace_back(std::make_unique<Payload>(this)).get();
    } else {
      payload = free_.back();
      free_.pop_back();
      payload->extension = Extension();
    }
    payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload->acquire();
    return *payload;
  }

  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(static_cast<Payload*>(payload)); }

 private:
  std::vector<std::unique_ptr<Payload>> all_;
  std::vector<Payload*> free_;
};

}  // namespace tessera
