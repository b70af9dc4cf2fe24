#include "platforms/output/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

bool has_name(int descriptor, const std::filesystem::path& file) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

/// "process 123 on host", as the holder wrote it.
std::string holder(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 300> text{};
  const ssize_t length = descriptor < 0 ? 0 : ::read(descriptor, text.data(), text.size());
  if (descriptor >= 0) ::close(descriptor);
  std::string name(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  name.erase(name.find_last_not_of('\n') + 1);
  return name.empty() ? "another process" : "process " + name;
}

std::string own_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::to_string(::getpid()) + " on " + host.data() + "\n";
}

}  // namespace

int open_locked(const std::filesystem::path& file, int flags) {
  for (;;) {
    const int descriptor = ::open(file.c_str(), flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0 && errno == ELOOP && ::unlink(file.c_str()) == 0) continue;
    if (descriptor < 0) return -1;
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && has_name(descriptor, file)) return descriptor;
    const int error = errno;
    const bool gone = !has_name(descriptor, file);
    ::close(descriptor);
    errno = error;
    if (!gone) return -1;
  }
}

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / name), descriptor_(open_locked(file_, O_RDWR)) {
  if (descriptor_ < 0 && errno == EWOULDBLOCK)
    throw InputError(folder.string() + ": " + holder(file_) +
                     " writes its results into this folder; give another one, or wait until it ends");
  if (descriptor_ < 0) throw output_error("create", file_, errno);
  const std::string own = own_name();
  if (::ftruncate(descriptor_, 0) != 0 || ::write(descriptor_, own.data(), own.size()) < 0) {
    const int error = errno;
    ::unlink(file_.c_str());
    ::close(descriptor_);
    throw output_error("write", file_, error);
  }
}

FolderLock::~FolderLock() {
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace tessera
