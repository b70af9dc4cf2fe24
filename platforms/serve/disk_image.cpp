#include "platforms/serve/disk_image.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

DiskImage::DiskImage(const std::filesystem::path& file, std::uint64_t size)
    : file_(file), size_(size), descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw InputError("--image " + file.string() + ": " + std::strerror(errno));
  const auto held = static_cast<std::uint64_t>(::lseek(descriptor_, 0, SEEK_END));
  if (held > size)
    throw InputError("--image " + file.string() + ": it holds " + std::to_string(held) + " bytes, and the drive " + std::to_string(size));
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) throw output_error("enlarge", file.string(), errno);
}

DiskImage::~DiskImage() { ::close(descriptor_); }

std::uint64_t DiskImage::length_at(std::uint64_t offset) const { return std::min(chunk_bytes, size_ - offset); }

bool DiskImage::load(std::uint64_t& offset, std::vector<std::byte>& data) {
  if (loaded_ >= size_) return false;
  const off_t next = ::lseek(descriptor_, static_cast<off_t>(loaded_), SEEK_DATA);
  if (next < 0) return false;
  offset = static_cast<std::uint64_t>(next) / chunk_bytes * chunk_bytes;
  data.resize(length_at(offset));
  loaded_ = offset + data.size();
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t got = ::pread(descriptor_, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (got <= 0) throw InputError("--image " + file_.string() + ": " + std::strerror(errno));
    done += static_cast<std::size_t>(got);
  }
  return true;
}

void DiskImage::mark(std::uint64_t offset, std::uint64_t length) {
  for (std::uint64_t chunk = offset / chunk_bytes; chunk * chunk_bytes < offset + length; ++chunk) marked_.insert(chunk);
}

bool DiskImage::take_marked(std::uint64_t& offset, std::uint64_t& length) {
  if (marked_.empty()) return false;
  offset = *marked_.begin() * chunk_bytes;
  length = length_at(offset);
  marked_.erase(marked_.begin());
  return true;
}

void DiskImage::store(std::uint64_t offset, const std::vector<std::byte>& data) const {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t gone = ::pwrite(descriptor_, data.data() + done, data.size() - done, static_cast<off_t>(offset + done));
    if (gone < 0) throw output_error("write", file_.string(), errno);
    done += static_cast<std::size_t>(gone);
  }
}

}  // namespace tessera
