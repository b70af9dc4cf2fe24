#pragma once
// A NAND device on a virtual clock, and the shapes that its tests are about.
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "nand/nand_device.hpp"

namespace tessera::test {

struct Done {
  Picoseconds at;
  Picoseconds busy;
  Status status;
  bool operator==(const Done&) const = default;
};

/// A device on a virtual clock; commands are named by the order of their submission.
struct Bench final : NandClient {
  explicit Bench(const NandConfig& config) : device(config, 0, 1, timeline, *this) {}

  std::size_t submit(FlashOp op, std::uint64_t address, Picoseconds now) {
    FlashCommand& command = commands.emplace_back();
    command.op = op;
    command.page = NandPage(address);
    command.block = NandBlock(address);
    numbers[&command] = commands.size() - 1;
    device.submit(command, now);
    return commands.size() - 1;
  }
  void done(FlashCommand& command, void*, Picoseconds busy, Picoseconds now) override {
    const std::size_t number = numbers.at(&command);
    results[number] = {now, busy, command.status};
    order.push_back(number);
    if (on_done) on_done(number);
  }

  Timeline timeline;
  std::deque<FlashCommand> commands;
  std::map<const FlashCommand*, std::size_t> numbers;
  std::map<std::size_t, Done> results;
  std::vector<std::size_t> order;
  std::function<void(std::size_t)> on_done;
  NandDevice device;
};

inline NandConfig shaped(std::uint32_t channels, std::uint32_t dies, std::uint32_t planes) {
  NandConfig config;
  config.channels = channels;
  config.dies = dies;
  config.planes = planes;
  config.blocks = 64;
  return config;
}

// 4 KiB and 512 B of out-of-band area at 46.08 MB/s: 0.1 ms a page, 11.111 us an out-of-band area.
inline NandConfig with_bus(NandConfig config) {
  config.bus_rate = BytesPerSecond(46'080'000);
  return config;
}

}  // namespace tessera::test
