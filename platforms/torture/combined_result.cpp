#include "platforms/torture/combined_result.hpp"

#include <boost/json.hpp>

namespace tessera {

namespace {

/// A line is written to a pipe at once, among those of other processes: what fits 4096 B stays whole.
constexpr std::size_t most_sentences = 4;
constexpr std::size_t longest_sentence = 600;

}  // namespace

std::string CombinedResult::to_line() const {
  boost::json::object line;
  line["run"] = run;
  line["layer"] = layer;
  line["faults"] = boost::json::value_from(faults);
  line["outcome"] = static_cast<std::uint64_t>(outcome);
  line["part"] = part;
  line["cuts"] = boost::json::array{boost::json::value_from(cuts[0]), boost::json::value_from(cuts[1])};
  boost::json::array told;
  for (std::size_t i = 0; i < messages.size() && i < most_sentences; ++i) told.emplace_back(messages[i].substr(0, longest_sentence));
  line["messages"] = std::move(told);
  line["requests"] = requests;
  line["cuts_in_recovery"] = cuts_in_recovery;
  line["excused"] = excused;
  line["dead"] = dead;
  line["met_both_copies"] = met_both_copies;
  line["loaded"] = loaded;
  line["met"] = boost::json::value_from(met);
  line["blocks"] = blocks;
  return boost::json::serialize(line) + "\n";
}

CombinedResult CombinedResult::from_line(const std::string& text) {
  const boost::json::object line = boost::json::parse(text).as_object();
  const auto number = [&line](const char* name) { return line.at(name).to_number<std::uint64_t>(); };
  CombinedResult result;
  result.run = number("run");
  result.layer = line.at("layer").as_string().c_str();
  result.faults = boost::json::value_to<std::vector<std::string>>(line.at("faults"));
  result.outcome = static_cast<Finding::Outcome>(number("outcome"));
  result.part = static_cast<std::uint32_t>(number("part"));
  for (std::size_t part = 0; part < 2; ++part)
    result.cuts[part] = boost::json::value_to<std::vector<std::string>>(line.at("cuts").as_array()[part]);
  result.messages = boost::json::value_to<std::vector<std::string>>(line.at("messages"));
  result.requests = number("requests");
  result.cuts_in_recovery = number("cuts_in_recovery");
  result.excused = number("excused");
  result.dead = number("dead");
  result.met_both_copies = line.at("met_both_copies").as_bool();
  result.loaded = number("loaded");
  result.met = boost::json::value_to<std::vector<std::uint32_t>>(line.at("met"));
  result.blocks = number("blocks");
  return result;
}

}  // namespace tessera
