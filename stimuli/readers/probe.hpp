#pragma once
// How a file's format is told from its content: each format says how well a sample of the file fits it, and why.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/readers/byte_stream.hpp"
#include "stimuli/readers/fields.hpp"

namespace tessera {

/// The first MiB of a file, and lines from its middle and its end where it can be read there (a plain file, no pipe).
struct Sample {
  static constexpr std::size_t head_bytes = std::size_t{1} << 20;
  static constexpr std::size_t most_lines = 10'000;

  /// Takes the head from `content`; the caller gives `bytes` back to the stream.
  explicit Sample(ByteStream& content);
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  /// Adds whole lines around the middle and before the end of a plain file.
  void look_elsewhere(const std::string& path);

  [[nodiscard]] Fields first(char separator) const;
  /// The bytes up to the last line that is whole; all of them where they are no text.
  [[nodiscard]] std::string_view whole_lines() const;

  std::string bytes;
  bool whole = false;                   ///< `bytes` are all of the file
  std::vector<std::string_view> lines;  ///< of the head; neither blank nor comments, at most `most_lines`
  std::string elsewhere;                ///< whole lines from the middle and the end, one after another
  std::vector<std::string_view> elsewhere_lines;
};

/// One way to read the file. A format may offer several, one for each argument that fits ("ms", "ns").
struct Evidence {
  double score = 0;      ///< 0: does not fit; 0.5: numbers fit; 0.8: layout and words fit; 1: cannot be anything else
  std::string argument;  ///< what follows the format's name after ':', empty for none
  std::string text;      ///< why, for people: "times in ns (rate 48,000/s; as ms 0.048/s), blocks of 512 B"
};

/// A share of lines, from 0 to 1, that `fits` accepts once split; 0 without lines. All of the sample counts, the first line aside where it
/// is no record but a header.
template <class Fits>
double share_of_lines(const Sample& sample, char separator, Fits fits) {
  Fields fields(separator);
  std::size_t good = 0;
  std::size_t all = 0;
  for (const auto* lines : {&sample.lines, &sample.elsewhere_lines}) {
    for (const auto line : *lines) {
      fields.split(line);
      const bool fit = fits(fields);
      if (!fit && all == 0 && lines == &sample.lines && sample.lines.size() > 1 && line == sample.lines.front()) continue;  // a header
      ++all;
      good += fit ? 1 : 0;
    }
  }
  return all == 0 ? 0 : static_cast<double>(good) / static_cast<double>(all);
}

/// The usual answer of a format with one reading: `score` times `share`, nothing below a half of the lines.
[[nodiscard]] std::vector<Evidence> fits(double score, double share = 1);

/// "1,234", "48,000", "0.05": a rate for a message.
[[nodiscard]] std::string rate_text(double rate);

/// DiskSim's five columns and their cousins (time device offset size operation): `ascii` in blocks of 512 B, `bms` in bytes.
[[nodiscard]] std::vector<Evidence> score_ascii(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_bms(const Sample& sample);

[[nodiscard]] std::vector<Evidence> score_fio(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_blkparse(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_blktrace(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_ftrace(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_biosnoop(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_baleen(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_oracle_general(const Sample& sample);
[[nodiscard]] std::vector<Evidence> score_srt_binary(const Sample& sample);

}  // namespace tessera
