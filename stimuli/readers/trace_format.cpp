#include "stimuli/readers/trace_format.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/error.hpp"
#include "stimuli/readers/byte_stream.hpp"
#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/fields.hpp"
#include "stimuli/readers/formats.hpp"

namespace tessera {
namespace {

/// What a file begins with: enough to tell the formats apart.
struct Head {
  explicit Head(ByteStream& content) {
    constexpr std::size_t looked_at = std::size_t{1} << 16;
    bytes.resize(looked_at);
    bytes.resize(content.read(bytes));
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      if (end == std::string_view::npos && bytes.size() == looked_at) break;  // cut by our own limit
      auto line = rest.substr(0, end);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      line = trimmed(line);
      if (!line.empty() && line[0] != '#' && line[0] != '%') lines.push_back(line);
    }
  }

  [[nodiscard]] Fields first(char separator) const {
    Fields fields(separator);
    if (!lines.empty()) fields.split(lines.front());
    return fields;
  }

  std::string bytes;
  std::vector<std::string_view> lines;  ///< neither blank nor comments
};

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](auto word) { return same_word(text, word); });
}

/// The version in both of the first two records (or the only one), at the place where each layout has it.
bool vscsi_version(const Head& head, std::size_t record_bytes, std::size_t ver, char version) {
  if (head.bytes.size() < record_bytes || head.bytes.substr(0, record_bytes).find('\0') == std::string::npos) return false;
  if (head.bytes[ver + 1] != version) return false;
  return head.bytes.size() < 2 * record_bytes || head.bytes[record_bytes + ver + 1] == version;
}

bool is_msr(const Head& head) {
  const auto f = head.first(',');
  return (f.size() == 6 || f.size() == 7) && (same_word(f[0], "timestamp") || one_of(f[3], {"read", "write"}));
}

bool is_spc(const Head& head) {
  const auto f = head.first(',');
  return f.size() >= 5 && one_of(f[3], {"r", "w"});
}

bool is_scsi_csv(const Head& head) {
  const auto f = head.first(',');
  return f.size() == 5 && same_word(f[0], "version") && same_word(f[2], "op");
}

bool is_short_csv(const Head& head) {
  const auto f = head.first(',');
  return f.size() == 4 && (one_of(f[2], {"r", "w"}) || (same_word(f[0], "ts") && same_word(f[2], "op")));
}

bool is_validation(const Head& head) {
  const auto f = head.first(' ');
  return f.size() == 6 && one_of(f[0], {"r", "w"});
}

bool is_fio(const Head& head) {
  const auto f = head.first(' ');
  return f.size() == 4 && f[0] == "fio" && f[1] == "version" && f[3] == "iolog";
}

bool is_blkparse(const Head& head) {
  const auto f = head.first(' ');
  return f.size() >= 7 && f[0].find(',') != std::string_view::npos && f[3].find('.') != std::string_view::npos;
}

/// DiskSim's five columns and those of bms differ only in that the latter holds bytes: five numbers a line either way.
enum class FiveColumns : std::uint8_t { neither, blocks, bytes, unclear };

FiveColumns five_columns(const Head& head) {
  constexpr std::size_t enough = 8;  // lines; DiskSim sizes of 512, 1024, ... blocks only, eight times over, are not to be expected
  Fields f(' ');
  for (const auto line : head.lines) {
    f.split(line);
    if (f.size() != 5) return FiveColumns::neither;
    TraceTime time = 0;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    if (parse_time(f[0], 1, time) != NumberFault::none || parse_unsigned(f[2], offset) != NumberFault::none ||
        parse_unsigned(f[3], size) != NumberFault::none)
      return FiveColumns::neither;
    if (offset % 512 != 0 || size % 512 != 0) return FiveColumns::blocks;
  }
  if (head.lines.empty()) return FiveColumns::neither;
  return head.lines.size() >= enough ? FiveColumns::bytes : FiveColumns::unclear;
}

std::uint64_t unit_argument(const std::string& format, const std::string& argument, const char* otherwise) {
  const auto unit = ps_per_unit(argument.empty() ? otherwise : argument);
  if (unit == 0) throw InputError("--format " + format + ":" + argument + ": expected a time unit: " + time_unit_names);
  return unit;
}

ColumnsSpec columns_argument(const std::string& path, const std::string& argument) {
  if (argument.empty()) return read_columns_spec(columns_file(path));
  if (argument.ends_with(".toml")) return read_columns_spec(argument);
  return parse_columns_spec(argument, "--format columns");
}

using Source = std::unique_ptr<TraceSource>;

struct Registered {
  TraceFormat format;
  bool (*recognises)(const Head& head);  ///< null: told apart elsewhere
  Source (*open)(TraceFile file, const std::string& argument);
};

