#include "platforms/serve/image_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

InputError refused(const std::filesystem::path& file, const std::string& why) {
  return InputError("--image " + file.string() + ": " + why);
}

struct stat state_of(int descriptor) {
  struct stat state {};
  ::fstat(descriptor, &state);
  return state;
}

}  // namespace

ImageFile::ImageFile(const std::filesystem::path& file) : path_(std::filesystem::weakly_canonical(file)) {
  struct stat before {};
  if (::stat(path_.c_str(), &before) == 0 && !S_ISREG(before.st_mode))
    throw refused(file, "expected a regular file, or a name that is free");  // opening a pipe would wait for somebody
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw refused(file, std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(descriptor_);
    throw refused(file,
                  error == EWOULDBLOCK ? "another server has it: stop that one first, or give this one a copy" : std::strerror(error));
  }
  was_made_ = size() == 0;
}

ImageFile::~ImageFile() { ::close(descriptor_); }

std::uint64_t ImageFile::size() const { return static_cast<std::uint64_t>(state_of(descriptor_).st_size); }

ImageFile::Time ImageFile::changed() const {
  const timespec time = state_of(descriptor_).st_mtim;
  return {time.tv_sec, time.tv_nsec};
}

std::optional<std::uint64_t> ImageFile::next_data(std::uint64_t from) const {
  if (from >= size()) return std::nullopt;
  const off_t next = ::lseek(descriptor_, static_cast<off_t>(from), SEEK_DATA);
  if (next >= 0) return static_cast<std::uint64_t>(next);
  if (errno == ENXIO) return std::nullopt;
  if (errno == EINVAL) return from;  // a file system that knows no holes
  throw refused(path_, std::strerror(errno));
}

std::uint64_t ImageFile::data_end(std::uint64_t from) const {
  const off_t end = ::lseek(descriptor_, static_cast<off_t>(from), SEEK_HOLE);
  if (end >= 0) return static_cast<std::uint64_t>(end);
  if (errno == EINVAL) return size();
  throw refused(path_, std::strerror(errno));
}

void ImageFile::read(std::uint64_t offset, std::span<std::byte> data) const {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t got = ::pread(descriptor_, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw refused(path_, std::strerror(errno));
    if (got == 0) throw refused(path_, "it became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
}

void ImageFile::resize(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) throw output_error("enlarge", path_, errno);
}

void ImageFile::write(std::uint64_t offset, std::span<const std::byte> data) {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t gone = ::pwrite(descriptor_, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (gone < 0 && errno == EINTR) continue;
    if (gone < 0) throw output_error("write", path_, errno);
    done += static_cast<std::size_t>(gone);
  }
}

void ImageFile::clear(std::uint64_t offset, std::uint64_t length) {
  if (::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(length)) == 0)
    return;
  static constexpr std::array<std::byte, 65'536> zeros{};
  for (std::uint64_t done = 0; done < length; done += zeros.size())
    write(offset + done, std::span(zeros).first(std::min<std::uint64_t>(zeros.size(), length - done)));
}

void ImageFile::sync() {
  if (::fsync(descriptor_) != 0) throw output_error("write", path_, errno);
}

}  // namespace tessera
