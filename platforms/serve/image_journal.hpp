#pragma once
// What a served drive was given and its image does not hold yet: IMAGE.journal. Records are appended as the drive acknowledges them; a
// commit is a record of its own, on the disk before anybody is told. The image is changed only by records that are committed, which are on
// the disk then: wherever the process ends, the two files together hold everything up to the last commit. The next session takes it in.
//
// Format: a header (size and time of the image, by which a journal of another image is known), then records of a checksummed head and,
// for writes, data with a checksum. What is behind the last sound record, or the last commit, was never promised.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "platforms/serve/image_file.hpp"

namespace tessera {

class ImageJournal {
 public:
  /// Of the image, which is as long as the drive; takes in a journal that is there. InputError where that is not of this image.
  explicit ImageJournal(ImageFile& image);
  ~ImageJournal();
  ImageJournal(const ImageJournal&) = delete;
  ImageJournal& operator=(const ImageJournal&) = delete;

  /// False where it has no room for it (the reason is on standard error, once): then it holds nothing of it.
  [[nodiscard]] bool write(std::uint64_t offset, std::span<const std::byte> data);
  [[nodiscard]] bool clear(std::uint64_t offset, std::uint64_t length);
  /// Whether everything so far is on the disk.
  [[nodiscard]] bool commit();
  /// Whether there was one with something committed.
  [[nodiscard]] bool took_in() const { return took_in_; }
  /// Bytes that it takes.
  [[nodiscard]] std::uint64_t length() const { return end_; }

  /// Commits, changes the image, and removes the journal; throws OutputError.
  void finish();
  /// Changes the image by what is committed, and begins the journal anew.
  void apply();

 private:
  struct Head;

  [[nodiscard]] bool append(Head head, std::span<const std::byte> data);
  [[nodiscard]] bool put(std::uint64_t at, std::span<const std::byte> bytes);
  [[nodiscard]] bool refuse(int error);
  void recover();
  /// Of sound records that are committed; `begun`: whether the image was being changed by them.
  [[nodiscard]] std::uint64_t find_end(std::uint64_t size, bool& begun) const;
  void carry_out(std::uint64_t end);
  /// Reads a record's data, at `at`, and gives its checksum; none where the file ends before it does.
  [[nodiscard]] std::optional<std::uint32_t> pass_data(std::uint64_t at, const Head& head, bool into_image) const;
  void remove();

  ImageFile* image_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t end_ = 0;        ///< where the next record goes
  std::uint64_t committed_ = 0;  ///< what is before is on the disk
  bool named_ = false;           ///< its entry in the folder is on the disk
  bool broken_ = false;          ///< the system lost what it had taken: nothing can be promised any more
  bool took_in_ = false;
  bool has_complained_ = false;
  int error_ = 0;  ///< of the last refusal, as the system numbers them
};

}  // namespace tessera
