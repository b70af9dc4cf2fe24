// The main() of libsystemc calls sc_main, which hosts the Catch session.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

int sc_main(int argc, char* argv[]) {
  // Tests ask for the exception itself (TimelineModule::rethrow_failure).
  sc_core::sc_report_handler::set_actions("/tessera/failure", sc_core::SC_DO_NOTHING);
  return Catch::Session().run(argc, argv);
}
