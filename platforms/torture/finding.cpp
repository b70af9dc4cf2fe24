#include "platforms/torture/finding.hpp"

#include <boost/json.hpp>

namespace tessera {

namespace {

/// A line is written to a pipe at once, among those of other processes: what fits 4096 B stays whole.
constexpr std::size_t most_messages = 4;
constexpr std::size_t longest_message = 600;

}  // namespace

const char* to_string(Finding::Outcome outcome) {
  switch (outcome) {
    case Finding::Outcome::good: return "good";
    case Finding::Outcome::loss: return "loss";
    case Finding::Outcome::failure: return "failure";
    case Finding::Outcome::bug: return "model bug";
    case Finding::Outcome::crash: return "crash";
    case Finding::Outcome::refused: return "refused";
    case Finding::Outcome::hang: return "hang";
    case Finding::Outcome::fault: return "firmware fault";
  }
  return "";
}

std::string Finding::to_line() const {
  boost::json::object line;
  line["outcome"] = static_cast<std::uint64_t>(outcome);
  line["stage"] = stage;
  line["instant"] = instant;
  line["cuts"] = boost::json::value_from(cuts);
  boost::json::array told;
  for (std::size_t i = 0; i < messages.size() && i < most_messages; ++i) told.emplace_back(messages[i].substr(0, longest_message));
  line["messages"] = std::move(told);
  line["operations"] = operations;
  line["requests"] = requests;
  line["user_blocks"] = user_blocks;
  return boost::json::serialize(line) + "\n";
}

Finding Finding::from_line(const std::string& text) {
  const boost::json::object line = boost::json::parse(text).as_object();
  Finding finding;
  finding.outcome = static_cast<Outcome>(line.at("outcome").to_number<std::uint64_t>());
  finding.stage = line.at("stage").as_string().c_str();
  finding.instant = line.at("instant").as_string().c_str();
  finding.cuts = boost::json::value_to<std::vector<std::string>>(line.at("cuts"));
  finding.messages = boost::json::value_to<std::vector<std::string>>(line.at("messages"));
  finding.operations = line.at("operations").to_number<std::uint64_t>();
  finding.requests = line.at("requests").to_number<std::uint64_t>();
  finding.user_blocks = line.at("user_blocks").to_number<std::uint64_t>();
  return finding;
}

}  // namespace tessera
