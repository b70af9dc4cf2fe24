#pragma once
// The host interface's core: what crosses the link (host/link_schedule.hpp) and when, tags, and admission by buffer space.
//
// A command takes its data along, if it writes, unless the drive asks for that later; a status comes behind its data, if it was a read.
// Where reads are streamed, their data has begun to cross as soon as the link would not run out of it. A command with more data than it may
// hold of the buffer streams: the drive asks for each piece. Not modelled: link power states.
//
// Where order must be kept. Commands of a drive may end in any order, with one exception: writes to a zone, each of which has to find the
// write pointer that the one in front of it left. So where the drive has zones, it hears of writes in the order in which the host issued
// them, on every path, and three places keep that:
//
//   here           a write is handed on when its data is in the drive. The frames of several commands share the link in turns, so that a
//                  short write's data is whole before a long one's that was issued first; a repeated frame comes late. A drive takes the
//                  commands themselves in the order in which they are sent, before their data: a write is handed on no earlier than the
//                  one in front of it.
//   HostChannel    a write whose data the firmware asks for needs none, and DMAs of different length share bus and DRAM: the firmware hears
//                  of a write after the one in front of it.
//   CommandServer  the write is admitted against the pointer before it waits for a lock.
//
// Behind that the layer keeps places, not times (ZoneWriter). A host has only to issue in order. That commands are carried one after
// another, as on an ideal link, keeps no order by itself: errors, data on request and pieces of large commands go around it.
#include <algorithm>
#include <deque>
#include <vector>

#include "base/extent_allocator.hpp"
#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/timeline.hpp"
#include "bus/direct_links.hpp"
#include "host/host_config.hpp"
#include "host/host_request.hpp"
#include "host/link_schedule.hpp"
#include "host/request_lanes.hpp"
#include "host/watchdog.hpp"

namespace tessera {

class HostInterface final : private TimelineListener {
 public:
  using Downstream = MailboxLink;   ///< towards the controller
  using Upstream = HostPortLinkUp;  ///< towards the host

  HostInterface(Timeline& timeline, const HostConfig& config, std::uint32_t sector_bytes, Downstream& downstream, Upstream& upstream,
                std::uint64_t seed = 1);

  /// The host sends a command at now(), under a tag that it uses for no other command in the drive.
  void issue(HostRequest& request);
  /// The host gives up a command that it has issued. The command ends at some later time, in most cases as `aborted`: the drive drops what
  /// it has not begun, and ends the rest without data.
  void abort(HostRequest& request);
  /// The controller asks for HostRequest::piece, of a write that came without its data: it crosses the link from now() on, and the request
  /// says when.
  void fetch(HostRequest& request);
  /// The controller has HostRequest::piece, of a read whose data streams: likewise.
  void send(HostRequest& request);
  /// The controller ended the request at now().
  void complete(HostRequest& request);

  /// From here on writes are handed on in the order of issue: the drive has zones.
  void tell_writes_in_order() { writes_in_order_ = true; }

  /// Counts commands that the drive leaves unanswered for config.timeout, and ends the run where no answer can come; `account` says what
  /// the drive does instead, `work` what its devices do.
  void watch(Watchdog::Account account, Watchdog::Work work) { watchdog_.start(std::move(account), std::move(work)); }
  [[nodiscard]] const Watchdog& watchdog() const { return watchdog_; }
  /// Leaves no timer in the calendar if no command is in the drive.
  void stand_down() { watchdog_.stand_down(); }

  /// All commands in the drive are lost; the host learns of it otherwise (Player::power_lost).
  void power_off();

  void report(MetricSet& metrics, LongTime elapsed) const;
  void reset_statistics();
  [[nodiscard]] SignalScope& signals() { return signals_; }

 private:
  static constexpr std::uint64_t directions = 2;  // an argument of the timeline: tag * directions + direction

  void on_time(std::uint64_t argument) override;
  [[nodiscard]] bool find_room(HostRequest& request);
  void admit(HostRequest& request);
  [[nodiscard]] Bytes all_data(const HostRequest& request) const;
  [[nodiscard]] Bytes buffer_need(const HostRequest& request) const { return std::min(all_data(request), window_); }
  void carry_piece(HostRequest& request, Picoseconds from);
  void occupy(const LinkExtent& extent, HostRequest& request);

  SignalScope signals_;
  LinkSchedule link_;
  Signal waiting_depth_ = signals_.level("waiting_for_buffer", 16);
  RequestLanes lanes_;

  Timeline& timeline_;
  HostConfig config_;
  std::uint32_t sector_bytes_;
  Bytes window_;  // most of the buffer that a command holds
  Downstream& downstream_;
  Upstream& upstream_;
  ExtentAllocator buffer_;
  bool writes_in_order_ = false;
  Picoseconds last_write_told_;
  std::uint64_t gaps_ = 0;
  std::uint64_t streamed_ = 0;
  std::uint64_t pieces_ = 0;
  Watchdog watchdog_;
  std::deque<HostRequest*> waiting_;    // for buffer space, in order of issue
  std::vector<HostRequest*> crossing_;  // by tag: whose command or status is on the link, or was the last to be
};

}  // namespace tessera
