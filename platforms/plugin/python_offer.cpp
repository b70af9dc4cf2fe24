#include "platforms/plugin/python_offer.hpp"

namespace tessera {

namespace py = pybind11;

py::module_& layer_module() {
  static auto& module = *new py::module_;
  return module;
}

py::module_& policy_module() {
  static auto& module = *new py::module_;
  return module;
}

std::string sentence_of(const py::error_already_set& error) {
  try {
    PyException_SetTraceback(error.value().ptr(), error.trace() ? error.trace().ptr() : Py_None);
    return py::str(layer_module().attr("_sentence")(error.value()));
  } catch (py::error_already_set& other) {
    return other.what();
  }
}

void PythonOffer::take(py::handle given) {
  for (const py::handle each : given) {
    const py::tuple declared = each.cast<py::tuple>();
    tessera_parameter parameter{};
    parameter.name = keep(declared[0]);
    parameter.what = keep(declared[1]);
    parameter.kind = declared[2].cast<std::uint32_t>();
    std::vector<const char*>& words = choices.emplace_back();
    for (const py::handle choice : declared[3]) words.push_back(keep(choice));
    parameter.choices = words.data();
    parameter.choice_count = static_cast<std::uint32_t>(words.size());
    parameter.low = declared[4].cast<double>();
    parameter.high = declared[5].cast<double>();
    if (parameter.kind == TESSERA_REAL) {
      parameter.initial.real = declared[6].cast<double>();
    } else {
      parameter.initial.integer = declared[6].cast<std::uint64_t>();
    }
    parameters.push_back(parameter);
  }
}

py::list PythonOffer::values_of(const tessera_value* values) const {
  py::list list;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    switch (parameters[i].kind) {
      case TESSERA_FLAG: list.append(values[i].integer != 0); break;
      case TESSERA_REAL: list.append(values[i].real); break;
      default: list.append(values[i].integer);
    }
  }
  return list;
}

}  // namespace tessera
