#include "stimuli/readers/format_registry.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/dialects.hpp"
#include "stimuli/readers/fields.hpp"
#include "stimuli/readers/formats.hpp"

namespace tessera {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [text](auto word) { return same_word(text, word); });
}

/// The version in both of the first two records (or the only one), at the place where each layout has it.
bool vscsi_version(const Sample& head, std::size_t record_bytes, std::size_t ver, char version) {
  if (head.bytes.size() < record_bytes || head.bytes.substr(0, record_bytes).find('\0') == std::string::npos) return false;
  if (head.bytes[ver + 1] != version) return false;
  return head.bytes.size() < 2 * record_bytes || head.bytes[record_bytes + ver + 1] == version;
}

constexpr double layout_fits = 0.85;
constexpr double unmistakable = 0.95;

bool is_number(std::string_view text) {
  std::uint64_t ignored = 0;
  return parse_unsigned(text, ignored) == NumberFault::none;
}

bool is_time(std::string_view text) {
  TraceTime ignored = 0;
  return parse_time(text, 1, ignored) == NumberFault::none;
}

std::vector<Evidence> score_msr(const Sample& sample) {
  const auto f = sample.first(',');
  if (f.size() >= 6 && same_word(f[0], "timestamp") && same_word(f[1], "hostname")) return fits(unmistakable);
  return fits(unmistakable, share_of_lines(sample, ',', [](const Fields& g) {
                return (g.size() == 6 || g.size() == 7) && is_number(g[0]) && one_of(g[3], {"read", "write"});
              }));
}

/// A letter in the fourth column proves little: sizes are whole sectors in bytes as well, and the time goes with a fraction or up.
std::vector<Evidence> score_spc(const Sample& sample) {
  const auto layout = share_of_lines(sample, ',', [](const Fields& f) {
    return f.size() >= 5 && is_number(f[0]) && is_number(f[1]) && is_number(f[2]) && one_of(f[3], {"r", "w"}) && is_time(f[4]);
  });
  const auto sizes = share_of_lines(sample, ',', [](const Fields& f) {
    std::uint64_t size = 0;
    return f.size() >= 5 && parse_unsigned(f[2], size) == NumberFault::none && size >= 512 && size % 512 == 0;
  });
  const auto seconds =
      share_of_lines(sample, ',', [](const Fields& f) { return f.size() >= 5 && f[4].find('.') != std::string_view::npos; });
  if (layout < 0.5) return {};
  const bool sectors = sizes >= 0.9;
  const double times = seconds >= 0.5 ? 1 : sectors ? 0.7 : 0.4;  // neither: nothing but the letter says spc
  return {{layout_fits * layout * (sectors ? 1 : 0.4) * times, "", ""}};
}

std::vector<Evidence> score_scsi_csv(const Sample& sample) {
  const auto f = sample.first(',');
  return fits(1, f.size() == 5 && same_word(f[0], "version") && same_word(f[2], "op") ? 1 : 0);
}

std::vector<Evidence> score_short_csv(const Sample& sample) {
  const auto f = sample.first(',');
  if (f.size() == 4 && same_word(f[0], "ts") && same_word(f[2], "op")) return fits(1);
  return fits(unmistakable, share_of_lines(sample, ',', [](const Fields& g) {
                return g.size() == 4 && is_time(g[0]) && is_number(g[1]) && one_of(g[2], {"r", "w"});
              }));
}

std::vector<Evidence> score_validation(const Sample& sample) {
  return fits(unmistakable, share_of_lines(sample, ' ', [](const Fields& f) { return f.size() == 6 && one_of(f[0], {"r", "w"}); }));
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

}  // namespace

