#pragma once
// Watches all signals and keeps nothing: while anybody watches, every access goes step by step.
#include "base/signal.hpp"

namespace tessera::test {

class Nobody final : public SignalSink {
  void change(std::uint32_t, std::uint64_t, Picoseconds) override {}
  void withdraw(std::uint32_t, Picoseconds) override {}
};

}  // namespace tessera::test
