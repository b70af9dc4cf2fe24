#include "stimuli/readers/blktrace_stream.hpp"

#include <cstdio>
#include <cstring>

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
  return bytes.size() >= 4 && (bytes.substr(1, 3) == "tae" || bytes.substr(0, 3) == "eat") && bytes.find_first_of("\x07\x08") < 4;
}

BlktraceStream::BlktraceStream(TraceFile file) : path_(std::move(file.path)), bytes_(std::move(file.bytes)), buffer_(stream_buffer) {}

std::string BlktraceStream::position() const { return path_ + ":record " + std::to_string(records_); }

void BlktraceStream::fail(const std::string& message) const {
  throw InputError(position() + " (byte " + std::to_string(passed_ + at_) + "): " + message);
}

bool BlktraceStream::fill(std::size_t bytes) {
  if (filled_ - at_ >= bytes) [[likely]]
    return true;
  if (!ended_) {
    std::memmove(buffer_.data(), buffer_.data() + at_, filled_ - at_);
    passed_ += at_;
    filled_ -= at_;
    at_ = 0;
    const std::size_t wanted = buffer_.size() - filled_;
    const std::size_t got = bytes_->read({buffer_.data() + filled_, wanted});
    filled_ += got;
    ended_ = got < wanted;
  }
  return filled_ - at_ >= bytes;
}

template <class T>
T BlktraceStream::number(std::size_t at) const {
  T value = 0;
  const char* bytes = buffer_.data() + at_ + at;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(static_cast<T>(value << 8) | static_cast<unsigned char>(bytes[big_endian_ ? i : sizeof(T) - 1 - i]));
  return value;
}

bool BlktraceStream::next(BlktraceEvent& event) {
  if (!fill(1)) return false;
  ++records_;
  if (!fill(4)) fail("the trace is cut off: expected a record of blktrace, found " + std::to_string(filled_ - at_) + " bytes");
  if (records_ == 1) big_endian_ = number<std::uint32_t>(0) >> 8 != blktrace_magic;
  const auto mark = number<std::uint32_t>(0);
  if (mark >> 8 != blktrace_magic) fail("expected the magic 0x65617407 of a record of blktrace, found " + as_hexadecimal(mark));
  const auto version = mark & 0xff;
  if (version != 7 && version != 8) fail("blktrace version " + std::to_string(version) + " is not read; expected 7 or 8");
  const RecordLayout& layout = version == 7 ? version_7 : version_8;
  if (!fill(layout.bytes))
    fail("the trace is cut off: expected a record of " + std::to_string(layout.bytes) + " bytes, found " + std::to_string(filled_ - at_));
  event.sequence = number<std::uint32_t>(4);
  event.time = number<std::uint64_t>(8);
  event.sector = number<std::uint64_t>(16);
  event.bytes = number<std::uint32_t>(24);
  event.action = layout.action_bytes == 4 ? number<std::uint32_t>(layout.action) : number<std::uint64_t>(layout.action);
  event.device = number<std::uint32_t>(layout.device);
  event.error = number<std::uint16_t>(layout.error);
  const std::size_t data = number<std::uint16_t>(layout.data_bytes);
  at_ += layout.bytes;
  data_cut_ = !fill(data);
  const std::size_t there = data_cut_ ? filled_ - at_ : data;
  event.data.assign(buffer_.data() + at_, there);
  at_ += there;
  return true;
}

}  // namespace tessera
