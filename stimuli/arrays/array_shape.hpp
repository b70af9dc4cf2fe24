#pragma once
// What kind of array: how many chunks a row has, and how many drives may fail.
#include <cstdint>
#include <string>

namespace tessera {

enum class ArrayKind : std::uint8_t { jbod, mirror, raid10, raid5, raid6, erasure };
[[nodiscard]] const char* to_string(ArrayKind kind);

/// How an erasure code's rows find their drives.
enum class RowPlacement : std::uint8_t { permuted, hash };

struct ArrayShape {
  ArrayKind kind = ArrayKind::raid5;
  std::uint32_t copies = 2;        ///< of raid10: of each chunk
  std::uint32_t data = 0;          ///< of erasure: data chunks of a row; 0: as many as the drives have room for
  std::uint32_t parities = 0;      ///< of erasure: parity chunks of a row
  std::uint32_t spare_places = 0;  ///< of erasure: drives' worth of room that is spread over all of them for what failed drives held

  RowPlacement placement = RowPlacement::permuted;  ///< of erasure
  std::uint32_t groups = 0;                         ///< of placement hash: of rows that lie on the same drives; 0: 100 a drive

  [[nodiscard]] bool hashed() const { return kind == ArrayKind::erasure && placement == RowPlacement::hash; }
  /// Whether rows take some of the drives only, or leave spare places on them.
  [[nodiscard]] bool narrow() const { return kind == ArrayKind::raid10 || kind == ArrayKind::erasure; }
  /// Chunks of a row that hold P, Q and so on.
  [[nodiscard]] std::uint32_t parity_chunks() const;
  /// Chunks of a row of an array of so many drives; of a jbod one a drive.
  [[nodiscard]] std::uint32_t width(std::uint32_t drives) const;
  /// Drives that may fail without loss of data, whichever they are.
  [[nodiscard]] std::uint32_t failures_survived(std::uint32_t drives) const;
  /// The fewest drives that such an array has.
  [[nodiscard]] std::uint32_t fewest_drives() const;
  /// As "raid5", "raid10 (3 copies)", "erasure 8+3".
  [[nodiscard]] std::string text(std::uint32_t drives) const;
};

}  // namespace tessera
