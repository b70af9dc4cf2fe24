#pragma once
// One line split at its separator.
#include <array>
#include <cstddef>
#include <string_view>

namespace tessera {

class Fields {
 public:
  static constexpr std::size_t capacity = 32;  ///< fields past this are counted but not kept

  /// ' ' separates at any run of blanks and tabs; any other separator stands alone, and blanks around a field are dropped.
  explicit Fields(char separator) : separator_(separator) {}
  void split(std::string_view line);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return fields_[i]; }
  [[nodiscard]] char separator() const { return separator_; }

 private:
  void add(const char* begin, const char* end);

  char separator_;
  std::size_t size_ = 0;
  std::array<std::string_view, capacity> fields_;
};

/// `text` without blanks and tabs at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Compares without regard to the case of ASCII letters; `lower` is in lower case.
[[nodiscard]] bool same_word(std::string_view text, std::string_view lower);

}  // namespace tessera
