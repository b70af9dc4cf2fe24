#pragma once
// A raw image of a disk: the file's bytes stay in the file, which may have holes, and are read as they are asked for. Blocks that are
// changed lie beside it in memory; the file is never written.
#include <array>
#include <filesystem>
#include <functional>
#include <span>
#include <unordered_map>

#include "base/address.hpp"
#include "base/units.hpp"

namespace tessera {

class LoadedImage {
 public:
  using Block = std::array<std::byte, host_block_bytes>;

  /// InputError where the file cannot be read, is empty or not of whole blocks.
  explicit LoadedImage(const std::filesystem::path& file);
  ~LoadedImage();
  LoadedImage(const LoadedImage&) = delete;
  LoadedImage& operator=(const LoadedImage&) = delete;

  [[nodiscard]] Bytes size() const { return size_; }
  /// Zeros beyond the end.
  void read(HostBlock block, std::span<std::byte> to) const;
  void change(HostBlock block, std::span<const std::byte> from);
  /// The blocks that may hold other than zeros: those of the file's data, and changed ones; some twice.
  void each_written(const std::function<void(HostBlock)>& visit) const;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  Bytes size_;
  std::unordered_map<std::uint64_t, Block> changed_;
};

/// Writes such an image, with holes where nothing is written.
class SavedImage {
 public:
  /// InputError where the file cannot be made.
  SavedImage(const std::filesystem::path& file, Bytes size);
  ~SavedImage();
  SavedImage(const SavedImage&) = delete;
  SavedImage& operator=(const SavedImage&) = delete;

  void write(HostBlock block, std::span<const std::byte> from);

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace tessera
