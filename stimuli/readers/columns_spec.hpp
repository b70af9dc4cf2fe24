#pragma once
// What is where in a text of columns, told by the user.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firmware/ports/host_port.hpp"

namespace tessera {

/// Columns count from 1, or from the right: -1 is the last. A column may be named instead, by the header's word for it or by a group of
/// the regular expression. As text, entries separated by commas (one line of a command); as TOML, the same entries one a line:
///
///   time=1:us,offset=3:512,size=4:512,op=5:r=1,w=0,volume=2:dev,separator=space,header=1
///
/// time, response = COLUMN:UNIT with s, ms, us, 100ns, ns or ps; time also COLUMN[+COLUMN]:date of the calendar, or none; offset and size =
/// COLUMN:UNIT with the bytes of one (or "bytes", "KiB", "MiB"), :hex behind it for hexadecimal numbers (those that begin with 0x are known
/// without it), or fixed:BYTES; op = COLUMN or fixed, and r, w, u, f, t, s = the words for read, write, write with FUA, flush, trim and
/// records to leave out ('|' between several, "blank" for a field without text); za, zr, zra, zo, zc, zf, zp = those for append, reset,
/// reset of all zones, open, close, finish and report; only, except = COLUMN:WORDS, lines with another word, or with one of these, are left
/// out; fua, flush = COLUMN:WORDS, a write with one of them forces unit access, a request with one of them comes after a flush; volume =
/// COLUMN[+COLUMN...][:PREFIX], a name that ends with ? being one that the header may lack; separator = comma (the default), space, tab,
/// semicolon or one character; quotes = yes where separators may stand inside "..."; comment = the characters that begin a comment; header
/// = number of lines at the top to pass over, or auto: those before the first whose time is a number; regex = an expression that a line has
/// to match: its groups are the columns; unmatched = skip leaves other lines out.
struct ColumnsSpec {
  struct Place {
    int number = 0;         ///< negative: from the right; 0: none
    std::string name;       ///< until the header or the expression says which number it has
    bool optional = false;  ///< the header may lack it
    [[nodiscard]] bool given() const { return number != 0 || !name.empty(); }
  };
  struct Column {
    Place at;
    std::uint64_t unit = 0;  ///< picoseconds or bytes; the value itself where there is no column
    bool hexadecimal = false;
  };
  /// A word in a column that decides whether the line is a record.
  struct Filter {
    Place at;
    std::vector<std::string> words;
  };

  Column time;
  bool calendar = false;  ///< the time is a date with a time of day, or this alone
  Place time_of_day;      ///< the date stands apart from it
  bool no_times = false;  ///< the file has none
  Column response;
  Column offset;
  Column size;
  Place op;  ///< none: all are `fixed_op`
  std::optional<HostOp> fixed_op;
  std::vector<std::pair<std::string, HostOp>> words;
  std::vector<std::string> forced;    ///< of the words for write, those with forced unit access
  std::vector<std::string> appended;  ///< and those that the drive puts at the write pointer of the zone that the offset begins
  std::vector<std::string> of_all;    ///< of the words for reset, those of all zones
  std::vector<std::string> skipped;   ///< words of the records to leave out
  Filter only;
  Filter except;
  Filter fua;                 ///< words of a write with forced unit access
  Filter flush;               ///< words of a request that a flush precedes
  std::vector<Place> volume;  ///< "8,0" from two columns
  std::string volume_prefix;
  char separator = ',';
  bool quotes = false;
  std::string comments = "#%";
  std::uint64_t header = 0;
  bool header_auto = false;
  std::string regex;  ///< ECMAScript, without the names of its groups; empty: columns are separated
  bool skip_unmatched = false;

  /// Every column that is asked for.
  [[nodiscard]] std::vector<Place*> places();
  /// The names of columns that no number is known for yet.
  [[nodiscard]] std::vector<std::string> names();
  /// Numbers for the names, from the columns' own words; false, and nothing changed, where one is not among them.
  bool resolve(const std::vector<std::string>& columns);
};

/// From the text of a command line; InputError names `origin` and the entry.
[[nodiscard]] ColumnsSpec parse_columns_spec(std::string_view text, std::string_view origin);

/// From a TOML file; InputError names file, line and entry.
[[nodiscard]] ColumnsSpec read_columns_spec(const std::string& toml_path);

/// The same from the file's text; `origin` is its name in messages.
[[nodiscard]] ColumnsSpec columns_of_toml(const std::string& toml, const std::string& origin);

/// PATH.columns.toml, where a trace's own description is looked for.
[[nodiscard]] std::string columns_file(const std::string& trace_path);

}  // namespace tessera
