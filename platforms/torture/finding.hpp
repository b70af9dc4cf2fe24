#pragma once
// What came of one cut (or of several in a row, or of the run without any): a line of JSON from the process that tried it.
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct Finding {
  enum class Outcome : std::uint8_t {
    good,
    loss,     ///< the scoreboard found what must not be
    failure,  ///< requests or the last flush failed although nothing excuses them
    bug,      ///< the model threw
    crash,    ///< the process ended by a signal
    refused,  ///< the description does not fit the layer
    hang,     ///< the firmware never rests, or the process did not end in its time
    fault     ///< firmware that is not the simulator's own broke a rule of its interface
  };
  Outcome outcome = Outcome::good;
  std::string stage;              ///< that the last cut hit: format, replay, recovery, verification, drain, ...; "" without a cut
  std::string instant;            ///< of the last cut, in words
  std::vector<std::string> cuts;  ///< as --cut-at takes them
  std::vector<std::string> messages;

  // Of the run without cuts
  std::uint64_t operations = 0;  ///< persistent ones
  std::uint64_t requests = 0;
  std::uint64_t user_blocks = 0;  ///< of the drive

  [[nodiscard]] std::string to_line() const;
  [[nodiscard]] static Finding from_line(const std::string& line);
};

[[nodiscard]] const char* to_string(Finding::Outcome outcome);

}  // namespace tessera
