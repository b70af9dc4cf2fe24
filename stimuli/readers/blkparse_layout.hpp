#pragma once
// A line of blkparse whose layout was chosen with its option -f: "%D %2c %8s %5T.%9t %5p %2a %3d %S %n\n".
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The texts of a line by what they are; empty where the layout has none.
struct BlkparseFields {
  std::string_view device, major, minor, seconds, nanoseconds, action, rwbs, sector, sectors, bytes;
};

class BlkparseLayout {
 public:
  /// `format` as blkparse takes it. InputError where it has an unknown directive, or none for time, sector or size.
  explicit BlkparseLayout(const std::string& format);
  /// False where the line is not of this layout.
  [[nodiscard]] bool split(std::string_view line, BlkparseFields& fields) const;
  [[nodiscard]] bool has_action() const { return has('a'); }
  [[nodiscard]] bool has_rwbs() const { return has('d'); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Part {
    char directive = 0;   ///< of blkparse(1); 0 for text
    std::string literal;  ///< without blanks
  };

  [[nodiscard]] bool has(char directive) const;

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace tessera
