// Events of Linux's block layer, SCSI layer and NVMe driver as text: perf script, trace-cmd report, and trace or trace_pipe of tracefs.
//   TASK [CPU] [flags] SECONDS: [SYSTEM:]EVENT: FIELDS
//   block_bio_queue:     major,minor RWBS sector + sectors [process]
//   block_rq_issue:      major,minor RWBS bytes (command) sector + sectors [priority] [process]
//   block_rq_complete:   major,minor RWBS (command) sector + sectors [priority] [error]
//   block_bio_remap:     major,minor RWBS sector + sectors <- (major,minor) sector
//   scsi_dispatch_cmd_start: host_no=N channel=N id=N lun=N ... cmnd=(READ_10 lba=N txlen=BLOCKS protect=N raw=28 00 ...)
//   nvme_setup_cmd:      nvmeN: [disk=NAME,] qid=N, ..., cmd=(nvme_cmd_write slba=N, len=BLOCKS - 1, ctrl=0x..., ...)
// Every request is there once for each of its steps; one step is read. Events of anything else are left out.
#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "stimuli/readers/block_event.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"
#include "stimuli/readers/probe.hpp"

namespace tessera {
namespace {

constexpr double ftrace_fits = 0.95;  // names that no other format has
constexpr std::string_view no_operation = "nvme commands that move no user data, or name no address, left out";

constexpr std::string_view no_scsi_operation = "SCSI commands that move no user data, or name no address, left out";

enum class Step : std::uint8_t { queue, issue, complete, nvme, scsi, remap, other };

/// Commands of a driver, in blocks of its device.
struct Driver {
  Step step;
  const char* name;  ///< in --format ftrace:NAME
  const char* event;
};
constexpr Driver drivers[] = {{Step::nvme, "nvme", "nvme_setup_cmd"}, {Step::scsi, "scsi", "scsi_dispatch_cmd_start"}};

const Driver* driver_of(Step step) {
  const auto* found = std::ranges::find(drivers, step, &Driver::step);
  return found == std::end(drivers) ? nullptr : found;
}

struct EventPlace {
  std::size_t field = 0;  ///< of the event's name
  Step step = Step::other;
};

Step step_of(std::string_view name) {
  if (const auto colon = name.find(':'); colon != std::string_view::npos) name.remove_prefix(colon + 1);  // "block:" of perf
  if (name == "block_bio_queue") return Step::queue;
  if (name == "block_rq_issue") return Step::issue;
  if (name == "block_rq_complete") return Step::complete;
  for (const auto& driver : drivers)
    if (name == driver.event) return driver.step;
  if (name == "block_bio_remap") return Step::remap;
  return Step::other;
}

/// The name follows a time in seconds and a colon; a task's name may hold blanks.
std::optional<EventPlace> find_event(const Fields& f) {
  const std::size_t fields = std::min(f.size(), Fields::capacity);
  for (std::size_t i = 1; i + 1 <= fields; ++i) {
    std::string_view time = f[i - 1];
    std::string_view name = f[i];
    if (!time.ends_with(':') || !name.ends_with(':')) continue;
    time.remove_suffix(1);
    name.remove_suffix(1);
    TraceTime ignored = 0;
    if (time.find('.') == std::string_view::npos || parse_time(time, ps_per_second, ignored) != NumberFault::none) continue;
    return EventPlace{i, step_of(name)};
  }
  return std::nullopt;
}

/// `key=` up to a comma, a blank or a bracket; empty if it is not there.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != ' ' && text[at - 1] != '(' && text[at - 1] != ',') continue;
    const auto begin = at + key.size();
    return text.substr(begin, text.find_first_of(", )", begin) - begin);
  }
  return {};
}

struct Choice {
  Step step = Step::queue;
  bool named = false;
  std::uint64_t block = 512;  ///< of a driver's commands
};

class Ftrace final : public LineTraceReader {
 public:
  Ftrace(TraceFile file, const Choice& choice) : LineTraceReader(std::move(file), ' '), choice_(choice) {
    if (const Driver* driver = driver_of(choice_.step)) {
      note(std::string("requests are the ") + driver->name + " commands (" + driver->event + "), in blocks of " +
           std::to_string(choice_.block) + " B: --format ftrace:" + driver->name + ",BYTES names others");
    } else {
      const auto text = block_event_note(static_cast<BlockEvent>(choice_.step), choice_.named);
      if (!text.empty()) note(text);
    }
  }

