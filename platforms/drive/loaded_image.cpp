#include "platforms/drive/loaded_image.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace tessera {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw InputError("the disk image " + file.string() + ' ' + why);
}

[[noreturn]] void refuse_by_system(const std::filesystem::path& file, const std::string& what) {
  refuse(file, what + ": " + std::strerror(errno));
}

off_t place_of(HostBlock block) { return static_cast<off_t>(block.value() * host_block_bytes); }

}  // namespace

LoadedImage::LoadedImage(const std::filesystem::path& file) : file_(file), descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) refuse_by_system(file, "cannot be opened");
  struct stat status {};
  const bool is_file = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  size_ = Bytes(static_cast<std::uint64_t>(status.st_size));
  const bool whole = size_ > Bytes(0) && size_.value() % host_block_bytes == 0;
  if (is_file && whole) return;
  close(descriptor_);
  refuse(file, is_file ? "has " + std::to_string(size_.value()) + " B; expected a multiple of 512, and not none" : "is not a file");
}

LoadedImage::~LoadedImage() { close(descriptor_); }

void LoadedImage::read(HostBlock block, std::span<std::byte> to) const {
  const auto changed = changed_.find(block.value());
  if (changed != changed_.end()) {
    std::ranges::copy(changed->second, to.begin());
    return;
  }
  std::ranges::fill(to, std::byte{0});
  if (block.value() * host_block_bytes >= size_.value()) return;
  if (pread(descriptor_, to.data(), to.size(), place_of(block)) < 0) refuse_by_system(file_, "cannot be read");
}

void LoadedImage::change(HostBlock block, std::span<const std::byte> from) { std::ranges::copy(from, changed_[block.value()].begin()); }

void LoadedImage::each_written(const std::function<void(HostBlock)>& visit) const {
  const auto end = static_cast<off_t>(size_.value());
  for (off_t at = 0; at < end;) {
    off_t data = lseek(descriptor_, at, SEEK_DATA);
    if (data < 0 && errno == EINVAL) data = at;  // a file system that knows no holes
    if (data < 0) break;                         // nothing but a hole is left
    const off_t hole = lseek(descriptor_, data, SEEK_HOLE);
    at = hole > data ? hole : end;
    const std::uint64_t last = (static_cast<std::uint64_t>(at) + host_block_bytes - 1) / host_block_bytes;
    for (std::uint64_t block = static_cast<std::uint64_t>(data) / host_block_bytes; block < last; ++block) visit(HostBlock(block));
  }
  for (const auto& [block, bytes] : changed_) visit(HostBlock(block));
}

SavedImage::SavedImage(const std::filesystem::path& file, Bytes size)
    : file_(file), descriptor_(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) refuse_by_system(file, "cannot be made");
  if (ftruncate(descriptor_, static_cast<off_t>(size.value())) == 0) return;
  close(descriptor_);
  refuse_by_system(file, "cannot have " + std::to_string(size.value()) + " B");
}

SavedImage::~SavedImage() { close(descriptor_); }

void SavedImage::write(HostBlock block, std::span<const std::byte> from) {
  if (pwrite(descriptor_, from.data(), from.size(), place_of(block)) != static_cast<ssize_t>(from.size()))
    refuse_by_system(file_, "cannot be written");
}

}  // namespace tessera
