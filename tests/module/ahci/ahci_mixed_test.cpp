// Everything at once through AHCI, over drives that are drawn too.
#include <catch2/catch.hpp>

#include "ahci/ahci_module.hpp"
#include "platforms/drive/ahci_drive.hpp"
#include "support/ahci_driver.hpp"
#include "support/controller_host.hpp"
#include "support/mixed_commands.hpp"
#include "support/mixed_drive.hpp"
#include "support/process_apart.hpp"

using namespace tessera;
using test::AhciDriver;
using test::MixedCommand;
using test::MixedEnding;

namespace {

using Host = test::ControllerHost<AhciDriver>;

/// Queued reads and writes with a tag a slot; TRIMs and flushes, which the queue has to be empty for.
class AhciDevice {
 public:
  AhciDevice(Host& host, unsigned tags) : driver_(host.driver), slots_(tags) {
    for (unsigned i = 0; i < tags; ++i) data_.push_back(driver_.allocate(slot_pages + 1));
  }
  bool bring_up() {
    in_flight_ = 0;
    return driver_.begin();
  }
  void start(unsigned slot, const MixedCommand& command) {
    test::AhciRequest request = AhciDriver::flush();
    if (command.kind == MixedCommand::Kind::zeros) std::memset(data_of(slot), 0, command.blocks * 512);
    if (command.kind == MixedCommand::Kind::trim) {
      std::memset(data_of(slot), 0, 512);
      driver_.store<std::uint64_t>(data_[slot], command.first | std::uint64_t{command.blocks} << 48);
      request = {.command = 0x06, .count = 1, .features = 1, .writes = true, .data = data_[slot], .bytes = 512};
    } else if (command.kind != MixedCommand::Kind::flush) {
      const bool writes = command.kind != MixedCommand::Kind::read;
      request = AhciDriver::queued(writes, slot, command.first, static_cast<std::uint16_t>(command.blocks), data_[slot], command.fua);
    }
    in_flight_ |= 1U << slot;
    driver_.issue(slot, request);
  }
  std::vector<std::pair<unsigned, MixedEnding>> take() {
    std::vector<std::pair<unsigned, MixedEnding>> ended;
    const bool fails = (driver_.acknowledge() & 0x7800'0000) != 0;
    const std::uint32_t over = in_flight_ & ~(driver_.read32(AhciDriver::ci) | driver_.read32(AhciDriver::sact));
    for (unsigned slot = 0; slot < slots_; ++slot)
      if ((over >> slot & 1) != 0 || (fails && (in_flight_ >> slot & 1) != 0))
        ended.emplace_back(slot, fails ? MixedEnding::failed : MixedEnding::done);
    in_flight_ = fails ? 0 : in_flight_ & ~over;
    return ended;
  }
  static constexpr bool abort(unsigned) { return false; }
  void reset() { driver_.reset_link(); }
  void pass() { driver_.pass(); }
  unsigned char* data_of(unsigned slot) { return driver_.memory.data() + data_[slot]; }
  [[nodiscard]] unsigned slots() const { return slots_; }
  static constexpr bool alone(MixedCommand::Kind kind) { return kind == MixedCommand::Kind::trim || kind == MixedCommand::Kind::flush; }

 private:
  static constexpr std::uint64_t slot_pages = test::MixedCommands<AhciDevice>::largest * 512 / 4096;
  AhciDriver& driver_;
  unsigned slots_;
  std::vector<std::uint64_t> data_;
  std::uint32_t in_flight_ = 0;
};

std::string mixed(unsigned seed) {
  test::MixedDrive drawn(seed);
  Host host("host");
  const auto ahci = make_ahci("ahci", *drawn.drive);
  host.registers.bind(ahci->registers);
  ahci->memory.bind(host.memory);
  ahci->interrupt.bind(host.interrupt);
  host.driver.memory.resize(64U << 20U);  // each bring_up() takes pages
  AhciDevice device(host, drawn.config.host.tags);
  return drawn.run(host, device);
}

}  // namespace

TEST_CASE("commands of every kind through AHCI, resets and power cuts leave what was acknowledged") {
  for (const unsigned seed : test::mixed_seeds()) {
    INFO("TESSERA_MIXED_SEED=" << seed);
    CHECK(test::process_apart([seed] { return mixed(seed); }) == "");
  }
}
