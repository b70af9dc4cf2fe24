#pragma once
// How a device tells the checker what its faults destroyed.
#include "base/content.hpp"

namespace tessera {

/// Told at each instant at which a fault that the description asks for (a sector that cannot be read, a page that fails) takes
/// data that was stored or was about to be. A power cut is no fault: see MediaDevice::torn().
class FaultListener {
 public:
  /// `sector`: kept content of one drive sector; empty where content is not kept.
  virtual void destroyed(ConstContentSpan sector) = 0;

 protected:
  ~FaultListener() = default;
};

}  // namespace tessera
