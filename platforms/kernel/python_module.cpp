// The module tessera._kernel for Python: LiveDrive with Python's types. tessera/kernel.py is what users import.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <csignal>
#include <cstdlib>
#include <systemc>

#include "base/error.hpp"
#include "platforms/description/quantity.hpp"
#include "platforms/kernel/live_drive_module.hpp"
#include "stimuli/player/initial_transient.hpp"

namespace py = pybind11;

// libsystemc.so asks for one although nobody calls it here.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char*[]) { return 1; }

namespace tessera {

namespace {

/// While a drive runs, Ctrl-C stops it; Python then raises KeyboardInterrupt.
class InterruptWatch {
 public:
  explicit InterruptWatch(LiveDrive& drive) {
    watched = &drive;
    struct sigaction taken {};
    ::sigaction(SIGINT, nullptr, &before);
    if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) return;
    taken.sa_handler = [](int signal) {
      before.sa_handler(signal);
      watched->interrupt();
    };
    taken.sa_flags = before.sa_flags;
    taken.sa_mask = before.sa_mask;
    installed_ = ::sigaction(SIGINT, &taken, nullptr) == 0;
  }
  ~InterruptWatch() {
    if (installed_) ::sigaction(SIGINT, &before, nullptr);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  static inline LiveDrive* watched = nullptr;
  static inline struct sigaction before {};
  bool installed_ = false;
};

/// Calls what may run the drive, without the lock of the interpreter.
template <class Call>
auto running(LiveDrive& drive, Call&& call) {
  const auto unlocked = [&] {
    const py::gil_scoped_release release;
    const InterruptWatch watch(drive);
    return call();
  };
  if constexpr (std::is_void_v<decltype(call())>) {
    unlocked();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  } else {
    auto result = unlocked();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return result;
  }
}

Picoseconds instant_of(const LiveDrive& drive, const py::handle& given) {
  if (py::isinstance<py::int_>(given) && !py::isinstance<py::bool_>(given)) {
    if (given.attr("bit_length")().cast<int>() > 63 || given < py::int_(0))
      throw InputError("expected an instant in picoseconds, from 0 on, found " + py::str(given).cast<std::string>());
    return Picoseconds(given.cast<std::uint64_t>());
  }
  if (!py::isinstance<py::str>(given))
    throw InputError("expected an instant in picoseconds or as a text such as \"20 ms\", or \"+20 ms\" from now, found " +
                     py::repr(given).cast<std::string>());
  const auto text = given.cast<std::string>();
  return text.starts_with('+') ? drive.now() + parse_quantity<Picoseconds>(text.substr(1)) : parse_quantity<Picoseconds>(text);
}

LiveDrive::Event event_of(const LiveDrive& drive, const py::handle& given) {
  if (py::isinstance<LiveRequest>(given)) return given.cast<SharedRequest>();
  if (!py::isinstance<py::str>(given)) return instant_of(drive, given);
  const auto text = given.cast<std::string>();
  if (text == "idle") return LiveDrive::Idle{};
  if (text == "ready") return LiveDrive::Ready{};
  if (SignalCondition::is_one(text)) return SignalCondition::parse(text);
  if (text.empty() || (text.front() != '+' && (text.front() < '0' || text.front() > '9')))
    throw InputError(
        "expected an instant such as \"20 ms\", a condition such as \"flash.free_blocks < 20\", \"idle\", \"ready\" or a request, found "
        "\"" +
        text + "\"");
  return instant_of(drive, given);
}

HostOp op_of(const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < host_ops; ++i) {
    names.emplace_back(to_string(static_cast<HostOp>(i)));
    if (names.back() == name) return static_cast<HostOp>(i);
  }
  throw InputError(unknown_name("operation", name, names));
}

std::uint64_t blocks_in(const char* what, std::uint64_t bytes) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  if (bytes % host_block_bytes == 0 && bytes < most) return bytes / host_block_bytes;
  throw InputError(std::string(what) + ": expected a multiple of 512 B, found " + std::to_string(bytes) + " B");
}

