#!/bin/sh
# @BUILDS@Compares every read of a run with what was written, and cuts the power at many instants. Ends with status 0 if nothing is
# lost. OPERATIONS says how many writes to the platters torture goes through, TESSERA names another program.
set -eu
cd "$(dirname "$0")"
TESSERA=${TESSERA:-tessera}
OPERATIONS=${OPERATIONS:-50}

@BUILD@# The drive on which power is cut dumps 1 MiB: a larger buffer takes more flash for the dump.
DRIVE="torture@DUMPS@"
$TESSERA check $DRIVE --firmware ./@LIBRARY@
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Without the drive's write cache in front, so that the layer itself is put to the test, and its own promise (@DURABILITY_WORD@).
$TESSERA run $DRIVE --firmware ./@LIBRARY@ --set "firmware.write_cache.capacity=0 B" --workload random-4k --replay closed:4 --fold --limit 500 \
  --check --cut-at 100ms --out "$out/run"
for faults in "" "--faults torn"; do
  echo "power cuts${faults:+ that tear the sector under the head}:"
  $TESSERA torture $DRIVE --firmware ./@LIBRARY@ --durability none $faults --operations "$OPERATIONS" --cuts "$OPERATIONS"
done
echo "@NAME@ lost nothing"
