// A platform of somebody else's that mounts the drive.
#include <systemc>

#include "base/units.hpp"
#include "bus/address_map.hpp"
#include "host/host_request.hpp"
#include "platforms/drive/drive_config.hpp"
#include "processor.hpp"
#include "tessera/platforms/drive/drive_module.hpp"

static_assert(consumers_units + consumers_address_map + consumers_host_request + consumers_drive_config == 4);

int sc_main(int argc, char* argv[]) {
  if (argc != 2) return 2;
  const tessera::DriveConfig config = tessera::load_drive(argv[1], {}, "cmr");
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, 1);
  Processor processor("processor");
  processor.socket.bind(drive.block_socket());
  drive.power_on(false, [](tessera::Status) {});
  sc_core::sc_start();
  drive.timeline_module().rethrow_failure();
  return processor.same ? 0 : 1;
}
