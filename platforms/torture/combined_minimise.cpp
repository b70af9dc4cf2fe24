#include "platforms/torture/combined_minimise.hpp"

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "platforms/output/run_folder.hpp"
#include "platforms/torture/minimise.hpp"

namespace tessera {

namespace {

/// Runs of some 50 ms.
constexpr std::size_t tries_for_settings = 150;
constexpr std::size_t tries_for_requests = 250;
constexpr std::size_t tries_for_parameters = 80;
/// A run that never rests takes seconds.
constexpr std::size_t tries_of_hangs = 30;

/// Something that may be left out.
struct Piece {
  enum class Kind : std::uint8_t { set, row, restart, cut, request };
  Kind kind = Kind::set;
  std::string text;        ///< the word, the row, the cut or the line of the trace
  std::string path;        ///< of a row: the table's
  Picoseconds at;          ///< of a restart
  std::uint32_t part = 0;  ///< of a cut or a request
};

/// "path=[[1,2],[3,4]]" as one piece a row.
bool split_rows(const std::string& word, std::vector<Piece>& pieces) {
  const std::size_t table = word.find("=[[");
  if (table == std::string::npos) return false;
  for (std::size_t at = table + 2; (at = word.find('[', at)) != std::string::npos; ++at) {
    const std::size_t end = word.find(']', at);
    pieces.push_back({Piece::Kind::row, word.substr(at, end - at + 1), word.substr(0, table), {}, 0});
  }
  return true;
}

/// The outcome, and what was found without its numbers: a failure that became another one is not the same.
std::string kind_of(const CombinedResult& result) {
  std::string kind = to_string(result.outcome);
  if (result.outcome == Finding::Outcome::loss || result.messages.empty()) return kind;
  const std::string& what = result.messages.front();
  for (const char c : what.substr(0, what.find('\n')))
    if (c < '0' || c > '9') kind += c;
  return kind;
}

std::vector<Piece> settings_of(const CombinedRun& run, const CombinedResult& result) {
  std::vector<Piece> pieces;
  for (const std::string& word : run.options.set)
    if (!split_rows(word, pieces)) pieces.push_back({Piece::Kind::set, word, "", {}, 0});
  for (const Picoseconds at : run.options.restarts) pieces.push_back({Piece::Kind::restart, "", "", at, 0});
  for (std::uint32_t part = 0; part < 2; ++part)
    for (const std::string& cut : result.cuts[part]) pieces.push_back({Piece::Kind::cut, cut, "", {}, part});
  return pieces;
}

std::vector<Piece> requests_of(const CombinedRun& run, const std::filesystem::path& trace) {
  std::vector<Piece> pieces;
  std::ifstream file(trace);
  for (std::string line; std::getline(file, line);) {
    const bool late = run.saved_after != 0 && pieces.size() >= run.saved_after;
    pieces.push_back({Piece::Kind::request, line, "", {}, late ? 1U : 0U});
  }
  return pieces;
}

CombinedRun put_together(CombinedRun run, const std::vector<Piece>& settings, const std::vector<Piece>& requests) {
  run.exact = true;
  run.options.set.clear();
  run.options.restarts.clear();
  for (auto& cuts : run.exact_cuts) cuts.clear();
  std::string table;
  for (const Piece& piece : settings) {
    if (piece.kind != Piece::Kind::row) table.clear();
    switch (piece.kind) {
      case Piece::Kind::set: run.options.set.push_back(piece.text); break;
      case Piece::Kind::row:
        if (table == piece.path)
          run.options.set.back().insert(run.options.set.back().size() - 1, "," + piece.text);
        else
          run.options.set.push_back(piece.path + "=[" + piece.text + "]");
        table = piece.path;
        break;
      case Piece::Kind::restart: run.options.restarts.push_back(piece.at); break;
      case Piece::Kind::cut: run.exact_cuts[piece.part].push_back(piece.text); break;
      case Piece::Kind::request: break;
    }
  }
  const auto early = std::ranges::count_if(requests, [](const Piece& piece) { return piece.part == 0; });
  run.requests = requests.size();
  if (run.saved_after != 0) run.saved_after = static_cast<std::uint64_t>(early);
  return run;
}

void write_lines(const std::filesystem::path& file, const std::vector<Piece>& requests) {
  make_way(file);
  std::ofstream out(file);
  for (const Piece& piece : requests) out << piece.text << "\n";
  if (!out.flush()) throw InputError(file.string() + ": cannot be written");
}

}  // namespace

MinimisedRun with_fewest_parameters(const CombinedRun& run, const CombinedResult& result, const CombinedDraw& draw,
                                    const SearchPath& search, const CombinedFiles& files) {
  using Words = std::vector<std::string>;
  MinimisedRun fewest{run, result};
  const auto fails = [&](const Words& words) {
    CombinedRun fewer = run;
    std::erase_if(fewer.options.set, [&](const std::string& word) {
      const auto among = [&word](const Words& some) { return std::ranges::find(some, word) != some.end(); };
      return among(run.parameters) && !among(words);
    });
    fewer.parameters = words;
    try {
      CombinedDraw::Drawn drawn = draw.exactly(fewer);
      const CombinedResult tried = run_parts(drawn, search, files);
      if (kind_of(tried) != kind_of(result)) return false;
      fewest = {fewer, tried};
      return true;
    } catch (const InputError&) {
      return false;  // some of the parameters need each other
    }
  };
  const bool slow = result.outcome == Finding::Outcome::hang || result.outcome == Finding::Outcome::crash;
  if (!fails({})) static_cast<void>(minimised<std::string>(run.parameters, fails, slow ? tries_of_hangs : tries_for_parameters));
  CombinedDraw::Drawn last = draw.exactly(fewest.run);  // so that the files are of this run
  static_cast<void>(run_parts(last, search, files));
  return fewest;
}

MinimisedRun minimised_run(const CombinedRun& run, const CombinedResult& result, const CombinedDraw& draw, const SearchPath& search,
                           const CombinedFiles& files) {
  std::vector<Piece> settings = settings_of(run, result);
  std::vector<Piece> requests = requests_of(run, files.trace);
  MinimisedRun shortest{run, result};
  const CombinedFiles tried_files{files.trace.string() + ".tried", files.state.string() + ".tried"};
  const auto fails = [&](const std::vector<Piece>& some_settings, const std::vector<Piece>& some_requests) {
    const CombinedRun shorter = put_together(run, some_settings, some_requests);
    if (shorter.requests == 0 || (run.saved_after != 0 && (shorter.saved_after == 0 || shorter.saved_after == shorter.requests)))
      return false;
    try {
      CombinedDraw::Drawn drawn = draw.exactly(shorter);
      write_lines(tried_files.trace, some_requests);
      const CombinedResult tried = run_parts(drawn, search, tried_files);
      if (kind_of(tried) != kind_of(result)) return false;
      std::filesystem::copy_file(tried_files.trace, files.trace, std::filesystem::copy_options::overwrite_existing);
      shortest = {shorter, tried};
      return true;
    } catch (const InputError&) {
      return false;  // the layer does not take these settings without the others
    }
  };
  const bool slow = result.outcome == Finding::Outcome::hang || result.outcome == Finding::Outcome::crash;
  if (fails(settings, requests)) {
    const auto by_settings = [&](const std::vector<Piece>& some) { return fails(some, requests); };
    const auto by_requests = [&](const std::vector<Piece>& some) { return fails(settings, some); };
    settings = minimised<Piece>(std::move(settings), by_settings, slow ? tries_of_hangs : tries_for_settings);
    requests = minimised<Piece>(std::move(requests), by_requests, slow ? tries_of_hangs : tries_for_requests);
    if (!slow) settings = minimised<Piece>(std::move(settings), by_settings, tries_for_settings);
  }
  std::error_code ignored;
  std::filesystem::remove(tried_files.trace, ignored);
  std::filesystem::remove(tried_files.state, ignored);
  return shortest;
}

}  // namespace tessera
