#include "stimuli/readers/byte_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <boost/iostreams/concepts.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "stimuli/readers/decompression.hpp"

namespace tessera {
namespace {

namespace io = boost::iostreams;

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr int most_window_bits = 27;  // of zstd: 128 MiB, as its own tool allows unasked; a header of a few bytes may ask for 2 GiB

StopAsked stop_asked = nullptr;

/// The file as it lies on disk or comes through a pipe.
class RawStream : public ByteStream {
 public:
  RawStream(const std::string& path, ContentHash* hash)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), hash_(hash) {
    if (descriptor_ < 0) throw input_error(path, 0, "the file cannot be opened for reading");
    struct stat found {};
    waits_ = ::fstat(descriptor_, &found) == 0 && !S_ISREG(found.st_mode);
  }
  ~RawStream() override { ::close(descriptor_); }
  RawStream(const RawStream&) = delete;
  RawStream& operator=(const RawStream&) = delete;

  std::size_t read(std::span<char> out) override {
    std::size_t got = 0;
    while (got < out.size()) {
      if (waits_) wait();
      const ssize_t more = ::read(descriptor_, out.data() + got, out.size() - got);
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) throw input_error(path_, 0, "the file cannot be read");
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    if (hash_ != nullptr) {
      hash_->add(out.first(got));
      if (got < out.size()) hash_->end();
    }
    return got;
  }

 private:
  /// Until a pipe has more. It is looked up now and then whether the program was asked to stop: a signal between look and wait wakes
  /// nobody.
  void wait() const {
    constexpr int look_every = 100;  // ms
    pollfd more{descriptor_, POLLIN, 0};
    while (::poll(&more, 1, look_every) <= 0) end_if_stopped(path_ + ": stopped while it waited for more of the trace");
  }

  std::string path_;
  int descriptor_;
  bool waits_ = false;  ///< a pipe, a device: what is not there yet may come
  ContentHash* hash_;
};

class PutBackStream : public ByteStream {
 public:
  PutBackStream(std::string bytes, std::unique_ptr<ByteStream> rest) : bytes_(std::move(bytes)), rest_(std::move(rest)) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t from_front = bytes_.copy(out.data(), out.size(), at_);
    at_ += from_front;
    return from_front == out.size() ? from_front : from_front + rest_->read(out.subspan(from_front));
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

class EmptyStream : public ByteStream {
 public:
  std::size_t read(std::span<char> /*out*/) override { return 0; }
};

/// A stream as Boost's filters read it.
struct FilterSource {
  using char_type = char;
  using category = io::source_tag;
  std::streamsize read(char* out, std::streamsize size) const {
    const std::size_t got = file->read({out, static_cast<std::size_t>(size)});
    return got == 0 ? -1 : static_cast<std::streamsize>(got);
  }
  std::shared_ptr<PackedFile> file;
};

/// gzip and xz: the filters of Boost throw where a stream breaks off.
class FilteredStream : public ByteStream {
 public:
  template <class Filter>
  FilteredStream(PackedFile file, const char* kind, const Filter& filter)
      : file_(std::make_shared<PackedFile>(std::move(file))), kind_(kind) {
    stream_.push(filter, chunk_bytes);
    stream_.push(FilterSource{file_}, chunk_bytes);
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
      throw file_->damaged(kind_, produced_ + filled, failure.what());
    }
    produced_ += filled;
    return filled;
  }

 private:
  std::shared_ptr<PackedFile> file_;
  const char* kind_;
  io::filtering_streambuf<io::input> stream_;
  std::uint64_t produced_ = 0;
};

/// zstd through its own library: Boost's filter takes a cut stream for a clean end.
class ZstdStream : public ByteStream {
 public:
  explicit ZstdStream(PackedFile file) : file_(std::move(file)), context_(ZSTD_createDCtx(), &ZSTD_freeDCtx) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, most_window_bits);
  }
  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (to.pos < to.size) {
      if (from_.pos == from_.size && !refill()) {
        if (pending_ != 0) throw file_.damaged("zstd", produced_ + to.pos, "the last frame is not complete");
        break;
      }
      pending_ = ZSTD_decompressStream(context_.get(), &to, &from_);
      if (ZSTD_getErrorCode(pending_) == ZSTD_error_frameParameter_windowTooLarge)
        throw input_error(file_.path(), 0, "the zstd stream needs a window above 128 MiB: unpack it first (zstd -d --long=31)");
      if (ZSTD_isError(pending_) != 0) throw file_.damaged("zstd", produced_ + to.pos, ZSTD_getErrorName(pending_));
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

  PackedFile file_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::vector<char> chunk_ = std::vector<char>(chunk_bytes);
  ZSTD_inBuffer from_{nullptr, 0, 0};
  std::size_t pending_ = 0;  ///< 0 exactly at the end of a frame
  bool drained_ = false;
  std::uint64_t produced_ = 0;
};

}  // namespace

void stop_reads_when(StopAsked asked) { stop_asked = asked; }

void end_if_stopped(const std::string& what) {
  if (stop_asked != nullptr && stop_asked()) throw ReadStopped(what);
}

std::unique_ptr<ByteStream> put_back(std::string bytes, std::unique_ptr<ByteStream> rest) {
  return std::make_unique<PutBackStream>(std::move(bytes), std::move(rest));
}

std::unique_ptr<ByteStream> memory_stream(std::string bytes) { return put_back(std::move(bytes), std::make_unique<EmptyStream>()); }

std::unique_ptr<ByteStream> open_byte_stream(const std::string& path, ContentHash* hash) {
  using namespace std::string_view_literals;
  if (!std::filesystem::exists(path)) throw input_error(path, 0, "no such file");
  if (std::filesystem::is_directory(path)) throw input_error(path, 0, "is a folder; expected a file");
  std::unique_ptr<ByteStream> file = std::make_unique<RawStream>(path, hash);
  std::string head(6, '\0');
  head.resize(file->read(head));
  file = put_back(head, std::move(file));

  if (head.starts_with("\x1f\x8b"))  // RFC 1952
    return std::make_unique<FilteredStream>(PackedFile(path, std::move(file)), "gzip", io::gzip_decompressor());
  if (head.starts_with("\xfd"
                       "7zXZ\0"sv))  // xz 1.2
    return std::make_unique<FilteredStream>(PackedFile(path, std::move(file)), "xz", io::lzma_decompressor());
  if (head.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdStream>(PackedFile(path, std::move(file)));  // RFC 8878
  if (head.starts_with("BZh") && head.size() > 3 && head[3] >= '1' && head[3] <= '9')
    return bzip2_content(PackedFile(path, std::move(file)));
  if (head.starts_with("\x04\x22\x4d\x18")) return lz4_content(PackedFile(path, std::move(file)));
  if (head.starts_with("\x02\x21\x4c\x18"))
    throw input_error(path, 0, "LZ4's legacy format (lz4 -l) is not read: unpack it first (lz4 -d), or pack it without -l");
  return file;
}

}  // namespace tessera
