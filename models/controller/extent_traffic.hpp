#pragma once
// Extents of the DMA engines as bursts on the way to a DRAM that asks for them (DramPart::burst). Each engine sends its own in order, with
// several under way, and goes on when the last burst of an extent is answered; engines are under way side by side.
#include "base/metrics.hpp"
#include "base/timeline.hpp"
#include "bus/dma_transfer.hpp"

namespace tessera {

/// An extent and the device that moves it, evenly from its first byte to its last.
struct DmaExtent {
  BusInitiator engine = BusInitiator::host;
  DramAddress address;
  Bytes bytes;
  Access access = Access::read;
  Picoseconds from{};     ///< the device begins
  Picoseconds passing{};  ///< and takes so long; 0: it can take or give all of it at once
  Bytes ahead{};          ///< so far may the engine be ahead of the device: what lies between them holds that much
};

class ExtentTraffic {
 public:
  /// Queues an extent after the engine's own before it, as of the timeline's now(). Gives its number, from 1 on for each engine.
  virtual std::uint64_t begin(const DmaExtent& extent) = 0;
  /// The device has moved the whole of the extent that the engine began last: bursts need not wait for it any more. Gives the most that
  /// the engine was behind the device: bytes that it could have moved and the DRAM had not answered, with those that it may be ahead.
  virtual Bytes passed(BusInitiator engine) = 0;
  /// The device ended without the rest of that extent: bursts that are not sent are dropped.
  virtual void dropped(BusInitiator engine) = 0;
  /// Whether every burst of this extent of the engine's, and of those before, is answered; of number 0, always. Where not, `listener` is
  /// called with `argument` at the instant of the last answer, or at `earliest` where that is later.
  [[nodiscard]] virtual bool done(BusInitiator engine, std::uint64_t number, TimelineListener& listener, std::uint64_t argument,
                                  Picoseconds earliest) = 0;
  /// `listener` waits for nothing more.
  virtual void withdraw(const TimelineListener& listener) = 0;

 protected:
  ~ExtentTraffic() = default;
};

}  // namespace tessera
