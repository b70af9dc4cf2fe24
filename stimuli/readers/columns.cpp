// Any text whose columns the user names (stimuli/readers/columns_spec.hpp).
#include <algorithm>
#include <regex>
#include <utility>

#include "base/error.hpp"
#include "stimuli/readers/calendar.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t most_header_lines = 100;
constexpr std::uint64_t most_lines_above_names = 1000;  ///< descriptions in XML, as HP's tools print them, are long
constexpr std::size_t most_matched = 1024;              ///< bytes of a line: the standard library's matcher calls itself for each

/// Fields that must be there for `place` to be one.
std::size_t reach(const ColumnsSpec::Place& place) { return static_cast<std::size_t>(place.number < 0 ? -place.number : place.number); }

class Columns final : public LineTraceReader {
 public:
  Columns(TraceFile file, ColumnsSpec spec)
      : LineTraceReader(std::move(file), Fields(spec.separator, spec.quotes), spec.comments),
        spec_(std::move(spec)),
        header_sought_(!spec_.names().empty()),
        in_header_(spec_.header_auto) {
    if (!spec_.regex.empty()) pattern_.emplace(spec_.regex, std::regex::ECMAScript | std::regex::optimize);
    least_ = columns_needed();
    if (spec_.no_times) note("the file has no times: all requests arrive together (--replay closed:N goes without)");
    for (const auto& [word, op] : spec_.words) known_words_ += (known_words_.empty() ? "" : ", ") + (word.empty() ? "blank" : word);
  }

 private:
  bool parse(RawRecord& raw) override {
    if (after_flush_) {
      raw = *after_flush_;
      after_flush_.reset();
      return true;
    }
    if (LineTraceReader::parse(raw)) return true;
    if (header_sought_) refuse_header();
    return false;
  }

  void saw_comment(std::string_view line) override {
    if (!header_sought_) return;
    fields_.split(line.substr(std::min(line.find_first_not_of(" \t#%"), line.size())));  // a comment may be empty
    seek_header();
  }

  bool parse_fields(RawRecord& raw) override {
    if (header_sought_) {  // among the lines that are left out, too
      seek_header();
      return false;
    }
    if (line() == header_) {  // of files that were put one behind another
      leave_out("headers that come again left out");
      return false;
    }
    if (line_number() <= spec_.header) {
      header_ = line();
      return false;
    }
    if (pattern_ && !match()) return false;
    if (in_header_ && is_header()) {
      header_ = line();
      return false;
    }
    if (left_out()) return false;
    if (line_number() == 1 && fields_.size() >= least_ && is_header() && offset_is_no_number())
      fail("'" + std::string(line().substr(0, 60)) + "' looks like a header: header=1 leaves it out");
    expect_fields(least_, most_fields, "as the description of the columns says");
    raw.op = spec_.fixed_op.value_or(HostOp::read);
    if (spec_.op.given()) {
      const auto word = field(spec_.op);
      if (has(spec_.skipped, word)) {
        leave_out("records without an operation that is one of a drive left out");
        return false;
      }
      raw.op = operation(word);
      raw.force_unit_access = has(spec_.forced, word);
      raw.append = has(spec_.appended, word) ? ZoneAppend::to_zone : ZoneAppend::none;
      raw.all_zones = has(spec_.of_all, word);
    }
    raw.time = arrival();
    in_header_ = false;
    if (spec_.response.at.given() && takes_responses()) raw.response = time_of(spec_.response, "response");
    if (raw.op != HostOp::flush) {
      raw.offset = bytes(spec_.offset, "offset");
      raw.size = bytes(spec_.size, "size");
    }
    if (!spec_.volume.empty()) name_volume(raw);
    raw.force_unit_access = raw.force_unit_access || (raw.op == HostOp::write && is_set(spec_.fua));
    if (raw.op != HostOp::flush && is_set(spec_.flush)) flush_before(raw);
    return true;
  }

  /// A request without an extent is nothing but the flush.
  void flush_before(RawRecord& raw) {
    const RawRecord request = std::exchange(raw, {});
    raw.op = HostOp::flush;
    raw.time = request.time;
    raw.volume = request.volume;
    if (request.size != 0) after_flush_ = request;
  }

  [[nodiscard]] TraceTime arrival() {
    if (spec_.no_times) return 0;
    if (!spec_.calendar) return time_of(spec_.time, "time");
    date_.assign(field(spec_.time.at));
    if (spec_.time_of_day.given()) date_.append(" ").append(field(spec_.time_of_day));
    TraceTime value = 0;
    if (parse_calendar(date_, value) != NumberFault::none)
      fail("time '" + date_ + "' is no date with a time of day; expected 2011-04-05 12:34:56.789, or the time alone");
    return value;
  }

  [[nodiscard]] bool is_set(const ColumnsSpec::Filter& flag) const { return flag.at.given() && has(flag.words, field(flag.at)); }

  void name_volume(RawRecord& raw) {
    volume_.assign(spec_.volume_prefix);
    bool first = true;
    for (const auto& place : spec_.volume) {
      if (!place.given()) continue;
      if (!std::exchange(first, false)) volume_.append(",");
      volume_.append(field(place));
    }
    raw.volume = volume(volume_);
  }

  [[nodiscard]] std::size_t columns_needed() {
    std::size_t most = 0;
    for (const auto* place : spec_.places()) most = std::max(most, reach(*place));
    return most;
  }

