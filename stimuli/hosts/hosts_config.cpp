#include "stimuli/hosts/hosts_config.hpp"

#include "base/check.hpp"
#include "stimuli/hosts/dmz_host.hpp"
#include "stimuli/hosts/log_host.hpp"
#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

void HostsConfig::describe(ParameterVisitor& visitor) {
  visitor.enumeration("translation", translation, {"none", "log", "dmz", "lsm"},
                      "host between the application and the zones: none: the application itself keeps to the rules of zones; log: a "
                      "log-structured host; dmz: one that translates by chunks, as dm-zoned; lsm: one with a log-structured merge tree, as "
                      "RocksDB on ZenFS");
  visitor.unused_where(translation == HostTranslation::none, "hosts.translation is none",
                       [&] { visitor.section("cpu", cpu, "what the host's processor takes, counted"); });
  visitor.unused_where(translation != HostTranslation::log, "hosts.translation is not log",
                       [&] { visitor.section("log", log, "the log-structured host"); });
  visitor.unused_where(translation != HostTranslation::dmz, "hosts.translation is not dmz",
                       [&] { visitor.section("dmz", dmz, "the host that translates by chunks, as dm-zoned"); });
  visitor.unused_where(translation != HostTranslation::lsm, "hosts.translation is not lsm",
                       [&] { visitor.section("lsm", lsm, "the host with a log-structured merge tree"); });
}

bool HostsConfig::promises_flushed_only() const {
  return translation == HostTranslation::dmz || translation == HostTranslation::lsm ||
         (translation == HostTranslation::log && log.write_back);
}

/// The log-structured host has two zones of data and two of an area for checkpoints; that by chunks half a zone for each chunk; that with a
/// merge tree one for each lifetime, and two manifests with their copies.
std::uint64_t HostsConfig::active_zones(const DriveZones& drive) const {
  switch (translation) {
    case HostTranslation::dmz: return drive.zones - drive.conventional;
    case HostTranslation::lsm: return lsm_lives + 2 * lsm_copies;
    default: return 4;
  }
}

std::uint64_t HostsConfig::user_sectors(const DriveZones& drive, std::string& problem) const {
  TESSERA_CHECK(translates(), "no host translates");
  switch (translation) {
    case HostTranslation::dmz: return plan_dmz(dmz, drive, problem).user_sectors;
    case HostTranslation::lsm: return plan_lsm(lsm, drive, problem).user_sectors;
    default: return plan_log(log, drive, problem).user_sectors;
  }
}

std::unique_ptr<TranslatingHost> HostsConfig::make(const DriveZones& drive, Timeline& timeline, HostLink& link) const {
  if (!translates()) return nullptr;
  std::string problem;
  std::unique_ptr<TranslatingHost> host;
  if (translation == HostTranslation::dmz)
    host = std::make_unique<DmzHost>(dmz, cpu, drive, plan_dmz(dmz, drive, problem), timeline, link);
  else if (translation == HostTranslation::lsm)
    host = std::make_unique<LsmHost>(lsm, cpu, drive, plan_lsm(lsm, drive, problem), timeline, link);
  else
    host = std::make_unique<LogHost>(log, cpu, drive, plan_log(log, drive, problem), timeline, link);
  TESSERA_CHECK(problem.empty(), problem.c_str());
  return host;
}

std::vector<std::string> HostsConfig::names() { return {"log", "log-greedy", "log-cost-benefit", "dmz", "lsm"}; }

std::string HostsConfig::name() const {
  if (translation == HostTranslation::none) return "none";
  if (translation == HostTranslation::dmz) return "dmz";
  if (translation == HostTranslation::lsm) return "lsm";
  return log.cleaning == LogCleaning::greedy ? "log-greedy" : "log-cost-benefit";
}

bool HostsConfig::choose(std::string_view name) {
  if (name == "dmz" || name == "lsm") {
    translation = name == "dmz" ? HostTranslation::dmz : HostTranslation::lsm;
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
