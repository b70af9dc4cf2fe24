#!/bin/busybox sh
# The one program of the guest. The kernel's command line says what it does (step=) and to which disk (disk=); what it has to say goes to the
# second serial port, where no message of the kernel tears a line.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
for module in $(echo "$modules" | tr , " "); do insmod "/modules/$module.ko"; done

say() { echo "$*" >/dev/ttyS1; }
give_up() { say "failed: $*"; poweroff -f; }
counts() { cat "/sys/block/$disk/stat"; }

device=/dev/$disk
[ -b "$device" ] || give_up "no $device"
say "cache $(cat "/sys/block/$disk/queue/write_cache")"

# Copies a tree again and again, and meanwhile writes files of 1 to 200 KiB, of which it says the name and the sum once fsync has returned.
copy() {
  mount -t ext4 "$device" /mnt || give_up mount
  while rm -rf /mnt/copy && cp -r /tree /mnt/copy && sync; do :; done &
  n=0
  while
    n=$((n + 1))
    head -c $(((n * 37 % 200 + 1) * 1024 - n)) /dev/urandom >/file
    sum=$(sha256sum </file)
    dd if=/file of="/mnt/promised/$boot-$n" bs=64k conv=fsync 2>/dev/null
  do say "promised $boot-$n ${sum%% *}"; done
  give_up "$boot-$n"
}

make() {
  /sbin/mke2fs -q -t ext4 "$device" "$size" || give_up mke2fs
  mount -t ext4 "$device" /mnt || give_up mount
  mkdir /mnt/promised && cp -r /tree /mnt/kept || give_up "no tree"
  umount /mnt || give_up umount
}

# What there is after a cut.
look() {
  mount -t ext4 "$device" /mnt || give_up mount
  dmesg | grep -q "$disk): recovery complete" && say replayed
  diff -r /tree /mnt/kept >/dev/null && say kept
  for file in /mnt/promised/*; do
    sum=$(sha256sum <"$file") && say "found ${file##*/} ${sum%% *}"
  done
  umount /mnt || give_up umount
  /sbin/e2fsck -fn "$device" >/checked 2>&1
  say "checked $?"
}

# Single requests of 4 KiB at places all over the first 4 GiB: writes, then reads, with what the kernel has counted before, between and after.
# The first of each kind is not counted: meanwhile QEMU translates the guest's code.
at() { echo $(($1 * 40503 % 65536 * 16)); }
write_at() { dd if=/dev/zero of="$device" bs=4k count=1 seek="$(at "$1")" oflag=direct conv=notrunc 2>/dev/null || give_up write; }
read_at() { dd if="$device" of=/dev/null bs=4k count=1 skip="$(at "$1")" iflag=direct 2>/dev/null || give_up read; }
measure() {
  write_at 0
  read_at 0
  say "counts $(counts)"
  n=0
  while [ $((n += 1)) -le "$requests" ]; do write_at $n; done
  say "counts $(counts)"
  n=0
  while [ $((n += 1)) -le "$requests" ]; do read_at $n; done
  say "counts $(counts)"
}

case $step in
  make) make && copy ;;
  look) look ;;
  go-on) look && copy ;;
  measure) measure ;;
esac
say ended
poweroff -f