SharedRequest submit(LiveDrive& drive, const std::string& op, std::uint64_t offset, std::uint64_t length,
                     const std::optional<py::bytes>& data, bool force_unit_access, bool all_zones,
                     std::function<void(const SharedRequest&)> done) {
  LiveDrive::Order order;
  order.op = op_of(op);
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  if (length > most) throw InputError("length: expected at most 1 GiB, found " + std::to_string(length) + " B");
  order.blocks = {HostBlock(blocks_in("offset", offset)), static_cast<std::uint32_t>(blocks_in("length", length))};
  order.force_unit_access = force_unit_access;
  order.all_zones = all_zones;
  if (data) {
    const auto bytes = static_cast<std::string_view>(*data);
    const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
    order.content.assign(first, first + bytes.size());
  }
  order.on_end = std::move(done);
  return drive.submit(std::move(order));
}

py::object status_of(const LiveRequest& request) {
  if (request.state == LiveRequest::State::lost) return py::str("lost");
  return request.over() ? py::object(py::str(to_string(request.host.status))) : py::none();
}

py::dict parts_of(const LiveRequest& request) {
  py::dict parts;
  for (std::size_t i = 0; i < life_phases; ++i) parts[to_string(static_cast<LifePhase>(i))] = request.host.life.parts[i].value();
  return parts;
}

py::object data_of(const LiveRequest& request) {
  if (request.host.op != HostOp::read || request.state != LiveRequest::State::done || request.host.content.empty()) return py::none();
  return py::bytes(reinterpret_cast<const char*>(request.host.content.data()), request.host.content.size());
}

py::list reported_zones(const LiveRequest& request) {
  py::list zones;
  for (const ZoneDescriptor& zone : request.host.zones)
    zones.append(py::make_tuple(to_string(zone.condition), zone.start.value() * host_block_bytes, zone.blocks * host_block_bytes,
                                zone.pointer.value() * host_block_bytes, zone.non_sequential));
  return zones;
}

const char* kind_of(SignalKind kind) {
  switch (kind) {
    case SignalKind::bit: return "bit";
    case SignalKind::number: return "number";
    case SignalKind::level: return "level";
    case SignalKind::state: return "state";
    case SignalKind::text: return "text";
  }
  return "";
}

py::bytes raw(const std::vector<std::uint64_t>& column) {
  return {reinterpret_cast<const char*>(column.data()), column.size() * sizeof(std::uint64_t)};
}

/// Of each recorded signal that a pattern means: path, kind, width, words, and its times and values as 64-bit numbers.
py::list histories(LiveDrive& drive, const std::vector<std::string>& patterns, const py::object& since, const py::object& until) {
  SignalWatch& signals = drive.signals();
  const Picoseconds from = since.is_none() ? Picoseconds(0) : instant_of(drive, since);
  const Picoseconds to = until.is_none() ? drive.now() : instant_of(drive, until);
  py::list all;
  for (const std::uint32_t number : signals.recorded(patterns)) {
    const SignalHistory history = signals.history(number, from, to);
    all.append(py::make_tuple(signals.all()[number].path(), kind_of(history.info->kind), history.info->width, history.info->words,
                              raw(history.times), raw(history.values)));
  }
  return all;
}

/// A word of a signal that has words.
py::object value_of(LiveDrive& drive, const std::string& name) {
  const std::uint32_t number = drive.signals().watch(name);
  const std::optional<std::uint64_t> value = drive.signals().value(number);
  if (!value) return py::none();
  const std::vector<std::string>& words = drive.signals().info(number).words;
  return *value < words.size() ? py::object(py::str(words[*value])) : py::object(py::int_(*value));
}

py::list metrics_of(LiveDrive& drive) {
  py::list all;
  const MetricSet metrics = drive.metrics();
  for (const Metric& metric : metrics.all()) all.append(py::make_tuple(metric.name, metric.value, metric.unit, metric.description));
  return all;
}

/// The drive stays until the process ends: the kernel cannot give a simulation up.
LiveDrive* make(const std::string& program, const std::string& drive, const std::string& layer, const std::vector<std::string>& set,
                const std::string& content, std::uint64_t seed, std::optional<std::uint32_t> prefill, const std::string& firmware,
                bool check_protocol) {
  LiveSetup setup{program, drive, layer, set, ContentMode::none, seed, prefill, firmware, check_protocol};
  if (content == "bytes")
    setup.content = ContentMode::bytes;
  else if (content != "none")
    throw InputError("content: expected \"none\" or \"bytes\", found \"" + content + "\"");
  return new LiveDrive(setup);
}

void raise(const char* module, const char* type, const char* what) { PyErr_SetString(py::module_::import(module).attr(type).ptr(), what); }

}  // namespace

}  // namespace tessera

