#include "platforms/plugin/python_machine.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

namespace py = pybind11;

namespace tessera {

/// A table in the drive's DRAM: each entry that Python looks at or sets is an access there.
class __attribute__((visibility("hidden"))) PythonTable {
 public:
  PythonTable(py::object owner, tessera_memory memory, std::uint32_t entry_bytes, std::size_t count)
      : owner_(std::move(owner)),
        machine_(owner_.cast<PythonMachine&>()),
        at_(static_cast<unsigned char*>(memory.bytes)),
        address_(memory.address),
        entry_bytes_(entry_bytes),
        count_(count),
        torn_(memory.torn != 0) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool torn() const { return torn_; }

  [[nodiscard]] std::uint64_t get(py::ssize_t index) const {
    const std::size_t place = place_of(index);
    std::uint64_t value = 0;
    if (machine_.table_ == nullptr) return value;
    touch(place, 0);
    std::memcpy(&value, at_ + place * entry_bytes_, entry_bytes_);
    return value;
  }
  void set(py::ssize_t index, std::uint64_t value) {
    const std::size_t place = place_of(index);
    if (machine_.table_ == nullptr) return;
    store(place, value);
    touch(place, 1);
  }
  /// Without an access: as formatted.
  void store(std::size_t place, std::uint64_t value) {
    if (entry_bytes_ < sizeof value && value >> (8 * entry_bytes_) != 0)
      throw py::value_error(std::to_string(value) + " does not fit into an entry of " + std::to_string(entry_bytes_) + " B");
    std::memcpy(at_ + place * entry_bytes_, &value, entry_bytes_);
  }

 private:
  [[nodiscard]] std::size_t place_of(py::ssize_t index) const {
    const auto count = static_cast<py::ssize_t>(count_);
    if (index < -count || index >= count)
      throw py::index_error("entry " + std::to_string(index) + " of a table with " + std::to_string(count_) + " entries");
    return static_cast<std::size_t>(index < 0 ? index + count : index);
  }
  void touch(std::size_t place, int write) const {
    machine_.table_->touch(machine_.table_, address_ + place * entry_bytes_, entry_bytes_, write);
  }

  py::object owner_;
  PythonMachine& machine_;
  unsigned char* at_;
  std::uint64_t address_;
  std::uint32_t entry_bytes_;
  std::size_t count_;
  bool torn_;
};

namespace {

/// The fields of layer.py's tuples, in their order there.
enum StepField { step_write, step_hint, step_run, step_data, step_system, step_headers, step_header_count, step_fields };
enum CommandField {
  command_op,
  command_page,
  command_block,
  command_data,
  command_oob,
  command_origin,
  command_subpage,
  command_retry,
  command_fields
};
enum RunField { run_surface, run_radius, run_first, run_count, run_fields };

/// The fields of such a tuple; TypeError where it is none.
PyObject* const* fields_of(py::handle tuple, int fields, const char* what) {
  if (!PyTuple_Check(tuple.ptr()) || PyTuple_GET_SIZE(tuple.ptr()) != fields)
    throw py::type_error("expected " + std::string(what) + ", found " + py::repr(tuple).cast<std::string>());
  return &PyTuple_GET_ITEM(tuple.ptr(), 0);
}

/// A whole number from 0 to `most`.
std::uint64_t number(py::handle object, std::uint64_t most, const char* what) {
  const bool plain = PyLong_CheckExact(object.ptr()) != 0;  // in half the time
  const py::object index =
      plain ? py::reinterpret_borrow<py::object>(object) : py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!index) throw py::error_already_set();
  int overflows = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflows);
  if (overflows != 0 || value < 0 || static_cast<std::uint64_t>(value) > most)
    throw py::value_error(std::string(what) + " is " + py::str(index).cast<std::string>() + "; expected 0 to " + std::to_string(most));
  return static_cast<std::uint64_t>(value);
}

std::uint32_t word(py::handle object, const char* what) { return static_cast<std::uint32_t>(number(object, UINT32_MAX, what)); }

