#pragma once
// What all file formats share: times counted from the first record, order, the bounds of a request, volume names, notes.
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// A record as the file holds it.
struct RawRecord {
  TraceTime time = 0;  ///< ps from the file's own origin
  HostOp op = HostOp::read;
  bool force_unit_access = false;
  std::uint32_t volume = 0;
  std::uint64_t offset = 0;                       ///< bytes
  std::uint64_t size = 0;                         ///< bytes
  std::optional<TraceTime> think = std::nullopt;  ///< TraceRecord::think, no longer than since the record before
};

/// A record earlier than one before it arrives together with the latest one so far; such records are counted in the notes.
class TraceReader : public TraceSource {
 public:
  explicit TraceReader(std::string path) : path_(std::move(path)) {}
  bool next(TraceRecord& record) final;
  [[nodiscard]] std::string volume_name(std::uint32_t volume) const final;
  [[nodiscard]] std::vector<std::string> notes() const final;

 protected:
  /// The next request of the file; false at its end.
  virtual bool parse(RawRecord& raw) = 0;

  /// Throws InputError "position(): message".
  [[noreturn]] void fail(const std::string& message) const;
  /// Fails "FIELD 'TEXT' is negative" and the like, unless `fault` is none.
  void check(NumberFault fault, std::string_view field, std::string_view text) const;
  [[nodiscard]] std::uint64_t blocks_to_bytes(std::uint64_t blocks, std::string_view field) const;  ///< of 512 B

  /// Number of a volume by name; new names are numbered on.
  std::uint32_t volume(std::string_view name);
  /// Counts something of the file that is not a request: "N REASON" becomes a note.
  void leave_out(const std::string& reason) { ++left_out_[reason]; }
  /// A note that holds for the whole file.
  void note(std::string text) { fixed_notes_.push_back(std::move(text)); }

  const std::string path_;

 private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return boost::hash<std::string_view>()(name); }
  };

  std::uint64_t records_ = 0;
  std::uint64_t disordered_ = 0;
  TraceTime first_ = 0;
  TraceTime latest_ = 0;
  std::vector<std::string> volumes_;
  std::uint32_t last_volume_ = 0;
  boost::unordered_flat_map<std::string, std::uint32_t, NameHash, std::equal_to<>> volume_numbers_;
  std::map<std::string, std::uint64_t> left_out_;
  std::vector<std::string> fixed_notes_;
};

}  // namespace tessera
