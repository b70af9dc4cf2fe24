#pragma once
// The command line as plain structs. Parsing checks what can be known without opening a file; nothing is executed here.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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
  std::string format;     ///< "" = recognised from the content
  std::string volume;     ///< "" = all volumes
  std::string columns;    ///< layout of a columns trace, as the reader defines it; "" = the TOML file beside the trace
  std::string time_unit;  ///< of a trace whose format does not fix it; "" = the format's own
  std::optional<std::uint64_t> limit;
};

/// What is recorded of the drive's signals: all the time, inside windows, or around the first event of a name.
struct RecordOptions {
  std::filesystem::path vcd, fst, timeline;                  ///< at least one; "" where not wanted
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
};

struct RunOptions {
  std::string drive;
  std::vector<std::string>
      words;  ///< of a command line that makes the run again, DRIVE first: without its folder, recordings and saved state
  FirmwareOption firmware;
  std::string layer;                  ///< "" = the drive's own choice
  std::optional<TraceOptions> trace;  ///< exactly one of trace and workload is given
  std::string workload;
  ReplayOption replay{ReplayMode::by_input};
  DecimalRatio time_scale;      ///< 2 = twice as slow
  bool fold = false;            ///< addresses past the drive's end wrap around
  bool fold_prefilled = false;  ///< they wrap where the prefilled share ends
  AdaptOption adapt = AdaptOption::none;
  std::uint64_t skip = 0;  ///< requests at the start that are read over
  std::optional<std::uint64_t> limit;
  std::uint64_t warmup = 0;  ///< requests at the start that are served but left out of the statistics
  std::uint32_t prefill_percent = 0;
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
  bool json = false;                 ///< the summary on standard output, every digit
  std::optional<std::uint16_t> gdb;  ///< port that a debugger of the firmware image comes to; 0: any
  std::filesystem::path out;
  std::filesystem::path load_state;  ///< that the drive begins with; "" = a new one. Of `compare` a folder of them
  std::filesystem::path save_state;  ///< that the drive ends with; "" = none is kept
};

struct CompareOptions {
  RunOptions run;                      ///< what the runs have in common; the comparison gives each its layer, seed and folder
  std::vector<std::string> run_words;  ///< the same as words of a `run` command, DRIVE, seed and folder left out
  std::vector<std::string> layers;     ///< in the order given; "all" stands for the whole list
  std::uint64_t seeds = 1;             ///< runs of each layer, with seeds that count up from run.seed
  std::uint32_t jobs = 0;              ///< runs at a time; 0: as many as there are CPUs
  std::vector<std::string> baselines;  ///< layers, or "best", that figures are divided by too
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
  bool json = false;
};

struct ServeOptions {
  std::string drive;
  FirmwareOption firmware;
  std::string layer;
  std::vector<std::string> set;
  std::string nbd;                   ///< where the NBD server listens
  std::optional<DecimalRatio> pace;  ///< seconds on the wall for a simulated one; nothing: as fast as it goes
  std::filesystem::path image;       ///< that content comes from and is kept in; "" = none
  std::filesystem::path load_state;  ///< that the drive begins with; "" = a new one
  std::filesystem::path save_state;  ///< that the drive ends with; "" = none is kept
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

/// A trace in one form for programs.
struct ConvertOptions {
  TraceOptions trace;
  std::filesystem::path out;
};

enum class ListSubject : std::uint8_t { drives, layers, workloads, formats, parameters };
enum class ListFormat : std::uint8_t { text, json, schema, markdown };

struct ListOptions {
  ListSubject subject = ListSubject::drives;
  std::string drive;  ///< of `parameters`: whose values to show; "" = the defaults
  ListFormat format = ListFormat::text;
};

struct CheckOptions {
  std::string drive;
  FirmwareOption firmware;
  std::string layer;
  std::vector<std::string> set;
  std::filesystem::path load_state;  ///< that is looked at too; "" = none
};

/// A text to print instead of running: --help and --version (status 0, standard output), or the help that answers a command line
/// without a command (status 2, standard error).
struct PrintText {
  std::string text;
  int status = 0;
};

using ParsedCommand = std::variant<PrintText, RunOptions, CompareOptions, TortureOptions, ServeOptions, ExplainOptions, DescribeOptions,
                                   ConvertOptions, ListOptions, CheckOptions>;

/// Throws InputError, one sentence that names the option, what was expected and, for a misspelt name, the nearest valid one.
[[nodiscard]] ParsedCommand parse(int argc, const char* const* argv);

}  // namespace tessera::cli
