#pragma once
// The parameters of an array as its description has them; what drives it is made of says platforms/array.
#include <string>

#include "base/parameter.hpp"
#include "base/units.hpp"
#include "stimuli/arrays/array_layout.hpp"

namespace tessera {

/// What a host gives background work on an array's rows.
enum class SweepPriority : std::uint8_t { host, equal };

/// How fast background work goes over the rows, as of Linux md (drivers/md/md.c, md_do_sync; Documentation/admin-guide/md.rst).
struct SweepPace {
  BytesPerSecond rate_limit{204'800'000};     // sync_speed_max: 200,000 KiB/s
  BytesPerSecond rate_under_load{1'024'000};  // sync_speed_min: 1,000 KiB/s
  SweepPriority priority = SweepPriority::host;
  std::uint32_t depth = 4;

  void describe(ParameterVisitor& v) {
    v.field("rate_limit", rate_limit, {0, 1e12}, "most that is read or written of each drive per second; 0: no limit");
    v.enumeration(
        "priority", priority, {"host", "equal"},
        "host: above rate_under_load, the next chunk waits for those under way while requests come; equal: requests make no difference");
    v.field("rate_under_load", rate_under_load, {0, 1e12}, "pace that is kept up with priority host, whatever the load");
    v.field("depth", depth, {1, 64}, "chunks of each drive under way at once");
  }
};

struct RebuildConfig {
  SweepPace pace;
  Picoseconds delay{};
  Picoseconds checkpoint{300'000'000'000'000};  // as UPDATE_FREQUENCY of drivers/md/md.c
  bool ends_run = false;

  void describe(ParameterVisitor& v) {
    pace.describe(v);
    v.field("delay", delay, {0, 1e18}, "from a drive's failure to the start of the rebuild on a spare");
    v.field("checkpoint", checkpoint, {0, 1e18},
            "time after which a rebuild onto drives with a volatile write cache flushes them and notes how far it has come; it does so "
            "after each sixteenth of the rows as well, as md does");
    v.field("ends_run", ends_run, "whether the replay stops once every rebuild has ended");
  }
};

struct ScrubConfig {
  bool enabled = false;
  Picoseconds at{};
  SweepPace pace;

  void describe(ParameterVisitor& v) {
    v.field("enabled", enabled, "read all drives once and compare data with parity or copies; what differs is written again from the data");
    v.field("at", at, {0, 1e19}, "since the start of the replay");
    pace.describe(v);
  }
};

enum class JournalPlace : std::uint8_t { none, nvram, drives };

struct JournalConfig {
  JournalPlace place = JournalPlace::none;
  std::uint32_t records = 64;
  BytesPerSecond nvram_rate{2'000'000'000};  // ours: what a battery-backed RAID controller's memory takes over PCIe 3.0 x4, less protocol

  void describe(ParameterVisitor& v) {
    v.enumeration("place", place, {"none", "nvram", "drives"},
                  "where new data and parity of a row wait until all of it is written: nowhere, which leaves the write hole; in host "
                  "memory that keeps its content; at the start of the drives that hold the row's parity");
    v.field("records", records, {1, 4096}, "rows that may be written at once; more wait");
    v.field("nvram_rate", nvram_rate, {1e6, 1e15}, "of place nvram: how fast it takes a record");
  }
};

/// What a host's processor does for the array. The figures are ours, of the order of what Linux prints for its own at boot on a server of
/// today (raid6: avx2x4 gen(); xor: avx). They are counted: no request waits for them.
struct ArrayCpuConfig {
  BytesPerSecond parity_rate{20'000'000'000};
  Picoseconds command{3'000'000};  // 3 us

  void describe(ParameterVisitor& v) {
    v.field("parity_rate", parity_rate, {1e6, 1e15}, "data that goes through the computation of P or Q per second of processor time");
    v.field("command", command, {0, 1e12}, "processor time of a command sent to a drive");
  }
};

/// A run whose ends do not depend on the drives, so that drives which have nothing to do with each other can be simulated one by one.
struct WindowConfig {
  Picoseconds begin{};
  Picoseconds length{};
  std::string drive;
  std::string shares;

