#include "firmware/hal/parameter_words.hpp"

#include <bit>

#include "base/check.hpp"

namespace tessera::hal {

namespace {

[[noreturn]] void no_word() { model_bug(__FILE__, __LINE__, "a parameter of the firmware that no 64-bit word can hold"); }

}  // namespace

void ParameterWords::field(std::string_view, bool& value, std::string_view) { value = exchange(value ? 1 : 0) != 0; }
void ParameterWords::field(std::string_view, std::uint32_t& value, Range, std::string_view) {
  value = static_cast<std::uint32_t>(exchange(value));
}
void ParameterWords::field(std::string_view, std::uint64_t& value, Range, std::string_view) { value = exchange(value); }
void ParameterWords::field(std::string_view, double& value, Range, std::string_view) {
  value = std::bit_cast<double>(exchange(std::bit_cast<std::uint64_t>(value)));
}
void ParameterWords::field(std::string_view, Picoseconds& value, Range, std::string_view) { value = Picoseconds(exchange(value.value())); }
void ParameterWords::field(std::string_view, Bytes& value, Range, std::string_view) { value = Bytes(exchange(value.value())); }
void ParameterWords::field(std::string_view, BytesPerSecond& value, Range, std::string_view) {
  value = BytesPerSecond(exchange(value.value()));
}
void ParameterWords::field(std::string_view, Hertz& value, Range, std::string_view) { value = Hertz(exchange(value.value())); }
void ParameterWords::field(std::string_view, Rpm& value, Range, std::string_view) { value = Rpm(exchange(value.value())); }
void ParameterWords::field(std::string_view, Microwatts& value, Range, std::string_view) { value = Microwatts(exchange(value.value())); }
void ParameterWords::field(std::string_view, Picojoules& value, Range, std::string_view) { value = Picojoules(exchange(value.value())); }
void ParameterWords::choice(std::string_view, std::uint32_t& value, ChoiceNames, std::string_view) {
  value = static_cast<std::uint32_t>(exchange(value));
}
void ParameterWords::field(std::string_view, std::string&, std::string_view) { no_word(); }
void ParameterWords::table(std::string_view, std::vector<NumberRow>&, const std::vector<std::string>&, std::string_view) { no_word(); }

std::uint64_t ParameterWordWriter::exchange(std::uint64_t word) {
  words_.push_back(word);
  return word;
}

std::uint64_t ParameterWordReader::exchange(std::uint64_t) {
  TESSERA_CHECK(next_ < words_.size(), "the boot data holds fewer parameters than the firmware has");
  return words_[next_++];
}

}  // namespace tessera::hal