const std::vector<Registered>& registered() {
  static const std::vector<Registered> all = [] {
    std::vector<Registered> entries = {
        {{"msr", "", "MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size[,ResponseTime]; 100 ns ticks, bytes"},
         score_msr,
         [](TraceFile file, const std::string&) { return read_msr_csv(std::move(file)); }},
        {{"spc", "", "SPC, UMass: ASU,LBA,Size,Opcode,Timestamp; blocks of 512 B, bytes, seconds"},
         score_spc,
         [](TraceFile file, const std::string&) { return read_spc(std::move(file)); }},
        {{"vscsi1", "", "CloudPhysics vscsi, binary records of 32 bytes (version 1)"},
         [](const Sample& head) { return fits(1, vscsi_version(head, 32, 14, 1) ? 1 : 0); },
         [](TraceFile file, const std::string&) { return read_vscsi_binary(std::move(file), 1); }},
        {{"vscsi2", "", "CloudPhysics vscsi, binary records of 40 bytes (version 2)"},
         [](const Sample& head) { return fits(1, vscsi_version(head, 40, 2, 2) ? 1 : 0); },
         [](TraceFile file, const std::string&) { return read_vscsi_binary(std::move(file), 2); }},
        {{"cpcsv", "", "CloudPhysics CSV: version,time,op,size,lbn; seconds, SCSI code in hexadecimal, bytes, blocks of 512 B"},
         score_scsi_csv,
         [](TraceFile file, const std::string&) { return read_cloudphysics_scsi_csv(std::move(file)); }},
        {{"cp4", "", "CloudPhysics CSV: ts,lba,op,size; microseconds, blocks of 512 B, r or w, bytes"},
         score_short_csv,
         [](TraceFile file, const std::string&) { return read_cloudphysics_csv(std::move(file)); }},
        {{"hpval", "gaps",
          "DiskSim drive validation: R|W class block blocks service_us think_us; with gaps, the last column is taken for gaps between "
          "arrivals"},
         score_validation,
         [](TraceFile file, const std::string& argument) {
           if (!argument.empty() && argument != "gaps")
             throw InputError("--format hpval:" + argument + ": expected hpval or hpval:gaps (the last column as gaps between arrivals)");
           return read_disksim_validation(std::move(file), argument.empty() ? ValidationTimes::think : ValidationTimes::gaps);
         }},
        {{"fio", "TIMES",
          "fio iolog; TIMES = a time unit (milliseconds in version 2, microseconds in version 3), or relative: each wait of version 2 "
          "after the one before it, in microseconds"},
         score_fio,
         [](TraceFile file, const std::string& argument) {
           FioTimes times;
           times.relative = argument == "relative";
           if (!argument.empty() && !times.relative) times.ps_per_unit = unit_argument("fio", argument, "");
           return read_fio_iolog(std::move(file), times);
         }},
        {{"blktrace", "EVENT",
          "blktrace, binary, all CPUs of one recording; EVENT = queue, issue or complete (the first that the file has)"},
         score_blktrace,
         [](TraceFile file, const std::string& argument) { return read_blktrace(std::move(file), argument); }},
        {{"blkparse", "EVENT,LAYOUT", "blkparse text; EVENT as with blktrace, LAYOUT as blkparse -f takes it (%T.%t %a %d %S %n ...)"},
         score_blkparse,
         [](TraceFile file, const std::string& argument) { return read_blkparse(std::move(file), argument); }},
        {{"ftrace", "EVENT",
          "perf script, trace-cmd and trace_pipe text of block, nvme and scsi events; EVENT = queue, issue, complete, nvme[,BYTES] or "
          "scsi[,BYTES]"},
         score_ftrace,
         [](TraceFile file, const std::string& argument) { return read_ftrace(std::move(file), argument); }},
        {{"biosnoop", "", "biosnoop: TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms); arrivals are times less latencies"},
         score_biosnoop,
         [](TraceFile file, const std::string&) { return read_biosnoop(std::move(file)); },
         1'000},
        {{"baleen", "",
          "Baleen, Meta's Tectonic: block_id io_offset io_size op_time op_name ...; seconds, bytes; blocks get places of 8 MiB"},
         score_baleen,
         [](TraceFile file, const std::string&) { return read_baleen(std::move(file)); },
         10'000},
        {{"oracle", "OBJECTS", "libCacheSim's oracleGeneral, binary: no operations (all reads); OBJECTS = blocks of 512 B or bytes"},
         score_oracle_general,
         [](TraceFile file, const std::string& argument) { return read_oracle_general(std::move(file), argument); }},
        {{"srt-binary", "SECTOR", "HP's SRT traces, binary, versions 1 to 4; SECTOR = 512 (as DiskSim reads them) or 1024 bytes"},
         score_srt_binary,
         [](TraceFile file, const std::string& argument) { return read_srt_binary(std::move(file), argument); },
         10'000},
        {{"ascii", "TIME-UNIT", "DiskSim ASCII: time device block blocks flags; milliseconds unless another unit is named"},
         score_ascii,
         [](TraceFile file, const std::string& argument) {
           return read_disksim_ascii(std::move(file), unit_argument("ascii", argument, "ms"), !argument.empty());
         }},
        {{"bms", "TIME-UNIT", "time device offset size op; bytes, op 1 = read, milliseconds unless another unit is named"},
         score_bms,
         [](TraceFile file, const std::string& argument) {
           auto spec = parse_columns_spec("time=1:ms,offset=3:bytes,size=4:bytes,op=5:r=1,w=0,volume=2:dev,separator=space", "bms");
           spec.time.unit = unit_argument("bms", argument, "ms");
           return read_columns(std::move(file), spec);
         }},
        {{"mqsim", "", "MQSim: time device block blocks operation (0 = write, 1 = read); nanoseconds, blocks of 512 B"},
         nullptr,
         [](TraceFile file, const std::string&) { return read_disksim_ascii(std::move(file), ps_per_unit("ns"), true); }},
        {{"ssdsim", "", "SSDsim: time device block blocks operation (0 = write, 1 = read); nanoseconds, blocks of 512 B"},
         nullptr,
         [](TraceFile file, const std::string&) { return read_disksim_ascii(std::move(file), ps_per_unit("ns"), true); }},
        {{"columns", "SPEC", "any text: time=COLUMN:UNIT,offset=COLUMN:BYTES,size=COLUMN:BYTES,op=COLUMN:r=WORD,w=WORD,... or a TOML file"},
         nullptr,
         [](TraceFile file, const std::string& argument) {
           const ColumnsSpec spec = columns_argument(file.path, argument);
           return read_columns(std::move(file), spec);
         }},
    };
    for (const auto& dialect : dialects())
      entries.insert(entries.end() - 1, {{dialect.name, "", dialect.description},
                                         dialect.score,
                                         [&dialect](TraceFile file, const std::string&) {
                                           return read_columns(std::move(file), parse_columns_spec(dialect.columns, dialect.name));
                                         },
                                         dialect.sort_records});
    return entries;
  }();
  return all;
}

std::vector<std::string> format_names() {
  std::vector<std::string> all;
  for (const auto& entry : registered()) all.push_back(entry.format.name);
  return all;
}

const Registered* find_format(std::string_view name) {
  const auto& all = registered();
  const auto found = std::find_if(all.begin(), all.end(), [name](const auto& entry) { return entry.format.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tessera
