#pragma once
// The file that a served drive's content comes from and is kept in: a plain image of the drive, with holes where nothing was written.
// While it is open nobody else can open it (flock), and it changes only by what its journal holds (image_journal.hpp).
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "platforms/serve/image_file.hpp"
#include "platforms/serve/image_journal.hpp"

namespace tessera {

class DiskImage {
 public:
  static constexpr std::uint64_t chunk_bytes = 1U << 20U;

  /// Opens the file, or makes it, and takes in the journal that a session before has left. InputError where that cannot be: another server
  /// has it, it is larger than a drive of `size` bytes, or it has changed since the journal was begun.
  DiskImage(const std::filesystem::path& file, std::uint64_t size);

  /// The next run that the file has data in, from the first on, whole sectors of `sector` bytes; false behind the last.
  [[nodiscard]] bool load(std::uint64_t sector, std::uint64_t& offset, std::vector<std::byte>& data);

  /// Whether a session before did not end in order, and what it had promised was taken in.
  [[nodiscard]] bool took_in() const { return journal_->took_in(); }

  /// Loads from the first run on again.
  void rewind() { loaded_ = 0; }

  /// What the drive has been given from now on; false where there is no room for it: then nothing of it is kept.
  [[nodiscard]] bool write(std::uint64_t offset, std::span<const std::byte> data) { return journal_->write(offset, data); }
  [[nodiscard]] bool clear(std::uint64_t offset, std::uint64_t length) { return journal_->clear(offset, length); }
  /// All of it outlives this process, and the machine; false where it does not.
  [[nodiscard]] bool commit();
  /// What was committed is in the image itself, and the journal is gone; throws OutputError where the image cannot take it, and then the
  /// two together hold it.
  void finish() { journal_->finish(); }

 private:
  std::uint64_t size_;
  ImageFile file_;
  std::unique_ptr<ImageJournal> journal_;
  std::uint64_t apply_at_;    ///< length of the journal
  std::uint64_t loaded_ = 0;  ///< bytes from the first on that load() has looked at
};

}  // namespace tessera
