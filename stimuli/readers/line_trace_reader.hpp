#pragma once
// Formats that are lines of separated fields.
#include <string>
#include <string_view>

#include "stimuli/readers/fields.hpp"
#include "stimuli/readers/line_reader.hpp"
#include "stimuli/readers/trace_reader.hpp"

namespace tessera {

/// Blank lines and lines that begin with '#' or '%' are comments in every text format, unless `comments` has other characters.
class LineTraceReader : public TraceReader {
 public:
  LineTraceReader(TraceFile file, char separator) : LineTraceReader(std::move(file), Fields(separator), "#%") {}
  LineTraceReader(TraceFile file, const Fields& fields, std::string comments)
      : TraceReader(file.path), fields_(fields), lines_(path_, std::move(file.bytes)), comments_(std::move(comments)) {}

 protected:
  [[nodiscard]] RecordPlace read_place() const final { return {lines_.number(), 0}; }
  [[nodiscard]] std::string place_text(RecordPlace place) const final { return path_ + ":" + std::to_string(place.number); }
  [[nodiscard]] std::string_view text_at_fault() const final { return line_; }
  [[nodiscard]] bool unfinished() const final { return lines_.unfinished(); }
  bool parse(RawRecord& raw) override;

  /// A comment went by.
  virtual void saw_comment(std::string_view /*line*/) {}
  /// The request of the line whose fields are in `fields_`; false if the line holds none.
  virtual bool parse_fields(RawRecord& raw) = 0;

  /// Fails "expected N comma-separated fields (NAMES), found M" unless there are `least` to `most` fields.
  void expect_fields(std::size_t least, std::size_t most, std::string_view names) const;
  [[nodiscard]] std::uint64_t integer(std::size_t field, std::string_view name) const;
  [[nodiscard]] TraceTime time(std::size_t field, std::string_view name, std::uint64_t ps_per_unit) const;
  [[nodiscard]] std::uint64_t bytes_of_blocks(std::size_t field, std::string_view name) const;
  /// Fails "unknown operation 'TEXT'; expected WORDS".
  [[noreturn]] void unknown_operation(std::string_view text, std::string_view words) const;
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::uint64_t line_number() const { return lines_.number(); }
  /// Reads no further: what follows is not trace.
  void end() { ended_ = true; }

  Fields fields_;

 private:
  LineReader lines_;
  std::string comments_;
  std::string_view line_;
  bool ended_ = false;
};

}  // namespace tessera
