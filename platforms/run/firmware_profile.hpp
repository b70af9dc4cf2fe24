#pragma once
// The file of --firmware-profile: where the cycles of an image's processor went, as a JSON document of numbers and addresses. Names, lines
// and forms for other tools are Python's (tessera firmware profile).
#include <iosfwd>
#include <string>

#include "base/units.hpp"
#include "processor/hart_profile.hpp"

namespace tessera {

void write_firmware_profile(std::ostream& out, const riscv::HartProfile& profile, const std::string& image, Hertz clock);

}  // namespace tessera
