#pragma once
// Proves that every read returns the newest acknowledged version of each block, power cuts included.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/content.hpp"
#include "base/fault_listener.hpp"
#include "base/metrics.hpp"
#include "stimuli/player/request_observer.hpp"
#include "stimuli/scoreboard/version_map.hpp"

namespace tessera {

/// What an acknowledged write may count on at a power cut.
enum class DurabilityPromise : std::uint32_t {
  acknowledged,  ///< durability `plp` and `journal`: acknowledged is durable
  flushed        ///< durability `volatile`: only what FLUSH or FUA acknowledged
};

/// A version is a write request; its tag in a block names both: the order of the write, and the block (version_tag.hpp).
///
/// A version of a block is current from its write's issue; it is over once a write issued after its acknowledgement is
/// acknowledged. Writes that were at the drive at one time are not ordered: either may remain, but once a read that met none of them has
/// returned one of them, it is that one (as long as nothing failed and no power was cut, which may bring back the other). A read may return
/// any version that was not over when the read was issued; so in particular the newest acknowledged one, and any written meanwhile.
/// A prefilled block reads as its own mark until it is written; any other as `never_written`, or as its mark where it is not known
/// whether it was prefilled. A TRIM adds one thing to what its blocks may read as, until they are written again: never written; or, on a
/// drive that promises zeros (expect_zeros_after_trim()), it is a version like a write's, that reads as never written. After the
/// reset of a zone its blocks read as never written, or as anything older than the reset, or fail where a fault destroyed some of that. A
/// command that was refused (firmware/ports/status.hpp) has changed nothing; another write that failed or was lost in a power cut may have
/// left old or new, until written again. Under the promise `flushed` a cut may leave any version from the last durable one on; so may,
/// under either promise, a cut whose dump failed, and a read error, until the block is written again. A version that a fault of the
/// description destroyed (FaultListener) may answer with a read error, never with other data, until its block is written again. Of a write
/// that a cut took each sector is old or new as a whole.
class Scoreboard final : public ContentChecker, public FaultListener {
 public:
  /// `mode` is tags or bytes (ModelBug for none); `sector_blocks`: host blocks of a drive sector.
  Scoreboard(ContentMode mode, DurabilityPromise promise, std::uint32_t sector_blocks = 8, const PrefilledBlocks& prefilled = {});

  void issued(HostRequest& request) override;
  void completed(const HostRequest& request) override;
  void lost(const HostRequest& request) override;
  void power_cut() override;

  /// The drive has zones of so many blocks: a reset is told of by its zone. Before the first request.
  void expect_zones(std::uint64_t blocks) { zone_blocks_ = blocks; }

  /// What a cut takes of a zone lies at its end: nothing that was acknowledged later in the zone's order outlives it. Before the first
  /// request.
  void expect_zones_cut_at_their_ends() { cut_at_ends_ = true; }

  /// A TRIM is a write of zeros: its blocks read as never written, as durable as a write. Before the first request.
  void expect_zeros_after_trim() { trims_to_zeros_ = true; }

  /// Dumps may fail: remembers what of the acknowledged is not durable by other means. Before the first request.
  void expect_failed_dumps() { dumps_can_fail_ = true; }
  /// The dump of the cut failed, and data that was acknowledged from DRAM is gone: what FLUSH or FUA has not made durable may be as it
  /// was at any time since, or answer with a read error. After power_cut().
  void dump_failed();

  /// The dump of the cut failed, and with it what could tell of a buffer's records that cannot be read
  /// (LayerFactory::knows_lost_records()): a block of which a fault has destroyed what was acknowledged may be older. Holds for what the
  /// boot finds destroyed, too. After power_cut() and dump_failed().
  void lost_records_untold();

  /// What the newest versions of some blocks were written with: a position and a generation.
  using Piece = std::pair<std::uint64_t, std::uint64_t>;
  /// Faults took all that could tell a boot of this piece (medium_truth.hpp): each of its blocks may be older, or answer with a read
  /// error, until it is written again. Once: later boots that miss the same piece excuse nothing that was written since.
  void untold(std::span<const HostRun> blocks, Piece piece);
  /// A fault took what could tell whether these blocks were written before a cut, or since the reset of their zone: they may answer with a
  /// read error until they are written, or it is reset again (medium_truth.hpp).
  void in_doubt(HostRun blocks);