 private:
  bool parse(RawRecord& raw) override {
    if (after_flush_) {
      raw = *after_flush_;
      after_flush_.reset();
      return true;
    }
    if (LineTraceReader::parse(raw)) return any_ = true;
    if (any_) return false;
    if (driver_of(choice_.step) != nullptr) return false;
    if (found_ != BlockEventCounts{}) fail(no_block_event(static_cast<BlockEvent>(choice_.step), found_, "ftrace"));
    for (std::size_t i = 0; i < std::size(drivers); ++i)
      if (of_drivers_[i] != 0)
        fail("the trace holds no request: the file has no such events but " + std::to_string(of_drivers_[i]) + " of " + drivers[i].event +
             ": choose --format ftrace:" + drivers[i].name);
    return false;
  }

  bool parse_fields(RawRecord& raw) override {
    const auto place = find_event(fields_);
    if (!place) {
      pass_over();
      return false;
    }
    if (place->step <= Step::complete) ++found_[static_cast<std::size_t>(place->step)];
    if (const Driver* driver = driver_of(place->step)) ++of_drivers_[static_cast<std::size_t>(driver - drivers)];
    if (place->step == Step::remap) remember_remap(place->field);
    if (place->step != choice_.step) {
      leave_out("events other than those that are read left out");
      return false;
    }
    std::string_view time = fields_[place->field - 1];
    time.remove_suffix(1);
    check(parse_time(time, ps_per_second, raw.time), "time", time);
    if (place->step == Step::scsi) return parse_scsi(place->field, raw);
    return place->step == Step::nvme ? parse_nvme(place->field, raw) : parse_block(place->field, raw);
  }

  /// Lines that say what was lost, and call stacks of perf script -g; anything else is not of this format.
  void pass_over() {
    const auto lost = line().find("LOST ");
    if (lost != std::string_view::npos) {
      std::uint64_t events = 0;
      const std::string_view number = line().substr(lost + 5);
      std::from_chars(number.data(), number.data() + number.size(), events);
      leave_out("events lost while recording, as the file says", std::max<std::uint64_t>(events, 1));
      return;
    }
    std::uint64_t address = 0;
    if (parse_hexadecimal(fields_[0], address) == NumberFault::none && fields_.size() >= 2) return;
    if (fields_[0] == "cpus=" || line().starts_with("cpus=") || line().starts_with("CPU ") || line().starts_with("version")) return;
    fail("expected 'TASK [CPU] SECONDS: EVENT: ...', found '" + std::string(line().substr(0, 60)) + "'");
  }

  void remember_remap(std::size_t event) {
    const std::size_t fields = std::min(fields_.size(), Fields::capacity);
    for (std::size_t i = event + 2; i + 1 < fields; ++i) {
      const auto upper = fields_[i + 1];
      if (fields_[i] == "<-" && upper.size() > 2 && upper.front() == '(') {
        devices_.remapped(upper.substr(1, upper.size() - 2), fields_[event + 1]);
        check_devices();
        return;
      }
    }
  }

  void check_devices() const {
    if (one_volume()) return;
    if (const auto text = devices_.twice(); !text.empty()) fail(text);
  }

  bool parse_block(std::size_t event, RawRecord& raw) {
    const std::size_t fields = std::min(fields_.size(), Fields::capacity);
    std::size_t plus = event + 4;
    while (plus + 1 < fields && fields_[plus] != "+") ++plus;
    if (plus + 1 >= fields || fields_[event + 1].find(',') == std::string_view::npos)
      fail("expected 'major,minor RWBS ... sector + sectors' after '" + std::string(fields_[event]) + "', found '" + rest(event) + "'");
    raw.size = bytes_of_blocks(plus + 1, "sectors");
    const auto rwbs = fields_[event + 2];
    const auto operation = parse_rwbs(rwbs);
    if (!operation) unknown_operation(rwbs, "RWBS with R, W, D or F");
    if (raw.size != 0 || operation->names_zone()) raw.offset = bytes_of_blocks(plus - 1, "sector");
    if (operation->kind == BlockOperation::Kind::trim) leave_out(discards_are_trims);
    if (const char* reason = to_request(*operation, static_cast<BlockEvent>(choice_.step), raw, after_flush_)) {
      leave_out(reason);
      return false;
    }
    raw.volume = volume(fields_[event + 1]);
    if (after_flush_) after_flush_->volume = raw.volume;
    devices_.has_request(fields_[event + 1]);
    if (raw.volume >= volumes_) {
      volumes_ = raw.volume + 1;
      check_devices();
    }
    return true;
  }

