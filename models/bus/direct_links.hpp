#pragma once
// The links between the drive's own parts as plain calls. Each interface is one end of a link: the parts' modules speak it over TLM sockets
// where somebody else's part or a protocol checker is on the way, and to each other where nobody is (DriveModule::join_parts()), which
// gives the same instants in the same order (tests/python/test_protocol.py).
#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "host/host_request.hpp"

namespace tessera {

/// To the head-disk assembly: one step at a time for each arm (Positioning::arm_of).
class MediaLink {
 public:
  virtual void start(const MediaStep& step) = 0;
  /// The step that the arm has in hand, a read, is wanted no more: it ends as soon as it can, as `aborted`, or as it would.
  virtual void give_up(std::uint32_t arm) = 0;

 protected:
  ~MediaLink() = default;
};

class MediaLinkUp {
 public:
  /// The step that the arm had in hand ended at now(). `timing.queue`: the part of its time that it spent on the way to the media.
  virtual void step_done(const MediaBreakdown& timing, Status status, std::uint32_t arm) = 0;

 protected:
  ~MediaLinkUp() = default;
};

/// What of the time that a step took the media does not account for, it spent on the way.
[[nodiscard]] inline MediaBreakdown with_queue(MediaBreakdown timing, Picoseconds taken) {
  const Picoseconds known = timing.seek + timing.rotation + timing.transfer;
  if (known > taken) timing = {};
  timing.queue = known > taken ? taken : taken - known;
  return timing;
}

/// To the NAND: any number at once.
class FlashLink {
 public:
  virtual void start(FlashCommand& command) = 0;

 protected:
  ~FlashLink() = default;
};

class FlashLinkUp {
 public:
  /// The command, whose status is set, ended at now(). `busy`: what array and channel took of its time.
  virtual void command_done(FlashCommand& command, Picoseconds busy) = 0;

 protected:
  ~FlashLinkUp() = default;
};

/// The status of a command that failed in a further subpage, or without saying how.
[[nodiscard]] inline Status failure_of(const FlashCommand& command) {
  if (!ok(command.status)) return command.status;
  if (command.op == FlashOp::erase) return Status::erase_failed;
  return programs(command.op) ? Status::program_failed : Status::media_error;
}

/// From the host interface to the controller's mailbox.
class MailboxLink {
 public:
  /// The command, with a write's data, is inside the drive as of now().
  virtual void arrived(HostRequest& request) = 0;
  /// The host gave up a request that may have arrived; it still waits for its end.
  virtual void abort(HostRequest& request) = 0;

 protected:
  ~MailboxLink() = default;
};

/// And back.
class HostLinkUp {
 public:
  /// The request is done as of the timeline's now(); its status and content are set.
  virtual void complete(HostRequest& request) = 0;
  /// HostRequest::piece of a write that came without its data is to cross the link from now() on; the request then says when
  /// (HostInterface::fetch).
  virtual void fetch(HostRequest& request) = 0;
  /// HostRequest::piece of a read that streams is to cross the link, likewise (HostInterface::send).
  virtual void send(HostRequest& request) = 0;

 protected:
  ~HostLinkUp() = default;
};

/// From the host to the host interface.
class HostPortLink {
 public:
  virtual void issue(HostRequest& request) = 0;
  virtual void abort(HostRequest& request) = 0;

 protected:
  ~HostPortLink() = default;
};

/// And back.
class HostPortLinkUp {
 public:
  /// Status, and a read's data, are at the host as of now().
  virtual void completed(HostRequest& request) = 0;

 protected:
  ~HostPortLinkUp() = default;
};

}  // namespace tessera
