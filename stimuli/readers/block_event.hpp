#pragma once
// Requests of Linux's block layer as its recorders write them: blktrace, blkparse, ftrace and perf.
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "stimuli/readers/trace_reader.hpp"

namespace tessera {

/// The steps of a request at which it may be counted; each is a request once.
enum class BlockEvent : std::uint8_t { queue, issue, complete };

/// "queue", "issue" or "complete" after a format's name; none where nothing is named: then the file's head decides. InputError for others.
[[nodiscard]] std::optional<BlockEvent> block_event_argument(const std::string& format, std::string_view argument);

/// How many events of each step a file has, in BlockEvent's order.
using BlockEventCounts = std::array<std::uint64_t, 3>;

/// The earliest step that the head has; queue where it has none.
[[nodiscard]] BlockEvent first_block_event(const BlockEventCounts& head);

/// "issue events (D)"
[[nodiscard]] std::string block_event_text(BlockEvent event);

/// What a result made from other events than those of queueing has to say; "" for those.
[[nodiscard]] std::string block_event_note(BlockEvent event, bool named);

/// Why nothing was read: "the file has no queue events (Q) but 7 issue events (D): choose --format blkparse:issue".
[[nodiscard]] std::string no_block_event(BlockEvent wanted, const BlockEventCounts& found, const std::string& format);

/// What RWBS says, as the kernel writes it: [F] R|W|D|ZA|ZR|ZRA|ZO|ZC|ZF|N... [F] [A] [S] [M]. An F before the operation is a flush that
/// comes first, one after it is FUA.
struct BlockOperation {
  enum class Kind : std::uint8_t { none, read, write, trim, append, zone };
  bool flush_first = false;
  bool force_unit_access = false;
  Kind kind = Kind::none;
  HostOp of_zone = HostOp::zone_report;  ///< kind zone
  bool all_zones = false;
  /// Whether it names a place although it moves no data.
  [[nodiscard]] bool names_zone() const { return kind == Kind::zone && !all_zones; }
};

/// None where the text is no RWBS.
[[nodiscard]] std::optional<BlockOperation> parse_rwbs(std::string_view rwbs);

/// For leave_out(), of every trim.
inline constexpr const char* discards_are_trims = "discards (D) are trims; blkparse's own totals count them as writes";

/// Fills op and FUA of `raw`, whose offset and size are filled; `step` is the event that is read. A flush that comes first is the request,
/// and what follows it is put into `next`. Returns why the event is no request, for leave_out(); null if it is one.
[[nodiscard]] const char* to_request(const BlockOperation& operation, BlockEvent step, RawRecord& raw, std::optional<RawRecord>& next);

/// Devices on top of one another (dm, md, partitions), by the remaps of the recorder. A request that both record is there twice.
class StackedDevices {
 public:
  void remapped(std::string_view upper, std::string_view lower);
  void has_request(std::string_view device);
  /// What is wrong with taking all; "" while nothing is.
  [[nodiscard]] std::string twice() const;

 private:
  std::set<std::pair<std::string, std::string>> pairs_;
  std::set<std::string, std::less<>> devices_;
  std::string last_;
};

}  // namespace tessera