  bool parse_nvme(std::size_t event, RawRecord& raw) {
    const std::string_view text = line().substr(static_cast<std::size_t>(fields_[event].end() - line().data()));
    const auto command = text.find("cmd=(");
    if (command == std::string_view::npos)
      fail("expected 'nvmeN: ..., cmd=(nvme_cmd_... )' after 'nvme_setup_cmd:', found '" + rest(event) + "'");
    const std::string_view inside = text.substr(command + 5);
    const std::string_view name = inside.substr(0, inside.find_first_of(" )"));
    if (name == "nvme_cmd_flush")
      raw.op = HostOp::flush;
    else if (name == "nvme_cmd_read")
      raw.op = HostOp::read;
    else if (name == "nvme_cmd_write" || name == "nvme_cmd_write_zeroes")
      raw.op = HostOp::write;
    else {
      leave_out(std::string(no_operation));
      return false;
    }
    if (raw.op != HostOp::flush) {
      // The command counts its blocks from 0 (NVM Express, Number of Logical Blocks), in 16 bits.
      take_extent(inside, "slba", "len", 0xffff, raw);
      raw.size += choice_.block;
      std::uint64_t control = 0;
      constexpr std::uint64_t fua = 0x4000;  // bit 30 of dword 12
      const auto ctrl = value_of(inside, "ctrl=");
      raw.force_unit_access = raw.op == HostOp::write && parse_hexadecimal(ctrl, control) == NumberFault::none && (control & fua) != 0;
    }
    const auto disk = value_of(text, "disk=");
    if (!disk.empty()) {
      raw.volume = volume(disk);
    } else {
      name_.assign(trimmed(text.substr(0, text.find(':', 1)))).append("n").append(value_of(text, "nsid="));
      raw.volume = volume(name_);
    }
    return true;
  }

  /// FIRST= and COUNT= of a command, in blocks.
  void take_extent(std::string_view command, const std::string& first, const std::string& count, std::uint64_t most, RawRecord& raw) const {
    const auto number_text = value_of(command, first + "=");
    const auto count_text = value_of(command, count + "=");
    std::uint64_t number = 0;
    std::uint64_t blocks = 0;
    check(parse_unsigned(number_text, number), first, number_text);
    check(parse_unsigned(count_text, blocks), count, count_text);
    if (blocks > most) fail(count + " '" + std::string(count_text) + "' is above " + std::to_string(most));
    raw.size = blocks * choice_.block;
    if (__builtin_mul_overflow(number, choice_.block, &raw.offset))
      fail(first + " '" + std::string(number_text) + "' does not fit 64 bits once in bytes");
  }

