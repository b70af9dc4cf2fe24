// HP Labs' SRT traces (cello, snake and others of 1992 to 1999), binary, big-endian. The layout is that of DiskSim's reader: text with a
// line `tracedate = ...`, a form feed, then records of 32-bit words:
//   size (bytes of the record), version << 16 | type, s, us (when the request was queued)
// and in requests, type 1 or, where the recorder doubts them, 4:
//   start, stop (us since it was queued), bytes, sector, device, driver, cylinder, flags, information
//   [length of the queue, from version 4 on] [reasons for the doubt, type 4]
// Later versions are laid out otherwise, and nobody has published how. Records of other types are no requests of a disk.
#include <string>
#include <utility>

#include "base/error.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/probe.hpp"
#include "stimuli/readers/record_buffer.hpp"
#include "stimuli/readers/trace_reader.hpp"

namespace tessera {
namespace {

constexpr std::size_t most_header_bytes = std::size_t{1} << 16;
constexpr std::size_t prefix_bytes = 16;  ///< of every record: size, type, time
constexpr std::uint32_t most_record_bytes = 4096;
constexpr std::uint32_t last_version = 4;
constexpr std::uint32_t request_type = 1, doubted_type = 4;
constexpr char form_feed = '\f';
constexpr const char* without_a_reader = "convert it with srt2ds and ds2txt --csv of DataSeries, and read that as srt";

std::uint32_t word(const char* bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[4 * at + i]);
  return value;
}

std::uint32_t request_bytes(std::uint32_t version, std::uint32_t type) {
  constexpr std::uint32_t words = 13;
  return 4 * (words + (version >= 4 ? 1 : 0) + (type == doubted_type ? 1 : 0));
}

/// Where the records begin; npos where the text above them has no end.
std::size_t header_end(std::string_view head) {
  if (head.starts_with('\0')) return 0;  // records alone, as programs that merge traces write them
  const auto end = head.substr(0, most_header_bytes).find(form_feed);
  return end == std::string_view::npos ? end : end + 1;
}

class SrtBinary final : public TraceReader {
 public:
  SrtBinary(TraceFile file, std::uint64_t sector_bytes)
      : TraceReader(file.path), sector_bytes_(sector_bytes), bytes_(std::move(file.bytes), 2 * most_header_bytes) {
    note("sectors are of " + std::to_string(sector_bytes_) + " B (--format srt-binary:512 or :1024): the file does not say");
    skip_header();
  }
  [[nodiscard]] RecordPlace read_place() const override { return {number_, 0}; }

 private:
  void skip_header() {
    static_cast<void>(bytes_.holds(most_header_bytes));
    const auto end = header_end({bytes_.data(), bytes_.left()});
    if (end == std::string_view::npos)
      throw input_error(path_, 0, "expected the text of an SRT trace and a form feed at its end, within the first 64 KiB");
    bytes_.skip(end);
  }

  bool parse(RawRecord& raw) override {
    while (bytes_.holds(1)) {
      ++number_;
      const std::uint32_t size = record_bytes();
      const char* const record = bytes_.data();
      const std::uint32_t type = word(record, 1) & 0xffff;
      const bool found = type == request_type && parse_request(record, raw);
      if (type == doubted_type)
        leave_out("requests that their recorder marked as suspect left out");
      else if (type != request_type)
        leave_out("records that are no requests of a disk left out");
      bytes_.skip(size);
      if (found) return true;
    }
    return false;
  }

  /// Of the next record, which is whole then.
  std::uint32_t record_bytes() {
    if (!bytes_.holds(prefix_bytes)) cut_off(prefix_bytes);
    const std::uint32_t size = word(bytes_.data(), 0);
    const std::uint32_t version = word(bytes_.data(), 1) >> 16;
    const std::uint32_t type = word(bytes_.data(), 1) & 0xffff;
    if (size < prefix_bytes || size > most_record_bytes)
      fail_here("expected the size of a record, " + std::to_string(prefix_bytes) + " to " + std::to_string(most_record_bytes) + ", found " +
                std::to_string(size));
    if (version == 0 || version > last_version)
      fail_here("SRT version " + std::to_string(version) +
                " is not read, as its layout is not published; expected 1 to 4: " + without_a_reader);
    const std::uint32_t expected = request_bytes(version, type);
    if ((type == request_type || type == doubted_type) && size != expected)
      fail_here("expected a request of " + std::to_string(expected) + " bytes (version " + std::to_string(version) + "), found a size of " +
                std::to_string(size));
    if (!bytes_.holds(size)) cut_off(size);
    return size;
  }

  bool parse_request(const char* record, RawRecord& raw) {
    constexpr std::uint32_t us_per_s = 1'000'000;
    constexpr std::uint64_t ps_per_us = 1'000'000;
    if (word(record, 3) >= us_per_s) fail_here("the microseconds " + std::to_string(word(record, 3)) + " are above 999999");
    raw.time = TraceTime{word(record, 2)} * ps_per_second + TraceTime{word(record, 3)} * ps_per_us;
    raw.size = word(record, 6);
    if (raw.size == 0) {
      leave_out("requests of no bytes left out");
      return false;
    }
    raw.offset = word(record, 7) * sector_bytes_;
    constexpr std::uint32_t read_flag = 1;
    raw.op = (word(record, 11) & read_flag) != 0 ? HostOp::read : HostOp::write;
    name_disk(word(record, 8));
    raw.volume = volume(name_);
    return true;
  }

  /// Major number, card, controller and disk of HP-UX, as in the text form; the partition is below them.
  void name_disk(std::uint32_t device) {
    if (device == device_ && !name_.empty()) return;
    device_ = device;
    name_ = std::to_string(device >> 24) + "," + std::to_string(device >> 16 & 0xff) + "," + std::to_string(device >> 12 & 0xf) + "," +
            std::to_string(device >> 8 & 0xf);
  }

  [[noreturn]] void fail_here(const std::string& message) const {
    throw InputError(read_position() + " (byte " + std::to_string(bytes_.position()) + "): " + message);
  }
  [[noreturn]] void cut_off(std::size_t bytes) const {
    fail_here("the trace is cut off: expected a record of " + std::to_string(bytes) + " bytes, found " + std::to_string(bytes_.left()));
  }

  const std::uint64_t sector_bytes_;
  RecordBuffer bytes_;
  std::uint64_t number_ = 0;
  std::uint32_t device_ = 0;
  std::string name_;
};

}  // namespace

std::vector<Evidence> score_srt_binary(const Sample& sample) {
  const std::string_view head = sample.bytes;
  const auto begin = header_end(head);
  if (begin == std::string_view::npos || head.size() < begin + prefix_bytes) return {};
  const bool dated = head.substr(0, begin).find("tracedate") != std::string_view::npos;
  const char* const record = head.data() + begin;
  const std::uint32_t size = word(record, 0);
  const std::uint32_t version = word(record, 1) >> 16;
  const std::uint32_t type = word(record, 1) & 0xffff;
  if (size < prefix_bytes || size > most_record_bytes) return {};
  if (dated) return fits(1);
  return fits(0.9, version >= 1 && version <= last_version && type == request_type && size == request_bytes(version, type) ? 1 : 0);
}

std::unique_ptr<TraceSource> read_srt_binary(TraceFile file, const std::string& argument) {
  if (!argument.empty() && argument != "512" && argument != "1024")
    throw InputError("--format srt-binary:" + argument + ": expected srt-binary:512 or srt-binary:1024 (bytes of a sector)");
  return std::make_unique<SrtBinary>(std::move(file), argument == "1024" ? 1024 : 512);
}

}  // namespace tessera
