#pragma once
// The drive under MixedCommands: layer, caches, link and processor drawn by a seed, over the smallest drive that runs every layer.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "platforms/drive/drive_module.hpp"
#include "support/mixed_commands.hpp"

namespace test {

/// The seeds of a test: 24, or TESSERA_MIXED_SEEDS from TESSERA_MIXED_SEED on.
inline std::vector<unsigned> mixed_seeds() {
  const auto number = [](const char* name, unsigned otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  };
  const bool one = std::getenv("TESSERA_MIXED_SEED") != nullptr;
  std::vector<unsigned> seeds(number("TESSERA_MIXED_SEEDS", one ? 1 : 24));
  for (unsigned i = 0; i < seeds.size(); ++i) seeds[i] = number("TESSERA_MIXED_SEED", 1) + i;
  return seeds;
}

struct MixedDrive final : tessera::TimelineListener {
  explicit MixedDrive(unsigned the_seed) : seed(the_seed), draw(the_seed * 7919U + 1U) {
    const std::string layer = one_of({"cmr",
                                      "imr-rmw",
                                      "imr-flip",
                                      "imr-cache",
                                      "imr-dtm",
                                      "shingled-in-place-1234",
                                      "shingled-in-place-124r3",
                                      "vguard",
                                      "sblock",
                                      "hwsr",
                                      "skylight-flash",
                                      "pore",
                                      "mu-rmw",
                                      "skylight-disk",
                                      "fluid",
                                      "fluid-loop",
                                      "amphisbaena",
                                      "media-cache",
                                      "tessera",
                                      "tessera-imr",
                                      "host-aware"});
    durability = one_of({"plp", "volatile"});
    zeros_after_trim = one_of({"true", "false"});
    if (layer == "host-aware") zeros_after_trim = "false";  // as its hosts empty zones by a reset
    overrides = {"firmware.write_cache.capacity=" + one_of({"0 B", "64 KiB", "64 KiB", "256 KiB"}),
                 "firmware.write_cache.durability=" + durability,
                 "firmware.write_cache.edges=" + one_of({"before", "behind"}),
                 "firmware.write_cache.order=" + one_of({"elevator", "first_come", "positioning"}),
                 "firmware.read_cache.segments=" + one_of({"0", "1", "4"}),
                 "firmware.read_cache.read_ahead=32",
                 "firmware.read_cache.segment_sectors=64",
                 "firmware.zeros_after_trim=" + zeros_after_trim,
                 "host.tags=" + one_of({"1", "4", "32"}),
                 "host.link=" + one_of({"ideal", "sata", "sas"}),
                 "host.stream_reads=" + one_of({"true", "false"})};
    text = layer;
    for (const std::string& override : overrides) text += " --set '" + override + "'";
    config = tessera::load_drive(std::filesystem::path(TESSERA_DRIVES) / "torture.toml", overrides, layer);
    tessera::DriveParts parts;
    parts.check_protocol = true;
    drive = std::make_unique<tessera::DriveModule>("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, seed,
                                                   std::move(parts));
  }
  /// Empty, or the first fault after the drive's own words.
  template <class Host, class Device>
  std::string run(Host& host, Device& device) {
    std::string fault = "the host does not end";
    host.program = [&](Host&) {
      MixedSetting setting;
      setting.blocks = drive->capacity().value() / 512;
      setting.is_volatile = durability == "volatile" && config.firmware.write_cache.capacity.value() > 0;
      setting.zeros_after_trim = zeros_after_trim == "true";
      setting.cut = [this] {
        drive->timeline_module().post(tessera::from_sc_time(sc_core::sc_time_stamp()), *this, 0);
        drive->timeline_module().post(tessera::from_sc_time(sc_core::sc_time_stamp() + sc_core::sc_time(1, sc_core::SC_SEC)), *this, 1);
        sc_core::wait(4, sc_core::SC_SEC);
      };
      sc_core::wait(1, sc_core::SC_SEC);  // the first boot formats, which a factory does in peace
      fault = MixedCommands<Device>(device, setting, seed).run();
    };
    drive->power_on(false, [](tessera::Status) {});
    try {
      sc_core::sc_start(sc_core::sc_time(10'000, sc_core::SC_SEC));
      drive->timeline_module().rethrow_failure();
    } catch (const std::exception& error) {
      fault = error.what();
    }
    return fault.empty() ? "" : text + "\n" + fault;
  }

  unsigned seed;
  std::mt19937 draw;
  std::string durability, zeros_after_trim, text;
  std::vector<std::string> overrides;
  tessera::DriveConfig config;
  std::unique_ptr<tessera::DriveModule> drive;

 private:
  std::string one_of(const std::vector<std::string>& values) { return values[draw() % values.size()]; }
  void on_time(std::uint64_t what) override {
    if (what == 0) return static_cast<void>(drive->power_off());
    drive->power_on(true, [this](tessera::Status status) {
      if (status != tessera::Status::ok) text += " (does not boot)";
    });
  }
};

}  // namespace test
