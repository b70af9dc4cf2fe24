#pragma once
// Ports of a layer whose cleaning is placed, for each power-on of a bench.
#include <memory>
#include <vector>

#include "firmware/cleaning_arms.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera::test {

class PlacedCleaning {
 public:
  explicit PlacedCleaning(CleaningArm where) : where_(where) {}
  Ports operator()(Ports ports, const DriveGeometry& geometry) {
    made_->push_back(std::make_unique<CleaningArms>(where_, geometry, ports.media));
    if (made_->back()->chosen()) ports.cleaning = made_->back().get();
    return ports;
  }

 private:
  CleaningArm where_;
  std::shared_ptr<std::vector<std::unique_ptr<CleaningArms>>> made_ = std::make_shared<std::vector<std::unique_ptr<CleaningArms>>>();
};

}  // namespace tessera::test
