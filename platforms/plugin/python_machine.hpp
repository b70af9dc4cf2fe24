#pragma once
// The firmware interface's table of services as layer.py calls it: numbers, tuples and buffers of Python on one side, those of C on the
// other.
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "platforms/plugin/tessera_firmware.h"

namespace tessera {

/// The services of one power-on. What Python has of it after the power failed does nothing and gives 0.
class __attribute__((visibility("hidden"))) PythonMachine {
 public:
  PythonMachine(tessera_machine* table, std::uint32_t sector_bytes) : table_(table), sector_bytes_(sector_bytes) {}
  PythonMachine(const PythonMachine&) = delete;
  PythonMachine& operator=(const PythonMachine&) = delete;

  /// The class for Python, in `module`.
  static void describe(pybind11::module_& module);

  /// The power is gone.
  void close();
  /// The operation's wait has ended: what it named may change again.
  void let_go(tessera_operation operation);

  void media(tessera_operation operation, const pybind11::tuple& steps, std::uint32_t priority, bool carry_lost);
  void flash(tessera_operation operation, const pybind11::list& commands);
  [[nodiscard]] pybind11::list flash_statuses(tessera_operation operation) const;
  void spawn(std::uintptr_t key, const char* name);
  [[nodiscard]] pybind11::object flash_shape() const;
  /// `values`: what a table begins with that is not dumped; a dumped one begins with what the drive saved of it, or 0.
  [[nodiscard]] pybind11::object table(std::size_t count, const pybind11::list& values, const std::string& what, std::uint32_t entry_bytes,
                                       bool dumped);

 private:
  friend class PythonTable;

  /// What the drive reads and writes while an operation waits.
  struct Named {
    std::vector<Py_buffer> buffers;
    std::vector<tessera_flash_command> commands;
  };

  /// Bytes of Python's that stay where they are until the wait ends; ValueError where there are not as many as expected.
  void* bytes_of(Named& named, pybind11::handle object, bool written_to, std::size_t expected, const char* what);

  /// ValueError for a run that is on no track, and for data of another length.
  void check(const tessera_media_step& step) const;

  tessera_machine* table_;  ///< null: the power is gone
  std::uint32_t sector_bytes_;
  std::unordered_map<std::uint32_t, Named> named_;  ///< by slot
};

}  // namespace tessera
