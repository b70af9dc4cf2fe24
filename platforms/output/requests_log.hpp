#pragma once
// requests.npy: one fixed-size record a request, in order of completion, as a NumPy structured array written as a stream.
#include <cstdint>
#include <filesystem>

#include "base/units.hpp"
#include "host/host_request.hpp"
#include "platforms/output/output_file.hpp"
#include "stimuli/player/request_observer.hpp"

namespace tessera {

/// Fields (little-endian; times in ps of simulated time): number u8, lba u8 (512 B blocks), blocks u4, op u2 (HostOp),
/// status u2 (Status), arrival u8, issue u8, completion u8, then one u8 for each LifePhase under its name; cause u8 (the Cause with most of
/// the time), then one u8 for each Cause under cause_NAME. The phases of a record sum to completion - arrival, and so do the causes; a
/// request for which they do not is a model bug.
struct RequestRecord {
  std::uint64_t number;
  std::uint64_t lba;
  std::uint32_t blocks;
  std::uint16_t op;
  std::uint16_t status;
  std::uint64_t arrival;
  std::uint64_t issue;
  std::uint64_t completion;
  std::array<std::uint64_t, life_phases> phases;
  std::uint64_t cause;
  std::array<std::uint64_t, causes> by_cause;
};
static_assert(sizeof(RequestRecord) == 48 + 8 * (life_phases + 1 + causes), "the record has no padding");

/// Logs of versions that did not know all causes have records that end before those, or before `cause`: so many causes were known once.
inline constexpr std::size_t causes_of_older_logs = static_cast<std::size_t>(Cause::tags);

/// The header of a .npy file (format 1.0) with `records` records that know the first `known` causes; its length does not depend on
/// `records`.
[[nodiscard]] std::string requests_header(std::uint64_t records, std::size_t known = causes);

class RequestsLog final : public RequestObserver {
 public:
  explicit RequestsLog(const std::filesystem::path& path);

  void on_complete(const HostRequest& request, Picoseconds now) override;
  /// `by` passes that later instants leave out.
  void rest(Picoseconds by) { rested_ += by.value(); }
  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] bool failed() const { return file_.failed(); }
  /// Puts the number of records into the header and closes; throws OutputError.
  void close();

 private:
  OutputFile file_;
  std::uint64_t records_ = 0;
  std::uint64_t rested_ = 0;  // ps; wraps as the instants in the file do, past 2^64
};

}  // namespace tessera
