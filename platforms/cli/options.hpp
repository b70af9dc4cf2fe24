#pragma once
// The command line as plain structs. Parsing checks what can be known without opening a file; nothing is executed here.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/long_time.hpp"
#include "base/percentile.hpp"
#include "base/units.hpp"

namespace tessera::cli {

/// When a record of the trace becomes a request: at its recorded time; through a queue of fixed depth that keeps the gaps until it is
/// full; or as soon as one of `depth` outstanding requests completes.
enum class ReplayMode : std::uint8_t { timed, queue, closed, think, by_input };

struct ReplayOption {
  ReplayMode mode = ReplayMode::timed;
  std::uint32_t depth = 0;  ///< 1 to 65536; 0 for timed
};

/// What is done to requests before they reach the drive: nothing, rounded out to 4 KiB, or cut down to their first physical sector.
enum class AdaptOption : std::uint8_t { none, align, one_sector };

/// What the drive stores of user data.
enum class ContentOption : std::uint8_t { none, tags, bytes };

/// What caches on flash and platters hold at the start; `by_drive`: as simulation.caches says.
enum class CachesOption : std::uint8_t { by_drive, empty, used };

/// A positive decimal number, exact: numerator / denominator in lowest terms.
struct DecimalRatio {
  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;
};

/// The length of an interval: either a time or a number of requests; the other is 0.
struct IntervalOption {
  Picoseconds time{};
  std::uint64_t requests = 0;
};

/// How a trace file is read; shared by `run` and `describe`.
struct TraceOptions {
  std::filesystem::path file;
  std::string format;       ///< "" = recognised from the content
  std::string volume;       ///< "" = all volumes
  std::string columns;      ///< layout of a columns trace, as the reader defines it; "" = the TOML file beside the trace
  std::string time_unit;    ///< of a trace whose format does not fix it; "" = the format's own
  Picoseconds sort_time{};  ///< records are sorted within this time, or within `sort_records`; both 0: as they come
  std::uint64_t sort_records = 0;
  bool sort_all = false;                   ///< the whole trace, by a temporary file
  Picoseconds spread{};                    ///< records of one arrival time are spread over it
  bool completion_minus_response = false;  ///< where arrivals come from; otherwise from the times of the file
  std::optional<std::uint64_t> limit;
};

/// What is recorded of the drive's signals: all the time, inside windows, or around the first event of a name.
struct RecordOptions {
  std::filesystem::path vcd, fst, timeline;                  ///< at least one; "" where not wanted
  bool vcd_words = false;                                    ///< with GTKWave's strings
  std::vector<std::string> signals;                          ///< patterns; none: all
  std::vector<std::pair<Picoseconds, Picoseconds>> windows;  ///< from, to; each ends before the next begins
  std::string trigger;                                       ///< "" where there is none
  Picoseconds before{};                                      ///< kept before the trigger
  Picoseconds after{};                                       ///< recorded after it
};

/// A translation layer out of a shared library, or a whole firmware as an image for the drive's processor.
struct FirmwareOption {
  std::filesystem::path file;   ///< "" = none
  unsigned patience = 10;       ///< seconds of processor time for one call
  std::filesystem::path image;  ///< "" = none
  std::string digest;           ///< SHA-256 that the library or image must have; "" = any
};

/// An option of the command line by its name, without the dashes.
struct NamedOption {
  std::string name;
  std::vector<std::string> values;  ///< as they were given; none: it is a flag
  bool repeated = false;            ///< it may be given several times
};

struct RunOptions {
  std::string drive;
  std::vector<NamedOption> named;  ///< that make the run again, the drive first: without its folder, recordings and saved state
  bool list_inputs = false;        ///< print what would be read, and run nothing
  bool print_document = false;     ///< print run_document(), and run nothing
  FirmwareOption firmware;
  std::string layer;                  ///< "" = the drive's own choice
  std::optional<TraceOptions> trace;  ///< exactly one of trace and workload is given
  std::string workload;
  ReplayOption replay{ReplayMode::by_input};
  DecimalRatio time_scale;       ///< 2 = twice as slow
  bool fold = false;             ///< addresses past the drive's end wrap around
  bool fold_prefilled = false;   ///< they wrap where the prefilled share ends
  std::optional<Bytes> fold_at;  ///< they wrap here
  AdaptOption adapt = AdaptOption::none;
  std::uint64_t skip = 0;  ///< requests at the start that are read over
  std::optional<std::uint64_t> limit;
  std::optional<LongTime> age;  ///< the input is repeated until that much time has passed
  std::uint64_t warmup = 0;     ///< requests at the start that are served but left out of the statistics
  std::uint32_t prefill_percent = 0;
  bool prefill_given = false;  ///< otherwise the drive's own share (simulation.prefill) counts
  CachesOption caches = CachesOption::by_drive;
  std::vector<std::string> set;  ///< `path=value`, in the order given
  bool check = false;            ///< scoreboard on
  bool check_protocol = false;   ///< a checker of the TLM base protocol on every socket
  ContentOption content = ContentOption::none;
  std::vector<Picoseconds> cut_at;     ///< since the start of the replay, rising
  std::vector<Picoseconds> restarts;   ///< of the firmware, since the start of the replay, rising
  std::vector<Picoseconds> boot_cuts;  ///< since power-on, before the replay, rising
  bool requests = false;
  std::optional<IntervalOption> intervals;
  bool events = false;
  bool places = false;
  std::optional<RecordOptions> record;
  std::uint64_t seed = 1;
  std::vector<Percentile> percentiles;     ///< of the latency, rising; none: those that are always reported
  bool json = false;                       ///< the summary on standard output, every digit
  std::filesystem::path firmware_profile;  ///< where the cycles of the firmware image go; empty: they are not counted
  std::optional<std::uint16_t> gdb;        ///< port that a debugger of the firmware image comes to; 0: any
  std::filesystem::path out;
  std::filesystem::path load_state;  ///< that the drive begins with; "" = a new one
  bool any_firmware = false;         ///< another build of the layer's firmware may have saved it
  std::filesystem::path save_state;  ///< that the drive ends with; "" = none is kept
};

enum class TortureDurability : std::uint8_t { plp, journal, volatile_memory, none };  ///< of the write cache; none: there is none

struct TortureOptions {
  RunOptions run;                             ///< drive, input, seed, overrides and exact cuts; no results of a run
  std::vector<std::string> words;             ///< of a command line that gives them again, without layer, durability, prefill and cuts
  std::string layer;                          ///< "all": each in turn; "" = the drive's own
  std::vector<TortureDurability> durability;  ///< each in turn
  std::vector<std::string> faults;            ///< names of fault_settings()
  std::optional<std::uint32_t> prefill;       ///< drawn from the seed where not given
  std::uint64_t operations = 0;               ///< persistent operations that are cut before, inside and after
  std::uint64_t cuts = 0;                     ///< at random instants
  std::uint32_t jobs = 0;                     ///< processes at a time; 0: as many as there are CPUs
  std::filesystem::path minimise;             ///< trace to write; "" = do not
  std::uint64_t runs = 0;                     ///< of a campaign of combined faults; 0: cuts of one run instead
  std::optional<std::uint64_t> only;          ///< of these, this one
  std::uint64_t draw = 9;                     ///< of campaigns: 1, as the first ones drew; from 2 on, with drawn_extras.hpp; 0: plain
  std::filesystem::path keep;                 ///< folder for the traces and states of a campaign's failures; "" = none are kept
  bool json = false;
};

/// Several drives under one host.
struct ArrayOptions {
  RunOptions run;           ///< `drive` is the array's file
  bool plan = false;        ///< show how the array is made, and run nothing
  bool parameters = false;  ///< list what the file may say, and run nothing
};

struct ServeOptions {
  std::string drive;
  FirmwareOption firmware;
  std::string layer;
  std::vector<std::string> set;
  std::string nbd;                   ///< where the NBD server listens; "" = nowhere
  std::string zones;                 ///< and that of the zone protocol; at least one of both
  std::optional<DecimalRatio> pace;  ///< seconds on the wall for a simulated one; nothing: as fast as it goes
  std::filesystem::path image;       ///< that content comes from and is kept in; "" = none
  std::filesystem::path load_state;  ///< that the drive begins with; "" = a new one
  std::filesystem::path save_state;  ///< that the drive ends with; "" = none is kept
  std::filesystem::path out;         ///< folder of the results; "" = none
  bool requests = false;
  std::optional<IntervalOption> intervals;
  bool events = false;
  bool places = false;
  std::optional<RecordOptions> record;
  std::vector<Percentile> percentiles;  ///< of the latency, rising; none: those that are always reported
  std::uint64_t seed = 1;
};

struct ExplainOptions {
  std::filesystem::path run;
  std::uint64_t request = 0;  ///< its number in the run, from 0
};

struct DescribeOptions {
  TraceOptions trace;
  bool json = false;
};

/// What a trace is taken for, and why.
struct ProbeOptions {
  std::filesystem::path file;
};

/// In the order in which --to names them.
enum class ConvertForm : std::uint8_t { npy, fio, fio2, blkparse, msr, columns };

/// A trace in another form.
struct ConvertOptions {
  TraceOptions trace;
  std::filesystem::path out;
  ConvertForm to = ConvertForm::npy;
};

enum class ListSubject : std::uint8_t { drives, layers, workloads, arrays, formats, parameters };
enum class ListFormat : std::uint8_t { text, json, schema, markdown };

struct ListOptions {
  ListSubject subject = ListSubject::drives;
  FirmwareOption firmware;  ///< of `layers` and `parameters`: whose are listed too
  std::string drive;        ///< of `parameters`: whose values to show; "" = the defaults
  bool arrays = false;      ///< of `parameters`: those of arrays
  ListFormat format = ListFormat::text;
};

struct CheckOptions {
  std::string drive;
  FirmwareOption firmware;
  std::string layer;
  std::vector<std::string> set;
  std::filesystem::path load_state;   ///< that is looked at too; "" = none
  bool capacity = false;              ///< print the user capacity in bytes, and nothing else
  std::optional<TraceOptions> trace;  ///< that is read too
};

/// A text to print instead of running: --help and --version (status 0, standard output), or the help that answers a command line
/// without a command (status 2, standard error).
struct PrintText {
  std::string text;
  int status = 0;
};

using ParsedCommand = std::variant<PrintText, RunOptions, TortureOptions, ArrayOptions, ServeOptions, ExplainOptions, DescribeOptions,
                                   ProbeOptions, ConvertOptions, ListOptions, CheckOptions>;

/// Throws InputError, one sentence that names the option, what was expected and, for a misspelt name, the nearest valid one.
[[nodiscard]] ParsedCommand parse(int argc, const char* const* argv);

}  // namespace tessera::cli
