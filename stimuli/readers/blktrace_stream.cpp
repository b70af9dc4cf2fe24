#include "stimuli/readers/blktrace_stream.hpp"

#include <cstdio>

#include "base/error.hpp"

namespace tessera {
namespace {

constexpr std::size_t stream_buffer = std::size_t{1} << 18;  // above the longest record: 64 bytes and 64 KiB of data
constexpr std::uint32_t blktrace_magic = 0x656174;

struct RecordLayout {
  std::size_t bytes, action, action_bytes, device, error, data_bytes;
};
constexpr RecordLayout version_7{48, 28, 4, 36, 44, 46};
constexpr RecordLayout version_8{64, 32, 8, 40, 48, 50};

std::string as_hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

}  // namespace

bool is_blktrace(std::string_view bytes) {
  constexpr unsigned char first_printable = 0x20;  // a text may begin with the same letters; versions are small numbers
  if (bytes.size() < 4) return false;
  const auto version = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]) < first_printable; };
  return (bytes.substr(1, 3) == "tae" && version(0)) || (bytes.substr(0, 3) == "eat" && version(3));
}

BlktraceStream::BlktraceStream(TraceFile file) : path_(std::move(file.path)), bytes_(std::move(file.bytes), stream_buffer) {}

void BlktraceStream::fail(const std::string& message) const {
  throw InputError(path_ + ":record " + std::to_string(records_) + " (byte " + std::to_string(bytes_.position()) + "): " + message);
}

template <class T>
T BlktraceStream::number(std::size_t at) const {
  T value = 0;
  const char* bytes = bytes_.data() + at;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(static_cast<T>(value << 8) | static_cast<unsigned char>(bytes[big_endian_ ? i : sizeof(T) - 1 - i]));
  return value;
}

bool BlktraceStream::next(BlktraceEvent& event) {
  if (!bytes_.holds(1)) return false;
  ++records_;
  if (!bytes_.holds(4)) fail("the trace is cut off: expected a record of blktrace, found " + std::to_string(bytes_.left()) + " bytes");
  if (records_ == 1) big_endian_ = number<std::uint32_t>(0) >> 8 != blktrace_magic;
  const auto mark = number<std::uint32_t>(0);
  if (mark >> 8 != blktrace_magic) fail("expected the magic 0x65617407 of a record of blktrace, found " + as_hexadecimal(mark));
  const auto version = mark & 0xff;
  if (version != 7 && version != 8) fail("blktrace version " + std::to_string(version) + " is not read; expected 7 or 8");
  const RecordLayout& layout = version == 7 ? version_7 : version_8;
  if (!bytes_.holds(layout.bytes))
    fail("the trace is cut off: expected a record of " + std::to_string(layout.bytes) + " bytes, found " + std::to_string(bytes_.left()));
  event.sequence = number<std::uint32_t>(4);
  event.time = number<std::uint64_t>(8);
  event.sector = number<std::uint64_t>(16);
  event.bytes = number<std::uint32_t>(24);
  event.action = layout.action_bytes == 4 ? number<std::uint32_t>(layout.action) : number<std::uint64_t>(layout.action);
  event.device = number<std::uint32_t>(layout.device);
  event.error = number<std::uint16_t>(layout.error);
  const std::size_t data = number<std::uint16_t>(layout.data_bytes);
  bytes_.skip(layout.bytes);
  data_cut_ = !bytes_.holds(data);
  const std::size_t there = data_cut_ ? bytes_.left() : data;
  event.data.assign(bytes_.data(), there);
  bytes_.skip(there);
  return true;
}

}  // namespace tessera
