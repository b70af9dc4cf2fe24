// tessera_python-VERSION.so: layers in Python behind the firmware interface. It holds the module tessera.layer, which has all that layers
// see, and runs it in an interpreter of the process. The simulator loads it, after Python's own library, where it is given a .py file
// (python_loader.cpp).
#include <pybind11/embed.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "platforms/plugin/python_entries.hpp"
#include "platforms/plugin/python_machine.hpp"
#include "platforms/plugin/python_offer.hpp"

namespace py = pybind11;

namespace tessera {

extern const char* const python_layer_module;
extern const char* const python_policy_module;

namespace {

using namespace py::literals;

/// A layer that a file has. Lives as long as the process.
struct Offered : PythonOffer {
  tessera_layer code{};
};

Offered& offered(const tessera_layer* code) { return *static_cast<Offered*>(code->context); }

/// A layer whose power is on.
struct Powered {
  tessera_machine* table;
  py::object machine_object;
  PythonMachine* machine;
  py::object driver, layer, boot, command, background, event, idle;
  std::uint64_t user_sectors = 0;
};

Powered& powered(void* self) { return *static_cast<Powered*>(self); }
/// What is asked without a change is of no other kind here.
Powered& powered(const void* self) { return *static_cast<Powered*>(const_cast<void*>(self)); }

/// Calls with whole numbers and truth values, without the tuple that pybind11 makes of them.
template <class... Numbers>
void call(const py::object& function, Numbers... numbers) {
  constexpr std::size_t count = sizeof...(numbers);
  const auto object = []<class Number>(Number number) {
    if constexpr (std::is_same_v<Number, bool>) {
      return PyBool_FromLong(number ? 1 : 0);
    } else {
      return PyLong_FromUnsignedLongLong(number);
    }
  };
  PyObject* arguments[count + 1] = {nullptr, object(numbers)...};  // the first is for the callee, which puts its object there
  const py::object result = py::reinterpret_steal<py::object>(
      PyObject_Vectorcall(function.ptr(), arguments + 1, count | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  for (std::size_t i = 1; i <= count; ++i) Py_DECREF(arguments[i]);
  if (!result) throw py::error_already_set();
}

py::tuple geometry_of(const tessera_geometry& geometry) {
  py::list zones;
  for (std::uint32_t i = 0; i < geometry.zone_count; ++i) {
    const tessera_zone& zone = geometry.zones[i];
    zones.append(py::make_tuple(zone.first_radius, zone.radii, zone.sectors_per_track, zone.spare_sectors));
  }
  return py::make_tuple(geometry.sector_bytes, geometry.surfaces, geometry.reserved_sectors, geometry.spare_radii,
                        geometry.exported_sectors, py::tuple(zones), geometry.track_spares);
}

py::tuple flash_of(const tessera_flash_shape& shape) {
  return py::make_tuple(shape.blocks, shape.pages_per_block, shape.oob_bytes, shape.page_bytes, shape.read_retries, shape.paired_pages != 0,
                        shape.subpages, shape.planes, shape.copyback != 0);
}

/// The answer of a call that has no machine yet; an exception refuses the drive.
template <class Work>
void plans(const tessera_planner* planner, Work work) {
  const py::gil_scoped_acquire locked;
  try {
    work();
  } catch (py::error_already_set& error) {
    planner->refuse(planner->context, sentence_of(error).c_str());
  } catch (const std::exception& error) {
    planner->refuse(planner->context, error.what());
  }
}

void plan(const tessera_layer* code, const tessera_geometry* geometry, const tessera_value* values, const tessera_planner* planner) {
  plans(planner, [&] {
    const Offered& layer = offered(code);
    const py::list regions = layer_module().attr("_planned")(layer.kind, layer.values_of(values), geometry_of(*geometry));
    for (const py::handle given : regions) {
      const py::tuple parts = given.cast<py::tuple>();
      const std::string name = py::str(parts[0]);
      tessera_region region{};
      region.name = name.c_str();
      region.first = parts[1].cast<std::uint64_t>();
      region.count = parts[2].cast<std::uint64_t>();
      region.format = parts[3].cast<std::uint32_t>();
      region.head_width = parts[4].cast<std::uint32_t>();
      region.direction = parts[5].cast<std::int32_t>();
      region.band_tracks = parts[6].cast<std::uint32_t>();
      region.guard_tracks = parts[7].cast<std::uint32_t>();
      region.top_ratio = parts[8].cast<double>();
      region.skewed = parts[9].cast<bool>() ? 1 : 0;
      planner->region(planner->context, &region);
    }
  });
}

void check_flash(const tessera_layer* code, const tessera_flash_shape* shape, const tessera_value* values, const tessera_planner* planner) {
  plans(planner, [&] { layer_module().attr("_check_flash")(offered(code).kind, offered(code).values_of(values), flash_of(*shape)); });
}

/// What a layer says by its parameters alone; an exception there says nothing, and its plan will say why.
template <class Answer>
Answer asked(const tessera_layer* code, const tessera_value* values, const char* what) {
  const py::gil_scoped_acquire locked;
  try {
    return layer_module().attr("_asked")(offered(code).kind, offered(code).values_of(values), what).template cast<Answer>();
  } catch (const std::exception&) {
    return Answer();
  }
}

std::uint64_t longest_wait(const tessera_layer* code, const tessera_value* values) {
  return asked<std::uint64_t>(code, values, "longest_wait");
}
int flushed_only(const tessera_layer* code, const tessera_value* values) { return asked<bool>(code, values, "flushed_only") ? 1 : 0; }

void* create(const tessera_layer* code, tessera_machine* table, const tessera_geometry* geometry, const tessera_region* regions,
             std::uint32_t region_count, const tessera_value* values) {
  return calls(table, [&]() -> void* {
    auto made = std::make_unique<Powered>();
    made->table = table;
    made->machine = new PythonMachine(table, geometry->sector_bytes);
    made->machine_object = py::cast(made->machine, py::return_value_policy::take_ownership);
    py::list list;
    for (std::uint32_t i = 0; i < region_count; ++i) {
      const tessera_region& region = regions[i];
      list.append(py::make_tuple(region.name, region.first, region.count, region.format, region.head_width, region.direction,
                                 region.band_tracks, region.guard_tracks, region.top_ratio, region.skewed != 0));
    }
    const Offered& layer = offered(code);
    try {
      made->driver = layer_module().attr("_made")(layer.kind, layer.values_of(values), geometry_of(*geometry), list, made->machine_object);
      made->layer = made->driver.attr("layer");
      made->boot = made->driver.attr("boot");
      made->command = made->driver.attr("command");
      made->background = made->driver.attr("background");
      made->event = made->driver.attr("event");
      made->idle = made->driver.attr("idle");
      made->user_sectors = made->driver.attr("capacity")().cast<std::uint64_t>();
    } catch (...) {
      made->machine->close();
      throw;
    }
    return made.release();
  });
}

std::uint64_t user_sectors(const void* self) { return powered(self).user_sectors; }

void boot(void* self, tessera_operation operation, int again) {
  calls(powered(self).table, [&] { call(powered(self).boot, operation, again != 0); });
}

void command(void* self, const tessera_command* c) {
  calls(powered(self).table, [&] {
    if (c->kind == TESSERA_BACKGROUND) {
      call(powered(self).background, c->operation, reinterpret_cast<std::uintptr_t>(c->state));
    } else {
      call(powered(self).command, c->operation, c->kind, c->first, c->count, c->data.address, c->data.sectors, c->durable != 0,
           c->background != 0, c->tag);
    }
  });
}

void event(void* self, tessera_operation operation, tessera_status status, std::uint32_t steps_done) {
  calls(powered(self).table, [&] {
    powered(self).machine->let_go(operation);
    call(powered(self).event, operation, status, steps_done);
  });
}

int idle(const void* self) {
  return calls(powered(self).table, [&] { return powered(self).idle().cast<bool>() ? 1 : 0; });
}

void destroy(void* self) {
  const py::gil_scoped_acquire locked;
  const std::unique_ptr<Powered> ended(&powered(self));
  ended->machine->close();
  try {
    ended->driver.attr("close")();
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("the end of a layer");
  }
}

void start(void* self) {
  calls(powered(self).table, [&] { powered(self).driver.attr("start")(); });
}

void prefill(void* self, std::uint64_t sectors) {
  calls(powered(self).table, [&] { powered(self).layer.attr("prefill")(sectors); });
}

int holds(void* self, std::uint64_t first, std::uint32_t count) {
  return calls(powered(self).table, [&] { return powered(self).layer.attr("holds")(first, count).cast<bool>() ? 1 : 0; });
}

int absorbs(void* self, std::uint64_t first, std::uint32_t count) {
  return calls(powered(self).table, [&] { return powered(self).layer.attr("absorbs")(first, count).cast<bool>() ? 1 : 0; });
}

int streams_writes(const void* self) {
  return calls(powered(self).table, [&] { return powered(self).layer.attr("streams_writes")().cast<bool>() ? 1 : 0; });
}

void received(void* self, std::uint64_t first, std::uint32_t count) {
  calls(powered(self).table, [&] { powered(self).layer.attr("received")(first, count); });
}

void report(const void* self, const tessera_reporter* reporter) {
  calls(powered(self).table, [&] {
    for (const py::handle given : powered(self).driver.attr("report")()) {
      const py::tuple figure = given.cast<py::tuple>();
      const std::string name = py::str(figure[0]), unit = py::str(figure[2]), what = py::str(figure[3]);
      const bool defined = !figure[1].is_none();
      reporter->figure(reporter->context, name.c_str(), defined ? figure[1].cast<double>() : 0, defined ? 1 : 0, unit.c_str(), what.c_str(),
                       figure[4].cast<bool>() ? 1 : 0);
    }
  });
}

std::unique_ptr<Offered> offered_by(const py::tuple& given) {
  auto layer = std::make_unique<Offered>();
  layer->kind = given[0];
  layer->take(given[4]);
  const auto has = [&](const char* name) { return given[5].contains(name); };
  tessera_layer& code = layer->code;
  code.abi = TESSERA_FIRMWARE_ABI;
  code.size = sizeof code;
  code.name = layer->keep(given[1]);
  code.summary = layer->keep(given[2]);
  code.needs_flash = given[3].cast<bool>() ? 1 : 0;
  code.parameters = layer->parameters.data();
  code.parameter_count = static_cast<std::uint32_t>(layer->parameters.size());
  code.context = layer.get();
  code.plan = plan;
  code.create = create;
  code.user_sectors = user_sectors;
  code.boot = boot;
  code.command = command;
  code.event = event;
  code.idle = idle;
  code.destroy = destroy;
  code.report = report;
  if (has("check_flash")) code.check_flash = check_flash;
  if (has("longest_wait")) code.longest_wait = longest_wait;
  if (has("flushed_only")) code.flushed_only = flushed_only;
  if (has("idle")) code.start = start;
  if (has("prefill")) code.prefill = prefill;
  if (has("holds")) code.holds = holds;
  if (has("absorbs")) code.absorbs = absorbs;
  if (has("streams_writes")) code.streams_writes = streams_writes;
  if (has("received")) code.received = received;
  return layer;
}

/// Signals stay the simulator's, words are hashed alike in each run, and what a layer prints goes where messages go.
void start_interpreter(const char* interpreter) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.write_bytecode = 0;
  config.parse_argv = 0;
  config.use_hash_seed = 1;
  config.hash_seed = 0;
  if (*interpreter != '\0') PyConfig_SetBytesString(&config, &config.program_name, interpreter);
  const PyStatus status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) throw std::runtime_error(status.err_msg == nullptr ? "Python does not start" : status.err_msg);
  py::module_::import("gc").attr("set_threshold")(100'000);  // what a request leaves is freed as it ends
  py::module_::import("sys").attr("stdout") = py::module_::import("sys").attr("stderr");
}

/// A module of the text in this library: an installed one may be of another version.
py::module_ made_of(const char* text, const char* name, const char* file) {
  const py::module_ module = py::reinterpret_steal<py::module_>(PyModule_New(name));
  module.attr("__file__") = file;
  module.attr("__builtins__") = py::module_::import("builtins");
  py::module_::import("sys").attr("modules")[name] = module;
  const py::object code = py::module_::import("builtins").attr("compile")(text, file, "exec");
  py::module_::import("builtins").attr("exec")(code, module.attr("__dict__"));
  return module;
}

/// Makes tessera.layer and tessera.policy.
void make_modules() {
  if (layer_module()) return;
  const py::module_ machine = py::reinterpret_steal<py::module_>(PyModule_New("tessera._machine"));
  py::module_ classes = machine;
  PythonMachine::describe(classes);
  describe_policy_machine(classes);
  layer_module() = made_of(python_layer_module, "tessera.layer", "tessera/layer.py");
  policy_module() = made_of(python_policy_module, "tessera.policy", "tessera/policy.py");
}

/// The layers of the file that was loaded last; those of others live on.
std::vector<Offered*>& last_offered() {
  static auto& list = *new std::vector<Offered*>;
  return list;
}

std::string& problem() {
  static auto& text = *new std::string;
  return text;
}

const char* watched_sentence = nullptr;

}  // namespace

}  // namespace tessera

const char* tessera_python_load(const char* file, const char* interpreter) {
  using namespace tessera;
  problem().clear();
  try {
    if (Py_IsInitialized() == 0) start_interpreter(interpreter);  // its lock stays with this thread: there is no other
    const py::gil_scoped_acquire locked;
    try {
      make_modules();
      last_offered().clear();
      for (const py::handle given : layer_module().attr("_layers_of")(file))
        last_offered().push_back(offered_by(given.cast<py::tuple>()).release());
      if (!load_policies() && last_offered().empty())
        problem() = "it has no class that inherits from tessera.layer.Layer or tessera.policy.Policy";
    } catch (py::error_already_set& error) {
      problem() = sentence_of(error);
    } catch (const std::exception& error) {
      problem() = error.what();
    }
  } catch (const std::exception& error) {
    problem() = error.what();
  }
  return problem().empty() ? nullptr : problem().c_str();
}

const tessera_layer* tessera_python_layer(uint32_t index) {
  const auto& list = tessera::last_offered();
  return index < list.size() ? &list[index]->code : nullptr;
}

void tessera_python_interrupt(const char* sentence) {
  tessera::watched_sentence = sentence;
  Py_AddPendingCall(
      [](void*) {
        PyErr_SetString(PyExc_TimeoutError, tessera::watched_sentence);
        return -1;
      },
      nullptr);
}
