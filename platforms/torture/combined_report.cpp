#include "platforms/torture/combined_report.hpp"

#include <boost/json.hpp>
#include <iomanip>
#include <sstream>

namespace tessera {

namespace {

void count(CombinedReport::Counts& counts, const CombinedResult& result) {
  if (result.outcome == Finding::Outcome::refused) {
    ++counts.refused;
    return;
  }
  ++counts.runs;
  counts.requests += result.requests;
  counts.cuts += result.all_cuts();
  counts.in_recovery += result.cuts_in_recovery;
  counts.loaded += result.loaded;
  counts.excused += result.excused;
  counts.dead += result.dead;
  if (result.outcome != Finding::Outcome::good) ++counts.failures;
}

void print_heading(std::ostream& out, const char* what) {
  out << std::left << std::setw(16) << what << std::right << std::setw(8) << "runs" << std::setw(9) << "refused" << std::setw(10)
      << "requests" << std::setw(8) << "cuts" << std::setw(13) << "in recovery" << std::setw(8) << "states" << std::setw(9) << "excused"
      << std::setw(6) << "dead" << std::setw(10) << "failures"
      << "\n";
}

void print_row(std::ostream& out, const std::string& name, const CombinedReport::Counts& counts) {
  out << std::left << std::setw(16) << name << std::right << std::setw(8) << counts.runs << std::setw(9) << counts.refused << std::setw(10)
      << counts.requests << std::setw(8) << counts.cuts << std::setw(13) << counts.in_recovery << std::setw(8) << counts.loaded
      << std::setw(9) << counts.excused << std::setw(6) << counts.dead << std::setw(10) << counts.failures << "\n";
}

boost::json::object as_json(const CombinedReport::Counts& counts) {
  return {{"runs", counts.runs},
          {"refused", counts.refused},
          {"requests", counts.requests},
          {"cuts", counts.cuts},
          {"in_recovery", counts.in_recovery},
          {"states", counts.loaded},
          {"excused", counts.excused},
          {"dead", counts.dead},
          {"failures", counts.failures}};
}

boost::json::object as_json(const std::map<std::string, CombinedReport::Counts>& rows) {
  boost::json::object object;
  for (const auto& [name, counts] : rows) object[name] = as_json(counts);
  return object;
}

}  // namespace

void CombinedReport::add(const CombinedResult& result) {
  count(all_, result);
  count(layers_[result.layer], result);
  if (result.faults.empty()) count(faults_["none"], result);
  for (const std::string& fault : result.faults) count(faults_[fault], result);
  lost_ = lost_ || result.outcome == Finding::Outcome::loss || result.outcome == Finding::Outcome::failure;
}

std::string CombinedReport::text() const {
  std::ostringstream out;
  print_heading(out, "layer");
  for (const auto& [name, counts] : layers_) print_row(out, name, counts);
  print_row(out, "all", all_);
  out << "\n";
  print_heading(out, "fault, each run");  // a run with several faults counts in several rows
  for (const auto& [name, counts] : faults_) print_row(out, name, counts);
  return out.str();
}

std::string CombinedReport::json(std::uint64_t seed, const std::vector<std::string>& told) const {
  boost::json::object object;
  object["seed"] = seed;
  object["all"] = as_json(all_);
  object["layers"] = as_json(layers_);
  object["faults"] = as_json(faults_);
  object["told"] = boost::json::value_from(told);
  return boost::json::serialize(object);
}

}  // namespace tessera
