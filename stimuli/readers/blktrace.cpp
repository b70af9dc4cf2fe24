// Binary recordings of blktrace, all CPUs merged by time. Every request is there once for each of its steps; one step is read. Notes of
// processes, messages and merges are no requests; commands that are passed through are not read; remaps say which device lies below which.
// The volume is major,minor.
#include <algorithm>

#include "base/error.hpp"
#include "stimuli/readers/blktrace_files.hpp"
#include "stimuli/readers/blktrace_stream.hpp"
#include "stimuli/readers/block_event.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/probe.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t ps_per_ns = 1'000;

// The low half of an action (BLK_TA_...), and the bits above it (BLK_TC_...).
constexpr std::uint64_t act_queue = 1, act_issue = 7, act_complete = 8, act_remap = 15;
constexpr std::uint64_t act_of_cgroup = 1 << 8;  // 8 bytes of a control group's number come before the data
constexpr std::uint64_t is_write = 1 << 1, is_flush = 1 << 2, is_passed_through = 1 << 9, is_notify = 1 << 10, is_discard = 1 << 13,
                        is_fua = 1 << 15;
// Of version 8 alone.
constexpr std::uint64_t zone_append = 1 << 16, zone_reset = 1 << 17, zone_reset_all = 1 << 18, zone_finish = 1 << 19, zone_open = 1 << 20,
                        zone_close = 1 << 21;

std::uint64_t act(const BlktraceEvent& event) { return event.action & 0xffff & ~act_of_cgroup; }
std::uint64_t category(const BlktraceEvent& event) { return event.action >> 16; }

std::optional<BlockEvent> step_of_event(const BlktraceEvent& event) {
  if ((category(event) & is_notify) != 0) return std::nullopt;
  switch (act(event)) {
    case act_queue: return BlockEvent::queue;
    case act_issue: return BlockEvent::issue;
    case act_complete: return BlockEvent::complete;
    default: return std::nullopt;
  }
}

void set_zone_command(std::uint64_t bits, BlockOperation& operation) {
  constexpr std::pair<std::uint64_t, HostOp> commands[] = {{zone_reset, HostOp::zone_reset},
                                                           {zone_reset_all, HostOp::zone_reset},
                                                           {zone_finish, HostOp::zone_finish},
                                                           {zone_open, HostOp::zone_open},
                                                           {zone_close, HostOp::zone_close}};
  if ((bits & zone_append) != 0) operation.kind = BlockOperation::Kind::append;
  for (const auto& [bit, op] : commands) {
    if ((bits & bit) == 0) continue;
    operation.kind = BlockOperation::Kind::zone;
    operation.of_zone = op;
    operation.all_zones = bit == zone_reset_all;
  }
}

BlockOperation operation_of(const BlktraceEvent& event) {
  using Kind = BlockOperation::Kind;
  const auto bits = category(event);
  BlockOperation operation;
  operation.flush_first = (bits & is_flush) != 0;
  operation.force_unit_access = (bits & is_fua) != 0 && (bits & is_write) != 0;
  operation.kind = (bits & is_discard) != 0 ? Kind::trim
                   : (bits & is_write) != 0 ? Kind::write
                   : event.bytes != 0       ? Kind::read
                                            : Kind::none;
  if (operation.flush_first && event.bytes == 0) operation.kind = Kind::none;
  set_zone_command(bits, operation);
  return operation;
}

std::string device_name(std::uint32_t device) {
  constexpr unsigned minor_bits = 20;  // of the kernel's dev_t
  return std::to_string(device >> minor_bits) + "," + std::to_string(device & ((1u << minor_bits) - 1));
}

std::uint32_t big_endian(std::string_view data, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(data[at + i]);
  return value;
}

/// The steps within the first `head_bytes` of a file, which are put back.
BlockEventCounts steps_in_head(TraceFile& file) {
  constexpr std::size_t head_bytes = std::size_t{1} << 18;
  std::string head(head_bytes, '\0');
  head.resize(file.bytes->read(head));
  BlockEventCounts all{};
  BlktraceStream stream({file.path, memory_stream(head)});
  try {
    for (BlktraceEvent event; stream.next(event);)
      if (const auto step = step_of_event(event)) ++all[static_cast<std::size_t>(*step)];
  } catch (const InputError&) {
    // The head ends within a record; what is wrong with the file shows when it is read.
  }
  file.bytes = put_back(std::move(head), std::move(file.bytes));
  return all;
}

class Blktrace final : public TraceReader {
 public:
  Blktrace(TraceFile file, std::optional<BlockEvent> named) : TraceReader(file.path) {
    auto names = blktrace_files(path_);
    if (names.size() > 1) note(std::to_string(names.size()) + " files, one a CPU, merged by time");
    if (const auto missing = missing_blktrace_files(names); !missing.empty())
      note("no " + missing + ": what its CPU recorded is not in the trace");
    std::vector<TraceFile> files;
    files.push_back(std::move(file));
    for (std::size_t i = 1; i < names.size(); ++i) files.push_back({names[i], open_byte_stream(names[i])});
    BlockEventCounts head{};
    for (auto& each : files) {
      if (named) break;
      const auto found = steps_in_head(each);
      for (std::size_t i = 0; i < head.size(); ++i) head[i] += found[i];
    }
    event_ = named.value_or(first_block_event(head));
    if (const auto text = block_event_note(event_, named.has_value()); !text.empty()) note(text);
    for (auto& each : files) {
      cpus_.push_back({BlktraceStream(std::move(each)), {}, 0, false});
      advance(cpus_.size() - 1);
    }
  }

