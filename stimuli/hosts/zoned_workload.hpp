#pragma once
// A host of a zoned drive that keeps to the rules of zones, for torture: several writes of a zone on their way at once, each where the one
// before it ends; resets, finishes, opens and closes between them; and now and then a command that a drive must refuse.
//
// It knows of a zone what the drive has told it. After a power cut, and after a write that failed, it waits for what it had at the drive,
// asks with REPORT ZONES and goes on from there. It holds the drive to its word: the pointer lies between what was acknowledged, or of a
// drive that may forget, what FLUSH or FUA acknowledged, and what was sent; and what is refused is refused with the right status.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "host/host_request.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// To be replayed with up to as many requests at once as there are tags; the first number of a request is 0.
class ZonedWorkload final : public TraceSource {
 public:
  struct Drive {
    std::uint64_t blocks = 0;         ///< of 512 B that the host can address
    std::uint64_t zone_blocks = 0;    ///< of a zone
    std::uint32_t sector_blocks = 8;  ///< of a drive sector
    std::uint32_t largest = 2048;     ///< blocks of the largest request
    std::uint64_t requests = 0;       ///< then it ends; 0: never
    bool one_at_a_time = false;       ///< of a zone's writes: where links or cores may change their order
    bool anywhere = false;            ///< a write may begin anywhere (sequential write preferred)
    bool may_forget = false;          ///< a cut may take what was acknowledged and not flushed, and the pointer back
    bool faults = false;              ///< of the description: a pointer may lie beyond what was sent, and a write may fail
  };
  ZonedWorkload(std::uint64_t seed, const Drive& drive);

  bool next(TraceRecord& record) override;
  [[nodiscard]] std::string position() const override { return "zoned workload, request " + std::to_string(made_); }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }

  /// What became of a request.
  struct Verdict {
    bool in_order = true;   ///< a status that is not ok is what the host expected
    std::string complaint;  ///< the drive broke its word; "" where it kept it
  };
  [[nodiscard]] Verdict completed(const HostRequest& request);
  /// The drive lost its power, or its firmware was restarted.
  void power_lost();

 private:
  struct Zone {
    bool conventional = false;
    bool known = false;
    bool seen = false;   ///< in a report
    bool usable = true;  ///< neither read only nor offline
    bool offline = false;
    bool full = false;
    bool may_be_reset = false;   ///< a reset was on its way when the power failed
    bool may_be_full = false;    ///< and so was a finish
    bool managed = false;        ///< a command that allows no other is on its way
    std::uint32_t writes = 0;    ///< on their way
    std::uint64_t pointer = 0;   ///< where the next write begins, from the zone's begin
    std::uint64_t promised = 0;  ///< what was acknowledged, after the last known reset
    std::uint64_t sent = 0;
    std::uint64_t durable = 0;  ///< what FLUSH or FUA acknowledged, or a report after a cut found
    std::uint64_t life = 0;     ///< counts resets and reports
    bool cut = false;           ///< the power failed since the last report, and no write of before came after it
  };
  /// What a FLUSH makes durable of a zone.
  struct Flushed {
    std::uint64_t zone = 0;
    std::uint64_t life = 0;
    std::uint64_t end = 0;
  };
  struct Sent {
    HostOp op = HostOp::read;
    std::uint64_t zone = 0;
    std::uint64_t first = 0;  ///< block, from the zone's begin
    std::uint64_t blocks = 0;
    bool stale = false;  ///< made before a cut or failure: the drive need not find it in order any more
    Status expected = Status::ok;
    std::vector<Flushed> flushed{};
  };

  void make(TraceRecord& record, Sent& sent);
  void make_flush(Sent& sent) const;
  bool make_report(Sent& sent);
  bool make_write(Sent& sent, Zone& zone);
  bool make_write_anywhere(Sent& sent, Zone& zone);
  [[nodiscard]] std::uint64_t sectors_up(std::uint64_t block) const;
  bool make_management(Sent& sent, Zone& zone, std::uint64_t kind);
  bool make_wrong(Sent& sent, Zone& zone);
  void make_read(Sent& sent);
  [[nodiscard]] std::uint64_t whole_sectors(std::uint64_t most);
  [[nodiscard]] std::uint64_t some_zone();
  [[nodiscard]] Verdict ended(const Sent& sent, const HostRequest& request);
  [[nodiscard]] std::string learn(const Sent& sent, const HostRequest& request);
  [[nodiscard]] std::string pointer_complaint(std::uint64_t number, const ZoneDescriptor& zone, const Zone& had) const;
  void forget(Zone& zone, std::uint64_t number);

  RandomStream random_;
  Drive drive_;
  std::vector<Zone> zones_;
  std::map<std::uint64_t, Sent> sent_;  // by number, until completed
  std::uint64_t stale_ = 0;             // of these
  std::vector<std::uint64_t> favourites_;
  Picoseconds now_;
  std::uint64_t made_ = 0;
};

}  // namespace tessera