/// The drive keeps some names without a copy.
const char* for_good(const char* name) {
  static auto& names = *new std::unordered_set<std::string>;
  return name == nullptr ? nullptr : names.insert(name).first->c_str();
}

tessera_data data_of(py::handle object) {
  static const py::handle address = py::str("address").release();
  static const py::handle sectors = py::str("sectors").release();
  if (object.is_none()) return {0, 0};
  return {number(object.attr(address), INT64_MAX, "an address"), word(object.attr(sectors), "a number of sectors")};
}

}  // namespace

void PythonMachine::close() {
  table_ = nullptr;
  for (auto& [slot, named] : named_)
    for (Py_buffer& buffer : named.buffers) PyBuffer_Release(&buffer);
  named_.clear();
}

void PythonMachine::let_go(tessera_operation operation) {
  const auto at = named_.find(TESSERA_SLOT(operation));
  if (at == named_.end()) return;
  for (Py_buffer& buffer : at->second.buffers) PyBuffer_Release(&buffer);
  at->second.buffers.clear();
}

void* PythonMachine::bytes_of(Named& named, py::handle object, bool written_to, std::size_t expected, const char* what) {
  if (object.is_none()) return nullptr;
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, written_to ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) throw py::error_already_set();
  named.buffers.push_back(buffer);
  if (static_cast<std::size_t>(buffer.len) != expected)
    throw py::value_error(std::string(what) + " has " + std::to_string(buffer.len) + " B; expected " + std::to_string(expected));
  return buffer.buf;
}

/// At the layer's own line; the drive would refuse it after the layer has returned.
void PythonMachine::check(const tessera_media_step& step) const {
  const std::uint32_t length = table_->sectors_on(table_, step.surface, step.radius);
  const bool on_track = step.count != 0 && step.first < length && step.count <= length;
  if (on_track && (step.data.sectors == 0 || step.data.sectors == step.count)) return;
  const std::string run = std::to_string(step.count) + " sectors from " + std::to_string(step.first) + " on of surface " +
                          std::to_string(step.surface) + ", radius " + std::to_string(step.radius);
  if (length == 0) throw py::value_error("media address out of range: " + run + " of a drive that has no such track");
  if (!on_track) throw py::value_error("media address out of range: " + run + ", a track of " + std::to_string(length) + " sectors");
  throw py::value_error(run + " have " + std::to_string(step.data.sectors) + " sectors of data");
}

void PythonMachine::media(tessera_operation operation, const py::tuple& steps, std::uint32_t priority, bool carry_lost) {
  if (table_ == nullptr) return;
  let_go(operation);
  Named& named = named_[TESSERA_SLOT(operation)];
  std::vector<tessera_media_step> chain;
  for (const py::handle given : steps) {
    PyObject* const* const part = fields_of(given, step_fields, "a step of media.read() or media.write()");
    PyObject* const* const place = fields_of(part[step_run], run_fields, "a Run (surface, radius, first, count)");
    tessera_media_step step{};
    step.write = part[step_write] == Py_True ? 1 : 0;
    step.hint = word(part[step_hint], "a hint");
    step.surface = word(place[run_surface], "the surface of a run");
    step.radius = word(place[run_radius], "the radius of a run");
    step.first = word(place[run_first], "the first sector of a run");
    step.count = word(place[run_count], "the number of sectors of a run");
    step.data = data_of(part[step_data]);
    check(step);
    step.header_count = word(part[step_header_count], "a number of headers");
    const bool reads = step.write == 0;
    step.system = bytes_of(named, part[step_system], reads, std::size_t{step.count} * sector_bytes_, "system");
    step.headers = bytes_of(named, part[step_headers], reads, std::size_t{step.header_count} * TESSERA_HEADER_BYTES, "header");
    chain.push_back(step);
  }
  const tessera_media_chain whole{priority, carry_lost ? 1U : 0U, static_cast<std::uint32_t>(chain.size()), chain.data()};
  table_->media(table_, operation, &whole);
}

