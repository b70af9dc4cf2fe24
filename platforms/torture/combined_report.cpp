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

std::string share(std::uint64_t part, std::uint64_t whole) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << (whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole)) << " %";
  return out.str();
}

void print_pairs(std::ostream& out, const std::string& name, const CombinedReport::Pairs& pairs) {
  out << std::left << std::setw(16) << name << std::right << std::setw(11) << pairs.met << std::setw(11) << pairs.all << std::setw(10)
      << share(pairs.met, pairs.all) << std::setw(14) << pairs.own_met << std::setw(11) << pairs.own_all << std::setw(10)
      << share(pairs.own_met, pairs.own_all) << "\n";
}

boost::json::object as_json(const CombinedReport::Pairs& pairs) {
  return {{"met", pairs.met}, {"of", pairs.all}, {"own_met", pairs.own_met}, {"own_of", pairs.own_all}};
}

}  // namespace

void CombinedReport::add_pairs(const CombinedResult& result, const CoveringRows& rows) {
  const auto [entry, first] =
      pairs_.try_emplace(result.layer, LayerPairs{{0, rows.pairs(), 0, rows.foremost_pairs()}, PairSet(rows.items())});
  auto& [count, met] = entry->second;
  std::uint32_t own = 0;  // items, in front of the others
  while (own < rows.items() && rows.foremost(own)) ++own;
  if (shared_.all == 0) {
    shared_.all = rows.pairs() - rows.foremost_pairs();
    shared_met_ = PairSet(rows.items() - own);
  }
  if (result.outcome == Finding::Outcome::refused) return;
  for (const std::uint32_t one : result.met)
    for (const std::uint32_t other : result.met) {
      if (one <= other || rows.factor_of(one) == rows.factor_of(other)) continue;
      const bool with_own = other < own;
      if (met.insert(one, other)) {
        ++count.met;
        if (with_own) ++count.own_met;
      }
      if (!with_own && shared_met_.insert(one - own, other - own)) ++shared_.met;
    }
}

CombinedReport::Pairs CombinedReport::sum_of_pairs() const {
  Pairs sum;
  for (const auto& [layer, pairs] : pairs_) {
    sum.met += pairs.count.met;
    sum.all += pairs.count.all;
    sum.own_met += pairs.count.own_met;
    sum.own_all += pairs.count.own_all;
  }
  return sum;
}

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
  if (pairs_.empty()) return out.str();
  out << "\n"
      << std::left << std::setw(16) << "pairs of values" << std::right << std::setw(11) << "met" << std::setw(11) << "of" << std::setw(10)
      << "" << std::setw(14) << "met, with own" << std::setw(11) << "of"
      << "\n";
  for (const auto& [name, pairs] : pairs_) print_pairs(out, name, pairs.count);
  const Pairs sum = sum_of_pairs();
  print_pairs(out, "all", sum);
  out << "pairs met: " << sum.met << " of " << sum.all << "; of those without a layer's own parameter " << shared_.met << " of "
      << shared_.all << " on some layer\n";
  return out.str();
}

std::string CombinedReport::json(std::uint64_t seed, const std::vector<std::string>& told) const {
  boost::json::object object;
  object["seed"] = seed;
  object["all"] = as_json(all_);
  object["layers"] = as_json(layers_);
  object["faults"] = as_json(faults_);
  if (!pairs_.empty()) {
    boost::json::object pairs = as_json(sum_of_pairs());
    pairs["shared_met"] = shared_.met;
    pairs["shared_of"] = shared_.all;
    boost::json::object layers;
    for (const auto& [name, of_layer] : pairs_) layers[name] = as_json(of_layer.count);
    pairs["layers"] = std::move(layers);
    object["pairs"] = std::move(pairs);
  }
  object["told"] = boost::json::value_from(told);
  return boost::json::serialize(object);
}

}  // namespace tessera
