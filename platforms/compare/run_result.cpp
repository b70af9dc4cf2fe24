#include "platforms/compare/run_result.hpp"

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "platforms/output/program_name.hpp"
#include "platforms/run/stop_signals.hpp"

namespace tessera {

namespace {

/// What a run ended with: the first word of the scoreboard, or else its last line.
std::string last_message(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string message;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    message = line;
    if (line.starts_with("scoreboard: ")) break;
  }
  return std::string(without_program_name(message));
}

void read_summary(RunResult& run, const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return;
  std::stringstream text;
  text << in.rdbuf();
  const boost::json::object summary = boost::json::parse(text.str()).as_object();
  const boost::json::object& facts = summary.at("run").as_object();
  run.cleans = facts.at("cleans").as_bool();
  run.unstable = facts.at("unstable").as_bool();
  run.partial = facts.at("partial").as_bool();
  for (const auto& note : facts.at("notes").as_array()) run.notes.emplace_back(note.as_string());
  for (const auto& [name, metric] : summary.at("metrics").as_object()) {
    const boost::json::value& value = metric.at("value");
    run.metrics[name] = value.is_null() ? std::nullopt : std::optional(value.to_number<double>());
    run.units[name] = metric.at("unit").as_string().c_str();
  }
}

}  // namespace

void read_run(RunResult& run, const std::filesystem::path& folder, const std::filesystem::path& messages, int status) {
  run.status = status;
  read_summary(run, folder / "summary.json");
  if (status == 0) return;
  run.message = is_stop_status(status) ? "interrupted" : last_message(messages);
  if (run.message.empty()) run.message = "ended with exit status " + std::to_string(status);
}

}  // namespace tessera