  [[nodiscard]] RecordPlace read_place() const override {
    return cpus_.empty() ? RecordPlace{} : RecordPlace{cpus_[last_].stream.records(), static_cast<std::uint32_t>(last_)};
  }
  [[nodiscard]] std::string place_text(RecordPlace place) const override {
    return cpus_.empty() ? path_ : cpus_[place.file].stream.path() + ":record " + std::to_string(place.number);
  }

 private:
  struct Cpu {
    BlktraceStream stream;
    BlktraceEvent event;
    std::uint32_t sequence = 0;  ///< the last one of a request's step
    bool has_event = false;
  };

  bool parse(RawRecord& raw) override {
    if (after_flush_) {
      raw = *after_flush_;
      after_flush_.reset();
      return true;
    }
    while (const BlktraceEvent* event = next_event())
      if (parse_event(*event, raw)) return any_ = true;
    if (!any_ && found_ != BlockEventCounts{}) fail(no_block_event(event_, found_, "blktrace"));
    return false;
  }

  /// The earliest event of all CPUs.
  const BlktraceEvent* next_event() {
    if (taken_) advance(last_);
    taken_ = false;
    const auto earliest = std::ranges::min_element(cpus_, [](const Cpu& a, const Cpu& b) {
      return a.has_event != b.has_event ? a.has_event : a.has_event && a.event.time < b.event.time;
    });
    if (!earliest->has_event) return nullptr;
    last_ = static_cast<std::size_t>(earliest - cpus_.begin());
    taken_ = true;
    return &earliest->event;
  }

  void advance(std::size_t number) {
    Cpu& cpu = cpus_[number];
    cpu.has_event = cpu.stream.next(cpu.event);
    if (!cpu.has_event) return;
    if (cpu.stream.data_cut()) note(cpu.stream.path() + " ends within the data after its last record; the record itself is whole");
    if ((category(cpu.event) & is_notify) != 0) return;
    // The kernel counts a CPU's steps without gaps; what it had no room for is missing from the count.
    if (cpu.sequence != 0 && cpu.event.sequence > cpu.sequence + 1)
      leave_out("events lost while recording (gaps in the sequence numbers)", cpu.event.sequence - cpu.sequence - 1);
    cpu.sequence = cpu.event.sequence;
  }

  bool parse_event(const BlktraceEvent& event, RawRecord& raw) {
    const auto bits = category(event);
    if ((bits & is_notify) != 0) {
      leave_out("notes of processes and messages left out");
      return false;
    }
    if (act(event) == act_remap) remember_remap(event);
    const auto step = step_of_event(event);
    if (step) ++found_[static_cast<std::size_t>(*step)];
    if (step != event_) {
      leave_out("blktrace events other than " + block_event_text(event_) + " left out");
      return false;
    }
    if ((bits & is_passed_through) != 0) {
      leave_out("requests without an extent (commands that are passed through) left out");
      return false;
    }
    raw.time = TraceTime{event.time} * ps_per_ns;
    raw.size = event.bytes;
    const auto operation = operation_of(event);
    if (raw.size != 0 || operation.names_zone()) raw.offset = blocks_to_bytes(event.sector, "sector");
    if (operation.kind == BlockOperation::Kind::trim) leave_out(discards_are_trims);
    if (const char* reason = to_request(operation, event_, raw, after_flush_)) {
      leave_out(reason);
      return false;
    }
    if (event.error != 0) leave_out("requests that ended with an error, read like the others");
    if (event.device != device_ || device_text_.empty()) {
      device_ = event.device;
      device_text_ = device_name(device_);
    }
    raw.volume = volume(device_text_);
    if (after_flush_) after_flush_->volume = raw.volume;
    devices_.has_request(device_text_);
    if (raw.volume >= volumes_) {
      volumes_ = raw.volume + 1;
      check_devices();
    }
    return true;
  }

  /// Two devices and a sector, big-endian: where a bio came from and where it goes.
  void remember_remap(const BlktraceEvent& event) {
    const std::size_t begin = (event.action & act_of_cgroup) != 0 ? 8 : 0;
    if (event.data.size() < begin + 16) return;
    devices_.remapped(device_name(big_endian(event.data, begin)), device_name(big_endian(event.data, begin + 4)));
    check_devices();
  }

  void check_devices() const {
    if (one_volume()) return;
    if (const auto text = devices_.twice(); !text.empty()) fail(text);
  }

  BlockEvent event_ = BlockEvent::queue;
  std::vector<Cpu> cpus_;
  std::size_t last_ = 0;
  bool taken_ = false;
  BlockEventCounts found_{};
  bool any_ = false;
  std::uint32_t device_ = 0;
  std::string device_text_;
  StackedDevices devices_;
  std::uint32_t volumes_ = 0;
  std::optional<RawRecord> after_flush_;
};

}  // namespace

std::vector<Evidence> score_blktrace(const Sample& sample) { return fits(1, is_blktrace(sample.bytes) ? 1 : 0); }

std::unique_ptr<TraceSource> read_blktrace(TraceFile file, const std::string& argument) {
  return std::make_unique<Blktrace>(std::move(file), block_event_argument("blktrace", argument));
}

}  // namespace tessera
