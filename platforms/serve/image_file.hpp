#pragma once
// The image itself: a regular file that is locked while it is open, with its errors in words.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace tessera {

class ImageFile {
 public:
  /// When the content was changed last.
  struct Time {
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    bool operator==(const Time&) const = default;
  };

  /// Opens the file, or makes it, and locks it; InputError where it cannot.
  explicit ImageFile(const std::filesystem::path& file);
  ~ImageFile();
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] Time changed() const;
  /// Whether it was not there, or held nothing.
  [[nodiscard]] bool was_made() const { return was_made_; }

  /// Where data begins at or behind `from`; none where there is no more.
  [[nodiscard]] std::optional<std::uint64_t> next_data(std::uint64_t from) const;
  /// Where the data that `from` lies in ends.
  [[nodiscard]] std::uint64_t data_end(std::uint64_t from) const;
  void read(std::uint64_t offset, std::span<std::byte> data) const;

  // These throw OutputError.
  void resize(std::uint64_t bytes);
  void write(std::uint64_t offset, std::span<const std::byte> data);
  /// Zeros, as a hole where the file system has holes.
  void clear(std::uint64_t offset, std::uint64_t length);
  void sync();

 private:
  std::filesystem::path path_;
  bool was_made_ = false;
  int descriptor_ = -1;
};

}  // namespace tessera