PYBIND11_MODULE(_kernel, module) {
  using namespace tessera;
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const py::error_already_set&) {
      throw;
    } catch (const py::builtin_exception&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const InputError& error) {
      raise("tessera.errors", "InputError", error.what());
    } catch (const std::exception& error) {
      raise("tessera.kernel", "ModelFailure", error.what());
    }
  });

  // For tests with known answers: the warm-up of latencies in ps, in order of arrival, and whether they are steady after it.
  module.def("warm_up", [](const std::vector<std::uint64_t>& latencies) {
    InitialTransient transient;
    for (std::size_t i = 0; i < latencies.size(); ++i) transient.completed(i, Picoseconds(latencies[i]));
    const auto cut = transient.cut();
    return cut ? std::optional(std::pair(cut->requests, cut->steady)) : std::nullopt;
  });

  py::class_<LiveRequest, SharedRequest>(module, "Request")
      .def_property_readonly("number", [](const LiveRequest& request) { return request.host.number; })
      .def_property_readonly("op", [](const LiveRequest& request) { return to_string(request.host.op); })
      .def_property_readonly("offset", [](const LiveRequest& request) { return request.host.blocks.first.value() * host_block_bytes; })
      .def_property_readonly("length",
                             [](const LiveRequest& request) { return std::uint64_t{request.host.blocks.count} * host_block_bytes; })
      .def_property_readonly("status", status_of)
      .def_property_readonly("arrival", [](const LiveRequest& request) { return request.host.life.arrival.value(); })
      .def_property_readonly("issue", [](const LiveRequest& request) { return request.host.life.issue.value(); })
      .def_property_readonly(
          "completion", [](const LiveRequest& request) { return request.over() ? std::optional(request.ended.value()) : std::nullopt; })
      .def_property_readonly("latency",
                             [](const LiveRequest& request) {
                               return request.over() ? std::optional((request.ended - request.host.life.arrival).value()) : std::nullopt;
                             })
      .def_property_readonly("parts", parts_of)
      .def_property_readonly("data", data_of)
      .def_property_readonly("zones", reported_zones);

  py::class_<LiveDrive, std::unique_ptr<LiveDrive, py::nodelete>>(module, "Drive")
      .def(py::init(&make), py::arg("program"), py::arg("drive"), py::arg("layer"), py::arg("set"), py::arg("content"), py::arg("seed"),
           py::arg("prefill"), py::arg("firmware"), py::arg("check_protocol"))
      .def("run_until",
           [](LiveDrive& drive, const std::vector<py::object>& given) {
             std::vector<LiveDrive::Event> events;
             for (const py::object& one : given) events.push_back(event_of(drive, one));
             return running(drive, [&] { return drive.run_until(events); });
           })
      .def("submit", submit, py::arg("op"), py::arg("offset"), py::arg("length"), py::arg("data"), py::arg("force_unit_access"),
           py::arg("all_zones"), py::arg("done"))
      .def("call_at", [](LiveDrive& drive, const py::object& when,
                         std::function<void()> function) { drive.call_at(instant_of(drive, when), std::move(function)); })
      .def("boot", [](LiveDrive& drive) { running(drive, [&] { drive.boot(); }); })
      .def("record", [](LiveDrive& drive, const std::vector<std::string>& patterns) { drive.signals().record(patterns); })
      .def("stop", &LiveDrive::stop)
      .def("drain", [](LiveDrive& drive) { running(drive, [&] { drive.drain(); }); })
      .def("cut_power", [](LiveDrive& drive) { drive.running() ? drive.cut_power() : running(drive, [&] { drive.cut_power(); }); })
      .def("power_on", [](LiveDrive& drive) { drive.power_on(); })
      .def("metrics", metrics_of)
      .def("value", value_of)
      .def("histories", histories)
      .def("signal_names",
           [](LiveDrive& drive) {
             std::vector<std::string> names;
             for (const FoundSignal& signal : drive.signals().all()) names.push_back(signal.path());
             return names;
           })
      .def_property_readonly("now", [](const LiveDrive& drive) { return drive.now().value(); })
      .def_property_readonly("ready", &LiveDrive::ready)
      .def_property_readonly("has_power", &LiveDrive::has_power)
      .def_property_readonly("outstanding", &LiveDrive::outstanding)
      .def_property_readonly("capacity", [](const LiveDrive& drive) { return drive.capacity().value(); });
}
