#pragma once
// A controller between a driver's memory and a drive of plain bytes.
#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

#include "nvme/nvme_controller.hpp"
#include "support/nvme_driver.hpp"

namespace test {

struct NvmeBench : tessera::HostMemory, tessera::BlockDrive, tessera::Interrupts {
  static constexpr std::uint64_t bytes = 4U << 20U;

  virtual ~NvmeBench() = default;
  explicit NvmeBench(tessera::nvme::Config config = {}) : controller(std::move(config), *this, *this, *this) {
    driver.write32 = [this](std::uint64_t offset, std::uint32_t value) { controller.write_register(offset, value, 4); };
    driver.read32 = [this](std::uint64_t offset) { return static_cast<std::uint32_t>(controller.read_register(offset, 4)); };
    driver.pass = [this] { work(); };
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
      const bool ok =
          !fails && !given_up.contains({transfer.command, transfer.generation}) && transfer.offset + transfer.bytes <= content.size();
      if (ok && transfer.op == tessera::BlockOp::read) std::memcpy(transfer.data, content.data() + transfer.offset, transfer.bytes);
      if (ok && transfer.op == tessera::BlockOp::write) std::memcpy(content.data() + transfer.offset, transfer.data, transfer.bytes);
      controller.ended(transfer, ok);
    }
  }

  bool read(std::uint64_t address, std::span<std::byte> to) override {
    if (address + to.size() > driver.memory.size()) return false;
    std::memcpy(to.data(), driver.memory.data() + address, to.size());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::byte> from) override {
    if (address + from.size() > driver.memory.size()) return false;
    std::memcpy(driver.memory.data() + address, from.data(), from.size());
    if (on_write) on_write();
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
  void abort(std::uint32_t command, std::uint32_t generation) override {
    if (aborts) given_up.insert({command, generation});
  }
  void line(bool asserted) override { line_is = asserted; }
  void message(std::uint16_t vector) override { messages.push_back(vector); }

  NvmeDriver driver;
  tessera::nvme::Controller controller;
  std::vector<unsigned char> content = std::vector<unsigned char>(bytes);
  std::deque<tessera::BlockTransfer> transfers;  // that the drive has, and after so many those in front of it
  std::size_t takes = 1000;
  bool aborts = true;                                            // what it is asked to, when it ends a transfer
  std::set<std::pair<std::uint32_t, std::uint32_t>> given_up{};  // command, generation
  std::vector<tessera::BlockTransfer> seen;                      // all of them
  bool powered = true, fails = false, holds = false;             // the drive: holds what it has
  bool line_is = false;
  std::vector<std::uint16_t> messages;
  std::function<void()> on_write;  // of the platform's memory, before the controller goes on
};

}  // namespace test
