#include "platforms/output/explain.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "platforms/output/requests_log.hpp"

namespace tessera {

namespace {

/// What a part of a request's life was spent on, in the order in which a request meets the parts.
const char* meaning(LifePhase phase) {
  switch (phase) {
    case LifePhase::host_queue: return "waited at the host, held back by the replay policy or for a free tag";
    case LifePhase::link: return "on the link: command, data and status, with waiting for link or buffer";
    case LifePhase::cpu_wait: return "ready, but the controller's CPU was busy or entering an interrupt";
    case LifePhase::cpu: return "its firmware ran on the CPU";
    case LifePhase::dram: return "its firmware waited for metadata in DRAM";
    case LifePhase::lock: return "waited for another request or background work on the same range";
    case LifePhase::backup: return "waited for a backup slot, as other read-modify-writes held them all";
    case LifePhase::media_queue: return "queued at the disk behind other requests";
    case LifePhase::background_wait: return "queued at the disk behind background work";
    case LifePhase::seek: return "the head moved (seek, head switch, settle), with the wait for a parked disk";
    case LifePhase::rotation: return "waited for the sectors to come round";
    case LifePhase::transfer: return "sectors under the head";
    case LifePhase::flash_queue: return "queued at the flash behind other operations";
    case LifePhase::flash: return "flash array and bus";
    case LifePhase::cleaning: return "waited for space";
    case LifePhase::error_recovery: return "bad sectors: tried again, relocated, or reached by way of spare sectors";
    case LifePhase::outage: return "the power was off, or the drive was booting";
    case LifePhase::count_: break;
  }
  return "";
}

/// Whose work held a request up.
const char* meaning(Cause cause) {
  switch (cause) {
    case Cause::host: return "the request's own work";
    case Cause::requests: return "other host requests that came before it";
    case Cause::cleaning: return "room being made: cleaning, merge or collection";
    case Cause::rmw: return "read-modify-writes of what the writes overlap";
    case Cause::checkpoint: return "a table or log being written down";
    case Cause::move: return "tracks being flipped, swapped or moved";
    case Cause::destage: return "the write cache being written to the layer below";
    case Cause::read_ahead: return "the read cache reading ahead";
    case Cause::recovery: return "bad sectors, repeats, lost power or the boot";
    case Cause::background: return "other background work";
    case Cause::tags: return "other host requests that had all tags, or the replay policy";
    case Cause::flash: return "other host requests at the flash";
    case Cause::count_: break;
  }
  return "";
}

constexpr std::uint64_t no_cause = causes;  // of a record of a log that does not know any

/// The number of records where the file begins with the header of a log that knows the first `known` causes.
std::optional<std::uint64_t> records_of(std::ifstream& in, std::size_t known) {
  std::string header(requests_header(0, known).size(), '\0');
  in.clear();
  in.seekg(0);
  in.read(header.data(), static_cast<std::streamsize>(header.size()));
  const std::string shape = "'shape': (";
  const std::size_t at = header.find(shape);
  if (!in || at == std::string::npos) return std::nullopt;
  const std::uint64_t records = std::strtoull(header.c_str() + at + shape.size(), nullptr, 10);
  return header == requests_header(records, known) ? std::optional(records) : std::nullopt;
}

/// A file of a folder that somebody may have sent: opening a pipe would wait for ever.
std::ifstream opened(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw input_error(path.string(), 0, "expected a file that a run wrote, found no regular file");
  return std::ifstream(path, std::ios::binary);
}

RequestRecord find_record(const std::filesystem::path& path, std::uint64_t number) {
  std::ifstream in = opened(path);
  if (!in) throw input_error(path.string(), 0, "cannot be read; was the run made with --requests?");
  std::size_t record_bytes = 0;
  std::optional<std::uint64_t> found;
  for (const std::size_t known : {std::size_t{0}, causes_of_older_logs, causes}) {
    if (found) break;
    record_bytes = known == 0 ? offsetof(RequestRecord, cause) : offsetof(RequestRecord, by_cause) + known * sizeof(std::uint64_t);
    found = records_of(in, known);
  }
  if (!found) throw input_error(path.string(), 0, "is not a request log of this version");
  const std::uint64_t records = *found;
  std::vector<char> chunk(4096 * record_bytes);
  for (std::uint64_t read = 0; read < records;) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    const std::uint64_t got = static_cast<std::uint64_t>(in.gcount()) / record_bytes;
    for (std::uint64_t i = 0; i < got; ++i) {
      RequestRecord record{};
      record.cause = no_cause;
      std::memcpy(&record, &chunk[i * record_bytes], record_bytes);
      if (record.number == number) return record;
    }
    read += got;
    if (read < records && !in)
      throw input_error(path.string(), 0, "is cut off after " + std::to_string(read) + " of " + std::to_string(records) + " records");
  }
  throw input_error(path.string(), 0,
                    "holds no request " + std::to_string(number) + " (" + std::to_string(records) + " requests, counted from 0)");
}

std::string line(std::uint64_t time, const std::string& what) {
  char text[32];
  std::snprintf(text, sizeof text, "  %14s  ", readable(time).c_str());
  return text + what + "\n";
}

/// The lines of events.csv between the request's arrival and completion, or nothing where there is no such file.
std::string events_during(const std::filesystem::path& path, const RequestRecord& record) {
  std::ifstream in = opened(path);
  std::string text;
  std::string row;
  std::getline(in, row);
  while (std::getline(in, row)) {
    std::istringstream columns(row);
    std::array<std::string, 5> column;
    for (std::string& cell : column) std::getline(columns, cell, ',');
    const std::uint64_t time = std::strtoull(column[0].c_str(), nullptr, 10);
    if (time < record.arrival || time > record.completion) continue;
    text += line(time - record.arrival, column[1] + (column[2] == "instant" ? "" : " " + column[2] + "s") + " (about " + column[3] +
                                            ", amount " + column[4] + ")");
  }
  return text;
}

/// Empty where all of it was the request's own work, and for a record that knows no causes.
std::string causes_text(const RequestRecord& record) {
  if (record.cause >= causes) return "";
  if (record.by_cause[static_cast<std::size_t>(Cause::host)] == record.completion - record.arrival) return "";
  std::string text = "\nWhose work that was, above all " + std::string(meaning(static_cast<Cause>(record.cause))) + ":\n";
  for (std::size_t cause = 0; cause < causes; ++cause)
    if (record.by_cause[cause] != 0)
      text += line(record.by_cause[cause], std::string(to_string(static_cast<Cause>(cause))) + ": " + meaning(static_cast<Cause>(cause)));
  return text;
}

}  // namespace