  /// Excuses the blocks whose versions lay in the sector, those whose write is still at the drive too. What it held is named by its
  /// tags; a sector without any excuses reads of blocks that nobody wrote.
  void destroyed(ConstContentSpan sector) override;
  /// Exempts a sector that a cut tore while it was overwritten in place: what it `held` and what was `written` are versions of its
  /// blocks. A copy that is made elsewhere does not excuse the loss of the original. Zeros over nothing name no block: then all that may be
  /// nothing of the TRIMs that the cut took is exempted. After power_cut().
  void exempt_torn(ConstContentSpan held, ConstContentSpan written);
  /// Whether a sector of these blocks was destroyed in part as the description allows and that part not written since: a request may
  /// fail there, a write of another part of it too.
  [[nodiscard]] bool exempted(HostRun blocks) const;

  /// Whether a request that has just failed may: its sectors are exempted, or were at some time while a read was at the drive, or a fault
  /// took what another write that is still at the drive was to bring to them.
  [[nodiscard]] bool excused(const HostRequest& request) const;
  /// Whether any acknowledged data is destroyed so and not written since: a FLUSH may fail, as it could not make that durable.
  [[nodiscard]] bool some_exempted() const;

  /// A read of a verification failed: where nothing exempts it, that is an error.
  void unreadable(const HostRequest& request);

  /// What there is to know of the content between two runs of one drive: nothing is at the drive, and everything acknowledged is durable.
  void save_state(StateWriter& out) const;
  /// Before the first request; of a scoreboard of the same mode and promise, and a drive of so many blocks.
  void load_state(StateReader& in, HostBlock blocks);

  [[nodiscard]] std::uint32_t sector_blocks() const { return sector_blocks_; }
  [[nodiscard]] const PrefilledBlocks& prefilled() const { return prefilled_; }
  /// Every block ever written, in ascending runs of at most `longest` blocks.
  [[nodiscard]] std::vector<HostRun> written(std::uint32_t longest) const;

  [[nodiscard]] std::uint64_t checked() const { return checked_; }
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  /// Blocks that the description's faults destroyed while a read could still have returned them.
  [[nodiscard]] std::uint64_t destroyed_blocks() const { return destroyed_blocks_; }
  /// Blocks that verifications found without the version that was acknowledged last, as a failed dump took it.
  [[nodiscard]] std::uint64_t lost_in_dumps() const { return lost_in_dumps_; }
  /// The first ten errors: request, block, what was expected and what was found.
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
  /// Adds scoreboard.* (512 B blocks).
  void report(MetricSet& metrics) const;

 private:
  static constexpr std::size_t kept_messages = 10;
  /// A write or TRIM with its place in the order of events. A TRIM replaces nothing, unless it brings zeros: then it is as a write.
  struct Version {
    const HostRequest* request = nullptr;
    HostRun blocks;
    Tag first = 0;  ///< entry of its first block; `nothing`: a TRIM that brings no zeros, of all its blocks
    std::uint64_t issued = 0;
    std::uint64_t acknowledged = 0;  ///< or failed; 0 while it is at the drive
    bool certain = true;             ///< false: it failed, so it may not be there at all
    bool durable = false;            ///< once it is acknowledged: by FUA, or a FLUSH since
    bool in_durable = false;         ///< durable_ has it, with all that was allowed of it since
    bool met_destroyed = false;      ///< while it was at the drive another write replaced what a fault had taken of its sectors
    /// Versions of its blocks that may stand in its place: their writes ended while it was at the drive, and are not over.
    std::vector<std::pair<HostBlock, Tag>> beside{};
    /// As beside, but over: what replaced them may be lost in a cut, which then leaves them.
    struct Replaced {
      HostBlock block;
      Tag entry = 0;
      std::uint64_t acknowledged = 0;
    };
    std::vector<Replaced> replaced{};
    [[nodiscard]] bool covers(HostBlock block) const { return block >= blocks.first && block < blocks.end(); }
    [[nodiscard]] bool meets(HostRun run) const { return run.first < blocks.end() && blocks.first < run.end(); }
    [[nodiscard]] bool at_one_time(const Version& other) const {
      return other.acknowledged > issued && other.acknowledged < acknowledged && meets(other.blocks);
    }
    [[nodiscard]] bool trims() const { return first == nothing; }
    [[nodiscard]] bool empties() const { return trims() || brings_zeros(first); }
    /// A fault took the block from it, or from what may stand in its place.
    [[nodiscard]] bool is_destroyed(HostBlock block) const;
    [[nodiscard]] Tag entry(HostBlock block) const { return trims() ? nothing : first + (block - blocks.first); }
  };
  /// A read at the drive, and what went over since its issue: it may return that.
  struct PendingRead {
    const HostRequest* request = nullptr;
    std::vector<std::pair<HostBlock, Tag>> replaced;
  };
  /// What reads since the last cut have found of a zone's unflushed blocks.
  struct ZoneEnd {
    std::optional<HostBlock> lost;  ///< the first
    std::optional<HostBlock> kept;  ///< the last
  };
  /// Blocks of one sector that a write was to bring which a cut took, and the entry of the first.
  struct Unanswered {
    HostRun blocks;
    Tag first = 0;
  };
  struct PendingFlush {
    const HostRequest* request = nullptr;
    std::uint64_t issued = 0;
  };

