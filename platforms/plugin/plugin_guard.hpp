#pragma once
// Notices a call into a shared library that does not come back: after `patience` seconds of processor time in one call it is left where it
// is, if its caller can go on without it, or the process ends with a sentence and exit status 3. Processor time, so that a debugger may
// hold the firmware for as long as it takes.
#include <string>

namespace tessera {

class PluginGuard {
 public:
  /// For all calls of this process from now on.
  static void set_patience(unsigned seconds);
  /// How such a call is ended at its place, with a sentence of its own; what has not come back a second later ends the process all the
  /// same. `interrupt` is called by a signal handler.
  static void set_interrupt(void (*interrupt)(const char* sentence));

  /// While it lives, a call is under way. `firmware` and `call` are to outlive it.
  PluginGuard(const std::string& firmware, const char* call);
  ~PluginGuard();
  PluginGuard(const PluginGuard&) = delete;
  PluginGuard& operator=(const PluginGuard&) = delete;

  /// Calls work(data), which calls the library that has `code` and holds nothing that is to be released. Null, or the sentence of a loop in
  /// that library: the call was left, so the library cannot be called again.
  [[nodiscard]] const char* leave_loop_of(const void* code, void (*work)(void* data), void* data);

 private:
  const char* outer_firmware_;
  const char* outer_call_;
};

}  // namespace tessera
