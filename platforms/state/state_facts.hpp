#pragma once
// What a saved state says of itself, in front of what the drive keeps: what made it, and all that must be the same where it is loaded.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/content.hpp"
#include "base/state_stream.hpp"
#include "platforms/drive/drive_config.hpp"

namespace tessera {

struct StateFacts {
  std::string version;  ///< of the simulator
  std::string drive;    ///< as the command line named it
  std::string layer;
  std::string firmware;  ///< SHA-256 of the shared library or image that the layer comes from; "": it is linked, and `version` says it
  ContentMode content = ContentMode::none;
  bool checked = false;  ///< the scoreboard's knowledge follows
  std::uint32_t prefill_percent = 0;
  std::uint64_t seed = 0;
  std::uint64_t requests = 0;                                        ///< that the run which saved it served
  std::vector<std::pair<std::string, std::string>> parameters = {};  ///< all but those of other layers, by path

  /// "none", "tags" or "bytes", as --content takes it.
  [[nodiscard]] const char* content_name() const;

  /// Of what the description says; the rest is the caller's.
  [[nodiscard]] static StateFacts of(DriveConfig& config);

  void save(StateWriter& out) const;
  [[nodiscard]] static StateFacts load(StateReader& in);

  /// One sentence, without its full stop, on the first thing in which a run differs that must not; "" where the state fits.
  /// `any_firmware`: another build of the layer's firmware may have saved it.
  [[nodiscard]] std::string misfit(const StateFacts& run, bool any_firmware = false) const;
};

}  // namespace tessera
