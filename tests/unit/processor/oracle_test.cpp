// The hart against qemu-user: random programs of every instruction, their registers and memory compared.
//
// TESSERA_ORACLE_INSTRUCTIONS=N runs so many in all (./dev oracle N), from other seeds.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <set>

#include "processor/decode.hpp"
#include "processor/hart.hpp"
#include "unit/processor/qemu_user.hpp"
#include "unit/processor/random_program.hpp"

using namespace tessera;
using namespace tessera::riscv;

namespace {

constexpr unsigned programs = 1000;  // of one executable
constexpr unsigned units = 60;       // of one program

/// Zero, one, the ends of every width, and others, one after the other in memory.
std::vector<std::byte> random_values(RandomStream& random) {
  constexpr std::uint64_t ends[] = {0,      1,      ~0ULL,       0x7f,        0x80,        0xff,       0x7fff,
                                    0x8000, 0xffff, 0x7fff'ffff, 0x8000'0000, 0xffff'ffff, 1ULL << 63, ~0ULL >> 1};
  std::vector<std::byte> bytes(ProgramLayout::values_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t value = random() >> random.below(64);
    if (random.below(3) == 0) value = ends[random.below(std::size(ends))];
    if (random.below(4) == 0) value = value << 32 | value >> 32;
    if (random.below(4) == 0) value = 0 - value;
    std::memcpy(&bytes[at], &value, sizeof value);
  }
  return bytes;
}

struct Executable {
  Executable(bool wide, std::uint64_t seed) : random(seed, wide ? "oracle64" : "oracle32"), program(wide, random) {
    program.prologue();
    for (unsigned i = 0; i < programs; ++i) program.append(units);
    log_bytes = programs * program.log_bytes();
    program.epilogue(log_bytes);
    data.resize(ProgramLayout::gp - ProgramLayout::data);
    for (std::byte& byte : data) byte = static_cast<std::byte>(random.below(256));
    const std::vector<std::byte> values = random_values(random);
    data.insert(data.end(), values.begin(), values.end());
  }
  [[nodiscard]] std::span<const std::byte> code() const { return std::as_bytes(std::span(program.code())); }
  [[nodiscard]] std::uint64_t data_bytes() const { return ProgramLayout::log - ProgramLayout::data + log_bytes; }

  RandomStream random;
  RandomProgram program;
  std::uint64_t log_bytes = 0;
  std::vector<std::byte> data;
};

struct Result {
  std::vector<std::byte> data;
  std::uint64_t instructions = 0;
};

/// To the program's first system call, which would write the data.
Result run_in_hart(bool wide, const Executable& executable) {
  std::vector<std::byte> code(executable.code().begin(), executable.code().end());
  Result result{executable.data, 0};
  result.data.resize(executable.data_bytes());
  Memory memory;
  memory.map(ProgramLayout::code, code);
  memory.map(ProgramLayout::data, result.data);
  Hart hart({.wide = wide, .timing = {}}, memory);
  hart.reset(ProgramLayout::code);
  constexpr std::uint64_t forever = 1'000'000'000;
  INFO("stopped at " << std::hex << hart.pc() << " by cause " << hart.fault().cause);
  REQUIRE(hart.run(forever) == Stop::fault);
  REQUIRE(hart.fault().cause == cause::machine_ecall);
  result.instructions = hart.instructions();
  return result;
}

void add_operations(bool wide, const Executable& executable, std::set<Op>& met) {
  const std::vector<std::uint8_t>& code = executable.program.code();
  for (std::size_t at = 0; at < code.size();) {
    std::uint32_t bits = code[at] | std::uint32_t{code[at + 1]} << 8;
    const unsigned bytes = instruction_bytes(static_cast<std::uint16_t>(bits));
    if (bytes == 4) bits |= std::uint32_t{code[at + 2]} << 16 | std::uint32_t{code[at + 3]} << 24;
    met.insert(decode(bits, wide).op);
    at += bytes;
  }
}

/// Where two results differ, in the terms of whoever looks for the reason.
std::string difference(bool wide, const std::vector<std::byte>& hart, const std::vector<std::byte>& qemu) {
  if (hart.size() != qemu.size()) return "the oracle has " + std::to_string(qemu.size()) + " bytes, not " + std::to_string(hart.size());
  const auto differs = [&](std::size_t from) {
    return static_cast<std::size_t>(
        std::mismatch(hart.begin() + static_cast<std::ptrdiff_t>(from), hart.end(), qemu.begin() + static_cast<std::ptrdiff_t>(from))
            .first -
        hart.begin());
  };
  constexpr std::size_t log = ProgramLayout::log - ProgramLayout::data;
  const std::size_t in_log = differs(log);
  if (in_log == hart.size()) {
    const std::size_t in_data = differs(0);
    return in_data == hart.size() ? "" : "byte " + std::to_string(in_data) + " of the data";
  }
  const std::size_t word = wide ? 8 : 4;
  const std::size_t number = (in_log - log) / word;
  return "program " + std::to_string(number / 32) + ", register x" + std::to_string(number % 32);
}

std::uint64_t wanted_instructions(std::uint64_t otherwise) {
  const char* wanted = std::getenv("TESSERA_ORACLE_INSTRUCTIONS");
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10) / 2;
}

void agrees_with_qemu(bool wide) {
  const std::uint64_t wanted = wanted_instructions(750'000);
  std::uint64_t instructions = 0;
  std::set<Op> met;
  for (std::uint64_t seed = 1; instructions < wanted; ++seed) {
    const Executable executable(wide, seed);
    const Result hart = run_in_hart(wide, executable);
    const Segment segments[] = {{ProgramLayout::code, executable.code(), executable.code().size()},
                                {ProgramLayout::data, executable.data, executable.data_bytes()}};
    INFO("seed " << seed);
    REQUIRE(difference(wide, hart.data, run_in_qemu(wide, segments)) == "");
    instructions += hart.instructions;
    if (seed == 1) add_operations(wide, executable, met);
  }
  for (unsigned number = 0; number < static_cast<unsigned>(Op::csrrw); ++number) {
    const Op op = static_cast<Op>(number);
    INFO(name_of(op));
    CHECK(met.contains(op) == (op != Op::ebreak && (wide || !of_rv64_alone(op))));
  }
  if (std::getenv("TESSERA_ORACLE_INSTRUCTIONS") != nullptr)
    std::cout << "RV" << (wide ? 64 : 32) << ": " << instructions << " instructions agree\n";
}

}  // namespace

TEST_CASE("oracle: random programs of RV64IMAC end as in qemu") { agrees_with_qemu(true); }
TEST_CASE("oracle: random programs of RV32IMAC end as in qemu") { agrees_with_qemu(false); }
