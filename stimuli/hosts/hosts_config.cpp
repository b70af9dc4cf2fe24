#include "stimuli/hosts/hosts_config.hpp"

#include "base/check.hpp"
#include "stimuli/hosts/dmz_host.hpp"
#include "stimuli/hosts/log_host.hpp"

namespace tessera {

void HostsConfig::describe(ParameterVisitor& visitor) {
  visitor.enumeration("translation", translation, {"none", "log", "dmz"},
                      "host between the application and the zones: none: the application itself keeps to the rules of zones; log: a "
                      "log-structured host; dmz: one that translates by chunks, as dm-zoned");
  visitor.unused_where(translation == HostTranslation::none, "hosts.translation is none",
                       [&] { visitor.section("cpu", cpu, "what the host's processor takes, counted"); });
  visitor.unused_where(translation != HostTranslation::log, "hosts.translation is not log",
                       [&] { visitor.section("log", log, "the log-structured host"); });
  visitor.unused_where(translation != HostTranslation::dmz, "hosts.translation is not dmz",
                       [&] { visitor.section("dmz", dmz, "the host that translates by chunks, as dm-zoned"); });
}

bool HostsConfig::promises_flushed_only() const {
  return translation == HostTranslation::dmz || (translation == HostTranslation::log && log.write_back);
}

/// The log-structured host has two zones of data and two of an area for checkpoints; the other one half a zone for each chunk.
std::uint64_t HostsConfig::active_zones(const DriveZones& drive) const {
  return translation == HostTranslation::dmz ? drive.zones - drive.conventional : 4;
}

std::uint64_t HostsConfig::user_sectors(const DriveZones& drive, std::string& problem) const {
  TESSERA_CHECK(translates(), "no host translates");
  return translation == HostTranslation::dmz ? plan_dmz(dmz, drive, problem).user_sectors : plan_log(log, drive, problem).user_sectors;
}

std::unique_ptr<TranslatingHost> HostsConfig::make(const DriveZones& drive, Timeline& timeline, HostLink& link) const {
  if (!translates()) return nullptr;
  std::string problem;
  std::unique_ptr<TranslatingHost> host;
  if (translation == HostTranslation::dmz)
    host = std::make_unique<DmzHost>(dmz, cpu, drive, plan_dmz(dmz, drive, problem), timeline, link);
  else
    host = std::make_unique<LogHost>(log, cpu, drive, plan_log(log, drive, problem), timeline, link);
  TESSERA_CHECK(problem.empty(), problem.c_str());
  return host;
}

std::vector<std::string> HostsConfig::names() { return {"log", "log-greedy", "log-cost-benefit", "dmz"}; }

std::string HostsConfig::name() const {
  if (translation == HostTranslation::none) return "none";
  if (translation == HostTranslation::dmz) return "dmz";
  return log.cleaning == LogCleaning::greedy ? "log-greedy" : "log-cost-benefit";
}

bool HostsConfig::choose(std::string_view name) {
  if (name == "dmz") {
    translation = HostTranslation::dmz;
    return true;
  }
  if (!name.starts_with("log")) return false;
  const std::string_view rest = name.substr(3);
  if (!rest.empty() && rest != "-greedy" && rest != "-cost-benefit") return false;
  translation = HostTranslation::log;
  if (!rest.empty()) log.cleaning = rest == "-greedy" ? LogCleaning::greedy : LogCleaning::cost_benefit;
  return true;
}

}  // namespace tessera