void PythonMachine::flash(tessera_operation operation, const py::list& commands) {
  if (table_ == nullptr) return;
  let_go(operation);
  Named& named = named_[TESSERA_SLOT(operation)];
  named.commands.clear();
  for (const py::handle given : commands) {
    PyObject* const* const part = fields_of(given, command_fields, "a command of flash");
    tessera_flash_command command{};
    command.op = word(part[command_op], "an operation");
    command.page = number(part[command_page], INT64_MAX, "a page");
    command.from = number(part[command_origin], INT64_MAX, "a page");
    command.block = number(part[command_block], INT64_MAX, "a block");
    command.data = data_of(part[command_data]);
    command.subpage = word(part[command_subpage], "a subpage");
    command.retry = word(part[command_retry], "a level of read retry");
    command.next = TESSERA_NO_COMMAND;
    if (const py::handle oob(part[command_oob]); !oob.is_none()) {
      const bool reads = command.op == TESSERA_FLASH_READ || command.op == TESSERA_FLASH_READ_OOB;
      const std::size_t length = py::len(oob);
      command.oob = bytes_of(named, oob, reads, length, "oob");
      command.oob_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(length, UINT32_MAX));
    }
    named.commands.push_back(command);
  }
  table_->flash(table_, operation, named.commands.data(), static_cast<std::uint32_t>(named.commands.size()));
}

py::list PythonMachine::flash_statuses(tessera_operation operation) const {
  py::list statuses;
  if (const auto at = named_.find(TESSERA_SLOT(operation)); at != named_.end())
    for (const tessera_flash_command& command : at->second.commands) statuses.append(command.status);
  return statuses;
}

void PythonMachine::spawn(std::uintptr_t key, const char* name) {
  if (table_ == nullptr) return;
  table_->spawn(table_, reinterpret_cast<void*>(key), for_good(name));
}

py::object PythonMachine::flash_shape() const {
  tessera_flash_shape shape{};
  if (table_ == nullptr || table_->flash_shape(table_, &shape) == 0) return py::none();
  return py::make_tuple(shape.blocks, shape.pages_per_block, shape.oob_bytes, shape.page_bytes, shape.read_retries, shape.paired_pages != 0,
                        shape.subpages, shape.planes, shape.copyback != 0);
}

