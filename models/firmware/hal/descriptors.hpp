#pragma once
// What firmware and devices hand to each other in memory: fixed layouts of naturally aligned fields, the same for 32-bit and 64-bit cores,
// little-endian. Data and bytes are named by their address in the machine; 0 is none. Numbers of operations, hints, classes and statuses
// are those of the ports (firmware/ports).
#include <cstdint>

namespace tessera::hal {

/// Sectors of data: whole drive sectors in a buffer that the host unit, the mover or the memory unit gave.
struct DataName {
  std::uint64_t address = 0;
  std::uint64_t sectors = 0;
};

/// The host unit writes entry n (counted from 0) to place n % entries; `turn` is n / entries + 1, so that firmware sees by it that an entry
/// is new, without a register. Its line is raised with each.
struct HostEntry {
  enum Kind : std::uint32_t {
    command,  ///< a new command
    arrived,  ///< the data of a write that came without it has crossed
    crossed,  ///< a piece has crossed
    aborted   ///< the host gave the command up: it may end without effect
  };
  std::uint32_t kind = 0;
  std::uint32_t tag = 0;
  std::uint32_t op = 0;           ///< HostOp
  std::uint32_t flags = 0;        ///< host_flags
  std::uint64_t first_block = 0;  ///< 512 B
  std::uint64_t blocks = 0;
  DataName data{};           ///< read, write; fewer sectors than the blocks fill where the data is to stream, in halves
  std::uint32_t status = 0;  ///< arrived, crossed: Status
  std::uint32_t half = 0;    ///< crossed: of the buffer
  std::uint64_t turn = 0;
};
static_assert(sizeof(HostEntry) == 64);

/// What of a tag can be new at once: a command, its data or both of its pieces, and that it was given up. A ring of so many entries for
/// each tag never runs over.
inline constexpr std::uint32_t host_entries_per_tag = 4;

/// Bits of HostEntry::flags.
namespace host_flags {
inline constexpr std::uint32_t force_unit_access = 1;
inline constexpr std::uint32_t data_at_host = 2;  ///< of a write: it crosses once Register::host_fetch asks for it
inline constexpr std::uint32_t all_zones = 4;
}  // namespace host_flags

/// A piece of the data of a command that streams through its buffer in halves. It stays until it has crossed.
struct HostPieceEntry {
  std::uint32_t tag = 0;
  std::uint32_t half = 0;
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
  DataName where{};
};
static_assert(sizeof(HostPieceEntry) == 40);

/// The unit writes completion n to place n % entries of its ring, with `turn` as in HostEntry, and raises its line.
struct CompletionEntry {
  std::uint64_t cookie = 0;  ///< of the submission
  std::uint32_t status = 0;
  std::uint32_t steps_done = 0;  ///< disk: steps that completed well
  std::uint32_t any_lost = 0;    ///< 1: a sector that was read is marked as lost in its buffer
  std::uint32_t held = 0;        ///< disk: 1: the chain is held for the firmware, which ends it with Register::disk_resume
  std::uint64_t turn = 0;
};
static_assert(sizeof(CompletionEntry) == 32);

/// Steps with nothing in between, up to the first that fails; the steps follow the entry in memory.
struct MediaChainEntry {
  std::uint64_t cookie = 0;
  std::uint32_t steps = 0;       ///< 1 to MediaChain::max_steps
  std::uint32_t priority = 0;    ///< MediaClass
  std::uint32_t carry_lost = 0;  ///< 1: LostSectors::carry
  std::uint32_t tag = 0;         ///< of the host command that waits for it, for the observer; no_host_tag: none
  std::uint32_t supervised = 0;  ///< 1: to be held when its turn comes: it concerns sectors that lie elsewhere
  std::uint32_t reserved = 0;
};
static_assert(sizeof(MediaChainEntry) == 32);

struct MediaStepEntry {
  std::uint32_t op = 0;    ///< MediaOp
  std::uint32_t hint = 0;  ///< StepHint
  std::uint32_t surface = 0;
  std::uint32_t radius = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t data = 0;          ///< `count` sectors of data
  std::uint64_t system = 0;        ///< the firmware's own bytes instead: `count` whole sectors
  std::uint64_t headers = 0;       ///< out-of-band bytes, header_bytes each
  std::uint32_t header_count = 0;  ///< 1: of the run's last sector; `count`: of each
  std::uint32_t each_header = 0;   ///< 1: of each, which tells the two apart where `count` is 1
};
static_assert(sizeof(MediaStepEntry) == 56);

/// Operations that may run side by side; complete when all of them are. The commands follow the entry in memory.
struct FlashBatchEntry {
  std::uint64_t cookie = 0;
  std::uint32_t count = 0;
  std::uint32_t tag = 0;
};
static_assert(sizeof(FlashBatchEntry) == 16);

inline constexpr std::uint32_t no_command = ~std::uint32_t{0};

struct FlashCommandEntry {
  std::uint32_t op = 0;  ///< FlashOp
  std::uint32_t subpage = 0;
  std::uint64_t page = 0;
  std::uint64_t from = 0;   ///< copyback
  std::uint64_t block = 0;  ///< erase
  std::uint64_t data = 0;   ///< read, program: one sector
  std::uint64_t oob = 0;
  std::uint32_t oob_bytes = 0;
  std::uint32_t retry = 0;   ///< level of read retry
  std::uint32_t next = 0;    ///< command of a further subpage of the same page, by its place in the batch; no_command: none
  std::uint32_t led = 0;     ///< 1: another command names this one
  std::uint32_t status = 0;  ///< set at completion
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FlashCommandEntry) == 72);

}  // namespace tessera::hal
