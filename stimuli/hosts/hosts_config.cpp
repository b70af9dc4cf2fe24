#include "stimuli/hosts/hosts_config.hpp"

#include "base/check.hpp"
#include "stimuli/hosts/log_host.hpp"

namespace tessera {

void HostsConfig::describe(ParameterVisitor& visitor) {
  visitor.enumeration("translation", translation, {"none", "log"},
                      "host between the application and the zones: none: the application itself keeps to the rules of zones; log: a "
                      "log-structured host");
  visitor.unused_where(translation == HostTranslation::none, "hosts.translation is none",
                       [&] { visitor.section("cpu", cpu, "what the host's processor takes, counted"); });
  visitor.unused_where(translation != HostTranslation::log, "hosts.translation is not log",
                       [&] { visitor.section("log", log, "the log-structured host"); });
}

bool HostsConfig::promises_flushed_only() const { return translation == HostTranslation::log && log.write_back; }

std::uint64_t HostsConfig::user_sectors(const DriveZones& drive, std::string& problem) const {
  TESSERA_CHECK(translates(), "no host translates");
  return plan_log(log, drive, problem).user_sectors;
}

std::unique_ptr<TranslatingHost> HostsConfig::make(const DriveZones& drive, Timeline& timeline, HostLink& link) const {
  if (!translates()) return nullptr;
  std::string problem;
  const LogLayout layout = plan_log(log, drive, problem);
  TESSERA_CHECK(problem.empty(), problem.c_str());
  return std::make_unique<LogHost>(log, cpu, drive, layout, timeline, link);
}

std::vector<std::string> HostsConfig::names() { return {"log", "log-greedy", "log-cost-benefit"}; }

std::string HostsConfig::name() const {
  if (translation == HostTranslation::none) return "none";
  return log.cleaning == LogCleaning::greedy ? "log-greedy" : "log-cost-benefit";
}

bool HostsConfig::choose(std::string_view name) {
  if (!name.starts_with("log")) return false;
  const std::string_view rest = name.substr(3);
  if (!rest.empty() && rest != "-greedy" && rest != "-cost-benefit") return false;
  translation = HostTranslation::log;
  if (!rest.empty()) log.cleaning = rest == "-greedy" ? LogCleaning::greedy : LogCleaning::cost_benefit;
  return true;
}

}  // namespace tessera
