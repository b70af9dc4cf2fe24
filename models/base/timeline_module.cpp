#include "base/timeline_module.hpp"

#include <algorithm>
#include <string_view>
#include <typeinfo>

#include "base/error.hpp"

namespace tessera {

namespace {

/// Throws, unless its action is another (failure_report).
void report_failure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    SC_REPORT_ERROR(failure_report, error.what());
  } catch (...) {
    SC_REPORT_ERROR(failure_report, "an exception of no known type");
  }
}

constexpr std::size_t thread_stack = std::size_t{1} << 20;  // the firmware runs on it; SystemC's default is 256 KiB

/// A coarser kernel would round every time that crosses a socket, silently.
void require_picoseconds() {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw InputError("the kernel's time resolution is " + sc_core::sc_get_time_resolution().to_string() +
                     "; the drive counts in picoseconds: leave it at 1 ps (sc_set_time_resolution)");
}

}  // namespace

TimelineModule::TimelineModule(sc_core::sc_module_name name, Picoseconds quantum, Process process)
    : sc_core::sc_module(name), quantum_(quantum), thread_(process == Process::thread) {
  require_picoseconds();
  SC_HAS_PROCESS(TimelineModule);
  if (thread_) {
    SC_THREAD(run_thread);
    set_stack_size(thread_stack);
  } else {
    SC_METHOD(run);
  }
  sensitive << wake_;
  dont_initialize();
}

void TimelineModule::refuse(Picoseconds when) const {
  const std::string late = "a transaction takes effect at " + std::to_string(when.value()) + " ps, before the drive's local time of " +
                           std::to_string(timeline_.now().value()) + " ps: ";
  const std::string none = "simulation.quantum = \"0 s\"";
  if (alone())
    SC_REPORT_ERROR(late_initiator_report, (std::string(name()) + ": " + late +
                                            "its process was spawned after the simulation began, in which the drive was declared alone "
                                            "(DriveParts::only_drives) and ran ahead; leave that out, or set " +
                                            none)
                                               .c_str());
  throw ModelBug(late + "its sender left out the delay that the drive had annotated; " + none + " annotates none");
}

bool TimelineModule::in_own_process() const { return sc_core::sc_get_current_process_handle().get_process_object() == process_; }

void TimelineModule::post(Picoseconds when, TimelineListener& listener, std::uint64_t argument) {
  if (alone() && !running_ && sc_core::sc_get_current_process_handle().valid()) alone_ = false;  // somebody came later
  timeline_.post(when, listener, argument);
  reschedule();
}

void TimelineModule::catch_up() {
  TESSERA_CHECK(!running_, "the calendar cannot be caught up with from one of its own actions");
  const Picoseconds kernel = kernel_ = from_sc_time(sc_core::sc_time_stamp());
  running_ = true;
  timeline_.run_until(kernel);
  running_ = false;
  if (timeline_.now() < kernel) timeline_.advance_to(kernel);
  reschedule();
}

void TimelineModule::stop() {
  stopping_ = true;
  pause();
  sc_core::sc_stop();
}

void TimelineModule::pause() {
  timeline_.unobserved_until(Picoseconds(0));
  pause_soon();
}

void TimelineModule::reschedule() {
  if (running_ || timeline_.empty()) return;
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  wake_.cancel();
  wake_.notify(to_sc_time(std::max(timeline_.next(), kernel) - kernel));
}

void TimelineModule::rethrow_failure() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void TimelineModule::fail(std::exception_ptr failure) {
  failure_ = std::move(failure);
  running_ = false;
  sc_core::sc_stop();
}

void TimelineModule::run() {
  try {
    run_ahead();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel's own way to end a thread
  } catch (const sc_core::sc_report& report) {
    fail(std::make_exception_ptr(ModelBug(std::string(report.get_msg_type()) + ": " + report.get_msg())));
  } catch (...) {
    fail(std::current_exception());
  }
  if (failure_ != nullptr) report_failure(failure_);
}

void TimelineModule::run_thread() {
  process_ = sc_core::sc_get_current_process_handle().get_process_object();
  for (;;) {
    run();
    wait();
  }
}

namespace {

/// Whether one of these objects, or what is in them, can become active: a process but `own`, or a channel, whose values change in between.
bool any_active(const std::vector<sc_core::sc_object*>& objects, const sc_core::sc_object* own) {
  return std::ranges::any_of(objects, [own](sc_core::sc_object* object) {
    if (object != own && sc_core::sc_process_handle(object).valid()) return true;
    return dynamic_cast<const sc_core::sc_prim_channel*>(object) != nullptr || any_active(object->get_child_objects(), own);
  });
}

/// Whether one of them, or what is in them, is a channel of a class that is none of SystemC's own, whatever it calls itself: it may call
/// async_request_update.
bool any_asynchronous(const std::vector<sc_core::sc_object*>& objects) {
  return std::ranges::any_of(objects, [](const sc_core::sc_object* object) {
    if (dynamic_cast<const sc_core::sc_prim_channel*>(object) != nullptr) {
      const std::string_view type = typeid(*object).name();  // as the Itanium ABI writes a class in a namespace
      if (!type.starts_with("N7sc_core") && !type.starts_with("N3tlm")) return true;
    }
    return any_asynchronous(object->get_child_objects());
  });
}

}  // namespace

/// What there is in the kernel besides the drive, as the simulation begins.
void TimelineModule::look_around() {
  const auto& objects = sc_core::sc_get_top_level_objects();
  alone_ = declared_alone_ && !any_active(objects, sc_core::sc_get_current_process_handle().get_process_object());
  if (any_asynchronous(objects)) quantum_ = Picoseconds(0);
}

/// Whether somebody else is active by then. What sc_time_to_pending_activity() says, in half its instructions.
inline bool TimelineModule::others_before(const sc_core::sc_simcontext& context, Picoseconds when) const {
  if (*alone_) return false;
  if (context.pending_activity_at_current_time()) return true;
  sc_core::sc_time next;
  return context.next_time(next) && from_sc_time(next) <= when;
}

void TimelineModule::run_ahead() {
  if (!alone_) look_around();
  Picoseconds kernel = kernel_ = from_sc_time(sc_core::sc_time_stamp());
  running_ = true;
  if (*alone_ && !thread_) timeline_.unobserved_until(kernel + quantum_);
  const auto* const context = sc_core::sc_get_curr_simcontext();
  while (!timeline_.empty()) {
    const Picoseconds next = timeline_.next();
    if (next > kernel) {
      if (next - kernel > quantum_) break;
      if (others_before(*context, next)) break;
    }
    timeline_.step();
    if (thread_) kernel = from_sc_time(sc_core::sc_time_stamp());  // the entry may have waited
    if (leaving_.load(std::memory_order_relaxed)) break;
  }
  timeline_.unobserved_until(Picoseconds(0));
  running_ = false;
  if (stopping_) return;
  reschedule();
  if (leaving_.exchange(false)) sc_core::sc_pause();
}

}  // namespace tessera
