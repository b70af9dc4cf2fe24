# gdb-multiarch -x debug.gdb, while 'make debug' waits.
set confirm off
file @NAME@.elf
target remote 127.0.0.1:3333

define lines
  printf "pending %#lx, enabled %#lx\n", *(unsigned long long*)0x40007000, *(unsigned long long*)0x40007008
end
document lines
Interrupt lines of the drive: 1 request, 2 host, 4 disk, 8 flash, 16 timer.
end

break begin
