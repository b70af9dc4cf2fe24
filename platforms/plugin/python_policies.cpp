// Policies of cleaning in Python behind the policy interface (tessera_policy.h); the rest of tessera_python-VERSION.so is in
// python_layers.cpp.
#include <memory>

#include "platforms/plugin/python_entries.hpp"
#include "platforms/plugin/python_offer.hpp"

namespace tessera {

namespace py = pybind11;

namespace {

/// A policy that a file has. Lives as long as the process.
struct OfferedPolicy : PythonOffer {
  tessera_policy code{};
};

/// The services of one power-on, as Python calls them. What Python has of it after the power failed does nothing and gives 0.
struct PolicyMachine {
  tessera_policy_machine* table;  ///< null: the power is gone

  py::list units(const py::object& kind) const {
    const tessera_unit* found = nullptr;
    const std::uint32_t count = table == nullptr ? 0 : table->list(table, &found);
    py::list list(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const tessera_unit& unit = found[i];
      list[i] = kind(unit.number, unit.first, unit.sectors, unit.held, unit.cached, unit.entries, unit.oldest, unit.newest, unit.cleaned);
    }
    return list;
  }
  [[nodiscard]] std::uint64_t own() const { return table == nullptr ? TESSERA_NEVER : table->own(table); }
  void charge(std::uint32_t operation, std::uint64_t times) const {
    if (table != nullptr) table->charge(table, operation, times);
  }
  [[nodiscard]] bool write_waiting(std::uint64_t first, std::uint64_t end) const {
    return table != nullptr && table->write_waiting(table, first, end) != 0;
  }
  void log(const std::string& line) const {
    if (table != nullptr) table->log(table, line.c_str());
  }
};

/// A policy whose power is on.
struct PoweredPolicy {
  tessera_policy_machine* table;
  PolicyMachine* machine;
  py::object machine_object, policy, cleaning, arrival, answer;
};

PoweredPolicy& powered(void* self) { return *static_cast<PoweredPolicy*>(self); }

void* create(const tessera_policy* code, tessera_policy_machine* table, const tessera_value* values) {
  return calls(table, [&]() -> void* {
    const auto& offer = *static_cast<const OfferedPolicy*>(code->context);
    auto made = std::make_unique<PoweredPolicy>();
    made->table = table;
    made->machine = new PolicyMachine{table};
    made->machine_object = py::cast(made->machine, py::return_value_policy::take_ownership);
    made->policy = policy_module().attr("_made")(offer.kind, offer.values_of(values), made->machine_object);
    made->cleaning = policy_module().attr("Cleaning");
    made->arrival = policy_module().attr("Arrival");
    made->answer = policy_module().attr("_answer");
    return made.release();
  });
}

void destroy(void* self) {
  const py::gil_scoped_acquire locked;
  const std::unique_ptr<PoweredPolicy> ended(&powered(self));
  ended->machine->table = nullptr;
}

std::uint64_t ask(void* self, const char* what, const tessera_cleaning* told) {
  PoweredPolicy& policy = powered(self);
  return calls(policy.table, [&] {
    const py::object cleaning =
        policy.cleaning(told->now, told->last_activity, told->served, told->latency, told->outstanding, told->waiting, told->needed != 0,
                        told->units, told->used, told->room, told->cached, told->entries, told->most_entries);
    return policy.answer(policy.policy, what, cleaning).cast<std::uint64_t>();
  });
}

std::uint64_t when(void* self, const tessera_cleaning* told) { return ask(self, "when", told); }
std::uint64_t choose(void* self, const tessera_cleaning* told) { return ask(self, "choose", told); }

void arrived(void* self, const tessera_arrival* arrival) {
  PoweredPolicy& policy = powered(self);
  calls(policy.table,
        [&] { policy.policy.attr("arrived")(policy.arrival(arrival->time, arrival->kind, arrival->blocks, arrival->first)); });
}

void report(const void* self, const tessera_reporter* reporter) {
  const PoweredPolicy& policy = *static_cast<const PoweredPolicy*>(self);
  calls(policy.table, [&] {
    for (const py::handle given : policy_module().attr("_reported")(policy.policy)) {
      const py::tuple figure = given.cast<py::tuple>();
      const std::string name = py::str(figure[0]), unit = py::str(figure[2]), what = py::str(figure[3]);
      const bool defined = !figure[1].is_none();
      reporter->figure(reporter->context, name.c_str(), defined ? figure[1].cast<double>() : 0, defined ? 1 : 0, unit.c_str(), what.c_str(),
                       figure[4].cast<bool>() ? 1 : 0);
    }
  });
}

/// Those of the file that was read last; those of others live on.
std::vector<OfferedPolicy*>& last_offered() {
  static auto& list = *new std::vector<OfferedPolicy*>;
  return list;
}

}  // namespace

void describe_policy_machine(py::module_& module) {
  py::class_<PolicyMachine>(module, "PolicyMachine")
      .def("units", &PolicyMachine::units)
      .def("own", &PolicyMachine::own)
      .def("charge", &PolicyMachine::charge)
      .def("write_waiting", &PolicyMachine::write_waiting)
      .def("log", &PolicyMachine::log);
}

bool load_policies() {
  last_offered().clear();
  for (const py::handle given : policy_module().attr("_policies_of")(layer_module().attr("_MODULE"))) {
    const py::tuple parts = given.cast<py::tuple>();
    auto policy = std::make_unique<OfferedPolicy>();
    policy->kind = parts[0];
    policy->take(parts[3]);
    const auto has = [&](const char* name) { return parts[4].contains(name); };
    policy->code = {.abi = TESSERA_POLICY_ABI,
                    .size = sizeof(tessera_policy),
                    .name = policy->keep(parts[1]),
                    .summary = policy->keep(parts[2]),
                    .parameters = policy->parameters.data(),
                    .parameter_count = static_cast<std::uint32_t>(policy->parameters.size()),
                    .reserved = 0,
                    .context = policy.get(),
                    .create = create,
                    .destroy = destroy,
                    .when = has("when") ? when : nullptr,
                    .choose = has("choose") ? choose : nullptr,
                    .arrived = has("arrived") ? arrived : nullptr,
                    .report = has("report") ? report : nullptr};
    last_offered().push_back(policy.release());
  }
  return !last_offered().empty();
}

}  // namespace tessera

const tessera_policy* tessera_python_policy(std::uint32_t index) {
  const auto& list = tessera::last_offered();
  return index < list.size() ? &list[index]->code : nullptr;
}
