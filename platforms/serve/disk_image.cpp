#include "platforms/serve/disk_image.hpp"

#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

/// A journal of more than this is brought into the image when something is committed next.
constexpr std::uint64_t long_journal = 64U << 20U;

}  // namespace

DiskImage::DiskImage(const std::filesystem::path& file, std::uint64_t size) : size_(size), file_(file), apply_at_(long_journal) {
  const std::uint64_t held = file_.size();
  if (held > size)
    throw InputError("--image " + file.string() + ": it holds " + std::to_string(held) + " bytes, and the drive " + std::to_string(size));
  journal_ = std::make_unique<ImageJournal>(file_);
  if (held < size) file_.resize(size);
}

bool DiskImage::load(std::uint64_t sector, std::uint64_t& offset, std::vector<std::byte>& data) {
  const auto next = file_.next_data(loaded_);
  if (!next) return false;
  offset = *next / sector * sector;
  const std::uint64_t end = (file_.data_end(*next) + sector - 1) / sector * sector;
  loaded_ = std::min({end, offset + chunk_bytes, size_});
  data.resize(loaded_ - offset);
  file_.read(offset, data);
  return true;
}

bool DiskImage::commit() {
  if (!journal_->commit()) return false;
  if (journal_->length() < apply_at_) return true;
  try {
    journal_->apply();
    apply_at_ = long_journal;
  } catch (const OutputError& error) {  // what was committed is committed
    std::cerr << error.what() << ": its journal keeps what it should have taken\n";
    apply_at_ = 2 * journal_->length();
  }
  return true;
}

}  // namespace tessera
