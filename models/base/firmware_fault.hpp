#pragma once
// What firmware that is not ours, in a shared library or as an image, did against the rules of its interface: exit status 3, as a bug of
// the model, but named as the firmware's.
#include "base/error.hpp"

namespace tessera {

class FirmwareFault : public ModelBug {
 public:
  using ModelBug::ModelBug;
};

}  // namespace tessera