std::string readable(std::uint64_t picoseconds) {
  struct Unit {
    double ps;
    const char* name;
  };
  static constexpr Unit units[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}};
  char text[40];
  for (const Unit& unit : units) {
    const double value = static_cast<double>(picoseconds) / unit.ps;
    if (value < 1) continue;
    std::snprintf(text, sizeof text, "%.*f %s", value < 10 ? 3 : value < 100 ? 2 : 1, value, unit.name);
    return text;
  }
  return std::to_string(picoseconds) + " ps";
}

std::string explain_request(const std::filesystem::path& folder, std::uint64_t number) {
  const RequestRecord record = find_record(folder / "requests.npy", number);
  static constexpr std::array verbs = {
      "reads",          "writes",          "flushes",           "trims",          "asks for the zones from",
      "opens the zone", "closes the zone", "finishes the zone", "resets the zone"};
  static_assert(verbs.size() == host_ops);
  const auto op = static_cast<HostOp>(record.op);
  if (record.op >= verbs.size()) throw input_error((folder / "requests.npy").string(), 0, "holds an unknown operation");
  std::string text = "Request " + std::to_string(number) + " " + verbs[record.op];
  if (op >= HostOp::zone_report)
    text += " at LBA " + std::to_string(record.lba);
  else if (op != HostOp::flush)
    text += " " + std::to_string(record.blocks) + " blocks of 512 B from LBA " + std::to_string(record.lba);
  text += ".\n";
  text += "It arrived at " + readable(record.arrival) + " of simulated time, was handed to the drive " +
          (record.issue == record.arrival ? "at once" : readable(record.issue - record.arrival) + " later") + " and completed " +
          readable(record.completion - record.arrival) + " after its arrival with status '" +
          to_string(static_cast<Status>(record.status)) + "'.\n\nWhere the time went:\n";
  for (std::size_t phase = 0; phase < life_phases; ++phase)
    if (record.phases[phase] != 0)
      text +=
          line(record.phases[phase], std::string(to_string(static_cast<LifePhase>(phase))) + ": " + meaning(static_cast<LifePhase>(phase)));
  text += line(record.completion - record.arrival, "in all");
  text += causes_text(record);
  const std::string events = events_during(folder / "events.csv", record);
  if (!events.empty()) text += "\nMeanwhile, counted from its arrival:\n" + events;
  return text;
}

}  // namespace tessera
