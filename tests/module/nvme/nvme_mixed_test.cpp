// Everything at once through NVMe, over drives that are drawn too.
#include <catch2/catch.hpp>
#include <map>

#include "nvme/nvme_module.hpp"
#include "platforms/drive/nvme_drive.hpp"
#include "support/controller_host.hpp"
#include "support/mixed_commands.hpp"
#include "support/mixed_drive.hpp"
#include "support/nvme_driver.hpp"
#include "support/process_apart.hpp"

using namespace tessera;
using test::MixedCommand;
using test::MixedEnding;

namespace {

using Host = test::ControllerHost<test::NvmeDriver>;

/// Two queue pairs; a slot takes either.
class NvmeDevice {
 public:
  explicit NvmeDevice(Host& host) : host_(host), driver_(host.driver) {
    driver_.memory.resize(64U << 20U);
    for (std::uint64_t& data : data_) data = driver_.allocate(slot_pages + 1);
    ranges_ = driver_.allocate(slots());
  }
  bool bring_up() {
    sent_.clear();
    return driver_.begin() && driver_.create_pair(1, 24, 0) && driver_.create_pair(2, 24, 0);
  }
  void start(unsigned slot, const MixedCommand& command) {
    const std::uint16_t queue = 1 + slot % 2;
    const std::uint32_t fua = command.fua ? 1U << 30U : 0;
    test::NvmeRequest request;
    switch (command.kind) {
      case MixedCommand::Kind::read: request = driver_.transfer(2, command.first, command.blocks, data_[slot], fua); break;
      case MixedCommand::Kind::write: request = driver_.transfer(1, command.first, command.blocks, data_[slot], fua); break;
      case MixedCommand::Kind::zeros:
        request = driver_.transfer(8, command.first, command.blocks, 0, fua);
        request.prp1 = request.prp2 = 0;
        break;
      case MixedCommand::Kind::trim:
        driver_.store<std::uint32_t>(ranges_ + slot * 16, 0);
        driver_.store<std::uint32_t>(ranges_ + slot * 16 + 4, command.blocks);
        driver_.store<std::uint64_t>(ranges_ + slot * 16 + 8, command.first);
        request = {.opcode = 9, .space = 1, .prp1 = ranges_ + slot * 16, .dword10 = 0, .dword11 = 4};
        break;
      case MixedCommand::Kind::flush: request = {.opcode = 0, .space = 1}; break;
    }
    sent_[slot] = {queue, driver_.send(queue, request)};
  }
  std::vector<std::pair<unsigned, MixedEnding>> take() {
    std::vector<std::pair<unsigned, MixedEnding>> ended;
    driver_.poll(1);
    driver_.poll(2);
    for (auto at = sent_.begin(); at != sent_.end();) {
      if (!driver_.answered(at->second.first, at->second.second)) {
        ++at;
        continue;
      }
      const std::uint16_t status = driver_.finish(at->second.first, at->second.second).status;
      ended.emplace_back(at->first, status == 0 ? MixedEnding::done : status == 7 ? MixedEnding::aborted : MixedEnding::failed);
      at = sent_.erase(at);
    }
    return ended;
  }
  bool abort(unsigned slot) {
    const auto [queue, id] = sent_.at(slot);
    return driver_.admin({.opcode = 8, .dword10 = std::uint32_t{id} << 16 | queue}).status == 0;
  }
  void reset() { driver_.enable(false); }
  void pass() { driver_.pass(); }
  unsigned char* data_of(unsigned slot) { return driver_.memory.data() + data_[slot]; }
  static constexpr unsigned slots() { return 40; }
  static constexpr bool alone(MixedCommand::Kind) { return false; }

 private:
  static constexpr std::uint64_t slot_pages = test::MixedCommands<NvmeDevice>::largest * 512 / 4096;
  Host& host_;
  test::NvmeDriver& driver_;
  std::array<std::uint64_t, 40> data_{};
  std::uint64_t ranges_ = 0;
  std::map<unsigned, std::pair<std::uint16_t, std::uint16_t>> sent_;
};

std::string mixed(unsigned seed) {
  test::MixedDrive drawn(seed);
  Host host("host");
  const auto nvme = make_nvme("nvme", *drawn.drive);
  host.registers.bind(nvme->registers);
  nvme->memory.bind(host.memory);
  nvme->interrupt.bind(host.interrupt);
  NvmeDevice device(host);
  return drawn.run(host, device);
}

}  // namespace

TEST_CASE("commands of every kind through NVMe, aborts, resets and power cuts leave what was acknowledged") {
  for (const unsigned seed : test::mixed_seeds()) {
    INFO("TESSERA_MIXED_SEED=" << seed);
    CHECK(test::process_apart([seed] { return mixed(seed); }) == "");
  }
}
