#include "processor/decode.hpp"

#include <array>

namespace tessera::riscv {

namespace {

enum class Format : std::uint8_t { r, i, s, b, u, j, shift, csr, csr_immediate, none };
enum class Width : std::uint8_t { both, wide };

struct Encoding {
  const char* name;
  std::uint32_t mask;
  std::uint32_t match;
  Format format;
  Kind kind;
  Width width;
};

constexpr std::array encodings = std::to_array<Encoding>({
#define TESSERA_INSTRUCTION(name, mask, match, format, kind, width) {#name, mask, match, Format::format, Kind::kind, Width::width},
#include "processor/instructions.def"
#undef TESSERA_INSTRUCTION
});
static_assert(encodings.size() == static_cast<std::size_t>(Op::illegal));

/// Bits `high` to `low`, moved down to bit 0.
constexpr std::uint32_t field(std::uint32_t bits, unsigned high, unsigned low) { return bits << (31 - high) >> (31 - high + low); }

/// The lower `bits` bits as a signed number.
constexpr std::int32_t sign_extended(std::uint32_t value, unsigned bits) {
  return static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits);
}

constexpr std::int32_t immediate(std::uint32_t bits, Format format) {
  switch (format) {
    case Format::i: return sign_extended(field(bits, 31, 20), 12);
    case Format::s: return sign_extended(field(bits, 31, 25) << 5 | field(bits, 11, 7), 12);
    case Format::b:
      return sign_extended(field(bits, 31, 31) << 12 | field(bits, 7, 7) << 11 | field(bits, 30, 25) << 5 | field(bits, 11, 8) << 1, 13);
    case Format::u: return static_cast<std::int32_t>(bits & 0xffff'f000U);
    case Format::j:
      return sign_extended(field(bits, 31, 31) << 20 | field(bits, 19, 12) << 12 | field(bits, 20, 20) << 11 | field(bits, 30, 21) << 1,
                           21);
    case Format::shift: return static_cast<std::int32_t>(field(bits, 25, 20));
    case Format::csr: return static_cast<std::int32_t>(field(bits, 31, 20));
    case Format::csr_immediate: return static_cast<std::int32_t>(field(bits, 31, 20) | field(bits, 19, 15) << 12);
    default: return 0;
  }
}

constexpr bool writes_register(Format format) { return format != Format::s && format != Format::b && format != Format::none; }
constexpr bool reads_first(Format format) {
  return format != Format::u && format != Format::j && format != Format::csr_immediate && format != Format::none;
}
constexpr bool reads_second(Format format) { return format == Format::r || format == Format::s || format == Format::b; }

Instruction illegal(std::uint32_t bits) { return {.imm = static_cast<std::int32_t>(bits)}; }

const Encoding& encoding_of(Op op) { return encodings[static_cast<std::size_t>(op)]; }

}  // namespace

Instruction decode(std::uint32_t bits, bool wide) {
  const bool compressed = instruction_bytes(static_cast<std::uint16_t>(bits)) == 2;
  const std::uint32_t word = compressed ? expand_compressed(static_cast<std::uint16_t>(bits), wide) : bits;
  for (std::size_t number = 0; number < encodings.size(); ++number) {
    const Encoding& encoding = encodings[number];
    if ((word & encoding.mask) != encoding.match || (encoding.width == Width::wide && !wide)) continue;
    const Format format = encoding.format;
    if (format == Format::shift && !wide && field(word, 25, 25) != 0) break;  // by 32 or more
    Instruction instruction;
    instruction.op = static_cast<Op>(number);
    if (writes_register(format) && field(word, 11, 7) != 0) instruction.rd = static_cast<std::uint8_t>(field(word, 11, 7));
    if (reads_first(format)) instruction.rs1 = static_cast<std::uint8_t>(field(word, 19, 15));
    if (reads_second(format)) instruction.rs2 = static_cast<std::uint8_t>(field(word, 24, 20));
    instruction.imm = immediate(word, format);
    return instruction;
  }
  return illegal(compressed ? bits & 0xffffU : bits);
}

Kind kind_of(Op op) { return op == Op::illegal ? Kind::system : encoding_of(op).kind; }
const char* name_of(Op op) { return op == Op::illegal ? "illegal" : encoding_of(op).name; }
bool of_rv64_alone(Op op) { return op != Op::illegal && encoding_of(op).width == Width::wide; }

bool ends_block(Op op) {
  switch (kind_of(op)) {
    case Kind::branch:
    case Kind::jump:
    case Kind::jump_register:
    case Kind::csr:
    case Kind::system: return true;
    default: return false;
  }
}

}  // namespace tessera::riscv
