#include "stimuli/readers/recognition.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/error.hpp"
#include "base/units.hpp"
#include "stimuli/readers/column_guess.hpp"
#include "stimuli/readers/columns_spec.hpp"

namespace tessera {
namespace {

constexpr double least_score = 0.2;  ///< below it a format is not even tried
constexpr double as_good = 0.15;     ///< readings that are no further apart fit alike
constexpr double convincing = 0.8;   ///< of another format than the one that is read

/// Whether both give the same requests at the same times, as far as can be seen.
bool alike(const Trial& a, const Trial& b) { return a.records == b.records && a.bytes == b.bytes && a.span == b.span; }

std::string format_name(const std::string& words) { return words.substr(0, words.find(':')); }

/// Formats of one layout, which a line alone does not tell apart.
std::string family_of(const std::string& name) {
  for (const char* five : {"bms", "mqsim", "ssdsim"})
    if (name == five) return "ascii";
  return name;
}

/// The best reading as another format than `words`; null where none convinces.
const Candidate* convincing_other(const std::vector<Candidate>& all, const std::string& words) {
  if (all.empty()) return nullptr;
  const Candidate& best = all.front();
  const bool fits = best.evidence.score >= convincing && best.trial.records > 0 && best.trial.error.empty();
  return fits && family_of(best.entry->format.name) != family_of(format_name(words)) ? &best : nullptr;
}

constexpr const char* formats_of_whole_seconds[] = {"tencent", "cpcsv", "oracle", "libcachesim", "libcachesim-bytes"};

bool is_text(std::string_view bytes) {
  return std::ranges::none_of(bytes, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r' && c != '\n'; });
}

/// What a file that fits no format holds, for people.
std::string unknown_content(const std::string& path, const Sample& sample) {
  const std::string_view head = std::string_view(sample.bytes).substr(0, 4096);
  if (head.find("tracedate") != std::string_view::npos && !is_text(head))
    return "; it looks like HP's SRT in binary, of a later version than 4: convert it with srt2ds and ds2txt --csv of DataSeries, and "
           "read that as srt";
  if (head.starts_with("DSv1")) return "; it is a file of DataSeries: convert it with its ds2txt --csv";
  if (!is_text(head)) return "; it seems to be binary";
  if (sample.lines.empty()) return "; it holds nothing but blank lines and comments";
  const GuessedColumns guess = guess_columns(sample);
  if (guess.complete) return "; it looks like columns that nobody has named: 'tessera trace probe " + path + "' proposes their description";
  if (!guess.unsure.empty()) return "; it looks like columns, which leave open " + guess.unsure.front();
  return "; its first line is '" + std::string(sample.lines.front().substr(0, 80)) + "'";
}

}  // namespace

bool has_whole_seconds(std::string_view name) {
  return std::ranges::find(formats_of_whole_seconds, name) != std::end(formats_of_whole_seconds);
}

std::string Candidate::words() const {
  return evidence.argument.empty() ? entry->format.name : entry->format.name + ":" + evidence.argument;
}

std::vector<Candidate> candidates(const std::string& path, const Sample& sample, bool others) {
  std::vector<Candidate> all;
  for (const auto& entry : registered()) {
    if (entry.score == nullptr) continue;
    for (auto& evidence : entry.score(sample)) {
      if (evidence.score < least_score && !others) continue;
      Candidate candidate{&entry, std::move(evidence), {}};
      candidate.trial = try_reading(path, sample, [&](TraceFile file) { return entry.open(std::move(file), candidate.evidence.argument); });
      // A reader that gives up at its first records does not fit well; later on it may be the file that is damaged.
      if (!candidate.trial.error.empty() && candidate.trial.records == 0) candidate.evidence.score *= 0.7;
      all.push_back(std::move(candidate));
    }
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.evidence.score > b.evidence.score; });
  return all;
}

Verdict judge(const std::vector<Candidate>& all) {
  Verdict verdict;
  if (all.empty() || all.front().evidence.score < least_score) return verdict;
  verdict.taken = &all.front();
  for (const auto& other : std::span(all).subspan(1)) {
    const auto same = [&](const Candidate* one) { return alike(one->trial, other.trial); };
    if (other.evidence.score > all.front().evidence.score - as_good && !same(verdict.taken) && std::ranges::none_of(verdict.rivals, same))
      verdict.rivals.push_back(&other);
  }
  return verdict;
}

std::string refusal(const Verdict& verdict) {
  static constexpr const char* counts[] = {"", "", "two", "three", "four"};
  const std::size_t count = verdict.rivals.size() + 1;
  std::string text = (count < std::size(counts) ? counts[count] : std::to_string(count)) + std::string(" readings fit: as ") +
                     verdict.taken->words() + " " + verdict.taken->trial.text();
  std::string choice = "--format " + verdict.taken->words();
  for (const auto* rival : verdict.rivals) {
    text += "; as " + rival->words() + " " + rival->trial.text();
    choice += (rival == verdict.rivals.back() ? " or --format " : ", --format ") + rival->words();
  }
  return text + ". Choose one with " + choice;
}

std::string taken_text(const Candidate& chosen, const Sample& sample) {
  std::string text = "read as " + chosen.entry->format.name;
  if (!chosen.evidence.text.empty())
    text += ", " + chosen.evidence.text;
  else if (chosen.trial.rate() > 0)
    text += " (rate " + rate_text(chosen.trial.rate()) + "/s)";
  constexpr std::uint64_t coarse = 1'000'000'000;  // ps
  const std::uint64_t found = chosen.trial.step.value();
  const std::uint64_t steps = found == 0 && has_whole_seconds(chosen.entry->format.name) ? ps_per_second : found;
  if (chosen.trial.shared_times && steps >= coarse) {
    const std::string step = rate_text(static_cast<double>(steps) / 1e12) + " s";
    text += "; times in steps of " + step + ", several requests each (--spread \"" + step + "\" spreads them evenly)";
  }
  if (chosen.trial.volumes > 1) text += "; " + std::to_string(chosen.trial.volumes) + " devices";
  if (!sample.whole) text += sample.elsewhere.empty() ? "; seen from its first MiB" : "; seen from its first MiB, its middle and its end";
  return text;
}

Chosen format_of(const std::string& path, const Sample& sample) {
  if (std::filesystem::exists(columns_file(path))) return {"columns", "read as columns, by " + columns_file(path)};
  if (sample.bytes.empty()) throw input_error(path, 0, "the trace holds no request: the file is empty");
  const auto all = candidates(path, sample);
  const Verdict verdict = judge(all);
  if (verdict.taken == nullptr) {
    std::string known;
    for (const auto& name : format_names()) known += (known.empty() ? "" : ", ") + name;
    throw input_error(path, 0,
                      "the content fits no known trace format" + unknown_content(path, sample) + ": name one with --format, of " + known);
  }
  if (!verdict.rivals.empty()) throw input_error(path, 0, refusal(verdict));
  return {all.front().words(), taken_text(all.front(), sample)};
}

namespace {

std::string seen_otherwise(const std::string& path, const std::string& words, std::string_view text, bool named) {
  if (!is_text(text)) return "; the line holds bytes that are no text";
  if (!text.empty()) {
    const auto line = memory_stream(std::string(text) + "\n");
    const Sample sample(*line);
    const auto all = candidates(path, sample);
    if (const auto* other = convincing_other(all, words)) return "; the line looks like " + other->entry->format.name;
  }
  if (!named || !std::filesystem::is_regular_file(path)) return "";
  const auto content = open_byte_stream(path);
  const Sample sample(*content);
  const auto all = candidates(path, sample);
  const auto* other = convincing_other(all, words);
  if (other == nullptr) return "";
  return "; the file looks like " + other->entry->format.name + ", " + other->trial.text() + ": try --format " + other->words();
}

}  // namespace

std::string other_content(const std::string& path, const std::string& words, std::string_view text, bool named) {
  try {
    return seen_otherwise(path, words, text, named);
  } catch (const InputError&) {  // a damaged stream, which is what the message is about
    return "";
  }
}

}  // namespace tessera
