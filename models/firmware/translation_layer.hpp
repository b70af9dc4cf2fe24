#pragma once
// The interface of a translation layer and of its entry in the list of layers.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/geometry.hpp"
#include "base/metrics.hpp"
#include "base/parameter.hpp"
#include "firmware/band_levels.hpp"
#include "firmware/cleaning_arms.hpp"
#include "firmware/cleaning_policy.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/flash_port.hpp"
#include "firmware/ports/host_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/memory_port.hpp"
#include "firmware/read_doubt.hpp"
#include "firmware/zone_commands.hpp"

namespace tessera {

/// All that a layer may know of the machine it runs on.
struct Ports {
  MediaPort& media;
  FlashPort* flash;  ///< null on a drive without NAND
  MemoryPort& memory;
  CpuPort& cpu;
  HostPort& host;
  const CleaningArms* cleaning = nullptr;  ///< null: cleaning works on whatever arm its victim is
  GuestPolicy* policy = nullptr;           ///< null: a layer decides itself when it cleans, and what

  /// Whoever decides for a layer whose own policy is `own`.
  [[nodiscard]] CleaningPolicy& policy_or(CleaningPolicy& own) const {
    if (policy == nullptr) return own;
    policy->stand_for(own);
    return *policy;
  }
};

struct WriteOptions {
  bool durable = false;       ///< FUA: on media or flash before completion, not only in a buffer
  bool background = false;    ///< the drain of a buffer: no host request waits for it
  HostTag tag = no_host_tag;  ///< of the host command that the write is part of
  std::uint32_t head = 0;     ///< host blocks at the begin of the first sector that are not written; not 0 only where takes_parts() says so
  std::uint32_t tail = 0;     ///< host blocks at the end of the last sector that are not written; as `head`
};

/// The firmware between host sectors and devices. Several operations are under way at once; the command front end
/// (firmware/command_server.hpp) keeps overlapping host writes apart, so two operations never write one logical sector at once.
class TranslationLayer {
 public:
  virtual ~TranslationLayer() = default;

  /// User capacity in drive sectors.
  [[nodiscard]] virtual std::uint64_t user_sectors() const = 0;

  /// First boot of an empty drive.
  virtual Task<Status> format() = 0;
  /// Boot after a power cut: finds what was promised on media, flash and in the dumped region.
  virtual Task<Status> recover() = 0;

  /// A host write of `run` has arrived and will be carried out, behind whatever cache is in front of the layer: statistics alone.
  virtual void received(LogicalRun) {}
  /// Boot: a cache in front of the layer has kept this of the host's, and is going to write it.
  virtual void restored(LogicalRun) {}
  virtual Task<Status> read(LogicalRun run, DataSpan data) = 0;
  /// As read(), and keeps what passes under the head in front of `run` and holds the sectors before it, as far as `early` has room. A layer
  /// that does not know which those are keeps none.
  virtual Task<Status> read_early(LogicalRun run, DataSpan data, [[maybe_unused]] EarlySectors& early) { return read(run, data); }
  /// As read(), of a task for which no host waits: on the platters hosts' commands may go first.
  virtual Task<Status> read_behind(LogicalRun run, DataSpan data) { return read(run, data); }
  /// Complete when the data is as durable as the drive promises.
  virtual Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) = 0;
  /// Whether a read of `run`, or a write to it, would be served by a cache, without the platters: what a command's overhead depends on.
  virtual bool holds(LogicalRun) { return false; }
  virtual bool absorbs(LogicalRun) { return false; }
  /// Whether write() hands its data to the media where it lies and uses it for nothing else, so that it may still be crossing the host
  /// link.
  [[nodiscard]] virtual bool streams_writes() const { return false; }
  /// Whether write() takes a write that leaves out `head` host blocks of its first sector and `tail` of its last, and fills them in itself
  /// before they are read or reach the media. Otherwise, and of durable writes always, the front end reads what is left out first.
  virtual bool takes_parts(LogicalRun, [[maybe_unused]] std::uint32_t head, [[maybe_unused]] std::uint32_t tail) { return false; }
  /// Complete when all acknowledged data is on media or flash.
  virtual Task<Status> flush() = 0;
  /// The host no longer needs the data of `run`: reads of it return what they returned before, or nothing, also after a power cut. What a
  /// buffer, log or flash holds of it therefore stays, or is made void together with the older data behind it. What has no copy in front
  /// may be given up, and must not be destroyed before a boot knows that it was, or would find nothing there. A layer that gains nothing by
  /// that does nothing.
  virtual Task<Status> trim(LogicalRun) { co_return Status::ok; }
  /// The first sectors of `run` side by side, if any, that may read as anything but zeros: after a trim() of them, and a power cut, too.
  [[nodiscard]] virtual LogicalRun first_held(LogicalRun run) { return run; }
  /// RESET WRITE POINTER of a zone, of whose sectors the caller holds all. A cache in front of the zones forgets what it holds of it
  /// afterwards, since a power cut may come before, and writes none of that meanwhile.
  virtual Task<Status> reset([[maybe_unused]] LogicalRun zone) { co_return Status::unsupported; }

