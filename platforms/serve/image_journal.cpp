#include "platforms/serve/image_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

// In the machine's own byte order: a journal does not leave its machine.
struct Header {
  std::array<char, 16> magic;
  std::uint64_t size;                 ///< of the image, bytes
  std::int64_t seconds, nanoseconds;  ///< when the image was changed last
  std::uint64_t sum;                  ///< of all before
};
constexpr std::array<char, 16> magic{'t', 'e', 's', 's', 'e', 'r', 'a', ' ', 'j', 'o', 'u', 'r', 'n', 'a', 'l', '1'};

/// `apply`: the image is being changed, so that it has another time.
enum class Kind : std::uint32_t { write = 1, clear = 2, commit = 3, apply = 4 };

std::uint32_t checksum(const void* bytes, std::size_t length) {
  boost::crc_32_type sum;
  sum.process_bytes(bytes, length);
  return sum.checksum();
}

bool all_zero(std::span<const std::byte> data) {
  return std::all_of(data.begin(), data.end(), [](std::byte byte) { return byte == std::byte{0}; });
}

/// Data is read and carried over by the piece: a record says itself how much it has, and whoever sent the journal wrote that.
constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;

std::uint64_t sum_of(const Header& header) { return checksum(&header, offsetof(Header, sum)); }

/// The folder of a file; a bare name is in the current one.
std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// The name of a file is on the disk when its folder is.
bool sync_folder(const std::filesystem::path& file) {
  const int folder = ::open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = folder >= 0 && ::fsync(folder) == 0;
  if (folder >= 0) ::close(folder);
  return synced;
}

}  // namespace

struct ImageJournal::Head {
  Kind kind = Kind::commit;
  std::uint32_t data_sum = 0;
  std::uint64_t offset = 0, length = 0;  ///< of the image, bytes
  std::uint32_t place = 0;               ///< low bits of where it stands, so that none is taken for another
  std::uint32_t sum = 0;                 ///< of all before

  [[nodiscard]] std::uint32_t own_sum() const { return checksum(this, offsetof(Head, sum)); }
  [[nodiscard]] std::uint64_t data_length() const { return kind == Kind::write ? length : 0; }
};

ImageJournal::ImageJournal(ImageFile& image) : image_(&image), path_(image.path()) {
  path_ += ".journal";
  if (::access(folder_of(path_).c_str(), W_OK) != 0)
    throw InputError("--image " + image.path().string() + ": its folder is not writable, and its journal is kept there");
  recover();
}

ImageJournal::~ImageJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ImageJournal::write(std::uint64_t offset, std::span<const std::byte> data) {
  if (all_zero(data)) return clear(offset, data.size());
  return append({.kind = Kind::write, .data_sum = checksum(data.data(), data.size()), .offset = offset, .length = data.size()}, data);
}

bool ImageJournal::clear(std::uint64_t offset, std::uint64_t length) {
  return append({.kind = Kind::clear, .offset = offset, .length = length}, {});
}

bool ImageJournal::commit() {
  if (end_ == committed_) return !broken_;
  if (!append({.kind = Kind::commit}, {})) return false;
  if (::fdatasync(descriptor_) != 0 || (!named_ && !sync_folder(path_))) {
    broken_ = true;
    return refuse(errno);
  }
  named_ = true;
  committed_ = end_;
  return true;
}

bool ImageJournal::append(Head head, std::span<const std::byte> data) {
  if (broken_) return false;
  if (descriptor_ < 0) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) return refuse(errno);
  }
  const std::uint64_t before = end_;
  if (end_ == 0) {
    const auto time = image_->changed();
    Header header{magic, image_->size(), time.seconds, time.nanoseconds, 0};
    header.sum = sum_of(header);
    if (!put(0, std::as_bytes(std::span(&header, 1)))) return false;
    end_ = committed_ = sizeof header;
  }
  head.place = static_cast<std::uint32_t>(end_);
  head.sum = head.own_sum();
  if (!put(end_, std::as_bytes(std::span(&head, 1))) || !put(end_ + sizeof head, data)) {
    static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(before)));
    end_ = before;
    committed_ = std::min(committed_, end_);
    return false;
  }
  end_ += sizeof head + data.size();
  return true;
}

bool ImageJournal::put(std::uint64_t at, std::span<const std::byte> bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t gone = ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (gone < 0 && errno != EINTR) return refuse(errno);
    if (gone > 0) done += static_cast<std::size_t>(gone);
  }
  return true;
}