const std::vector<Registered>& registered() {
  static const std::vector<Registered> all = {
      {{"msr", "", "MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]; 100 ns ticks, bytes"},
       is_msr,
       [](TraceFile file, const std::string&) { return read_msr_csv(std::move(file)); }},
      {{"spc", "", "SPC, UMass: ASU,LBA,Size,Opcode,Timestamp; blocks of 512 B, bytes, seconds"},
       is_spc,
       [](TraceFile file, const std::string&) { return read_spc(std::move(file)); }},
      {{"vscsi1", "", "CloudPhysics vscsi, binary records of 32 bytes (version 1)"},
       [](const Head& head) { return vscsi_version(head, 32, 14, 1); },
       [](TraceFile file, const std::string&) { return read_vscsi_binary(std::move(file), 1); }},
      {{"vscsi2", "", "CloudPhysics vscsi, binary records of 40 bytes (version 2)"},
       [](const Head& head) { return vscsi_version(head, 40, 2, 2); },
       [](TraceFile file, const std::string&) { return read_vscsi_binary(std::move(file), 2); }},
      {{"cpcsv", "", "CloudPhysics CSV: version,time,op,size,lbn; seconds, SCSI code in hexadecimal, bytes, blocks of 512 B"},
       is_scsi_csv,
       [](TraceFile file, const std::string&) { return read_cloudphysics_scsi_csv(std::move(file)); }},
      {{"cp4", "", "CloudPhysics CSV: ts,lba,op,size; microseconds, blocks of 512 B, r or w, bytes"},
       is_short_csv,
       [](TraceFile file, const std::string&) { return read_cloudphysics_csv(std::move(file)); }},
      {{"hpval", "gaps",
        "DiskSim drive validation: R|W class block blocks service_us think_us; with gaps, the last column is taken for gaps between "
        "arrivals"},
       is_validation,
       [](TraceFile file, const std::string& argument) {
         if (!argument.empty() && argument != "gaps")
           throw InputError("--format hpval:" + argument + ": expected hpval or hpval:gaps (the last column as gaps between arrivals)");
         return read_disksim_validation(std::move(file), argument.empty() ? ValidationTimes::think : ValidationTimes::gaps);
       }},
      {{"fio", "TIME-UNIT", "fio iolog, version 2 or 3; microseconds unless another unit is named"},
       is_fio,
       [](TraceFile file, const std::string& argument) { return read_fio_iolog(std::move(file), unit_argument("fio", argument, "us")); }},
      {{"blkparse", "", "blkparse text in its default layout; the queue (Q) events"},
       is_blkparse,
       [](TraceFile file, const std::string&) { return read_blkparse(std::move(file)); }},
      {{"ascii", "TIME-UNIT", "DiskSim ASCII: time device block blocks flags; milliseconds unless another unit is named"},
       [](const Head& head) { return five_columns(head) == FiveColumns::blocks; },
       [](TraceFile file, const std::string& argument) {
         return read_disksim_ascii(std::move(file), unit_argument("ascii", argument, "ms"), !argument.empty());
       }},
      {{"bms", "TIME-UNIT", "time device offset size op; bytes, op 1 = read, milliseconds unless another unit is named"},
       [](const Head& head) { return five_columns(head) == FiveColumns::bytes; },
       [](TraceFile file, const std::string& argument) {
         auto spec = parse_columns_spec("time=1:ms,offset=3:bytes,size=4:bytes,op=5:r=1,w=0,volume=2:dev,separator=space", "bms");
         spec.time.unit = unit_argument("bms", argument, "ms");
         return read_columns(std::move(file), spec);
       }},
      {{"columns", "SPEC", "any text: time=COLUMN:UNIT,offset=COLUMN:BYTES,size=COLUMN:BYTES,op=COLUMN:r=WORD,w=WORD,... or a TOML file"},
       nullptr,
       [](TraceFile file, const std::string& argument) {
         const ColumnsSpec spec = columns_argument(file.path, argument);
         return read_columns(std::move(file), spec);
       }},
  };
  return all;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : registered()) all.push_back(entry.format.name);
  return all;
}

const Registered* find(std::string_view name) {
  const auto& all = registered();
  const auto found = std::find_if(all.begin(), all.end(), [name](const auto& entry) { return entry.format.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// The one that `head` fits; "columns" where PATH.columns.toml stands beside the trace.
std::string format_of(const std::string& path, const Head& head) {
  if (std::filesystem::exists(columns_file(path))) return "columns";
  if (head.bytes.empty()) throw input_error(path, 0, "the trace holds no request: the file is empty");
  for (const auto& entry : registered())
    if (entry.recognises != nullptr && entry.recognises(head)) return entry.format.name;
  if (five_columns(head) == FiveColumns::unclear)
    throw input_error(
        path, 0,
        "the columns may hold blocks or bytes: name the format, --format ascii (DiskSim, blocks of 512 B) or --format bms (bytes)");
  std::string known;
  for (const auto& name : names()) known += (known.empty() ? "" : ", ") + name;
  throw input_error(path, 0, "the content fits no known trace format: name one with --format, of " + known);
}

}  // namespace

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> formats = [] {
    std::vector<TraceFormat> all;
    for (const auto& entry : registered()) all.push_back(entry.format);
    return all;
  }();
  return formats;
}

std::string recognise_format(const std::string& path) { return format_of(path, Head(*open_byte_stream(path))); }

std::unique_ptr<TraceSource> open_trace_file(const std::string& path, std::string_view format, ContentHash* hash) {
  TraceFile file{path, open_byte_stream(path, hash)};
  std::string recognised(format);
  if (format.empty()) {
    Head head(*file.bytes);
    recognised = format_of(path, head);
    file.bytes = put_back(std::move(head.bytes), std::move(file.bytes));
  }
  const auto colon = recognised.find(':');
  const std::string name = recognised.substr(0, colon);
  const std::string argument = colon == std::string::npos ? "" : recognised.substr(colon + 1);
  const Registered* entry = find(name);
  if (entry == nullptr) throw InputError("--format: " + unknown_name("trace format", name, names()));
  if (!argument.empty() && entry->format.argument.empty())
    throw InputError("--format " + recognised + ": the format '" + name + "' takes nothing after its name");
  return entry->open(std::move(file), argument);
}

}  // namespace tessera
