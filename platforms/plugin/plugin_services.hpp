#pragma once
// The table of services: each entry checks what it was given and hands it to a port.
#include "platforms/plugin/plugin_machine.hpp"

namespace tessera {

[[nodiscard]] tessera_machine plugin_services(PluginMachine& machine);

}  // namespace tessera
