#pragma once
// HWSR: J. Wan, N. Zhao, Y. Zhu, J. Wang, Y. Mao, P. Chen, C. Xie, "High Performance and High Capacity Hybrid Shingled-Recording Disk
// System", CLUSTER 2012. Wave-like shingled regions cut into segments that are rewritten one at a time, a write buffer
// in memory and a read cache in flash.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_hwsr_factory();

}  // namespace tessera