  /// The zones that the host sees; null where it sees none. No cache that acknowledges writes or changes their order may be in front.
  [[nodiscard]] virtual ZoneCommands* zone_commands() { return nullptr; }

  /// Starts background tasks (CpuPort::spawn) after format() or recover().
  virtual void start_background() {}
  /// Work that is still in hand although the host has nothing outstanding (a drain waits for it).
  [[nodiscard]] virtual bool idle() const { return true; }

  /// Puts the first `sectors` of the user space into the used state, in no time: allocated, with data of unknown content.
  virtual void prefill(std::uint64_t sectors) = 0;

  /// Adds the layer's own statistics; names as in docs/guide/metrics.md.
  virtual void report(MetricSet& metrics) const = 0;
  /// What the last boot could not find out, as faults took what could tell, in no time: reads of it fail until it is written.
  [[nodiscard]] virtual std::vector<ReadDoubt> in_doubt() const { return {}; }
  /// How full the bands are, in no time; of a layer that has none, or nothing in front of them, empty.
  [[nodiscard]] virtual BandLevels band_levels() const { return {}; }
};

/// Which of the drive's own bounds of its user space a layer keeps.
struct SpaceBounds {
  bool reserved = false;  ///< DriveGeometry::reserved_sectors
  bool exported = false;  ///< DriveGeometry::exported_sectors
  bool by_arm = false;    ///< each arm has its share of the addresses, as ConventionalLayout numbers them; otherwise arms take turns
};

/// A layer in the list: its parameters, what it needs of a drive, and how to make it.
class LayerFactory {
 public:
  virtual ~LayerFactory() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// One line: what it is and whose.
  [[nodiscard]] virtual std::string summary() const = 0;
  [[nodiscard]] virtual bool needs_flash() const { return false; }
  /// Whether a write buffer of its own serves hosts: TranslationLayer::holds() and absorbs() may be true.
  [[nodiscard]] virtual bool has_buffer() const { return false; }
  /// Whether it acknowledges writes from a DRAM buffer of its own: what the drive's write cache may give way to.
  [[nodiscard]] virtual bool has_write_buffer() const { return has_buffer(); }
  [[nodiscard]] virtual SpaceBounds bounds() const { return {}; }
  /// Whether it knows which sectors lie in front of a read on its track: TranslationLayer::read_early() may keep some.
  [[nodiscard]] virtual bool keeps_early_sectors() const { return false; }
  /// Whether it has a choice of when and what to clean that a policy of the user's can make (Ports::policy).
  [[nodiscard]] virtual bool takes_policy() const { return false; }
  /// The policy of the user's that decides; null: its own.
  [[nodiscard]] const PolicyFactory* policy() const { return policy_.get(); }
  void decide_by(std::shared_ptr<const PolicyFactory> policy) { policy_ = std::move(policy); }
  /// Size of a zone, where the host sees zones; else 0.
  [[nodiscard]] virtual Bytes zone_size() const { return Bytes(0); }
  /// Whether a host that knows nothing of zones may write to it.
  [[nodiscard]] virtual bool takes_writes_anywhere() const { return zone_size() == Bytes(0); }
  virtual void describe(ParameterVisitor& visitor) = 0;
  /// Whether a power cut may take acknowledged writes that no FLUSH or FUA has made durable.
  [[nodiscard]] virtual bool promises_flushed_only() const { return false; }

  /// How long one request may rightfully wait for cleanings, its own and those of all tags before it; layers that need more than the
  /// default of host.timeout name it.
  [[nodiscard]] virtual Picoseconds longest_wait() const { return Picoseconds(0); }

  /// Regions that the layer wants on this geometry, or a sentence why it cannot have them in `problem`.
  [[nodiscard]] virtual FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const = 0;
  /// A sentence why the layer cannot run with this flash, or nothing.
  [[nodiscard]] virtual std::string check_flash(const FlashShape&) const { return {}; }
  /// What the layer risks on this flash although it can run: a sentence each, with the parameter that mends it.
  [[nodiscard]] virtual std::vector<std::string> warnings(const FlashShape&) const { return {}; }
  /// A sentence why cleaning cannot be placed so on this geometry, of several arms, or nothing. `where` is not `any`.
  [[nodiscard]] virtual std::string check_cleaning(CleaningArm, const DriveGeometry&) const;
  /// Whether boot tells a flash page that became unreadable from one that a power cut tore, so that no older copy passes for the newest.
  [[nodiscard]] virtual bool knows_lost_pages() const { return true; }

  /// Whether no older copy of a block passes for the newest where a buffer's record or a flash page cannot be read and the dump of its
  /// tables failed, too.
  [[nodiscard]] virtual bool knows_lost_records() const { return true; }

  [[nodiscard]] virtual std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                               const FormatPlan& plan) const = 0;
  /// Who looks after sectors that cannot be written where the drive has no spares for them; null for nobody.
  [[nodiscard]] virtual std::unique_ptr<MediaSupervisor> without_spares(MediaPort&) const { return nullptr; }

 private:
  std::shared_ptr<const PolicyFactory> policy_;
};

/// Every layer, in the order of the list command. The one place to add a layer to.
[[nodiscard]] std::vector<std::unique_ptr<LayerFactory>> all_layers();

}  // namespace tessera
