// How an image ends: with a sentence on the serial line, which the identification unit is told of too.
#include <cstdlib>
#include <cstring>

#include "base/check.hpp"
#include "images/target.hpp"

namespace tessera {

namespace {

/// A sentence put together without the arena, which may be what is at fault.
class Sentence {
 public:
  Sentence& text(const char* text) {
    const std::size_t length = std::min(std::strlen(text), sizeof(text_) - 1 - length_);
    std::memcpy(text_ + length_, text, length);
    length_ += length;
    return *this;
  }
  Sentence& number(std::uint64_t value, unsigned base) {
    char digits[24];
    char* first = digits + sizeof(digits) - 1;
    *first = 0;
    do {
      *--first = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    return text(first);
  }
  [[nodiscard]] const char* end() const { return text_; }

 private:
  char text_[256] = {};
  std::size_t length_ = 0;
};

Sentence sentence;  // stays for whoever reads it

}  // namespace

void image::panic(const char* text) {
  Registers registers;
  for (const char* at = text; *at != 0; ++at) registers.write(hal::Register::uart_data, static_cast<unsigned char>(*at));
  registers.write(hal::Register::uart_data, '\n');
  registers.write(hal::Register::ident_panic, registers.address_of(text));
  while (true) wait_for_interrupt();
}

void model_bug(const char* file, int line, const char* what) {
  image::panic(sentence.text(file).text(":").number(static_cast<std::uint64_t>(line), 10).text(": ").text(what).end());
}

}  // namespace tessera

extern "C" [[noreturn]] void firmware_trap(std::uintptr_t cause, std::uintptr_t pc, std::uintptr_t value) {
  tessera::image::panic(
      tessera::sentence.text("trap: cause ").number(cause, 10).text(" at pc 0x").number(pc, 16).text(", value 0x").number(value, 16).end());
}

extern "C" void abort() { tessera::image::panic("the firmware gave up (abort)"); }
extern "C" void __cxa_pure_virtual() { tessera::image::panic("a pure virtual function was called"); }

// What the library would throw.
namespace std {
void __throw_length_error(const char* what) { tessera::image::panic(what); }
void __throw_logic_error(const char* what) { tessera::image::panic(what); }
void __throw_out_of_range(const char* what) { tessera::image::panic(what); }
void __throw_out_of_range_fmt(const char* what, ...) { tessera::image::panic(what); }
void __throw_bad_alloc() { tessera::image::panic("out of memory"); }
void __throw_bad_array_new_length() { tessera::image::panic("an array of an impossible length"); }
void __throw_bad_function_call() { tessera::image::panic("an empty function was called"); }
}  // namespace std
