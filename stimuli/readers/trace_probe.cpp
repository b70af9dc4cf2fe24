#include "stimuli/readers/trace_probe.hpp"

#include <algorithm>
#include <cstdio>

#include <filesystem>
#include <ostream>

#include "base/error.hpp"
#include "stimuli/readers/column_guess.hpp"
#include "stimuli/readers/columns_spec.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/recognition.hpp"

namespace tessera {
namespace {

std::string probe_figures(const Trial& trial) {
  std::string text = trial.records == 0 ? "no request" : trial.text();
  if (trial.records == Trial::most_records) text = "first " + text;
  return trial.error.empty() ? text : text + ", then: " + trial.error;
}

void print_readings(const std::vector<Candidate>& all, const Verdict& verdict, std::ostream& out) {
  for (const auto& candidate : all) {
    const bool rival = std::ranges::find(verdict.rivals, &candidate) != verdict.rivals.end();
    const char* mark = !verdict.rivals.empty() && (rival || &candidate == verdict.taken) ? "? " : &candidate == verdict.taken ? "* " : "  ";
    char score[16];
    std::snprintf(score, sizeof score, "%.2f", candidate.evidence.score);
    out << mark << "--format " << candidate.words() << "  (fits to " << score << ")\n      " << probe_figures(candidate.trial) << "\n";
    if (!candidate.evidence.text.empty()) out << "      " << candidate.evidence.text << "\n";
  }
}

void print_guess(const std::string& path, const Sample& sample, std::ostream& out) {
  const GuessedColumns guess = guess_columns(sample);
  if (!guess.unsure.empty()) {
    out << "no description of its columns is proposed, as they leave open\n";
    for (const auto& open : guess.unsure) out << "  - " << open << "\n";
    out << "name them with --format columns:...\n";
    return;
  }
  if (!guess.complete) {
    out << "no columns of a time, an offset and a size are found in it either; 'tessera-sim list formats' names what can be read\n";
    return;
  }
  const ColumnsSpec spec = columns_of_toml(guess.toml, "the description");
  const Trial trial = try_reading(path, sample, [&](TraceFile file) { return read_columns(std::move(file), spec); });
  out << "a description of its columns to begin with; check it, and keep it as " << columns_file(path) << ":\n\n"
      << guess.toml << "\nas it stands it reads " << probe_figures(trial) << "\n";
}

}  // namespace

void print_probe(const std::string& path, std::ostream& out) {
  const auto content = open_byte_stream(path);
  Sample sample(*content);
  sample.look_elsewhere(path);
  if (sample.bytes.empty()) throw input_error(path, 0, "the trace holds no request: the file is empty");
  if (std::filesystem::exists(columns_file(path)))
    out << path << ": read as columns, by " << columns_file(path) << "; without that file:\n";
  const auto all = candidates(path, sample);
  const Verdict verdict = judge(all);
  if (verdict.taken == nullptr)
    out << path << ": the content fits no known trace format\n";
  else if (!verdict.rivals.empty())
    out << path << ": " << refusal(verdict) << "\n";
  else
    out << path << ": " << taken_text(*verdict.taken, sample) << "\n";
  print_readings(all, verdict, out);
  if (verdict.taken == nullptr) print_guess(path, sample, out);
}

}  // namespace tessera
