#pragma once
// A drive that will never answer, boot or rest: exit status 3. Whose fault it is depends on whose firmware runs: platforms that load
// firmware which is not ours turn it into a FirmwareFault.
#include "base/error.hpp"

namespace tessera {

class LivenessBug : public ModelBug {
 public:
  using ModelBug::ModelBug;
};

}  // namespace tessera
