#pragma once
// The drives of an array in one SystemC kernel: modules that share one calendar, each with a host's end of its link.
#include <memory>
#include <string>
#include <vector>

#include "platforms/array/array_description.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/run/measurement.hpp"
#include "stimuli/arrays/array_host.hpp"
#include "stimuli/player/host_module.hpp"

namespace tessera {

struct DriveOfArray {
  std::string description;
  bool spare = false;
  DriveConfig config;
  FormatPlan plan;
  std::unique_ptr<DriveModule> module;
  std::unique_ptr<HostModule> host;
  std::unique_ptr<Measurement> measurement;
  bool failed = false;
  bool boots = false;  ///< with the others, and does not answer yet
  MetricSet metrics;   ///< once it failed, or the run ended
};

class ArrayDrives {
 public:
  /// InputError where a description is wrong, the drives' sectors differ, one has zones, or the chunk is no whole number of sectors.
  ArrayDrives(const ArrayDescription& array, ContentMode content, std::uint64_t seed, bool check_protocol);

  [[nodiscard]] std::size_t size() const { return drives_.size(); }
  [[nodiscard]] DriveOfArray& operator[](std::size_t i) { return *drives_[i]; }
  [[nodiscard]] const DriveOfArray& operator[](std::size_t i) const { return *drives_[i]; }
  [[nodiscard]] TimelineModule& calendar() { return *calendar_; }
  [[nodiscard]] Timeline& timeline() { return calendar_->timeline(); }
  [[nodiscard]] Bytes sector() const { return drives_.front()->config.media.sector_size; }
  [[nodiscard]] std::uint32_t sector_blocks() const { return static_cast<std::uint32_t>(sector().value() / host_block_bytes); }
  /// Whether this one keeps what it acknowledged through a power cut.
  [[nodiscard]] bool keeps_acknowledged(std::size_t i) const;
  /// Whether all of them keep what they acknowledged through a power cut.
  [[nodiscard]] bool keep_acknowledged() const;

  /// Once they are on. InputError where a spare is too small.
  [[nodiscard]] ArrayLayout layout(const ArrayDescription& array);
  /// What there is to say of the drives: a sentence each. Before any of them failed.
  [[nodiscard]] std::vector<std::string> notes(const ArrayDescription& array, const ArrayLayout& layout);

 private:
  void check_sectors(const ArrayDescription& array) const;
  void check_journal(const ArrayDescription& array) const;
  void check_cuts(const ArrayDescription& array) const;
  void check_memories(const ArrayDescription& array) const;

  std::unique_ptr<TimelineModule> calendar_;
  std::vector<std::unique_ptr<DriveOfArray>> drives_;
};

}  // namespace tessera
