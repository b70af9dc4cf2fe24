// Reset and exceptions of a Cortex-R5 core. The loader has put every section where it belongs, and zeroed .bss.
  .syntax unified
  .arm
  .section .text.start, "ax"
  .global _start
  .type _start, %function
_start:
vectors:
  b reset
  b undefined
  b supervisor_call
  b prefetch_abort
  b data_abort
  nop
  b unexpected
  b unexpected

reset:
  ldr sp, =stack_end
  mcr p15, 0, r0, c7, c5, 4
  ldr r4, =constructors_begin
  ldr r5, =constructors_end
1:
  cmp r4, r5
  bhs 2f
  ldr r0, [r4], #4
  blx r0
  b 1b
2:
  blx firmware_main

// The number of the vector stands for the cause; the address is that of a data or instruction fault.
undefined:
  mov r0, #1
  b report
supervisor_call:
  mov r0, #2
  b report
prefetch_abort:
  mrc p15, 0, r2, c6, c0, 2
  mov r0, #3
  b report
data_abort:
  mrc p15, 0, r2, c6, c0, 0
  mov r0, #4
  b report
unexpected:
  mov r0, #6
report:
  mov r1, lr
  ldr sp, =trap_stack_end
  blx firmware_trap
