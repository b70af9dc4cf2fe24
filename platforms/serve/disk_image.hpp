#pragma once
// The file that a served drive's content comes from and is kept in: a plain image of the drive, with holes where nothing was written.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <vector>

namespace tessera {

class DiskImage {
 public:
  static constexpr std::uint64_t chunk_bytes = 1U << 20U;

  /// Opens the file, or makes it; InputError where it cannot, or where it is larger than a drive of `size` bytes.
  DiskImage(const std::filesystem::path& file, std::uint64_t size);
  ~DiskImage();
  DiskImage(const DiskImage&) = delete;
  DiskImage& operator=(const DiskImage&) = delete;

  /// The next chunk that the file has data in, from the first on; false behind the last.
  [[nodiscard]] bool load(std::uint64_t& offset, std::vector<std::byte>& data);

  /// The chunks that [offset, offset + length) touches are to be kept.
  void mark(std::uint64_t offset, std::uint64_t length);
  /// The next chunk to be kept, once each.
  [[nodiscard]] bool take_marked(std::uint64_t& offset, std::uint64_t& length);
  /// Throws where the file cannot be written.
  void store(std::uint64_t offset, const std::vector<std::byte>& data) const;

 private:
  [[nodiscard]] std::uint64_t length_at(std::uint64_t offset) const;

  std::filesystem::path file_;
  std::uint64_t size_;
  int descriptor_;
  std::uint64_t loaded_ = 0;  ///< bytes from the first on that load() has looked at
  std::set<std::uint64_t> marked_;
};

}  // namespace tessera
