#pragma once
// Which sectors are bad, and where their data lies instead: a sorted table in DRAM that is its own image on the platters.
#include <array>
#include <cstdint>
#include <span>

#include "base/address.hpp"
#include "firmware/defects/spare_layout.hpp"
#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

/// A sector that the drive knows to be bad. Plain bytes: this is what lies on the platters.
struct Defect {
  static constexpr std::uint32_t in_place = ~std::uint32_t{0};

  std::uint64_t sector = 0;        ///< DefectTable::key()
  std::uint32_t spare = in_place;  ///< number of the spare that holds its data
  std::uint32_t pending = 0;       ///< could not be read; the next write to it is verified: one of the following, or 0

  /// Noted in this power cycle, so that all of its retries were spent on what it holds now.
  static constexpr std::uint32_t hopeless = 1;
  /// From the table, or written or read since: it is tried as often as a sector of which nothing is known.
  static constexpr std::uint32_t noted_before = 2;
};

/// Durable by save(): the two copies are written one after the other, each to the one of its two places that does not hold the last
/// image, and read back. So a cut leaves at least one whole image of the last save that ended or of the one it tore. load() takes
/// the newest image that is whole.
class DefectTable {
 public:
  /// Bytes of an image of so many defects.
  [[nodiscard]] static constexpr std::uint64_t image_bytes(std::uint64_t defects) { return sizeof(Header) + defects * sizeof(Defect); }
  /// Orders sectors by track: 14 bits for the sector (a track holds at most 16,384), 6 for the surface (of at most 64), then the radius.
  [[nodiscard]] static constexpr std::uint64_t key(PhysicalTrack track, std::uint32_t sector) {
    return (std::uint64_t{track.radius} << 6 | track.surface) << 14 | sector;
  }

  DefectTable(MediaPort& media, MemoryPort& memory, const SpareLayout& layout, std::uint32_t sector_bytes, std::uint32_t attempts);

  [[nodiscard]] bool empty() const { return header_.defects == 0; }
  [[nodiscard]] std::span<const Defect> defects() const { return {entries_, header_.defects}; }
  /// The first defect of a sector in [first, end) by key(), or null.
  [[nodiscard]] const Defect* first_in(std::uint64_t first, std::uint64_t end) const;
  [[nodiscard]] const Defect* find(std::uint64_t sector) const { return first_in(sector, sector + 1); }
  /// Charges one look-up.
  void touch(CpuPort& cpu) const;

  /// Enters or changes a defect; false where the table is full.
  [[nodiscard]] bool set(const Defect& defect);
  void erase(std::uint64_t sector);

  [[nodiscard]] std::uint32_t spares_left() const { return layout_.spares() - header_.spares_taken; }
  /// The next spare; taken for good, whether it turns out to be any good or not.
  [[nodiscard]] std::uint32_t take_spare() { return header_.spares_taken++; }

  /// Set for good where a write needed a spare and there was none.
  [[nodiscard]] bool read_only() const { return header_.read_only != 0; }
  void set_read_only() { header_.read_only = 1; }

  /// Complete when the table is on the platters; `media_error` where neither copy can be written.
  Task<Status> save();
  /// Boot: an empty table where none was ever saved; `corrupt` where there is one and no image of it is whole.
  Task<Status> load();
  /// First format: an empty table whose saves count for more than those of a format that a power cut ended.
  Task<void> start_anew();

 private:
  struct Header {
    std::uint64_t magic = 0;
    std::uint64_t sequence = 0;  ///< of the save
    std::uint32_t defects = 0;
    std::uint32_t spares_taken = 0;
    std::uint32_t read_only = 0;
    std::uint32_t crc = 0;  ///< of header and defects, with this field 0
    std::array<std::uint64_t, 4> reserved{};
  };
  static constexpr std::uint64_t magic = 0x3154434546454454;  // "TDEFECT1", little endian
  static_assert(sizeof(Header) == 64 && sizeof(Defect) == 16);

  [[nodiscard]] std::uint32_t image_sectors(std::uint32_t defects) const;
  [[nodiscard]] std::uint32_t checksum();
  [[nodiscard]] PhysicalRun place_of(std::uint32_t copy, std::uint64_t sequence, std::uint32_t sectors) const;
  Task<Status> write_copy(std::uint32_t copy);
  Task<Status> read_image(PhysicalRun run);
  void after_load();

  MediaPort& media_;
  MemoryPort& memory_;
  const SpareLayout& layout_;
  std::uint32_t sector_bytes_;
  std::uint32_t attempts_;    // to write a copy
  std::uint64_t latest_ = 0;  // save of which load() saw an image, whole or not
  std::uint32_t capacity_;
  MemoryRegion image_;
  Header& header_;   // in the image
  Defect* entries_;  // behind it, ascending by sector
};

}  // namespace tessera
