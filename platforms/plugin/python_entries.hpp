#pragma once
// What tessera_python-VERSION.so exports to the simulator.
#include <cstdint>

#include "platforms/plugin/tessera_policy.h"

extern "C" {
/// Reads the layers and policies of a Python file. `interpreter`: the program by which Python finds its modules, or "". Gives a sentence
/// that says what is wrong, or null.
__attribute__((visibility("default"))) const char* tessera_python_load(const char* file, const char* interpreter);
/// The layers of the file that was loaded last, one after the other; null past the last.
__attribute__((visibility("default"))) const tessera_layer* tessera_python_layer(std::uint32_t index);
/// Its policies, in the same way.
__attribute__((visibility("default"))) const tessera_policy* tessera_python_policy(std::uint32_t index);
/// Raises TimeoutError with this sentence where the layer or policy is. May be called by a signal handler.
__attribute__((visibility("default"))) void tessera_python_interrupt(const char* sentence);
}
