// Images by hand, and each way in which a file may lie about itself.
#include "processor/elf_image.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "processor/memory.hpp"
#include "support/elf_file.hpp"

using namespace tessera;
using namespace tessera::riscv;

namespace {

constexpr std::uint64_t dram = 0x8000'0000;
constexpr std::uint64_t tcm = 0x4400'0000;
constexpr ImageSpace space{.dram = {dram, 0x4000}};
constexpr ImageSpace with_tcm{.dram = {dram, 0x4000}, .tcm = {tcm, 0x1000}};

std::vector<std::byte> content(std::size_t size, unsigned first) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

/// Code of 16 bytes at the DRAM's start, data of 8 with 24 of .bss behind it a page later, with a function, a label and an object.
template <bool Wide = true>
test::ElfBytes<Wide> sound() {
  test::ElfBytes<Wide> elf;
  elf.header.e_entry = dram;
  elf.add_segment(dram, content(16, 1), 16, PF_R | PF_X);
  elf.add_segment(dram + 0x1000, content(8, 0x41), 32, PF_R | PF_W);
  elf.add_symbol("", dram + 2, 4, STT_FUNC);
  elf.add_symbol("_start", dram, 0, STT_NOTYPE);
  elf.add_symbol("_ZN7tessera8CmrLayer5writeEv", dram + 4, 8, STT_FUNC);
  elf.add_symbol("tessera_image_layer", dram + 0x1000, 4, STT_OBJECT);
  elf.lay_out();
  return elf;
}

template <class Elf>
std::string refusal(const Elf& elf, ImageSpace where = space) {
  try {
    const ElfImage image("fw.elf", elf.bytes(), where);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::string refusal_of_bytes(const std::vector<std::byte>& bytes) {
  try {
    const ElfImage image("fw.elf", bytes, space);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("ELF image: segments go where they belong, and what is behind their content is zero") {
  const auto holds = []<bool Wide>(std::bool_constant<Wide>) {
    const ElfImage image("fw.elf", sound<Wide>().bytes(), space);
    CHECK(image.wide() == Wide);
    CHECK(image.entry() == dram);
    CHECK(image.end() == dram + 0x1020);
    std::vector<std::byte> bytes(0x4000, std::byte{0xee});
    Memory memory;
    memory.map(dram, bytes);
    image.load(memory);
    CHECK(std::vector(bytes.begin(), bytes.begin() + 16) == content(16, 1));
    CHECK(bytes[16] == std::byte{0xee});  // only what belongs to the image is touched
    CHECK(std::vector(bytes.begin() + 0x1000, bytes.begin() + 0x1008) == content(8, 0x41));
    CHECK(std::vector(bytes.begin() + 0x1008, bytes.begin() + 0x1020) == std::vector<std::byte>(24));
    CHECK(bytes[0xfff] == std::byte{0xee});
    CHECK(bytes[0x1020] == std::byte{0xee});
  };
  holds(std::true_type{});
  holds(std::false_type{});
}

TEST_CASE("ELF image: symbols name places in code and contents of objects") {
  const auto holds = []<bool Wide>(std::bool_constant<Wide>) {
    const ElfImage image("fw.elf", sound<Wide>().bytes(), space);
    CHECK(image.place(dram) == "_start");
    CHECK(image.place(dram + 2) == "_start+0x2");
    CHECK(image.place(dram + 4) == "tessera::CmrLayer::write()");
    CHECK(image.place(dram + 11) == "tessera::CmrLayer::write()+0x7");
    CHECK(image.place(dram + 12) == "_start+0xc");                            // behind the function's 8 bytes: the label before it
    CHECK(image.place(dram + 12, true) == "tessera::CmrLayer::write()+0x8");  // a call was its last instruction
    CHECK(image.place(dram + 0x1000) == "0x80001000");                        // no code
    const auto name = image.object("tessera_image_layer");
    REQUIRE(name);
    CHECK(std::vector(name->begin(), name->end()) == content(4, 0x41));
    CHECK_FALSE(image.object("tessera_image"));
    CHECK_FALSE(image.object(""));
    CHECK_FALSE(image.object("_start"));
  };
  holds(std::true_type{});
  holds(std::false_type{});
}

TEST_CASE("ELF image: an object in .bss or reaching out of its segment has no content") {
  auto elf = sound();
  elf.add_symbol("zeroes", dram + 0x1008, 4, STT_OBJECT);
  elf.add_symbol("long", dram + 0x1004, 5, STT_OBJECT);
  elf.add_symbol("last", dram + 0x1004, 4, STT_OBJECT);
  elf.lay_out();
  const ElfImage image("fw.elf", elf.bytes(), space);
  CHECK_FALSE(image.object("zeroes"));
  CHECK_FALSE(image.object("long"));
  CHECK(image.object("last"));
}

TEST_CASE("ELF image: a stripped file has no names and runs") {
  auto elf = sound();
  elf.header.e_shnum = 0;
  const ElfImage image("fw.elf", elf.bytes(), space);
  CHECK(image.place(dram + 4) == "0x80000004");
}

TEST_CASE("ELF image: a file that is none is refused with what is expected") {
  CHECK(refusal_of_bytes({}) == "fw.elf: expected an ELF image, found 0 bytes");
  auto bytes = sound().bytes();
  bytes[1] = std::byte{'e'};
  CHECK(refusal_of_bytes(bytes) == "fw.elf: expected an ELF image, which begins with 0x7f and 'ELF'");
  auto elf = sound();
  elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
  CHECK(refusal(elf) == "fw.elf: expected a little-endian image, found byte order 2");
  elf = sound();
  elf.header.e_ident[EI_CLASS] = 3;
  CHECK(refusal(elf) == "fw.elf: expected an image of 32 or 64 bit (class 1 or 2), found class 3");
  elf = sound();
  elf.header.e_ident[EI_VERSION] = 2;
  CHECK(refusal(elf) == "fw.elf: expected ELF version 1, found version 2");
}

TEST_CASE("ELF image: another architecture, another kind of file and another ABI are refused by name") {
  auto elf = sound();
  elf.header.e_machine = EM_ARM;
  CHECK(refusal(elf) == "fw.elf: expected an image for RISC-V, found one for ARM");
  elf.header.e_machine = EM_X86_64;
  CHECK(refusal(elf) == "fw.elf: expected an image for RISC-V, found one for x86-64");
  elf = sound();
  elf.header.e_type = ET_REL;
  CHECK(refusal(elf) == "fw.elf: expected a linked executable (ET_EXEC), found an object file that was not linked");
  elf.header.e_type = ET_DYN;
  CHECK(refusal(elf) == "fw.elf: expected a linked executable (ET_EXEC), found a shared or position-independent file");
  elf = sound();
  elf.header.e_flags = 5;  // compressed instructions, double-precision registers
  CHECK(refusal(elf) == "fw.elf: expected code without floating-point registers (-mabi=lp64 or ilp32), found another ABI (e_flags 0x5)");
  elf.header.e_flags = 1;
  CHECK(refusal(elf).empty());
  elf = sound();
  elf.segments[1].p_type = PT_INTERP;
  CHECK(refusal(elf) == "fw.elf: expected a statically linked image, found one for a dynamic loader");
}

TEST_CASE("ELF image: without an entry in executable code there is nothing to begin with") {
  auto elf = sound();
  elf.header.e_entry = 0;
  CHECK(refusal(elf) == "fw.elf: it has no entry: expected the address of the first instruction (ENTRY of the linker script)");
  elf.header.e_entry = dram + 16;  // behind the code's last byte
  CHECK(refusal(elf) == "fw.elf: its entry 0x80000010 lies in no executable segment");
  elf.header.e_entry = dram + 0x1000;  // data
  CHECK(refusal(elf) == "fw.elf: its entry 0x80001000 lies in no executable segment");
  elf.header.e_entry = dram + 1;
  CHECK(refusal(elf) == "fw.elf: its entry 0x80000001 is odd, and instructions begin at even addresses");
  elf.header.e_entry = dram + 14;
  CHECK(refusal(elf).empty());
  elf.segments[0].p_paddr = dram + 0x2000;  // what runs first cannot be what start-up code has yet to move
  CHECK(refusal(elf) == "fw.elf: its entry 0x8000000e lies in no executable segment");
}

TEST_CASE("ELF image: segments lie in the DRAM, on both sides of each bound") {
  auto elf = sound();
  elf.segments[1].p_memsz = 0x3000;  // up to the DRAM's last byte
  CHECK(refusal(elf).empty());
  elf.segments[1].p_memsz = 0x3001;
  CHECK(refusal(elf) == "fw.elf: segment at 0x80001000 is too large: it takes 12289 bytes, and the DRAM holds 12288 from 0x80001000 on");
  elf.segments[1].p_memsz = ~0ULL;
  CHECK(refusal(elf) ==
        "fw.elf: segment at 0x80001000 is too large: it takes 18446744073709551615 bytes, and the DRAM holds 12288 from 0x80001000 on");
  elf = sound();
  elf.segments[1].p_paddr = dram + 0x4000;
  CHECK(refusal(elf) == "fw.elf: segment at 0x80004000 is linked to 0x80004000, expected an address in the DRAM, 0x80000000 to 0x80003fff");
  elf = sound();
  elf.segments[1].p_vaddr = 0x1000;
  CHECK(refusal(elf) == "fw.elf: segment at 0x80001000 is linked to 0x1000, expected an address in the DRAM, 0x80000000 to 0x80003fff");
  elf = sound();
  elf.segments[1].p_memsz = 7;
  CHECK(refusal(elf) == "fw.elf: segment at 0x80001000 has 8 bytes in the file and only 7 in memory");
  elf = sound();
  elf.segments.clear();
  elf.contents.clear();
  elf.lay_out();
  CHECK(refusal(elf) == "fw.elf: nothing to load: it has no loadable segment (PT_LOAD)");
}

TEST_CASE("ELF image: a segment in the TCM goes there, and is not counted to the DRAM") {
  const auto holds = []<bool Wide>(std::bool_constant<Wide>) {
    auto elf = sound<Wide>();
    elf.segments[1].p_vaddr = elf.segments[1].p_paddr = tcm + 0x40;
    const ElfImage image("fw.elf", elf.bytes(), with_tcm);
    CHECK(image.end() == dram + 16);
    CHECK(image.tcm_bytes() == 0x60);
    std::vector<std::byte> in_dram(0x4000, std::byte{0xee}), in_tcm(0x1000, std::byte{0xee});
    Memory memory;
    memory.map(dram, in_dram);
    memory.map(tcm, in_tcm);
    image.load(memory);
    CHECK(std::vector(in_tcm.begin() + 0x40, in_tcm.begin() + 0x48) == content(8, 0x41));
    CHECK(std::vector(in_tcm.begin() + 0x48, in_tcm.begin() + 0x60) == std::vector<std::byte>(24));
    CHECK(in_tcm[0x3f] == std::byte{0xee});
    CHECK(in_tcm[0x60] == std::byte{0xee});
    CHECK(in_dram[0x1000] == std::byte{0xee});
    CHECK(ElfImage("fw.elf", sound<Wide>().bytes(), with_tcm).tcm_bytes() == 0);
  };
  holds(std::true_type{});
  holds(std::false_type{});
}

TEST_CASE("ELF image: what start-up code moves into the TCM takes its place in both memories") {
  auto elf = sound();
  elf.segments[1].p_vaddr = tcm;
  const ElfImage image("fw.elf", elf.bytes(), with_tcm);
  CHECK(image.end() == dram + 0x1020);
  CHECK(image.tcm_bytes() == 0x20);
}

TEST_CASE("ELF image: code in the TCM can be the first to run, with nothing in the DRAM") {
  auto elf = sound();
  elf.header.e_entry = tcm;
  elf.segments[0].p_vaddr = elf.segments[0].p_paddr = tcm;
  elf.segments[1].p_vaddr = elf.segments[1].p_paddr = tcm + 0x100;
  const ElfImage image("fw.elf", elf.bytes(), with_tcm);
  CHECK(image.end() == dram);
  CHECK(image.tcm_bytes() == 0x120);
  CHECK(image.is_code(tcm + 15));
}

TEST_CASE("ELF image: segments in the TCM keep within it, on both sides of each bound") {
  auto elf = sound();
  elf.segments[1].p_vaddr = elf.segments[1].p_paddr = tcm + 0x800;
  elf.segments[1].p_memsz = 0x800;  // up to its last byte
  CHECK(refusal(elf, with_tcm).empty());
  elf.segments[1].p_memsz = 0x801;
  CHECK(refusal(elf, with_tcm) ==
        "fw.elf: segment at 0x44000800 is too large: it takes 2049 bytes, and the TCM of 4096 B (controller.tcm.size) holds 2048 from "
        "0x44000800 on");
  const std::string expected = ", expected an address in the DRAM, 0x80000000 to 0x80003fff, or in the TCM, 0x44000000 to 0x44000fff";
  elf = sound();
  elf.segments[1].p_vaddr = tcm + 0x1000;
  CHECK(refusal(elf, with_tcm) == "fw.elf: segment at 0x80001000 is linked to 0x44001000" + expected);
  elf.segments[1].p_vaddr = tcm - 1;
  CHECK(refusal(elf, with_tcm) == "fw.elf: segment at 0x80001000 is linked to 0x43ffffff" + expected);
  elf.segments[1].p_vaddr = tcm;
  CHECK(refusal(elf, with_tcm).empty());
  CHECK(refusal(elf, {.dram = with_tcm.dram, .tcm = {tcm, 0}}) ==
        "fw.elf: segment at 0x80001000 is linked to 0x44000000, expected an address in the DRAM, 0x80000000 to 0x80003fff, or in a TCM at "
        "0x44000000 (controller.tcm.size is 0: there is none)");
  elf.segments[1].p_paddr = tcm + 0x1000;
  CHECK(refusal(elf, with_tcm) == "fw.elf: segment at 0x44001000 is linked to 0x44001000" + expected);
}

TEST_CASE("ELF image: segments that overlap in the TCM are refused") {
  auto elf = sound();
  for (auto& segment : elf.segments) segment.p_vaddr = segment.p_paddr = tcm;
  elf.header.e_entry = tcm;
  CHECK(refusal(elf, with_tcm) == "fw.elf: its segments overlap: 0x44000000 to 0x4400000f and 0x44000000 to 0x4400001f");
}

TEST_CASE("ELF image: segments that overlap by one byte are refused, neighbours are not") {
  auto elf = sound();
  elf.segments[1].p_vaddr = elf.segments[1].p_paddr = dram + 16;
  CHECK(refusal(elf).empty());
  elf.segments[1].p_vaddr = elf.segments[1].p_paddr = dram + 15;
  CHECK(refusal(elf) == "fw.elf: its segments overlap: 0x80000000 to 0x8000000f and 0x8000000f to 0x8000002e");
}

TEST_CASE("ELF image: a file cut at any byte is refused in one sentence or complete without its tables") {
  const auto bytes = sound().bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::string why = refusal_of_bytes({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    INFO(length);
    CHECK(why.starts_with("fw.elf: "));
    CHECK(why.find('\n') == std::string::npos);
  }
  CHECK(refusal_of_bytes({bytes.begin(), bytes.begin() + 63}) ==
        "fw.elf: cut short or damaged: its header take 64 bytes from byte 0 on, and the file has 63");
}

TEST_CASE("ELF image: tables that reach out of the file are refused by name") {
  auto elf = sound();
  elf.header.e_phoff = ~0ULL;
  CHECK(refusal(elf).starts_with("fw.elf: cut short or damaged: its program headers take 112 bytes from byte 18446744073709551615 on"));
  elf = sound();
  elf.header.e_phentsize = 32;
  CHECK(refusal(elf) == "fw.elf: damaged: its program headers are said to take 32 bytes each, expected 56");
  elf = sound();
  elf.header.e_shnum = 0xffff;
  CHECK(refusal(elf).starts_with("fw.elf: cut short or damaged: its section headers take 4194240 bytes"));
  elf = sound();
  elf.segments[0].p_offset = ~0ULL - 7;
  CHECK(refusal(elf).starts_with(
      "fw.elf: cut short or damaged: the content of its segment at 0x80000000 ends at byte 18446744073709551608 + 16"));
}

TEST_CASE("ELF image: a damaged symbol table is refused") {
  auto elf = sound();
  elf.sections[1].sh_link = 3;
  CHECK(refusal(elf) == "fw.elf: symbol table damaged: section 3, which it names, holds no names of symbols");
  elf.sections[1].sh_link = 1;
  CHECK(refusal(elf) == "fw.elf: symbol table damaged: section 1, which it names, holds no names of symbols");
  elf = sound();
  elf.sections[2].sh_size -= 1;  // the last name loses its zero
  CHECK(refusal(elf) == "fw.elf: symbol table damaged: the last name does not end");
  elf.sections[2].sh_size = 0;
  CHECK(refusal(elf) == "fw.elf: symbol table damaged: the last name does not end");
  elf = sound();
  elf.sections[1].sh_size -= 1;
  CHECK(refusal(elf) == "fw.elf: symbol table damaged: its 95 bytes are not a multiple of a symbol's 24");
  elf = sound();
  elf.symbols[1].st_name = static_cast<std::uint32_t>(elf.names.size());
  CHECK(refusal(elf) == "fw.elf: symbol table damaged: a symbol's name is at byte 58 of 58 bytes of names");
  elf = sound();
  elf.sections[1].sh_entsize = 16;
  CHECK(refusal(elf) == "fw.elf: damaged: its symbols are said to take 16 bytes each, expected 24");
}

TEST_CASE("ELF image: memory that does not hold a segment is said") {
  const ElfImage image("fw.elf", sound().bytes(), space);
  std::vector<std::byte> bytes(0x1000);
  Memory memory;
  memory.map(dram, bytes);
  CHECK_THROWS_WITH(image.load(memory), "fw.elf: no memory where its segment belongs, 0x80001000 to 0x8000101f");
}

TEST_CASE("ELF image: a file that cannot be read is named") {
  CHECK_THROWS_WITH(ElfImage::read("no/such.elf", space), "no/such.elf: expected a firmware image, cannot read such a file");
  CHECK_THROWS_WITH(ElfImage::read("/dev/zero", space), "/dev/zero: expected a firmware image, cannot read such a file");
  CHECK_THROWS_WITH(ElfImage::read("/", space), "/: expected a firmware image, cannot read such a file");
}
