#pragma once
// One line split at its separator.
#include <array>
#include <cstddef>
#include <string_view>

namespace tessera {

class Fields {
 public:
  static constexpr std::size_t capacity = 64;  ///< fields past this are counted but not kept

  /// ' ' separates at any run of blanks and tabs; any other separator stands alone, and blanks around a field are dropped.
  /// With `quotes`, a separator inside "..." is none, and the quotes are no part of the field.
  explicit Fields(char separator, bool quotes = false) : separator_(separator), quotes_(quotes) {}
  void split(std::string_view line);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return fields_[i]; }
  [[nodiscard]] char separator() const { return separator_; }
  void clear() { size_ = 0; }
  /// One more field, as it is.
  void put(std::string_view text) { add(text.data(), text.data() + text.size()); }

 private:
  void add(const char* begin, const char* end);
  void split_quoted(std::string_view line);
  void split_at_separators(std::string_view line);
  void split_at_blanks(std::string_view line);

  char separator_;
  bool quotes_;
  std::size_t size_ = 0;
  std::array<std::string_view, capacity> fields_;
};

/// `text` without blanks and tabs at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Compares without regard to the case of ASCII letters; `lower` is in lower case.
[[nodiscard]] bool same_word(std::string_view text, std::string_view lower);

}  // namespace tessera
