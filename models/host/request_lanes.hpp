#pragma once
// What signals show of the host's commands: a lane for each tag, with the phase in which its command is.
#include <deque>
#include <string>

#include "base/signal.hpp"
#include "host/host_request.hpp"

namespace tessera {

class RequestLanes {
 public:
  RequestLanes(SignalScope& scope, std::uint32_t tags);

  /// The host sends the command.
  void begin(HostRequest& request, Picoseconds at) {
    request.life.lane = nullptr;
    if (Signal::anyone_watches()) [[unlikely]]
      show(request, at);
  }
  /// The host has its answer, or takes the command back.
  void end(HostRequest& request, Picoseconds at) {
    if (Signal::anyone_watches()) [[unlikely]]
      clear(request, at);
  }
  /// All commands are lost.
  void power_off(Picoseconds at);

 private:
  struct Lane {
    Signal phase;
    Signal op;
    Signal request;
    Signal block;
    Signal blocks;
  };
  void show(HostRequest& request, Picoseconds at);
  void clear(HostRequest& request, Picoseconds at);

  std::deque<Lane> lanes_;  // by tag
  Signal in_use_;
  std::uint64_t used_ = 0;  // counted while signals are watched: from the start, or never
};

}  // namespace tessera
