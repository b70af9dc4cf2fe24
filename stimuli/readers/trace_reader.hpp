#pragma once
// What all file formats share: times counted from the first record, order, the bounds of a request, volume names, notes.
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/raw_record.hpp"
#include "stimuli/readers/record_order.hpp"
#include "stimuli/readers/record_spool.hpp"
#include "stimuli/readers/trace_record.hpp"
#include "stimuli/readers/zone_appends.hpp"

namespace tessera {

/// A record earlier than one before it arrives together with the latest one so far; such records are counted in the notes. RecordOrder
/// sorts them instead.
class TraceReader : public TraceSource {
 public:
  explicit TraceReader(std::string path) : path_(std::move(path)) {}
  bool next(TraceRecord& record) final;
  /// Before the first record.
  void arrange(const RecordOrder& order) { order_ = order; }
  /// The user chose one volume: requests that several volumes of the file hold are read once.
  void choose_one_volume() { one_volume_ = true; }
  /// The drive has zones of this size (0: not known): commands for zones are requests. Otherwise they are left out and counted.
  void keep_zone_commands(Bytes zone) { zones_.emplace(zone); }
  /// What to add to the message where the file turns out not to be what it is read as; it gets the text in question, "" for none.
  using Explain = std::function<std::string(std::string_view text)>;
  void explain_with(Explain explain) { explain_ = std::move(explain); }
  /// A note before all others.
  void say_first(std::string text) { fixed_notes_.insert(fixed_notes_.begin(), std::move(text)); }
  /// Of the record that `next` gave last, which a sorted trace has read some time ago.
  [[nodiscard]] std::string position() const final { return order_.sorts() && taken_from_ ? place_text(*taken_from_) : read_position(); }
  [[nodiscard]] std::string volume_name(std::uint32_t volume) const final;
  [[nodiscard]] std::vector<std::string> notes() const final;

 protected:
  /// The next request of the file; false at its end.
  virtual bool parse(RawRecord& raw) = 0;

  /// The part of a text at which reading stopped.
  [[nodiscard]] virtual std::string_view text_at_fault() const { return {}; }

  /// Whether the last record is the file's last and has no end: a line without its line feed.
  [[nodiscard]] virtual bool unfinished() const { return false; }

  /// Where the file is being read.
  [[nodiscard]] virtual RecordPlace read_place() const = 0;
  /// "FILE:LINE" or "FILE:record N".
  [[nodiscard]] virtual std::string place_text(RecordPlace place) const { return path_ + ":record " + std::to_string(place.number); }
  [[nodiscard]] std::string read_position() const { return place_text(read_place()); }

  /// Throws InputError "read_position(): message".
  [[noreturn]] void fail(const std::string& message) const;
  /// Fails "FIELD 'TEXT' is negative" and the like, unless `fault` is none.
  void check(NumberFault fault, std::string_view field, std::string_view text) const;
  [[nodiscard]] std::uint64_t blocks_to_bytes(std::uint64_t blocks, std::string_view field) const;  ///< of 512 B

  /// Number of a volume by name; new names are numbered on.
  std::uint32_t volume(std::string_view name);
  /// Counts something of the file that is not a request: "N REASON" becomes a note.
  void leave_out(const std::string& reason, std::uint64_t count = 1) { left_out_[reason] += count; }
  /// Whether RawRecord::response is of use: files may hold anything there while nobody asks.
  [[nodiscard]] bool takes_responses() const { return order_.completion_minus_response; }
  [[nodiscard]] bool one_volume() const { return one_volume_; }
  /// A note that holds for the whole file.
  void note(std::string text) { fixed_notes_.push_back(std::move(text)); }

  const std::string path_;

 private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return boost::hash<std::string_view>()(name); }
  };

  /// A record that waits for its turn; small, as the heap moves it about.
  struct Waiting {
    TraceTime time = 0;
    std::uint64_t number = 0;
    std::uint32_t place = 0;  ///< in held_
  };
  struct Held {
    RawRecord raw;
    RecordPlace from;
  };

  bool parse_arrival(RawRecord& raw);
  bool arrive(RawRecord& raw) const;
  bool take(TraceRecord& record);
  [[nodiscard]] bool take_next(RawRecord& raw);
  [[nodiscard]] bool is_left_out(RawRecord& raw);
  bool parse_sorted(RawRecord& raw);
  bool parse_spooled(RawRecord& raw);
  [[nodiscard]] static bool later(const Waiting& a, const Waiting& b) { return a.time != b.time ? a.time > b.time : a.number > b.number; }
  [[nodiscard]] std::size_t waiting() const { return in_order_.size() + displaced_.size(); }
  [[nodiscard]] bool displaced_is_next() const;
  void wait(const Waiting& one);
  [[nodiscard]] Waiting take_earliest();
  [[nodiscard]] bool ripe() const;
  void count_moved(TraceTime time);
  [[nodiscard]] std::uint32_t hold(const RawRecord& raw);
  void check_bounds(RawRecord& raw) const;
  void count_late(const RawRecord& raw);

  RecordOrder order_;
  bool one_volume_ = false;
  std::optional<ZoneAppends> zones_;
  std::deque<Waiting> in_order_;    ///< none earlier than the one before it: most records of most files, which need no heap
  std::vector<Waiting> displaced_;  ///< the others: a heap, the earliest in front
  std::vector<Held> held_;
  std::vector<std::uint32_t> free_places_;  ///< of held_
  TraceTime newest_ = 0;
  std::uint64_t parsed_ = 0;
  bool file_ended_ = false;
  std::optional<RecordPlace> taken_from_;  ///< of a sorted trace
  std::unique_ptr<RecordSpool> spool_;
  std::uint64_t moved_ = 0;  ///< records that sorting put before one that the file has first
  TraceTime most_moved_ = 0;
  Explain explain_;

  std::uint64_t records_ = 0;
  std::uint64_t disordered_ = 0;
  TraceTime most_late_ = 0;
  std::uint64_t before_first_ = 0;  ///< records earlier than the first one
  std::string before_first_begin_;
  std::uint64_t late_run_ = 0;  ///< late records one after another, up to now
  std::uint64_t longest_late_run_ = 0;
  std::string late_run_begin_;
  std::string longest_begin_;
  TraceTime first_ = 0;
  TraceTime latest_ = 0;
  std::vector<std::string> volumes_;
  std::uint32_t last_volume_ = 0;
  boost::unordered_flat_map<std::string, std::uint32_t, NameHash, std::equal_to<>> volume_numbers_;
  std::map<std::string, std::uint64_t> left_out_;
  std::vector<std::string> fixed_notes_;
};

}  // namespace tessera
