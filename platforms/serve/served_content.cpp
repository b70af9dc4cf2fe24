#include "platforms/serve/served_content.hpp"

namespace tessera {

void ServedContent::open(const std::filesystem::path& file, std::uint64_t size) {
  if (!file.empty()) image_ = std::make_unique<DiskImage>(file, size);
}

NbdError ServedContent::wrote(std::uint64_t offset, std::span<const std::byte> data, bool durable) {
  return image_ == nullptr ? NbdError::none : kept(image_->write(offset, data), offset, data.size(), durable);
}

NbdError ServedContent::zeroed(std::uint64_t offset, std::uint64_t length, bool durable) {
  return image_ == nullptr ? NbdError::none : kept(image_->clear(offset, length), offset, length, durable);
}

NbdError ServedContent::trimmed(std::uint64_t offset, std::uint64_t length, bool durable) {
  allocation_.trim(offset, length);
  return zeroed(offset, length, durable);
}

NbdError ServedContent::kept(bool held, std::uint64_t offset, std::uint64_t length, bool durable) {
  if (!held) {
    doubt(offset, length);
    return NbdError::no_space;
  }
  if (!durable) acknowledged_.add(offset, offset + length);
  return !durable || image_->commit() ? NbdError::none : NbdError::io;
}

bool ServedContent::flush_begins() {
  if (image_ == nullptr || covers_) return false;
  covered_.take(acknowledged_);
  return covers_ = true;
}

NbdError ServedContent::flushed(bool covers) {
  if (covers) {
    covered_.clear();
    covers_ = false;
  }
  return commit() ? NbdError::none : NbdError::io;
}

void ServedContent::flush_failed(bool covers) {
  if (!covers) return;
  acknowledged_.take(covered_);
  covers_ = false;
}

void ServedContent::power_lost() {
  doubtful_.take(acknowledged_);
  doubtful_.take(covered_);
  covers_ = false;
}

void ServedContent::doubt(std::uint64_t offset, std::uint64_t length) {
  if (image_ != nullptr) doubtful_.add(offset, offset + length);
}

bool ServedContent::take_doubtful(std::uint64_t& offset, std::uint64_t& length) {
  if (!pieces_.empty()) {
    const auto [begin, end] = pieces_.back();
    pieces_.pop_back();
    offset = begin;
    length = end - begin;
    return true;
  }
  if (doubtful_.empty()) return false;
  const auto [begin, end] = *doubtful_.ranges().begin();
  offset = begin;
  length = std::min(end - begin, DiskImage::chunk_bytes);
  doubtful_.remove(offset, offset + length);
  return true;
}

void ServedContent::doubt_apart(std::uint64_t offset, std::uint64_t first, std::uint64_t length) {
  pieces_.emplace_back(offset, offset + first);
  pieces_.emplace_back(offset + first, offset + length);
}

bool ServedContent::settle(std::uint64_t offset, std::span<const std::byte> data) { return image_->write(offset, data); }

void ServedContent::finish() {
  if (image_ != nullptr) image_->finish();
}

}  // namespace tessera
