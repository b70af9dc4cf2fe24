#pragma once
// What is where in a text of columns, told by the user.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firmware/ports/host_port.hpp"

namespace tessera {

/// Columns count from 1. As text, entries separated by commas (one line of a command); as TOML, the same entries one a line:
///
///   time=1:us,offset=3:512,size=4:512,op=5:r=1,w=0,volume=2:dev,separator=space,header=1
///
/// time = COLUMN:UNIT with s, ms, us, 100ns, ns or ps; offset and size = COLUMN:UNIT with the bytes of one (or "bytes");
/// op = COLUMN, and r, w, u, f, t = the words for read, write, write with FUA, flush, trim ('|' between several); volume = COLUMN[:PREFIX];
/// separator = comma (the default), space, tab, semicolon or one character; header = number of lines at the top to pass over.
struct ColumnsSpec {
  struct Column {
    std::size_t number = 0;
    std::uint64_t unit = 0;  ///< picoseconds or bytes
  };

  Column time;
  Column offset;
  Column size;
  std::size_t op = 0;
  std::vector<std::pair<std::string, HostOp>> words;
  std::vector<std::string> forced;  ///< of the words for write, those with forced unit access
  std::size_t volume = 0;           ///< 0 = none
  std::string volume_prefix;
  char separator = ',';
  std::uint64_t header = 0;
};

/// From the text of a command line; InputError names `origin` and the entry.
[[nodiscard]] ColumnsSpec parse_columns_spec(std::string_view text, std::string_view origin);

/// From a TOML file; InputError names file, line and entry.
[[nodiscard]] ColumnsSpec read_columns_spec(const std::string& toml_path);

/// PATH.columns.toml, where a trace's own description is looked for.
[[nodiscard]] std::string columns_file(const std::string& trace_path);

}  // namespace tessera