  /// Takes the line for the header where its words name the columns.
  void seek_header() {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(fields_.size(), Fields::capacity); ++i) words.emplace_back(fields_[i]);
    if (spec_.resolve(words)) {
      header_sought_ = false;
      header_ = line();
      least_ = columns_needed();
      return;
    }
    if (words.size() > header_words_.size()) header_words_ = std::move(words);
    if (line_number() >= most_lines_above_names) refuse_header();
  }

  [[noreturn]] void refuse_header() {
    for (const auto& name : spec_.names())
      if (std::ranges::find(header_words_, name) == header_words_.end())
        fail("no header among the first " + std::to_string(most_lines_above_names) +
             " lines: " + unknown_name("column", name, header_words_));
    fail("no header among the first " + std::to_string(most_lines_above_names) + " lines has all the columns that are named");
  }

  /// Puts the groups of the expression in the fields.
  bool match() {
    const auto text = line();
    if (text.size() > most_matched)
      fail("the line has " + std::to_string(text.size()) + " bytes; a regular expression is tried on " + std::to_string(most_matched) +
           " at most");
    if (!std::regex_match(text.begin(), text.end(), groups_, *pattern_)) {
      if (in_header_ && line_number() <= most_header_lines) return false;
      if (!spec_.skip_unmatched) fail("the line does not match the regular expression (unmatched = skip leaves such lines out)");
      leave_out("lines that do not match the regular expression left out");
      return false;
    }
    fields_.clear();
    for (std::size_t i = 1; i < groups_.size(); ++i)
      fields_.put(text.substr(static_cast<std::size_t>(groups_.position(i)) * (groups_[i].matched ? 1 : 0),
                              static_cast<std::size_t>(groups_.length(i))));
    return true;
  }

  bool left_out() {
    const auto fits = [&](const ColumnsSpec::Filter& filter) {
      return fields_.size() >= reach(filter.at) && has(filter.words, field(filter.at));
    };
    const bool other = spec_.only.at.given() && fields_.size() >= reach(spec_.only.at) && !fits(spec_.only);
    if (!other && !(spec_.except.at.given() && fits(spec_.except))) return false;
    leave_out("lines of other kinds left out");
    return true;
  }

  [[nodiscard]] bool offset_is_no_number() const {
    std::uint64_t number = 0;
    return parse_hexadecimal(number_text(spec_.offset.at), number) == NumberFault::malformed;
  }

  /// Whether the line is above the records: its time, or where there is none its offset, is no number, or it has too few columns.
  [[nodiscard]] bool is_header() const {
    if (line_number() > most_header_lines) return false;
    TraceTime ignored = 0;
    if (fields_.size() < least_) return true;
    if (spec_.calendar)
      return parse_calendar(field(spec_.time_of_day.given() ? spec_.time_of_day : spec_.time.at), ignored) != NumberFault::none;
    if (spec_.no_times) return offset_is_no_number();
    return parse_time(number_text(spec_.time.at), spec_.time.unit, ignored) == NumberFault::malformed;
  }

  [[nodiscard]] std::string_view field(const ColumnsSpec::Place& place) const {
    const auto at =
        place.number > 0 ? static_cast<std::size_t>(place.number) - 1 : fields_.size() - static_cast<std::size_t>(-place.number);
    if (at >= Fields::capacity)
      fail("the line has more than " + std::to_string(Fields::capacity) + " columns, so none can be counted from the right");
    return fields_[at];
  }

  /// Where fields are quoted, numbers may have their thousands apart: "1,234,567".
  [[nodiscard]] std::string_view number_text(const ColumnsSpec::Place& place) const {
    const auto text = field(place);
    if (!spec_.quotes || text.find(',') == std::string_view::npos) return text;
    ungrouped_.assign(text);
    std::erase(ungrouped_, ',');
    return ungrouped_;
  }

  [[nodiscard]] static bool has(const std::vector<std::string>& words, std::string_view word) {
    return !words.empty() && std::ranges::find(words, word) != words.end();
  }

  [[nodiscard]] HostOp operation(std::string_view text) const {
    for (const auto& [word, op] : spec_.words)
      if (word == text) return op;
    unknown_operation(text, known_words_);
  }

  [[nodiscard]] TraceTime time_of(const ColumnsSpec::Column& column, std::string_view name) const {
    const auto text = number_text(column.at);
    TraceTime value = 0;
    check(parse_time(text, column.unit, value), name, text);
    return value;
  }

  [[nodiscard]] std::uint64_t bytes(const ColumnsSpec::Column& column, std::string_view name) const {
    if (!column.at.given()) return column.unit;
    const auto text = number_text(column.at);
    std::uint64_t value = 0;
    const bool hexadecimal = column.hexadecimal || text.starts_with("0x");
    check(hexadecimal ? parse_hexadecimal(text, value) : parse_unsigned(text, value), name, text);
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(value, column.unit, &product))
      fail(std::string(name) + " '" + std::string(text) + "' does not fit 64 bits once in bytes");
    return product;
  }

  static constexpr std::size_t most_fields = 100'000;  ///< a quoted name at the end may have any number of separators

  ColumnsSpec spec_;
  bool header_sought_;  ///< columns have names, and no line has said yet which they are
  bool in_header_;
  std::size_t least_ = 0;
  std::optional<std::regex> pattern_;
  std::match_results<std::string_view::const_iterator> groups_;
  std::vector<std::string> header_words_;
  std::string header_;  ///< the line that names the columns, or stands above the records
  std::string known_words_;
  std::string date_;
  std::optional<RawRecord> after_flush_;
  std::string volume_;
  mutable std::string ungrouped_;
};

}  // namespace

std::unique_ptr<TraceSource> read_columns(TraceFile file, const ColumnsSpec& spec) {
  return std::make_unique<Columns>(std::move(file), spec);
}

}  // namespace tessera
