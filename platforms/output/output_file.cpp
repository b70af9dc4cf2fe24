#include "platforms/output/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <streambuf>
#include <system_error>

#include "base/error.hpp"
#include "platforms/output/folder_lock.hpp"

namespace tessera {

OutputError output_error(std::string_view action, const std::filesystem::path& path, int error_number) {
  return OutputError("cannot " + std::string(action) + " '" + path.string() + "': " + std::generic_category().message(error_number));
}

std::filesystem::path partial_name(std::filesystem::path path) { return path += ".partial"; }

namespace {

/// N of /dev/fd/N, /proc/self/fd/N, and of the names of standard output and error.
std::optional<int> named_descriptor(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal().string();
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    int descriptor = -1;
    const auto [end, error] = std::from_chars(name.data() + folder.size(), name.data() + name.size(), descriptor);
    if (error == std::errc() && end == name.data() + name.size()) return descriptor;
  }
  return std::nullopt;
}

/// Where a symbolic link leads: the file that it names is replaced, not the link.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

}  // namespace

bool replaceable(const std::filesystem::path& path) {
  if (named_descriptor(path)) return false;
  std::error_code error;
  return !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
}

/// Collects 64 KiB before each system call, and remembers the first error.
class OutputFile::Buffer : public std::streambuf {
 public:
  Buffer(const std::filesystem::path& path, Keep keep) : path_(path), final_(behind_links(path)), keep_(keep), aside_(replaceable(path)) {
    if (aside_) {
      opened_ = partial_name(final_);
      descriptor_ = open_locked(opened_, O_WRONLY);
      if (descriptor_ < 0 && errno == EWOULDBLOCK)
        throw InputError(path.string() + ": another process is writing this file; give another name, or wait until it ends");
      if (descriptor_ >= 0 && ::ftruncate(descriptor_, 0) != 0) error_ = errno;
    } else if (const auto named = named_descriptor(path)) {
      descriptor_ = ::fcntl(*named, F_DUPFD_CLOEXEC, 0);  // opened anew, it would begin at the front of what standard output goes to
    } else {
      descriptor_ = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    if (descriptor_ < 0) throw output_error("create", path, errno);
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~Buffer() override {
    if (descriptor_ < 0) return;
    sync();
    ::close(descriptor_);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& partial() const { return opened_; }
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
    if (aside_ && keep_ == Keep::result && error_ == 0 && ::fsync(descriptor_) != 0) error_ = errno;
    // It is renamed while it is locked: another process that waits for its turn opens a file of its own.
    if (aside_ && error_ == 0 && ::rename(opened_.c_str(), final_.c_str()) != 0) error_ = errno;
    if (::close(descriptor_) != 0 && error_ == 0) error_ = errno;
    descriptor_ = -1;
  }

 protected:
  int sync() override {
    const bool written = write_all({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return written ? 0 : -1;
  }
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  /// What fills the buffer anyhow is written from where it is.
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    if (count < epptr() - pbase()) return std::streambuf::xsputn(bytes, count);
    if (sync() != 0) return 0;
    return write_all({bytes, static_cast<std::size_t>(count)}) ? count : 0;
  }

 private:
  [[nodiscard]] bool write_all(std::string_view bytes) {
    while (!bytes.empty() && error_ == 0) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return error_ == 0;
  }

  std::filesystem::path path_;
  std::filesystem::path final_;   ///< the same behind symbolic links
  std::filesystem::path opened_;  ///< the partial name, where it has one
  Keep keep_;
  bool aside_;  ///< written under the partial name
  std::array<char, 1 << 16> bytes_;
  int descriptor_ = -1;
  int error_ = 0;
};

OutputFile::OutputFile(const std::filesystem::path& path, Keep keep)
    : buffer_(std::make_unique<Buffer>(path, keep)), stream_(buffer_.get()) {}
OutputFile::~OutputFile() = default;

const std::filesystem::path& OutputFile::path() const { return buffer_->path(); }
const std::filesystem::path& OutputFile::partial() const { return buffer_->partial(); }
std::ostream& OutputFile::stream() { return stream_; }
void OutputFile::append(std::string_view bytes) { buffer_->sputn(bytes.data(), static_cast<std::streamsize>(bytes.size())); }
void OutputFile::overwrite(std::uint64_t offset, std::string_view bytes) { buffer_->overwrite(offset, bytes); }
bool OutputFile::failed() const { return buffer_->error() != 0; }

void OutputFile::close() {
  buffer_->close();
  if (failed()) throw output_error("write", path(), buffer_->error());
}

}  // namespace tessera