  [[nodiscard]] HostRun whole_sectors(HostRun blocks) const;
  [[nodiscard]] std::vector<HostRun> zones_of_reset(const HostRequest& request) const;
  [[nodiscard]] bool keeps_undurable() const { return promise_ == DurabilityPromise::flushed || dumps_can_fail_; }
  [[nodiscard]] Tag next_version(HostRun blocks);
  bool destroyed(HostBlock block, Tag tag);
  void lost_beside(HostBlock block);
  void exempt(HostBlock block);
  void lose(HostBlock block);
  bool allow_older(HostBlock block);
  void allow_older_by_dump(HostBlock block);
  bool excuse(Version& version, HostBlock block, Tag tag);
  void ended(Version version, Status status);
  void keep_for_others(const Version& version);
  void make_durable(std::uint64_t before);
  void replaced_for_good(const Version& by);
  void find_unanswered();
  [[nodiscard]] bool trimmed_since(HostBlock block, Tag write) const;
  void check_whole_sectors(const HostRequest& request, const std::vector<std::optional<Tag>>& found);
  void fall_back(bool errors);
  void note_unflushed();
  void forget_unflushed(HostRun blocks);
  void check_zone_end(const HostRequest& request, HostBlock block, Tag found);
  void find_lost(HostBlock block, std::optional<Tag> found);
  void check(const HostRequest& request, const PendingRead& read);
  [[nodiscard]] bool written_meanwhile(HostBlock block, Tag found, const PendingRead& read) const;
  void decide(HostBlock block, Tag found, const PendingRead& read);
  [[nodiscard]] bool some_in_part() const;
  void complain(const HostRequest& request, HostBlock block, const std::string& found);
  void find_beside(Version& version) const;
  static void settle(VersionMap& map, const Version& version);
  static void add(VersionMap& map, const Version& version);

  ContentMode mode_;
  DurabilityPromise promise_;
  std::uint32_t sector_blocks_;
  std::uint64_t zone_blocks_ = 0;
  PrefilledBlocks prefilled_;
  std::uint64_t clock_ = 0;         // counts issues and acknowledgements
  std::uint64_t versions_ = 0;      // given out so far
  std::vector<Version> at_drive_;   // writes and TRIMs, in order of issue
  std::vector<Version> lost_;       // between lost() and power_cut()
  std::vector<HostRun> cut_zeros_;  // of TRIMs that the last cut took
  std::vector<Version> rivals_;     // ended, but after the issue of one at the drive that they overlap
  std::vector<PendingRead> reads_;
  std::vector<PendingFlush> flushes_;
  VersionMap current_;
  bool undisturbed_ = true;  // so far nothing failed or was lost
  // Where acknowledged may not be durable (keeps_undurable()):
  bool dumps_can_fail_ = false;
  VersionMap durable_;                              // what the last FLUSH, or cut that fell back to it, left
  std::vector<Version> undurable_;                  // ended since, in that order
  std::unordered_map<std::uint64_t, Tag> at_risk_;  // blocks that a failed dump may have taken: what was acknowledged last; never iterated
  bool cut_at_ends_ = false;
  bool trims_to_zeros_ = false;
  std::map<std::uint64_t, Tag> unflushed_;      // blocks at the last cut, as acknowledged last, until they are written again
  std::map<std::uint64_t, ZoneEnd> zone_ends_;  // by zone
  std::uint64_t checked_ = 0;
  std::uint64_t errors_ = 0;
  std::uint64_t destroyed_blocks_ = 0;
  std::uint64_t lost_in_dumps_ = 0;
  std::unordered_set<std::uint64_t> once_destroyed_;  // blocks of which some version was destroyed; their order is of no account
  std::map<std::uint64_t, Unanswered> unanswered_;    // by sector; those that no other write met
  bool blank_destroyed_ = false;                      // a sector was destroyed that held no version
  std::set<Piece> untold_;
  bool losses_untold_ = false;                // from a cut on, until the drive has answered
  std::uint64_t failed_ = ~std::uint64_t{0};  // number of the last request that failed for what was destroyed at its time
  std::vector<std::string> messages_;
};

}  // namespace tessera
