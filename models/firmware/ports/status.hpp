#pragma once
#include <cstdint>

namespace tessera {

/// Outcome of a device operation or a firmware task. Firmware looks at every one.
enum class [[nodiscard]] Status : std::uint8_t{
    ok,
    media_error,     ///< a sector could not be read or written (defect, fault on request)
    damaged,         ///< a sector was destroyed by writing an overlapping track
    blank,           ///< flash: page not programmed since the last erase
    program_failed,  ///< flash: the page could not be programmed; the block is to be retired
    erase_failed,    ///< flash: the block could not be erased; the block is to be retired
    rule_violation,  ///< flash: programmed twice or out of order; media: outside a track
    no_space,        ///< a table, log or buffer is full
    corrupt          ///< metadata whose checksum does not match
};

[[nodiscard]] constexpr bool ok(Status status) { return status == Status::ok; }
[[nodiscard]] const char* to_string(Status status);

}  // namespace tessera
