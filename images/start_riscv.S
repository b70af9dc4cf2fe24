// Reset and traps of a RISC-V core in machine mode. The loader has put every section where it belongs, and zeroed .bss. An image has a
// function firmware_main(), and may have firmware_trap(cause, pc, value).
#if __riscv_xlen == 64
#define WORD 8
#define LOAD ld
#define STORE sd
#else
#define WORD 4
#define LOAD lw
#define STORE sw
#endif

  .option arch, +zicsr
  .section .text.start, "ax"
  .global _start
  .type _start, @function
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, stack_end
  la t0, trap
  csrw mtvec, t0
  // A WFI ends when the external interrupt is pending and enabled; none is ever taken, for the firmware looks by itself.
  csrw mstatus, zero
  li t0, 1 << 11
  csrw mie, t0

  la s0, constructors_begin
  la s1, constructors_end
1:
  bgeu s0, s1, 2f
  LOAD t0, 0(s0)
  jalr t0
  addi s0, s0, WORD
  j 1b
2:
  call firmware_main
  .size _start, . - _start

  // The stack pointer may be what is wrong.
  .balign 4
  .type trap, @function
trap:
  la sp, trap_stack_end
  csrr a0, mcause
  csrr a1, mepc
  csrr a2, mtval
  call firmware_trap
  .size trap, . - trap

  // Where an image has none of its own: the run ends with this sentence.
  .section .text.firmware_trap, "ax"
  .weak firmware_trap
  .type firmware_trap, @function
firmware_trap:
  la a0, trapped
  li a1, 0x40000050  // ident.panic
  STORE a0, 0(a1)
  wfi
  j firmware_trap
  .size firmware_trap, . - firmware_trap

  .section .rodata.trapped, "a"
trapped:
  .asciz "a trap, and no firmware_trap() in the image"