  [[nodiscard]] bool used() const { return length != Picoseconds(0); }

  void describe(ParameterVisitor& v) {
    v.field("begin", begin, {0, 1e19}, "since the power came; the drives have to answer by then");
    v.field("length", length, {0, 1e19},
            "after which everything is measured, in whatever state; 0: when all requests and the drives' work are done");
    v.field("drive", drive, "of a jbod: simulates this drive alone, as tessera array --workers does; \"\": all");
    v.field("shares", shares, "folder of what each drive gets of the input: --plan writes it, a run of one drive reads it");
  }
};

struct ArrayHostConfig {
  ArrayShape shape;
  Bytes chunk{std::uint64_t{512} << 10};  // mdadm(8), --chunk
  std::uint32_t requests = 256;
  Picoseconds time_out{};
  std::uint32_t max_read_errors = 20;  // of a drive, as MD_DEFAULT_MAX_CORRECTED_READ_ERRORS of drivers/md/md.c
  std::uint32_t bad_blocks = 0;
  RebuildConfig rebuild;
  ScrubConfig scrub;
  JournalConfig journal;
  WindowConfig window;
  ArrayCpuConfig cpu;

  void describe(ParameterVisitor& v) {
    v.enter("array", "how the drives hold what the host sees");
    v.enumeration("kind", shape.kind, {"jbod", "mirror", "raid10", "raid5", "raid6", "erasure"},
                  "jbod: one drive after the other; mirror: all drives hold the same; raid10: each chunk on several drives; erasure: rows "
                  "of data and parity chunks on some of the drives, a different choice from slice to slice (declustered)");
    v.field("copies", shape.copies, {2, 16}, "of raid10: drives that hold each chunk");
    v.field("data", shape.data, {0, 254}, "of erasure: data chunks of a row; 0: as many as the drives leave room for");
    v.field("parities", shape.parities, {0, 16}, "of erasure: parity chunks of a row, which is how many drives may fail");
    v.field("spare_places", shape.spare_places, {0, 64},
            "of erasure: drives' worth of room, spread over all of them, where rebuilds write what failed drives held");
    v.enumeration("placement", shape.placement, {"permuted", "hash"},
                  "of erasure: drawn orders of drives, all as large as the smallest; or each group of rows on the drives that a weighted "
                  "hash names (objects of data * chunk bytes on drives of any size)");
    v.field("groups", shape.groups, {0, 1e6}, "of placement hash: groups of rows that lie on the same drives; 0: about 100 per drive");
    v.field("chunk", chunk, {512, 1e9}, "what lies on one drive before the next one follows, in whole sectors");
    v.field("requests", requests, {1, 65'536}, "requests that may be at the array at once; more wait at the host");
    v.field("time_out", time_out, {0, 1e15},
            "a drive that has had a command for so long is thrown out: it counts as failed; 0: never (Linux waits 30 s, SD_TIMEOUT in "
            "drivers/scsi/sd.h, and resets first)");
    v.field("max_read_errors", max_read_errors, {0, 1e6},
            "a drive with more read errors is thrown out, if the array survives that; every hour halves what was counted");
    v.field("bad_blocks", bad_blocks, {0, 1e6},
            "places of a drive that it failed to write and may keep, unread until a write of them succeeds; with the next one it is "
            "thrown out, if the array survives that (md with bad-block lists: 512)");
    v.section("cpu", cpu, "what the host's processor is charged with");
    v.leave();
    v.section("rebuild", rebuild, "what is made of a failed drive on a spare");
    v.section("journal", journal, "what keeps data and parity together through a power cut");
    v.section("window", window, "a run of fixed length, of timed requests and drives that nothing happens to");
    v.section("scrub", scrub, "a comparison of data and parity in the background");
  }
};

}  // namespace tessera
