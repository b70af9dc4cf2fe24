// tessera-sim: the command line of the drive model. SystemC owns main(); it calls sc_main().
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <systemc>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"
#include "base/timeline_module.hpp"
#include "platforms/array/array_command.hpp"
#include "platforms/cli/options.hpp"
#include "platforms/cli/run_document.hpp"
#include "platforms/commands/commands.hpp"
#include "platforms/output/output_file.hpp"
#include "platforms/output/program_name.hpp"
#include "platforms/run/input_files.hpp"
#include "platforms/run/run_command.hpp"
#include "platforms/serve/serve_command.hpp"
#include "platforms/torture/torture_command.hpp"

namespace {

constexpr int exit_other = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_model_bug = 3;

// The kernel prints its banner before sc_main() unless told otherwise; standard output is for results.
const bool without_banner = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0) == 0;

/// A message begins with the program's name; what is wrong with the command line names it and the command already.
void tell(std::string_view message) {
  constexpr std::string_view own_name = "tessera-sim";
  std::cerr << (message.starts_with(own_name) ? "" : std::string(tessera::program_name()) + ": ") << tessera::as_called(message) << "\n";
}

struct Dispatch {
  const tessera::SearchPath& search;
  int operator()(const tessera::cli::PrintText& print) const {
    (print.status == 0 ? std::cout : std::cerr) << tessera::as_called(print.text);
    return print.status;
  }
  int operator()(const tessera::cli::RunOptions& options) const {
    if (options.list_inputs) return tessera::print_input_files(tessera::input_files(options, search));
    if (options.print_document) {
      std::cout << tessera::cli::run_document(options.named);
      return 0;
    }
    tessera::require_digest(options.firmware);
    return tessera::run_command(options, search);
  }
  int operator()(const tessera::cli::TortureOptions& options) const {
    if (options.run.list_inputs) return tessera::print_input_files(tessera::input_files(options.run, search));
    tessera::require_digest(options.run.firmware);
    return tessera::torture_command(options, search);
  }
  int operator()(const tessera::cli::ArrayOptions& options) const {
    return options.run.list_inputs ? tessera::list_array_inputs(options, search) : tessera::array_command(options, search);
  }
  int operator()(const tessera::cli::ServeOptions& options) const {
    tessera::require_digest(options.firmware);
    return tessera::serve_command(options, search);
  }
  int operator()(const tessera::cli::ExplainOptions& options) const { return tessera::explain_command(options); }
  int operator()(const tessera::cli::DescribeOptions& options) const { return tessera::describe_command(options); }
  int operator()(const tessera::cli::ProbeOptions& options) const { return tessera::probe_command(options); }
  int operator()(const tessera::cli::ConvertOptions& options) const { return tessera::convert_command(options); }
  int operator()(const tessera::cli::ListOptions& options) const {
    tessera::require_digest(options.firmware);
    return tessera::list_command(options, search);
  }
  int operator()(const tessera::cli::CheckOptions& options) const {
    tessera::require_digest(options.firmware);
    return tessera::check_command(options, search);
  }
};

/// Standard output on a full disk: what was printed is gone, and the status must say so.
int status_of_output(int status) {
  errno = 0;
  std::cout.flush();
  if (std::cout) return status;
  tell(tessera::output_error("write", "standard output", errno == 0 ? EIO : errno).what());
  return status == 0 ? exit_other : status;
}

/// A descriptor of 0 to 2 that is closed would be given to the next file that is opened, and messages would go into results.
void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDWR));
}

/// Who started this program may ask that it does not outlive him, by his process number: nobody would take what it makes.
void end_with_parent() {
  const char* const parent = std::getenv("TESSERA_ENDS_WITH");
  if (parent == nullptr) return;
  const std::string number = parent;
  ::unsetenv("TESSERA_ENDS_WITH");  // programs that this one starts have another parent
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (std::to_string(::getppid()) != number) std::exit(128 + SIGTERM);  // he has gone already
}

/// Traces that come with the program have names instead of paths.
struct FindTrace {
  const tessera::SearchPath& search;
  void operator()(tessera::cli::RunOptions& options) const {
    if (options.trace) find(options.trace->file);
  }
  void operator()(tessera::cli::TortureOptions& options) const { operator()(options.run); }
  void operator()(tessera::cli::ArrayOptions& options) const { operator()(options.run); }
  void operator()(tessera::cli::CheckOptions& options) const {
    if (options.trace) find(options.trace->file);
  }
  void operator()(tessera::cli::DescribeOptions& options) const { find(options.trace.file); }
  void operator()(tessera::cli::ConvertOptions& options) const { find(options.trace.file); }
  void operator()(tessera::cli::ProbeOptions& options) const { find(options.file); }
  template <class Other>
  void operator()(Other& /*options*/) const {}

 private:
  void find(std::filesystem::path& file) const { file = search.trace(file); }
};

}  // namespace

int sc_main(int argc, char* argv[]) {
  // The kernel's own notes (stop requests) are not the user's business; its errors are.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_report_handler::set_actions(tessera::failure_report, sc_core::SC_DO_NOTHING);  // rethrow_failure() brings it
  open_standard_descriptors();
  end_with_parent();
  try {
    const auto search = tessera::SearchPath::standard(argv[0]);
    auto command = tessera::cli::parse(argc, argv);
    std::visit(FindTrace{search}, command);
    return status_of_output(std::visit(Dispatch{search}, command));
  } catch (const tessera::InputError& error) {
    tell(error.what());
    return exit_bad_input;
  } catch (const tessera::FirmwareFault& fault) {
    tell(std::string("firmware fault: ") + fault.what());
    return exit_model_bug;
  } catch (const tessera::ModelBug& bug) {
    tell("model bug at " + sc_core::sc_time_stamp().to_string() + ": " + bug.what());
    return exit_model_bug;
  } catch (const std::bad_alloc&) {
    tell("this machine has not enough memory for what the description asks for");
    return exit_other;
  } catch (const std::exception& error) {
    tell(error.what());
    return exit_other;
  }
}