bool ImageJournal::refuse(int error) {
  error_ = error;
  if (!std::exchange(has_complained_, true))
    std::cerr << "cannot write '" << path_.string() << "': " << std::strerror(error)
              << ": clients get errors for what is not kept; everything flushed before is\n";
  return false;
}

void ImageJournal::apply() {
  if (end_ == 0) return;
  if (!append({.kind = Kind::apply}, {}) || !commit()) throw output_error("write", path_, error_);
  carry_out(committed_);
  if (::ftruncate(descriptor_, 0) != 0 || ::fsync(descriptor_) != 0) throw output_error("empty", path_, errno);
  end_ = committed_ = 0;
}

void ImageJournal::finish() {
  apply();
  if (descriptor_ >= 0) remove();
}

void ImageJournal::remove() {
  ::close(std::exchange(descriptor_, -1));
  if (::unlink(path_.c_str()) != 0 || !sync_folder(path_)) throw output_error("remove", path_, errno);
  named_ = false;
}

void ImageJournal::recover() {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor_ < 0 && errno == ENOENT) return;
  const auto refused = [this](const std::string& why) {
    return InputError("--image " + image_->path().string() + ": " + path_.string() + ": " + why);
  };
  if (descriptor_ < 0) throw refused(errno == ELOOP ? "expected a file, found a link: move it away" : std::strerror(errno));
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0 || !S_ISREG(found.st_mode)) throw refused("expected a regular file: move it away");
  Header header{};
  const ssize_t got = ::pread(descriptor_, &header, sizeof header, 0);
  if (got < 0) throw refused(std::strerror(errno));
  const auto length = static_cast<std::size_t>(got);
  if (std::memcmp(&header, magic.data(), std::min(length, magic.size())) != 0)
    throw refused("it is not the journal of an image: move it away, or give the image another name");
  bool begun = false;
  const bool sound = length == sizeof header && header.sum == sum_of(header);  // or nothing was committed
  const std::uint64_t end = sound ? find_end(header.size, begun) : 0;
  if (end > 0) {
    const ImageFile::Time time{header.seconds, header.nanoseconds};
    if (header.size != image_->size() || (!begun && time != image_->changed()))
      throw refused(
          "it holds what was flushed to another image, or to this one before it was changed: put that image back (cp -a keeps its time), "
          "or move the journal away to use the image as it is");
    carry_out(end);
    took_in_ = true;
  }
  remove();
}

std::optional<std::uint32_t> ImageJournal::pass_data(std::uint64_t at, const Head& head, bool into_image) const {
  boost::crc_32_type sum;
  std::vector<std::byte> piece(std::min(head.data_length(), piece_bytes));
  for (std::uint64_t done = 0; done < head.data_length(); done += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), head.data_length() - done));
    if (::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(at + done)) != static_cast<ssize_t>(piece.size()))
      return std::nullopt;
    sum.process_bytes(piece.data(), piece.size());
    if (into_image) image_->write(head.offset + done, piece);
  }
  return sum.checksum();
}

std::uint64_t ImageJournal::find_end(std::uint64_t size, bool& begun) const {
  std::uint64_t committed = 0;
  for (std::uint64_t at = sizeof(Header);;) {
    Head head;
    if (::pread(descriptor_, &head, sizeof head, static_cast<off_t>(at)) != sizeof head) return committed;
    const bool sound = head.sum == head.own_sum() && head.place == static_cast<std::uint32_t>(at) && head.offset <= size &&
                       head.length <= size - head.offset;
    if (!sound) return committed;
    const auto sum = pass_data(at + sizeof head, head, false);
    if (!sum || (head.kind == Kind::write && *sum != head.data_sum)) return committed;
    at += sizeof head + head.data_length();
    if (head.kind == Kind::commit) committed = at;
    begun = begun || head.kind == Kind::apply;
  }
}

/// All of it again where it is ended in its midst: the records are in order, and each says what its bytes are.
void ImageJournal::carry_out(std::uint64_t end) {
  for (std::uint64_t at = sizeof(Header); at < end;) {
    Head head;
    const bool whole = ::pread(descriptor_, &head, sizeof head, static_cast<off_t>(at)) == sizeof head && head.sum == head.own_sum();
    if (!whole || !pass_data(at + sizeof head, head, true)) throw output_error("read", path_, EIO);
    if (head.kind == Kind::clear) image_->clear(head.offset, head.length);
    at += sizeof head + head.data_length();
  }
  image_->sync();
}

}  // namespace tessera
