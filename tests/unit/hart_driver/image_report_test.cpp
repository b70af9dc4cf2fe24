// The figures of an image, asked at any instant: they are read from its memory, and the image does not notice.
#include "machine/image_report.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <type_traits>

#include "base/firmware_fault.hpp"
#include "firmware/hal/register_map.hpp"
#include "support/elf_file.hpp"
#include "unit/firmware/fake_ports.hpp"
#include "unit/processor/assembler.hpp"

using namespace tessera;
using namespace tessera::riscv::assembly;

namespace {

constexpr std::uint64_t data_at = hal::dram_base + 0x1000;
constexpr std::uint64_t lent_at = hal::dram_base + 0x3000;  // behind the image
constexpr std::int32_t counter = 64;                        // in its data
constexpr std::uint32_t probe = 0x40009, ident = 0x40000;   // upper bits of their registers' addresses

/// Its data's address into t1, and the unit's registers' into t0.
std::vector<std::uint32_t> with_addresses(std::vector<std::uint32_t> rest, std::uint32_t unit = probe) {
  rest.insert(rest.begin(), {auipc(t1, 1), lui(t0, unit)});
  return rest;
}

/// Counts one more, keeps that in `room` and on the stack, and tells it under the name "kept".
const std::vector<std::uint32_t> telling =
    with_addresses({lw(t2, t1, counter), addi(t2, t2, 1), sw(t2, t1, counter), sw(t2, a0, 0), addi(sp, sp, -16), sw(a1, sp, 0),  //
                    sw(t1, t0, 0x00), sw(t1, t0, 0x20), sw(t1, t0, 0x28), sw(t2, t0, 0x4c), sw(zero, t0, 0x48),                  //
                    addi(t3, zero, 3), sw(t3, t0, 0x50), ret});

/// An image of this function, which lies in the DRAM and has counted 7; the word behind the image is 9.
template <bool Wide>
struct Drive {
  explicit Drive(const std::vector<std::uint32_t>& function, const char* name = "tessera_image_report")
      : image("fw.elf", elf(function, name).bytes(), {.dram = {hal::dram_base, 0x4000}}) {
    memory.map(hal::dram_base, dram);
    image.load(memory);
    store(data_at + counter, 7);
    store(lent_at, 9);
  }
  static test::ElfBytes<Wide> elf(const std::vector<std::uint32_t>& function, const char* name) {
    test::ElfBytes<Wide> made;
    made.header.e_entry = hal::dram_base;
    std::vector<std::byte> code(4 * function.size());
    std::memcpy(code.data(), function.data(), code.size());
    made.add_segment(hal::dram_base, code, code.size(), PF_R | PF_X);
    std::vector<std::byte> data(8);
    std::memcpy(data.data(), "kept", 4);
    made.add_segment(data_at, data, 0x80, PF_R | PF_W);
    made.add_symbol(name, hal::dram_base, code.size(), STT_FUNC);
    made.lay_out();
    return made;
  }
  void store(std::uint64_t address, std::uint32_t value) { std::memcpy(memory.find(address, 4), &value, 4); }
  MetricSet figures() { return ImageReport(image, memory).figures(hart, timeline, {media, nullptr, shared, cpu, host}); }
  std::string refusal() {
    try {
      figures();
    } catch (const FirmwareFault& fault) {
      return fault.what();
    }
    return "";
  }

  std::vector<std::byte> dram = std::vector<std::byte>(0x4000);
  riscv::Memory memory;
  riscv::ElfImage image;
  riscv::Hart hart{{.wide = Wide, .timing = {}}, memory};
  Timeline timeline;
  test::FakeCpu cpu;
  test::FakeMemory shared;
  test::FakeMedia media{256};
  test::FakeHost host;
};

}  // namespace

TEST_CASE("image report: what the image has counted is told, and nothing of the image changes") {
  const auto holds = []<bool Wide>(std::bool_constant<Wide>) {
    Drive<Wide> drive(telling);
    drive.hart.set_x(a0, 5);
    const std::vector<std::byte> before = drive.dram;
    for (int time = 0; time < 2; ++time) {  // the second time no other than the first
      const MetricSet told = drive.figures();
      REQUIRE(told.all().size() == 1);
      CHECK(told.all()[0].name == "kept");
      CHECK(told.all()[0].accumulates);
      double eight = 0;
      const std::uint64_t bits = std::uint64_t{8} << 32;
      std::memcpy(&eight, &bits, sizeof eight);
      CHECK(told.all()[0].value == eight);
    }
    CHECK(drive.dram == before);
    CHECK(drive.hart.x(a0) == 5);
    CHECK(drive.hart.instructions() == 0);
  };
  holds(std::true_type{});
  holds(std::false_type{});
}

TEST_CASE("image report: the function finds the registers that stay as they are in all of a program") {
  // The counter by gp in place of auipc.
  Drive<true> drive({lui(t0, probe), auipc(t1, 1), lw(t2, gp, 0), sd(t1, t0, 0x00), sd(t1, t0, 0x20), sd(t1, t0, 0x28), sd(t2, t0, 0x48),
                     addi(t3, zero, 3), sd(t3, t0, 0x50), ret});
  std::memcpy(drive.dram.data() + 0x1004, "kept", 5);  // auipc stands an instruction further on
  drive.hart.set_x(gp, lent_at);
  const MetricSet told = drive.figures();
  REQUIRE(told.find("kept") != nullptr);
  double nine = 0;
  const std::uint64_t bits = 9;
  std::memcpy(&nine, &bits, sizeof nine);
  CHECK(told.find("kept")->value == nine);
}

TEST_CASE("image report: an image without the function tells nothing") {
  CHECK(Drive<true>(telling, "another_function").figures().all().empty());
}

TEST_CASE("image report: what the function must not do is named with its place, and nothing changes") {
  const auto refused = [](const std::vector<std::uint32_t>& function, const std::string& why) {
    Drive<true> drive(function);
    const std::vector<std::byte> before = drive.dram;
    CHECK_THAT(drive.refusal(), Catch::StartsWith("fw.elf, ") && Catch::Contains(", asked for its figures by tessera_image_report: "));
    CHECK_THAT(drive.refusal(), Catch::EndsWith(why));
    CHECK(drive.dram == before);
  };
  refused(with_addresses({lui(t2, 2), add(t1, t1, t2), sw(t2, t1, 0), ret}),
          "it stores to 0x80003000, which is neither code nor data nor stack of the image");
  refused(with_addresses({lui(t2, 2), add(t1, t1, t2), amoadd_w(t2, t2, t1), ret}),
          "a store where nothing is (cause 7, value 0x80003000), and no handler for it");
  refused(with_addresses({sd(t2, t0, 0x50), ret}, ident), "access to ident.panic, and this drive has no such unit");
  refused({lw(t0, zero, 0), ret}, "read of 0x0, where there is neither memory nor a register; the nearest is ident.magic at 0x40000000");
  refused({jalr(ra, zero, 0)}, "an instruction fetched where no memory is (cause 1, value 0x0), and no handler for it");
  refused({wfi, ret}, "it waits for an interrupt");
  refused({jal(zero, 0)}, "it does not return within 100000000 cycles");
}
