#include "stimuli/readers/byte_stream.hpp"

#include <zstd.h>

#include <array>
#include <boost/iostreams/device/file.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.hpp"

namespace tessera {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(const std::string& path) : path_(path), file_(path, std::ios::binary) {}
  std::size_t read(std::span<char> out) override {
    file_.read(out.data(), static_cast<std::streamsize>(out.size()));
    if (file_.bad()) throw input_error(path_, 0, "the file cannot be read");
    return static_cast<std::size_t>(file_.gcount());
  }

 private:
  std::string path_;
  std::ifstream file_;
};

InputError damaged(const std::string& path, const char* kind, std::uint64_t produced, const std::string& why) {
  return input_error(
      path, 0,
      std::string("the ") + kind + " stream is damaged or cut off after " + std::to_string(produced) + " bytes of content (" + why + ")");
}

/// gzip and xz: the filters of Boost throw where a stream breaks off.
class FilteredStream : public ByteStream {
 public:
  template <class Filter>
  FilteredStream(const std::string& path, const char* kind, const Filter& filter) : path_(path), kind_(kind) {
    stream_.push(filter, chunk_bytes);
    stream_.push(io::file_source(path, std::ios::binary), chunk_bytes);
  }
  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    try {
      while (filled < out.size()) {
        const auto got = io::read(stream_, out.data() + filled, static_cast<std::streamsize>(out.size() - filled));
        if (got <= 0) break;
        filled += static_cast<std::size_t>(got);
      }
    } catch (const std::ios_base::failure& failure) {
      throw damaged(path_, kind_, produced_ + filled, failure.what());
    }
    produced_ += filled;
    return filled;
  }

 private:
  std::string path_;
  const char* kind_;
  io::filtering_streambuf<io::input> stream_;
  std::uint64_t produced_ = 0;
};

/// zstd through its own library: Boost's filter takes a cut stream for a clean end.
class ZstdStream : public ByteStream {
 public:
  explicit ZstdStream(const std::string& path) : path_(path), file_(path), context_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
    const auto window = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, window.upperBound);
  }
  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos < to.size) {
      if (from_.pos == from_.size && !refill()) {
        if (pending_ != 0) throw damaged(path_, "zstd", produced_ + to.pos, "the last frame is not complete");
        break;
      }
      pending_ = ZSTD_decompressStream(context_.get(), &to, &from_);
      if (ZSTD_isError(pending_) != 0) throw damaged(path_, "zstd", produced_ + to.pos, ZSTD_getErrorName(pending_));
    }
    produced_ += to.pos;
    return to.pos;
  }

 private:
  /// A full output buffer can leave content inside the decoder, so an empty input is offered once more at the end.
  bool refill() {
    const std::size_t got = file_.read(chunk_);
    if (got == 0 && (drained_ || pending_ == 0)) return false;
    drained_ = got == 0;
    from_ = {chunk_.data(), got, 0};
    return true;
  }

  std::string path_;
  PlainStream file_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::vector<char> chunk_ = std::vector<char>(chunk_bytes);
  ZSTD_inBuffer from_{nullptr, 0, 0};
  std::size_t pending_ = 0;  ///< 0 exactly at the end of a frame
  bool drained_ = false;
  std::uint64_t produced_ = 0;
};

bool begins_with(std::span<const char> head, std::string_view magic) {
  return head.size() >= magic.size() && std::memcmp(head.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

std::unique_ptr<ByteStream> open_byte_stream(const std::string& path) {
  if (!std::filesystem::exists(path)) throw input_error(path, 0, "no such file");
  if (std::filesystem::is_directory(path)) throw input_error(path, 0, "is a folder; expected a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(path, 0, "the file cannot be opened for reading");
  std::array<char, 6> first{};
  file.read(first.data(), first.size());
  const std::span<const char> head(first.data(), static_cast<std::size_t>(file.gcount()));

  if (begins_with(head, "\x1f\x8b")) return std::make_unique<FilteredStream>(path, "gzip", io::gzip_decompressor());  // RFC 1952
  if (begins_with(head, std::string_view("\xfd"
                                         "7zXZ\0",
                                         6)))  // xz 1.2
    return std::make_unique<FilteredStream>(path, "xz", io::lzma_decompressor());
  if (begins_with(head, "\x28\xb5\x2f\xfd")) return std::make_unique<ZstdStream>(path);  // RFC 8878
  return std::make_unique<PlainStream>(path);
}

}  // namespace tessera
