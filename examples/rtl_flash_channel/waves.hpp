#pragma once
// One VCD with the signals of a drive and of your own modules, on one time base, and next to it the save file with which GTKWave shows them
// in groups (gtkwave FILE.gtkw). `vcd2fst FILE.vcd FILE.fst` makes an FST of it.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tessera/base/vcd_writer.hpp"
#include "tessera/base/waveform.hpp"
#include "tessera/platforms/drive/drive_module.hpp"
#include "tessera/platforms/output/save_file.hpp"

class Waves {
 public:
  Waves(const std::filesystem::path& file, std::vector<tessera::DriveModule::SignalRoot> roots)
      : path_(file), roots_(std::move(roots)), file_(file), writer_(file_), recorder_({&writer_}, std::vector<tessera::WaveWindow>{{}}) {
    for (const auto& root : roots_) {
      root.signals.each(root.name,
                        [&](const std::string& scope, tessera::SignalScope& own, std::uint32_t index, const tessera::SignalInfo& info) {
                          own.watch(index, recorder_, recorder_.record(scope, info).index);
                          if (own.source() != nullptr) recorder_.follow(*own.source());
                          shown_.push_back({.scope = scope, .info = &info});
                        });
    }
  }
  void finish(tessera::Picoseconds now) {
    recorder_.finish(now);
    for (const auto& root : roots_) root.signals.unwatch(recorder_);
    file_.close();
    std::ofstream save(std::filesystem::path(path_).replace_extension(".gtkw"));
    tessera::write_save_file(save, path_, shown_, {.start = recorder_.start(), .end = recorder_.end()});
  }

 private:
  std::filesystem::path path_;
  std::vector<tessera::DriveModule::SignalRoot> roots_;
  std::ofstream file_;
  tessera::VcdWriter writer_;
  tessera::Waveform recorder_;
  std::vector<tessera::ShownSignal> shown_;
};
