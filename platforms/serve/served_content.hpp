#pragma once
// What is known of a served drive's content besides what it holds: which of it was ever written, and what the image is to hold.
//
// The image follows what clients are acknowledged. Behind a power cut that is not what the drive holds: what no FLUSH had covered is read
// back from it before anybody else reads it, and so is at the end what a failed write has left.
#include <memory>
#include <string>

#include "platforms/serve/allocation_map.hpp"
#include "platforms/serve/disk_image.hpp"

namespace tessera {

class ServedContent {
 public:
  /// Without a file nothing is kept.
  void open(const std::filesystem::path& file, std::uint64_t size);
  [[nodiscard]] DiskImage* image() { return image_.get(); }
  [[nodiscard]] AllocationMap& allocation() { return allocation_; }

  /// The drive has done this; `durable`: it outlives the process before anybody is told. Not `none`: it is not kept.
  [[nodiscard]] NbdError wrote(std::uint64_t offset, std::span<const std::byte> data, bool durable);
  [[nodiscard]] NbdError trimmed(std::uint64_t offset, std::uint64_t length, bool durable);
  [[nodiscard]] NbdError zeroed(std::uint64_t offset, std::uint64_t length, bool durable);

  /// A flush goes to the drive: whether it is one whose end is to be told by flushed(true) or flush_failed(), as no other covers anything.
  [[nodiscard]] bool flush_begins();
  [[nodiscard]] NbdError flushed(bool covers);
  void flush_failed(bool covers);
  /// What the drive held of these is as it may be; of requests under way doubt() tells.
  void power_lost();

  /// What is to be read back from the drive, a piece at a time; behind the last one, commit().
  [[nodiscard]] bool take_doubtful(std::uint64_t& offset, std::uint64_t& length);
  void doubt(std::uint64_t offset, std::uint64_t length);
  /// A piece that could not be read, as two pieces.
  void doubt_apart(std::uint64_t offset, std::uint64_t first, std::uint64_t length);
  /// What the drive holds there.
  [[nodiscard]] bool settle(std::uint64_t offset, std::span<const std::byte> data);
  [[nodiscard]] bool commit() { return image_ == nullptr || image_->commit(); }
  /// Throws OutputError.
  void finish();

 private:
  [[nodiscard]] NbdError kept(bool held, std::uint64_t offset, std::uint64_t length, bool durable);

  AllocationMap allocation_;
  std::unique_ptr<DiskImage> image_;
  RangeSet acknowledged_;  ///< since the last flush began
  RangeSet covered_;       ///< by the flush that is under way
  RangeSet doubtful_;
  std::vector<RangeSet::Range> pieces_;  ///< of it
  bool covers_ = false;
};

}  // namespace tessera
