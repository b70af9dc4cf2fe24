#pragma once
// A controller between a driver's memory and a drive of plain bytes.
#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "ahci/ahci_controller.hpp"
#include "support/ahci_driver.hpp"

namespace test {

struct AhciBench : tessera::HostMemory, tessera::BlockDrive, tessera::Interrupts {
  static constexpr std::uint64_t bytes = 4U << 20U;
  static constexpr std::uint64_t blocks = bytes / 512;

  virtual ~AhciBench() = default;
  explicit AhciBench(tessera::ahci::Config config = {}) : controller(std::move(config), *this, *this, *this) {
    driver.write32 = [this](std::uint64_t offset, std::uint32_t value) { controller.write_register(offset, value, 4); };
    driver.read32 = [this](std::uint64_t offset) { return static_cast<std::uint32_t>(controller.read_register(offset, 4)); };
    driver.pass = [this] { work(); };
    controller.power_on();
  }
  /// Until the controller has nothing to do and the drive nothing that it may end.
  void work() {
    do {
      while (controller.work()) {
      }
      if (!holds) end_transfers();
    } while (controller.work());
  }
  void end_transfers() {
    for (; !transfers.empty(); transfers.pop_front()) {
      const tessera::BlockTransfer transfer = transfers.front();
      const bool meets = transfer.offset < fails_in.second && fails_in.first < transfer.offset + transfer.bytes;
      const bool ok = transfer.offset != fails_at && !meets && transfer.offset + transfer.bytes <= content.size();
      if (ok && transfer.op == tessera::BlockOp::read) std::memcpy(transfer.data, content.data() + transfer.offset, transfer.bytes);
      if (ok && transfer.op == tessera::BlockOp::write) std::memcpy(content.data() + transfer.offset, transfer.data, transfer.bytes);
      controller.ended(transfer, ok);
    }
  }

  bool read(std::uint64_t address, std::span<std::byte> to) override {
    if (on_access) on_access();
    if (address + to.size() > driver.memory.size()) return false;
    std::memcpy(to.data(), driver.memory.data() + address, to.size());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::byte> from) override {
    if (on_access) on_access();
    if (address + from.size() > driver.memory.size()) return false;
    std::memcpy(driver.memory.data() + address, from.data(), from.size());
    return true;
  }
  [[nodiscard]] std::uint64_t capacity() const override { return powered ? bytes : 0; }
  void submit(const tessera::BlockTransfer& transfer) override {
    transfers.push_back(transfer);
    seen.push_back(transfer);
  }
  [[nodiscard]] std::uint32_t waiting(std::uint32_t command) const override {
    std::uint32_t count = 0;
    for (std::size_t i = takes; i < transfers.size(); ++i) count += transfers[i].command == command ? 1 : 0;
    return count;
  }
  void withdraw(std::uint32_t command) override {
    const auto front = transfers.begin() + static_cast<std::ptrdiff_t>(std::min(takes, transfers.size()));
    transfers.erase(std::remove_if(front, transfers.end(), [&](const auto& transfer) { return transfer.command == command; }),
                    transfers.end());
  }
  void line(bool asserted) override { line_is = asserted; }
  void message(std::uint16_t vector) override { messages.push_back(vector); }

  /// The word of IDENTIFY DEVICE, read anew.
  std::uint16_t word(unsigned number) {
    const std::uint64_t at = driver.allocate();
    return driver.call(AhciDriver::identify(at)).ok() ? driver.load<std::uint16_t>(at + 2 * number) : 0xffff;
  }
  /// Whether the bytes of a page add up to 0.
  [[nodiscard]] bool adds_up(std::uint64_t at) const {
    unsigned char sum = 0;
    for (unsigned i = 0; i < 512; ++i) sum = static_cast<unsigned char>(sum + driver.memory[at + i]);
    return sum == 0;
  }

  AhciDriver driver;
  tessera::ahci::Controller controller;
  std::vector<unsigned char> content = std::vector<unsigned char>(bytes);
  std::deque<tessera::BlockTransfer> transfers;  // that the drive has, and after so many those in front of it
  std::size_t takes = 1000;
  std::vector<tessera::BlockTransfer> seen;          // all of them
  bool powered = true, holds = false;                // the drive: holds what it has
  std::uint64_t fails_at = ~std::uint64_t{0};        // the offset of the transfer that the drive fails
  std::pair<std::uint64_t, std::uint64_t> fails_in;  // transfers that touch these bytes
  bool line_is = false;
  std::vector<std::uint16_t> messages;
  std::function<void()> on_access;  // of the platform's memory
};

/// Whether the drive aborts it.
inline bool is_refused(AhciBench& bench, const AhciRequest& request) {
  const AhciAnswer answer = bench.driver.call(request);
  return bench.driver.restart() && answer.status == 0x41 && answer.error == 4;
}

}  // namespace test
