#pragma once
// The rows of a campaign on one layer (covering_rows.cpp): what they are made of, what a row asks a run for, and what a run had.
#include <optional>

#include "platforms/torture/combined_run.hpp"
#include "platforms/torture/covering_rows.hpp"
#include "platforms/torture/drawn_parameters.hpp"

namespace tessera {

class DrawnRows {
 public:
  /// `plain`: of runs without faults.
  DrawnRows(const std::vector<Parameter>& parameters, const std::string& layer, bool plain, std::uint64_t seed);

  struct Word {
    std::uint32_t item = 0;
    std::string text;  ///< path=value

    [[nodiscard]] std::string path() const { return text.substr(0, text.find('=')); }
  };
  struct Asked {
    std::vector<Word> words;
    std::vector<std::string> kinds;  ///< of faults and of what else is drawn by kinds
    std::optional<cli::TortureDurability> durability;
    std::optional<std::uint32_t> prefill_percent;
    std::optional<cli::ReplayOption> replay;
  };
  /// Of the row; values of classes that have several are drawn.
  [[nodiscard]] Asked asked(std::uint64_t row, RandomStream& random);
  /// Makes the rows up to it: processes that fork after this need not.
  void prepare(std::uint64_t row) { static_cast<void>(rows_.row(row)); }
  /// The items of a run with these words of its row, whatever of the rest was asked for or came by chance.
  [[nodiscard]] std::vector<std::uint32_t> items_of(const CombinedRun& run, const std::vector<Word>& words) const;
  [[nodiscard]] const CoveringRows& rows() const { return rows_; }

 private:
  enum class Subject : std::uint8_t { parameter, kind, durability, prefill, replay };
  struct Item {
    Subject subject = Subject::parameter;
    std::size_t which = 0;  ///< of the parameters, the kinds, or the choices of the others
    DrawnClass one;         ///< of a parameter's values
  };

  [[nodiscard]] CoveringRows made(bool plain, const std::string& layer, std::uint64_t seed);
  [[nodiscard]] bool has(const CombinedRun& run, const Item& item) const;

  std::vector<const Parameter*> parameters_;
  std::vector<std::string> kinds_;
  std::vector<Item> items_;
  CoveringRows rows_;
};

}  // namespace tessera
