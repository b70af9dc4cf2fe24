// tessera-sim: the command line of the drive model. SystemC owns main(); it calls sc_main().
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>
#include <systemc>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"
#include "platforms/cli/options.hpp"
#include "platforms/commands/commands.hpp"
#include "platforms/compare/compare_command.hpp"
#include "platforms/output/output_file.hpp"
#include "platforms/run/run_command.hpp"
#include "platforms/serve/serve_command.hpp"
#include "platforms/torture/torture_command.hpp"

namespace {

constexpr int exit_other = 1;
constexpr int exit_bad_input = 2;
constexpr int exit_model_bug = 3;

// The kernel prints its banner before sc_main() unless told otherwise; standard output is for results.
const bool without_banner = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0) == 0;

struct Dispatch {
  const tessera::SearchPath& search;
  int operator()(const tessera::cli::PrintText& print) const {
    (print.status == 0 ? std::cout : std::cerr) << print.text;
    return print.status;
  }
  int operator()(const tessera::cli::RunOptions& options) const { return tessera::run_command(options, search); }
  int operator()(const tessera::cli::CompareOptions& options) const { return tessera::compare_command(options, search); }
  int operator()(const tessera::cli::TortureOptions& options) const { return tessera::torture_command(options, search); }
  int operator()(const tessera::cli::ServeOptions& options) const { return tessera::serve_command(options, search); }
  int operator()(const tessera::cli::ExplainOptions& options) const { return tessera::explain_command(options); }
  int operator()(const tessera::cli::DescribeOptions& options) const { return tessera::describe_command(options); }
  int operator()(const tessera::cli::ConvertOptions& options) const { return tessera::convert_command(options); }
  int operator()(const tessera::cli::ListOptions& options) const { return tessera::list_command(options, search); }
  int operator()(const tessera::cli::CheckOptions& options) const { return tessera::check_command(options, search); }
};

/// Standard output on a full disk: what was printed is gone, and the status must say so.
int status_of_output(int status) {
  errno = 0;
  std::cout.flush();
  if (std::cout) return status;
  std::cerr << "tessera-sim: " << tessera::output_error("write", "standard output", errno == 0 ? EIO : errno).what() << "\n";
  return status == 0 ? exit_other : status;
}

/// A descriptor of 0 to 2 that is closed would be given to the next file that is opened, and messages would go into results.
void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDWR));
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  // The kernel's own notes (stop requests) are not the user's business; its errors are.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  open_standard_descriptors();
  try {
    const auto search = tessera::SearchPath::standard(argv[0]);
    return status_of_output(std::visit(Dispatch{search}, tessera::cli::parse(argc, argv)));
  } catch (const tessera::InputError& error) {
    const std::string_view text = error.what();
    // What is wrong with the command line names the command already.
    std::cerr << (text.starts_with("tessera-sim") ? "" : "tessera-sim: ") << text << "\n";
    return exit_bad_input;
  } catch (const tessera::FirmwareFault& fault) {
    std::cerr << "tessera-sim: firmware fault: " << fault.what() << "\n";
    return exit_model_bug;
  } catch (const tessera::ModelBug& bug) {
    std::cerr << "tessera-sim: model bug at " << sc_core::sc_time_stamp() << ": " << bug.what() << "\n";
    return exit_model_bug;
  } catch (const std::bad_alloc&) {
    std::cerr << "tessera-sim: this machine has not enough memory for what the description asks for\n";
    return exit_other;
  } catch (const std::exception& error) {
    std::cerr << "tessera-sim: " << error.what() << "\n";
    return exit_other;
  }
}
