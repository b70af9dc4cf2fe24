#include "platforms/output/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <streambuf>
#include <system_error>

namespace tessera {

OutputError output_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  return OutputError("cannot " + std::string(action) + " '" + path.string() + "': " + std::generic_category().message(error_number));
}

std::filesystem::path partial_name(std::filesystem::path path) { return path += ".partial"; }

bool replaceable(const std::filesystem::path& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
}

/// Collects 64 KiB before each system call, and remembers the first error.
class OutputFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(const std::filesystem::path& path)
      : path_(path),
        opened_(replaceable(path) ? partial_name(path) : path),
        descriptor_(::open(opened_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) throw output_error("create", path, errno);
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~Buffer() override {
    if (descriptor_ < 0) return;
    sync();
    ::close(descriptor_);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] int error() const { return error_; }

  void overwrite(std::uint64_t offset, std::string_view bytes) {
    sync();
    while (!bytes.empty() && error_ == 0) {
      const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written <= 0) continue;
      bytes.remove_prefix(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    }
  }

  void close() {
    sync();
    if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
    descriptor_ = -1;
    if (error_ == 0 && opened_ != path_ && ::rename(opened_.c_str(), path_.c_str()) != 0) error_ = errno;
  }

 protected:
  int sync() override {
    const char* next = pbase();
    while (next != pptr() && error_ == 0) {
      const ssize_t written = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written > 0) next += written;
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return error_ == 0 ? 0 : -1;
  }
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path opened_;  ///< the partial name, or a device as it is
  std::array<char, 1 << 16> bytes_;
  int descriptor_;
  int error_ = 0;
};

OutputFile::OutputFile(const std::filesystem::path& path) : buffer_(std::make_unique<Buffer>(path)), stream_(buffer_.get()) {}
OutputFile::~OutputFile() = default;

const std::filesystem::path& OutputFile::path() const { return buffer_->path(); }
std::ostream& OutputFile::stream() { return stream_; }
void OutputFile::append(std::string_view bytes) { buffer_->sputn(bytes.data(), static_cast<std::streamsize>(bytes.size())); }
void OutputFile::overwrite(std::uint64_t offset, std::string_view bytes) { buffer_->overwrite(offset, bytes); }
bool OutputFile::failed() const { return buffer_->error() != 0; }

void OutputFile::close() {
  buffer_->close();
  if (failed()) throw output_error("write", path(), buffer_->error());
}

}  // namespace tessera
