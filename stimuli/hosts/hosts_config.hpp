#pragma once
// The section `hosts` of a drive description: whether a host translates what an application does for a drive with zones, and how.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/parameter.hpp"
#include "stimuli/hosts/dmz_config.hpp"
#include "stimuli/hosts/host_cpu.hpp"
#include "stimuli/hosts/log_host_config.hpp"
#include "stimuli/hosts/lsm_config.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

enum class HostTranslation : std::uint32_t { none, log, dmz, lsm };

struct HostsConfig {
  HostTranslation translation = HostTranslation::none;
  HostCpuConfig cpu;
  LogHostConfig log;
  DmzHostConfig dmz;
  LsmHostConfig lsm;

  void describe(ParameterVisitor& visitor);

  [[nodiscard]] bool translates() const { return translation != HostTranslation::none; }
  /// Whether only FLUSH and FUA make durable what the application wrote.
  [[nodiscard]] bool promises_flushed_only() const;
  /// Sequential zones that it may have open or half written at once.
  [[nodiscard]] std::uint64_t active_zones(const DriveZones& drive) const;
  /// Sectors that the application sees on the drive; a sentence why it sees none in `problem`.
  [[nodiscard]] std::uint64_t user_sectors(const DriveZones& drive, std::string& problem) const;
  /// Null where nothing translates; user_sectors() has no problem with the drive.
  [[nodiscard]] std::unique_ptr<TranslatingHost> make(const DriveZones& drive, Timeline& timeline, HostLink& link) const;

  /// Hosts by the words that follow the layer in `zoned:WORD`.
  [[nodiscard]] static std::vector<std::string> names();
  /// The one of this host.
  [[nodiscard]] std::string name() const;
  /// Takes the host of such a word; false where there is none.
  [[nodiscard]] bool choose(std::string_view name);
};

}  // namespace tessera
