#pragma once
// What layers and policies in Python have in common: the modules that they see, and the interface's form of what a class declares.
#include <pybind11/pybind11.h>

#include <deque>
#include <string>
#include <vector>

#include "platforms/plugin/tessera_policy.h"

namespace tessera {

/// The modules tessera.layer and tessera.policy.
[[nodiscard]] pybind11::module_& layer_module();
[[nodiscard]] pybind11::module_& policy_module();

/// What an exception says, with its place in the user's file.
[[nodiscard]] std::string sentence_of(const pybind11::error_already_set& error);

/// The class for Python that a policy's services are, in `module`.
void describe_policy_machine(pybind11::module_& module);
/// Reads the policies of the file whose layers were read last. Gives whether there are any.
[[nodiscard]] bool load_policies();

/// Of a class in a user's file, with what the interface's form of it points to.
struct __attribute__((visibility("hidden"))) PythonOffer {
  pybind11::object kind;
  std::deque<std::string> texts;
  std::deque<std::vector<const char*>> choices;
  std::vector<tessera_parameter> parameters;

  const char* keep(pybind11::handle text) { return texts.emplace_back(pybind11::str(text)).c_str(); }
  /// Parameters as _offered_parameters() gives them.
  void take(pybind11::handle given);
  [[nodiscard]] pybind11::list values_of(const tessera_value* values) const;
};

/// Python's part of a call; an exception is a panic of `table`, the services of a layer or a policy.
template <class Table, class Work>
auto calls(Table* table, Work work) -> decltype(work()) {
  const pybind11::gil_scoped_acquire locked;
  try {
    return work();
  } catch (pybind11::error_already_set& error) {
    table->panic(table, sentence_of(error).c_str());
  } catch (const std::exception& error) {
    table->panic(table, error.what());
  }
  return decltype(work())();
}

}  // namespace tessera