  bool parse_scsi(std::size_t event, RawRecord& raw) {
    const std::string_view text = line().substr(static_cast<std::size_t>(fields_[event].end() - line().data()));
    const auto command = text.find("cmnd=(");
    if (command == std::string_view::npos)
      fail("expected 'host_no=N ... cmnd=(COMMAND lba=N txlen=N ...)' after '" + std::string(fields_[event]) + "', found '" + rest(event) +
           "'");
    const std::string_view inside = text.substr(command + 6);
    const std::string_view name = inside.substr(0, inside.find_first_of(" )"));
    const std::string_view kind = name.substr(0, name.find_last_not_of("0123456789") + 1);
    if (kind == "SYNCHRONIZE_CACHE" || kind == "SYNCHRONIZE_CACHE_") {
      raw.op = HostOp::flush;
    } else {
      const bool read = kind == "READ_";
      const bool write =
          kind == "WRITE_" || kind == "WRITE_VERIFY" || kind == "WRITE_VERIFY_" || kind == "WRITE_SAME" || kind == "WRITE_SAME_";
      if ((!read && !write) || value_of(inside, "lba=").empty()) {
        leave_out(std::string(no_scsi_operation));
        return false;
      }
      raw.op = read ? HostOp::read : value_of(inside, "unmap=") == "1" ? HostOp::trim : HostOp::write;
      take_extent(inside, "lba", "txlen", 0xffff'ffff, raw);
      if (raw.size == 0) {
        leave_out(std::string(no_scsi_operation));
        return false;
      }
      raw.force_unit_access = kind == "WRITE_" && name != "WRITE_6" && forces_unit_access(inside);
    }
    name_.clear();
    for (const char* part : {"host_no=", "channel=", "id=", "lun="}) name_.append(name_.empty() ? "" : ":").append(value_of(text, part));
    raw.volume = volume(name_);
    return true;
  }

  /// Bit 3 of the second byte, of "raw=2a 08 ...".
  static bool forces_unit_access(std::string_view command) {
    constexpr std::uint64_t fua = 0x08;
    const auto raw = command.find("raw=");
    std::uint64_t flags = 0;
    return raw != std::string_view::npos && command.size() >= raw + 9 &&
           parse_hexadecimal(command.substr(raw + 7, 2), flags) == NumberFault::none && (flags & fua) != 0;
  }

  [[nodiscard]] std::string rest(std::size_t event) const {
    return std::string(trimmed(line().substr(static_cast<std::size_t>(fields_[event].end() - line().data()))).substr(0, 60));
  }

  const Choice choice_;
  BlockEventCounts found_{};
  std::array<std::uint64_t, std::size(drivers)> of_drivers_{};
  bool any_ = false;
  StackedDevices devices_;
  std::uint32_t volumes_ = 0;
  std::string name_;
  std::optional<RawRecord> after_flush_;
};

struct Seen {
  BlockEventCounts block{};
  std::array<std::uint64_t, std::size(drivers)> of_drivers{};
  [[nodiscard]] const Driver* driver() const {
    const auto* found = std::ranges::find_if(of_drivers, [](std::uint64_t count) { return count != 0; });
    return found == of_drivers.end() ? nullptr : &drivers[found - of_drivers.begin()];
  }
};

Seen look(const Sample& sample) {
  Seen seen;
  Fields f(' ');
  for (const auto line : sample.lines) {
    f.split(line);
    const auto place = find_event(f);
    if (!place) continue;
    if (place->step <= Step::complete) ++seen.block[static_cast<std::size_t>(place->step)];
    if (const Driver* driver = driver_of(place->step)) ++seen.of_drivers[static_cast<std::size_t>(driver - drivers)];
  }
  return seen;
}

Choice chosen(const Sample& head) {
  const Seen seen = look(head);
  const auto block = first_block_event(seen.block);
  const Driver* driver = seen.block[0] == 0 && seen.block[1] == 0 ? seen.driver() : nullptr;
  return {driver != nullptr ? driver->step : static_cast<Step>(block), false, 512};
}

}  // namespace

std::vector<Evidence> score_ftrace(const Sample& sample) {
  const Seen seen = look(sample);
  const bool some = seen.block != BlockEventCounts{} || seen.driver() != nullptr;
  return some ? fits(ftrace_fits) : std::vector<Evidence>{};
}

std::unique_ptr<TraceSource> read_ftrace(TraceFile file, const std::string& argument) {
  if (argument.empty()) {
    Sample head(*file.bytes);
    const Choice choice = chosen(head);
    file.bytes = put_back(std::move(head.bytes), std::move(file.bytes));
    return std::make_unique<Ftrace>(std::move(file), choice);
  }
  Choice choice;
  choice.named = true;
  const std::string name = argument.substr(0, argument.find(','));
  const auto* driver = std::ranges::find_if(drivers, [&](const Driver& one) { return name == one.name; });
  if (driver != std::end(drivers)) {
    choice.step = driver->step;
    if (argument.size() > name.size()) {
      const std::string bytes = argument.substr(name.size() + 1);
      if (bytes != "512" && bytes != "4096")
        throw InputError("--format ftrace:" + argument + ": expected " + name + ",512 or " + name + ",4096 (bytes of a block)");
      choice.block = bytes == "512" ? 512 : 4096;
    }
  } else if (argument == "queue" || argument == "issue" || argument == "complete") {
    choice.step = static_cast<Step>(*block_event_argument("ftrace", argument));
  } else {
    throw InputError("--format ftrace:" + argument + ": expected queue, issue, complete, nvme or scsi after the colon");
  }
  return std::make_unique<Ftrace>(std::move(file), choice);
}

}  // namespace tessera
