#pragma once
// The firmware's way to the NAND flash: batches of page and block operations.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/address.hpp"
#include "base/cause.hpp"
#include "base/data_buffer.hpp"
#include "base/units.hpp"
#include "firmware/ports/status.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

/// What the firmware knows of the array. Blocks are numbered so that consecutive blocks lie on different dies and planes;
/// page p is page p % pages_per_block of block p / pages_per_block. A page is one subpage or several, each with room for one drive
/// sector and with its part of the out-of-band area; subpages count through: subpage s is number s % subpages of page s / subpages. Only
/// blocks that the layer may use are counted: log and dump blocks are reserved apart.
struct FlashShape {
  std::uint64_t blocks = 0;
  std::uint32_t pages_per_block = 0;
  std::uint32_t oob_bytes = 0;      ///< of a page
  std::uint32_t page_bytes = 4096;  ///< data area of a page
  std::uint32_t read_retries = 0;   ///< levels of read retry behind the first read
  bool paired_pages = false;        ///< a cut while an upper page is programmed takes the lower page of its word line too
  std::uint32_t subpages = 1;       ///< drive sectors in a page
  std::uint32_t planes = 1;         ///< of all dies: block b lies on plane b % planes
  bool copyback = false;            ///< the flash knows FlashOp::copyback
  [[nodiscard]] std::uint64_t pages() const { return blocks * pages_per_block; }
  [[nodiscard]] std::uint64_t all_subpages() const { return pages() * subpages; }
  [[nodiscard]] std::uint32_t block_subpages() const { return pages_per_block * subpages; }
  [[nodiscard]] std::uint64_t plane_of(NandPage page) const { return page.value() / pages_per_block % planes; }
  [[nodiscard]] std::uint32_t subpage_bytes() const { return page_bytes / subpages; }
  [[nodiscard]] std::uint32_t subpage_oob_bytes() const { return oob_bytes / subpages; }
};

/// The lower page that shares its word line with upper page `page` of a block of 2-bit cells, or `page` itself where it is a lower one.
/// Word line k holds lower page 2k-1 and upper page 2k+2, but for the first (lower page 0) and the last (upper page the block's last):
/// the order in which such parts program, so that a neighbour disturbs a word line once only.
[[nodiscard]] constexpr std::uint32_t paired_lower_page(std::uint32_t page, std::uint32_t pages_per_block) {
  if (page >= 2 && page % 2 == 0) return page == 2 ? 0 : page - 3;
  if (page + 1 == pages_per_block && page % 2 == 1) return page == 1 ? 0 : page - 2;
  return page;
}

/// `copyback`: a page moves by way of its plane's page register, without crossing the channel and past error correction: what was wrong in
/// it stays wrong. New out-of-band bytes cross and take the places of the old ones.
enum class FlashOp : std::uint8_t { read, read_oob, program, erase, copyback };
/// Whether the operation leaves a page programmed.
[[nodiscard]] constexpr bool programs(FlashOp op) { return op == FlashOp::program || op == FlashOp::copyback; }

/// One page operation for one subpage of it. What several subpages of a page take part in is one operation all the same: the first of
/// their commands is given to the flash and leads the others. A program sets the whole page; subpages that no command is for stay blank,
/// or, with a copyback, as they were.
struct FlashCommand {
  FlashOp op = FlashOp::read;
  NandPage page;                 ///< read, read_oob, program, copyback: to where
  NandPage from;                 ///< copyback: the page that moves, of the same plane
  NandBlock block;               ///< erase
  DataSpan data;                 ///< one sector; null for read_oob, erase and copyback; a lost one is programmed, and read, as lost
  std::span<std::byte> oob;      ///< out-of-band bytes to write or to fill; at most FlashShape::subpage_oob_bytes(); may be empty
  Status status = Status::ok;    ///< set at completion
  std::uint8_t retry = 0;        ///< read, read_oob: level of read retry, at most FlashShape::read_retries
  std::uint8_t subpage = 0;      ///< of its page
  bool led = false;              ///< another command leads it: it is not given to the flash itself
  std::uint32_t tag = no_tag;    ///< of the host command that it serves, for waveforms; set by the port
  FlashCommand* next = nullptr;  ///< of the same operation: the command of a further subpage

  /// Subpage `number`, counted over the whole array.
  void aim(std::uint64_t number, const FlashShape& shape) {
    const std::uint64_t of_page = shape.subpages == 1 ? number : number / shape.subpages;  // most flash needs no division
    page = NandPage(of_page);
    subpage = static_cast<std::uint8_t>(number - of_page * shape.subpages);
  }
  [[nodiscard]] std::uint64_t target(const FlashShape& shape) const { return page.value() * shape.subpages + subpage; }
};

/// Commands that may run side by side where dies, planes and channels allow; complete when all of them are, with those that they lead.
/// Commands to one plane keep their order. The batch and its commands stay where they are until then.
struct FlashBatch {
  explicit FlashBatch(std::span<FlashCommand> batch) : commands(batch) {}
  FlashBatch(const FlashBatch&) = delete;
  FlashBatch& operator=(const FlashBatch&) = delete;

  std::span<FlashCommand> commands;
  Picoseconds submitted;       ///< set by the port
  Picoseconds busy;            ///< of the last command to finish: array and bus time; the rest of the wait is queueing
  Status status = Status::ok;  ///< set at completion: the worst of the commands
  std::uint32_t pending = 0;   ///< used by the port
  Picoseconds landed;          ///< used by the port: when all that was read is in the DRAM
  Cause behind = Cause::host;  ///< used by the port: what work it found at the flash
  DeviceWait wait;             ///< used by port and executor
};

class FlashPort {
 public:
  virtual ~FlashPort() = default;
  [[nodiscard]] virtual FlashShape shape() const = 0;
  /// Whether the block is marked bad (factory mark or retired).
  [[nodiscard]] virtual bool is_bad(NandBlock block) const = 0;
  virtual void submit(FlashBatch& batch) = 0;
  /// Awaitable: submits `batch` and waits for all of it; gives the batch's status.
  [[nodiscard]] auto run(FlashBatch& batch) { return DeviceAwaiter<FlashPort, FlashBatch>{*this, batch}; }
};

}  // namespace tessera
