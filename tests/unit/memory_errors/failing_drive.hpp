#pragma once
// A small conventional drive whose DRAM fails where and when a test wants. Addresses are drive sectors of 4 KiB.
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

namespace tessera::test {

constexpr std::uint64_t host_buffer_bytes = 256 << 10;
constexpr std::uint64_t staging_bytes = 64 << 10;

/// Its bits can flip, by themselves long after the test.
inline BenchConfig failing_dram() {
  BenchConfig config = small_drive();
  config.dram.bit_errors = {{9e9, 0, 1}};
  config.dram.correction_time = Picoseconds(0);
  config.host.buffer = Bytes(host_buffer_bytes);
  config.controller.staging_buffer = Bytes(staging_bytes);
  return config;
}

struct FailingDrive : TestDrive {
  explicit FailingDrive(const FirmwareConfig& firmware = {}, const BenchConfig& config = failing_dram())
      : TestDrive(make_cmr_factory(), {{"journal_tracks", 4}}, config, firmware) {}

  Status write(std::uint64_t sector, std::uint32_t count = 1) {
    return bench().write(sector * blocks_per_sector, count * blocks_per_sector);
  }
  Status read(std::uint64_t sector, std::uint32_t count = 1) { return bench().read(sector * blocks_per_sector, count * blocks_per_sector); }

  void strike(DramAddress address, std::uint64_t bits = 2) { bench().dram().add_bit_error(address, bits, bench().now()); }
  void run_until(const std::function<bool()>& condition) {
    while (!condition()) bench().timeline().step();
  }
  /// Strikes when the data of the next write has come to the host buffer, or that of the next read from the platters to a buffer.
  Status write_struck(std::uint64_t first_block, std::uint32_t count, std::uint64_t struck_block, std::uint64_t bits = 2) {
    HostRequest& request = bench().submit(HostOp::write, first_block, count);
    const std::size_t dmas = bench().dmas.size();
    run_until([&] { return bench().dmas.size() > dmas; });
    const std::uint64_t in_buffer = struck_block - first_block / blocks_per_sector * blocks_per_sector;
    strike(DramAddress(host_buffer_begin() + in_buffer * host_block_bytes), bits);
    return bench().run_until_done(request);
  }
  Status struck_behind_media_read(HostRequest& request, DramAddress address, std::uint64_t bits = 2) {
    const std::size_t steps = bench().steps.size();
    run_until([&] { return bench().steps.size() > steps && bench().now() >= bench().steps.back().timing.end; });
    strike(address, bits);
    return bench().run_until_done(request);
  }
  /// Where the sector lies that the last DMA moved.
  [[nodiscard]] DramAddress last_moved() { return bench().dmas.back().address; }
  /// Where the data of the request in hand lies: the write DMA that came last begins there.
  [[nodiscard]] std::uint64_t host_buffer_begin() { return last_moved().value() / 4096 * 4096; }
};

}  // namespace tessera::test