py::object PythonMachine::table(std::size_t count, const py::list& values, const std::string& what, std::uint32_t entry_bytes,
                                bool dumped) {
  if (entry_bytes != 1 && entry_bytes != 2 && entry_bytes != 4 && entry_bytes != 8)
    throw py::value_error("a table has entries of 1, 2, 4 or 8 B; found " + std::to_string(entry_bytes));
  if (count == 0) throw py::value_error("the table '" + what + "' has no entries");
  if (table_ == nullptr) return py::none();
  const tessera_memory memory = table_->reserve(table_, TESSERA_METADATA, std::uint64_t{count} * entry_bytes, dumped ? 1 : 0, what.c_str());
  if (memory.bytes == nullptr) return py::none();  // the run ends when the layer returns
  if (memory.torn != 0) std::memset(memory.bytes, 0, count * entry_bytes);
  PythonTable table(py::cast(this), memory, entry_bytes, count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const unsigned long long entry = PyLong_AsUnsignedLongLong(py::object(values[i]).ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    table.store(i, entry);
  }
  return py::cast(std::move(table));
}

void PythonMachine::describe(py::module_& module) {
  // A service whose arguments are numbers; once the power is gone, what it gives is 0.
  const auto plain = [](auto member) {
    return [member]<class... Values>(PythonMachine& machine, Values... values) {
      return machine.table_ == nullptr ? decltype((machine.table_->*member)(machine.table_, values...))()
                                       : (machine.table_->*member)(machine.table_, values...);
    };
  };
  using M = PythonMachine;
  using T = tessera_machine;
  using Number = std::uint32_t;
  using Long = std::uint64_t;
  const auto tuple = [](tessera_data data) { return py::make_tuple(data.address, data.sectors); };
  py::class_<M>(module, "Machine")
      .def("media", &M::media)
      .def("flash", &M::flash)
      .def("flash_statuses", &M::flash_statuses)
      .def("spawn", &M::spawn)
      .def("flash_shape", &M::flash_shape)
      .def("table", &M::table)
      .def("timer", [plain](M& m, Long operation, Long at) { plain (&T::timer)(m, operation, at); })
      .def("park", [plain](M& m, Long operation, Number phase) { plain (&T::park)(m, operation, phase); })
      .def("ready", [plain](M& m, Long operation) { plain (&T::ready)(m, operation); })
      .def("complete", [plain](M& m, Long operation, Number status) { plain (&T::complete)(m, operation, status); })
      .def("sectors_on", [plain](M& m, Number surface, Number radius) { return plain(&T::sectors_on)(m, surface, radius); })
      .def("flash_is_bad", [plain](M& m, Long block) { return plain(&T::flash_is_bad)(m, block) != 0; })
      .def("reserve_buffer",
           [plain, tuple](M& m, Number category, Number sectors, bool dumped, const char* what) {
             return tuple(plain(&T::reserve_buffer)(m, category, sectors, dumped ? 1 : 0, what));
           })
      .def("acquire", [plain, tuple](M& m, Number sectors) { return tuple(plain(&T::acquire)(m, sectors)); })
      .def("release",
           [plain](M& m, Long at, Number count) {
             plain (&T::release)(m, tessera_data{at, count});
           })
      .def("copy",
           [plain](M& m, Long from, Number some, Long to, Number others) {
             plain (&T::copy)(m, tessera_data{from, some}, tessera_data{to, others});
           })
      .def("merge_blocks",
           [plain](M& m, Long at, Number count, Long old, Number olds, Number first, Number blocks) {
             plain (&T::merge_blocks)(m, tessera_data{at, count}, tessera_data{old, olds}, first, blocks);
           })
      .def("clear",
           [plain](M& m, Long at, Number count) {
             plain (&T::clear)(m, tessera_data{at, count});
           })
      .def("first_lost",
           [plain](M& m, Long at, Number count) {
             return plain(&T::first_lost)(m, tessera_data{at, count});
           })
      .def("mark_lost",
           [plain](M& m, Long at, Number count) {
             plain (&T::mark_lost)(m, tessera_data{at, count});
           })
      .def("now", [plain](M& m) { return plain(&T::now)(m); })
      .def("charge", [plain](M& m, Number operation, Long times) { plain (&T::charge)(m, operation, times); })
      .def("spend", [plain](M& m, Long time) { plain (&T::spend)(m, time); })
      .def("outstanding", [plain](M& m) { return plain(&T::outstanding)(m); })
      .def("last_activity", [plain](M& m) { return plain(&T::last_activity)(m); })
      .def("write_waiting", [plain](M& m, Long first, Long end, Number but) { return plain(&T::write_waiting)(m, first, end, but) != 0; })
      .def("note", [plain](M& m, const char* kind, Number edge, Long subject,
                           Long amount) { plain (&T::note)(m, for_good(kind), edge, subject, amount); })
      .def("declare_gauge",
           [plain](M& m, const char* name, const char* unit, const char* what) {
             return plain(&T::declare_gauge)(m, for_good(name), for_good(unit), for_good(what));
           })
      .def("gauge", [plain](M& m, Number gauge, Long value) { plain (&T::gauge)(m, gauge, value); })
      .def("log", [plain](M& m, const char* line) { plain (&T::log)(m, line); });
  py::class_<PythonTable>(module, "Table")
      .def("__len__", &PythonTable::count)
      .def("__getitem__", &PythonTable::get)
      .def("__setitem__", &PythonTable::set)
      .def_property_readonly("torn", &PythonTable::torn);
}

}  // namespace tessera
