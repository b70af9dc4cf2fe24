#pragma once
// What the controller's core asks of the devices. The module implements these over TLM sockets, the test bench directly.
#include <cstddef>
#include <span>

#include "base/address.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/memory_port.hpp"
#include "host/host_request.hpp"

namespace tessera {

/// To the head-disk assembly: one step at a time; answered by DiskChannel::step_done().
class MediaLink {
 public:
  virtual void start(const MediaStep& step) = 0;
  /// The step in hand, a read, is wanted no more: it ends as soon as it can, as `aborted`, or as it would.
  virtual void give_up() = 0;

 protected:
  ~MediaLink() = default;
};

/// To the NAND: any number at once; each is answered by FlashChannel::command_done().
class FlashLink {
 public:
  virtual void start(FlashCommand& command) = 0;

 protected:
  ~FlashLink() = default;
};

/// To the DRAM: access() and dma() give the time of completion of what begins at `at`. Before any of the three returns,
/// MemoryController::uncorrectable() is called for what ECC could not correct.
class DramLink {
 public:
  virtual Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) = 0;
  virtual Picoseconds dma(DramAddress address, Bytes bytes, Access access, Picoseconds at) = 0;
  /// Data that the disk's or the flash's DMA moves, in no time. A DRAM that never fails need not be told.
  virtual void move(DramAddress, Bytes, Access, Picoseconds) {}
  /// The DRAM's bytes by address, zeros at power-on, where it shows them; otherwise those of tables are kept here.
  [[nodiscard]] virtual std::span<std::byte> bytes() { return {}; }

 protected:
  ~DramLink() = default;
};

/// Looks after the data that disk and flash move in and out of buffers of a DRAM that can fail.
class BufferGuard {
 public:
  /// The data is about to be read out of its buffer: what cannot be read is marked as lost there.
  virtual void fetched(const DataSpan& data) = 0;
  /// New data came to the buffer.
  virtual void stored(const DataSpan& data) = 0;

 protected:
  ~BufferGuard() = default;
};

/// To the host interface: the request is done as of the timeline's now(); its status and content are set.
class HostLinkUp {
 public:
  virtual void complete(HostRequest& request) = 0;
  /// The data of a write that came without it is to cross the link from now() on; the request then says when (HostInterface::fetch).
  virtual void fetch(HostRequest& request) = 0;

 protected:
  ~HostLinkUp() = default;
};

}  // namespace tessera
