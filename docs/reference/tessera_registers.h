/* The registers of the drive's controller, and what firmware and drive hand to each other in memory: generated from models/firmware/hal.
 * Addresses are those that firmware sees; a register holds 64 bits. Structures have naturally aligned fields, little-endian, alike for cores
 * of 32 and of 64 bits. */
#ifndef TESSERA_REGISTERS_H
#define TESSERA_REGISTERS_H

#include <stdint.h>

#define TESSERA_DRAM_BASE 0x80000000u
#define TESSERA_MAP_VERSION 4u
#define TESSERA_TCM_BASE 0x44000000u
#define TESSERA_HOST_ENTRIES_PER_TAG 4u
#define TESSERA_MAX_STEPS 16u
#define TESSERA_HEADER_BYTES 64u
#define TESSERA_IMAGE_VERSION "4" /* for an image: const char tessera_image_version[] = TESSERA_IMAGE_VERSION; */
#define TESSERA_NO_TAG 0xffffffffu /* of a chain or batch that no host command waits for */
#define TESSERA_NO_COMMAND 0xffffffffu
#define TESSERA_NO_ALARM (~(uint64_t)0)

#define TESSERA_IDENT_MAGIC 0x40000000u /* TESSERA1 in ASCII, the first letter in the lowest byte */
#define TESSERA_IDENT_VERSION 0x40000008u /* of this register map */
#define TESSERA_IDENT_BOOT_DATA 0x40000010u /* address of the boot data: geometry, format plan, flash, parameters (boot_data.hpp) */
#define TESSERA_IDENT_DRAM_BASE 0x40000018u /* address of the DRAM's first byte */
#define TESSERA_IDENT_DRAM_BYTES 0x40000020u /* its size */
#define TESSERA_IDENT_CAPACITY 0x40000028u /* logical sectors that the firmware offers: written once, before the first request is taken */
#define TESSERA_IDENT_REQUEST 0x40000030u /* what is asked of the firmware (Request); its interrupt line is `request` */
#define TESSERA_IDENT_ARGUMENT 0x40000038u /* the request's argument */
#define TESSERA_IDENT_ANSWER 0x40000040u /* ends the request with a status */
#define TESSERA_IDENT_IDLE 0x40000048u /* 1: no buffered write and no work begun is in hand, and the drive may be parked */
#define TESSERA_IDENT_PANIC 0x40000050u /* address of a sentence that ends in a zero: the firmware cannot go on */
#define TESSERA_HOST_RING 0x40001000u /* address of the ring of commands (HostEntry), 64-byte aligned */
#define TESSERA_HOST_ENTRIES 0x40001008u /* of the ring: a power of two, at least four for each tag, so that it never runs over; writing it starts the unit */
#define TESSERA_HOST_COMPLETE 0x40001010u /* ends a command: its tag, with the status in bits 32 to 39 */
#define TESSERA_HOST_FETCH 0x40001018u /* tag of a write whose data is still at the host: it crosses the link from now on */
#define TESSERA_HOST_NOTIFY 0x40001020u /* tag of such a write: a HostEntry says when its data has come */
#define TESSERA_HOST_BEGIN_PIECE 0x40001028u /* address of a HostPieceEntry of a command that streams: it crosses the link from now on */
#define TESSERA_HOST_NOTIFY_PIECE 0x40001030u /* address of a piece that crosses: a HostEntry says when it has */
#define TESSERA_HOST_OUTSTANDING 0x40001038u /* commands that were accepted and are not complete */
#define TESSERA_HOST_LAST_ACTIVITY 0x40001040u /* when the last command was accepted or completed */
#define TESSERA_HOST_SEARCH_FIRST 0x40001048u /* first logical sector of a search among waiting writes */
#define TESSERA_HOST_SEARCH_END 0x40001050u /* the sector behind the last */
#define TESSERA_HOST_SEARCH_BUT 0x40001058u /* tag that the search leaves out */
#define TESSERA_HOST_SEARCH_FOUND 0x40001060u /* 1: a write that was accepted and is not complete touches these sectors */
#define TESSERA_DISK_SUBMIT 0x40002000u /* address of a MediaChainEntry and its steps, 8-byte aligned; they stay until the completion */
#define TESSERA_DISK_COMPLETIONS 0x40002008u /* address of the ring of CompletionEntry, 64-byte aligned */
#define TESSERA_DISK_ENTRIES 0x40002010u /* of that ring: a power of two; writing it starts the unit */
#define TESSERA_DISK_CONSUMED 0x40002018u /* completions that the firmware has taken so far */
#define TESSERA_DISK_ABANDON 0x40002020u /* address of a buffer: what is being read into it is wanted no more */
#define TESSERA_DISK_SUPERVISE 0x40002038u /* 1: a chain that meets a media error, or that says so itself (MediaChainEntry::supervised), is held when its turn has come: a completion says so, nothing but chains of class `recovery` is served */
#define TESSERA_DISK_RESUME 0x40002040u /* the firmware has carried out the chain that is held: its status, with the steps that completed well in bits 32 to 63; a second completion follows, and service goes on */
#define TESSERA_DISK_TRACK 0x40002028u /* a track: its radius, with the surface in bits 32 to 63 */
#define TESSERA_DISK_TRACK_SECTORS 0x40002030u /* sectors on that track as formatted; 0: there is no such track */
#define TESSERA_FLASH_SUBMIT 0x40003000u /* address of a FlashBatchEntry and its commands, 8-byte aligned; they stay until the completion */
#define TESSERA_FLASH_COMPLETIONS 0x40003008u /* address of the ring of CompletionEntry, 64-byte aligned */
#define TESSERA_FLASH_ENTRIES 0x40003010u /* of that ring: a power of two; writing it starts the unit */
#define TESSERA_FLASH_CONSUMED 0x40003018u /* completions that the firmware has taken so far */
#define TESSERA_FLASH_BLOCK 0x40003020u /* a block */
#define TESSERA_FLASH_BLOCK_IS_BAD 0x40003028u /* 1: it is marked bad, at the factory or since */
#define TESSERA_MOVER_FROM 0x40004000u /* address of the source, or of the one buffer that the operation is about */
#define TESSERA_MOVER_TO 0x40004008u /* address of the destination */
#define TESSERA_MOVER_SECTORS 0x40004010u /* how many */
#define TESSERA_MOVER_BLOCKS 0x40004018u /* merge: 512 B blocks of the destination that stay: the first, with their number in bits 32 to 63 */
#define TESSERA_MOVER_START 0x40004020u /* begins an operation (MoverOperation) */
#define TESSERA_MOVER_RESULT 0x40004028u /* its result */
#define TESSERA_MEMORY_CATEGORY 0x40005000u /* MemoryCategory of a reservation */
#define TESSERA_MEMORY_BYTES 0x40005008u /* its size; of a buffer, in whole sectors */
#define TESSERA_MEMORY_NAME 0x40005010u /* address of what it is called, for messages: ends in a zero */
#define TESSERA_MEMORY_RESERVE 0x40005018u /* reserves for good, zeroed but for what a dump brought back (reserve_flags) */
#define TESSERA_MEMORY_ADDRESS 0x40005020u /* where; 0: there is no room, and the run ends */
#define TESSERA_MEMORY_TORN 0x40005028u /* 1: of a dumped region, what the dump saved is of no use */
#define TESSERA_TIMER_NOW 0x40006000u /* time since power-on of the platform */
#define TESSERA_TIMER_ALARM 0x40006008u /* when the timer's line is raised, once; at once where that has passed; all ones: never */
#define TESSERA_INTERRUPTS_PENDING 0x40007000u /* lines that were raised (interrupt_lines) */
#define TESSERA_INTERRUPTS_ENABLE 0x40007008u /* lines that interrupt the processor */
#define TESSERA_INTERRUPTS_CLEAR 0x40007010u /* lines to take back */
#define TESSERA_UART_DATA 0x40008000u /* a character, to firmware.log */
#define TESSERA_PROBE_NAME 0x40009000u /* address of a name that ends in a zero */
#define TESSERA_PROBE_SUBJECT 0x40009008u /* of an event: track, band, zone or block number */
#define TESSERA_PROBE_AMOUNT 0x40009010u /* of an event: sectors moved, pages copied */
#define TESSERA_PROBE_EVENT 0x40009018u /* reports an event: 0 begins, 1 ends, 2 happens */
#define TESSERA_PROBE_UNIT 0x40009020u /* address of the unit of a gauge */
#define TESSERA_PROBE_WHAT 0x40009028u /* address of the line that explains it */
#define TESSERA_PROBE_DECLARE 0x40009030u /* declares a gauge */
#define TESSERA_PROBE_NUMBER 0x40009038u /* number of a gauge: that of the last one declared, or of the one to be set */
#define TESSERA_PROBE_VALUE 0x40009040u /* sets it */
#define TESSERA_PROBE_BITS 0x40009048u /* of a figure: its value, a double of IEEE 754 */
#define TESSERA_PROBE_FIGURE 0x40009050u /* adds a figure of this name, unit and line (figure_flags), while the image's function tessera_image_report runs */

enum tessera_request {
  TESSERA_REQUEST_NONE = 0,
  TESSERA_REQUEST_PREFILL = 1, /* puts the first `argument` sectors into the used state, in no time, before the first boot */
  TESSERA_REQUEST_BOOT = 2, /* argument 1: after a power cut; 0: the first boot of an empty drive */
};

enum tessera_mover_operation {
  TESSERA_MOVER_OPERATION_COPY = 1, /* `sectors` from `from` to `to` */
  TESSERA_MOVER_OPERATION_MERGE = 2, /* one sector: the blocks of `to` outside `blocks` become those of `from` */
  TESSERA_MOVER_OPERATION_CLEAR = 3, /* `sectors` from `from` on: never written */
  TESSERA_MOVER_OPERATION_ACQUIRE = 4, /* takes a staging buffer of `sectors`; result: its address, 0 where none is free */
  TESSERA_MOVER_OPERATION_RELEASE = 5, /* gives back the one at `from`, of `sectors` */
  TESSERA_MOVER_OPERATION_FIRST_LOST = 6, /* result: index of the first of `sectors` from `from` on whose data is lost, or `sectors`; and `lost_overwritten` */
  TESSERA_MOVER_OPERATION_MARK_LOST = 7, /* marks them as lost */
  TESSERA_MOVER_OPERATION_MARK_OVERWRITTEN = 8, /* marks them as lost to the write of an overlapping track */
};

enum tessera_status {
  TESSERA_STATUS_OK = 0,
  TESSERA_STATUS_MEDIA_ERROR = 1, /* a sector could not be read or written (defect, fault on request) */
  TESSERA_STATUS_DAMAGED = 2, /* a sector was destroyed by writing an overlapping track */
  TESSERA_STATUS_BLANK = 3, /* flash: page not programmed since the last erase */
  TESSERA_STATUS_PROGRAM_FAILED = 4, /* flash: the page could not be programmed; the block is to be retired */
  TESSERA_STATUS_ERASE_FAILED = 5, /* flash: the block could not be erased; the block is to be retired */
  TESSERA_STATUS_RULE_VIOLATION = 6, /* flash: programmed twice or out of order; media: outside a track */
  TESSERA_STATUS_NO_SPACE = 7, /* a table, log or buffer is full */
  TESSERA_STATUS_CORRUPT = 8, /* metadata whose checksum does not match */
  TESSERA_STATUS_LOST = 9, /* the read was good, but a sector of it was stored as lost: an earlier copy of it could not be read */
  TESSERA_STATUS_READ_ONLY = 10, /* the drive has no spares left and takes no more writes */
  TESSERA_STATUS_ABORTED = 11, /* the host gave the command up: of a write, any part may be there */
  TESSERA_STATUS_UNSUPPORTED = 12, /* the drive has no such command: ILLEGAL REQUEST, INVALID COMMAND OPERATION CODE */
  TESSERA_STATUS_INVALID_FIELD = 13, /* ILLEGAL REQUEST, INVALID FIELD IN CDB */
  TESSERA_STATUS_UNALIGNED_WRITE = 14, /* not at the write pointer, or not in whole sectors: ILLEGAL REQUEST, UNALIGNED WRITE COMMAND */
  TESSERA_STATUS_WRITE_BOUNDARY = 15, /* across the end of a zone: ILLEGAL REQUEST, WRITE BOUNDARY VIOLATION */
  TESSERA_STATUS_READ_BOUNDARY = 16, /* the same of a read: ILLEGAL REQUEST, READ BOUNDARY VIOLATION */
  TESSERA_STATUS_INVALID_READ = 17, /* beyond the write pointer: ILLEGAL REQUEST, ATTEMPT TO READ INVALID DATA */
  TESSERA_STATUS_NO_ZONE_RESOURCES = 18, /* too many zones are open or active: DATA PROTECT, INSUFFICIENT ZONE RESOURCES */
  TESSERA_STATUS_ZONE_READ_ONLY = 19, /* DATA PROTECT, ZONE IS READ ONLY */
  TESSERA_STATUS_ZONE_OFFLINE = 20, /* DATA PROTECT, ZONE IS OFFLINE */
};

enum tessera_host_op {
  TESSERA_HOST_OP_READ = 0,
  TESSERA_HOST_OP_WRITE = 1,
  TESSERA_HOST_OP_FLUSH = 2,
  TESSERA_HOST_OP_TRIM = 3,
  TESSERA_HOST_OP_ZONE_REPORT = 4,
  TESSERA_HOST_OP_ZONE_OPEN = 5,
  TESSERA_HOST_OP_ZONE_CLOSE = 6,
  TESSERA_HOST_OP_ZONE_FINISH = 7,
  TESSERA_HOST_OP_ZONE_RESET = 8,
};

enum tessera_media_op {
  TESSERA_MEDIA_OP_READ = 0,
  TESSERA_MEDIA_OP_WRITE = 1,
};

enum tessera_step_hint {
  TESSERA_STEP_HINT_POSITION = 0, /* t_seek + half a turn; nothing where the run continues the last one */
  TESSERA_STEP_HINT_SAME_ANGLE = 1, /* the angle of the step before on a nearby track: a whole turn and no seek; elsewhere as `position` */
  TESSERA_STEP_HINT_WHOLE_TRACK = 2, /* t_seek (none to a nearby track), then one turn for the transfer from any sector */
  TESSERA_STEP_HINT_BACKUP_ROUND_TRIP = 3, /* a visit to the backup region and back: (rmw_mid_turns - 1) turns, head stays where it was */
};

enum tessera_media_class {
  TESSERA_MEDIA_CLASS_HOST = 0,
  TESSERA_MEDIA_CLASS_DEPENDENT = 1,
  TESSERA_MEDIA_CLASS_BACKGROUND = 2,
  TESSERA_MEDIA_CLASS_RECOVERY = 3,
};

enum tessera_lost_sectors {
  TESSERA_LOST_SECTORS_FAIL = 0, /* ends it with the status of the read: what the host asked for */
  TESSERA_LOST_SECTORS_CARRY = 1, /* nothing: it is marked as lost in its buffer, and is carried on as lost wherever the buffer is written */
};

enum tessera_flash_op {
  TESSERA_FLASH_OP_READ = 0,
  TESSERA_FLASH_OP_READ_OOB = 1,
  TESSERA_FLASH_OP_PROGRAM = 2,
  TESSERA_FLASH_OP_ERASE = 3,
  TESSERA_FLASH_OP_COPYBACK = 4,
};

enum tessera_memory_category {
  TESSERA_MEMORY_CATEGORY_METADATA = 0,
  TESSERA_MEMORY_CATEGORY_MERGE_BUFFER = 1,
  TESSERA_MEMORY_CATEGORY_WRITE_CACHE = 2,
  TESSERA_MEMORY_CATEGORY_READ_CACHE = 3,
  TESSERA_MEMORY_CATEGORY_HOST_BUFFER = 4,
  TESSERA_MEMORY_CATEGORY_DESCRIPTORS = 5,
  TESSERA_MEMORY_CATEGORY_CODE = 6,
};

enum tessera_reserve_flags {
  TESSERA_RESERVE_FLAGS_DUMPED = 1, /* saved when the power fails */
  TESSERA_RESERVE_FLAGS_BUFFER = 2, /* of data: `bytes` is in whole sectors */
};

enum tessera_figure_flags {
  TESSERA_FIGURE_FLAGS_DEFINED = 1, /* else a mean of nothing */
  TESSERA_FIGURE_FLAGS_ACCUMULATES = 2, /* a count since power-on, of which a measurement takes the difference */
};

enum tessera_interrupt_lines {
  TESSERA_INTERRUPT_LINES_REQUEST = 1,
  TESSERA_INTERRUPT_LINES_HOST = 2,
  TESSERA_INTERRUPT_LINES_DISK = 4,
  TESSERA_INTERRUPT_LINES_FLASH = 8,
  TESSERA_INTERRUPT_LINES_TIMER = 16,
};

enum tessera_host_flags {
  TESSERA_HOST_FLAGS_FORCE_UNIT_ACCESS = 1,
  TESSERA_HOST_FLAGS_DATA_AT_HOST = 2, /* of a write: it crosses once Register::host_fetch asks for it */
  TESSERA_HOST_FLAGS_ALL_ZONES = 4,
};

struct tessera_boot_data {
  uint64_t bytes; /* of all */
  uint64_t tags; /* host commands that can be under way at once */
  uint64_t sector_bytes;
  uint64_t surfaces;
  uint64_t reserved_sectors;
  uint64_t exported_sectors;
  uint64_t spare_radii;
  uint64_t zones; /* how many */
  uint64_t zone_table; /* offset of BootZone */
  uint64_t regions;
  uint64_t region_table; /* offset of BootRegion */
  uint64_t flash_blocks;
  uint64_t pages_per_block;
  uint64_t oob_bytes;
  uint64_t page_bytes;
  uint64_t read_retries;
  uint64_t paired_pages;
  uint64_t subpages;
  uint64_t planes;
  uint64_t copyback;
  uint64_t layer_values; /* how many */
  uint64_t layer_table; /* offset */
  uint64_t firmware_values;
  uint64_t firmware_table;
  uint64_t head_switch; /* TrackSwitches::head */
  uint64_t switch_table; /* offset of TrackSwitches::over, a word each */
  uint64_t arms; /* how many */
  uint64_t arm_table; /* offset of BootArm */
  uint64_t track_order; /* TrackOrder */
  uint64_t serpent_radii;
  uint64_t surface_values; /* how many: `surfaces` for each zone, or 0 where in none they differ */
  uint64_t surface_table; /* offset: sectors per track, a word each */
  uint64_t remaps; /* how many */
  uint64_t remap_table; /* offset of BootRemap */
  uint64_t track_spares; /* places after the sectors of each track */
};

struct tessera_boot_zone {
  uint64_t first_radius;
  uint64_t radii;
  uint64_t sectors_per_track;
  uint64_t spare_sectors;
};

struct tessera_boot_arm {
  uint64_t first_surface;
  uint64_t surfaces;
};

struct tessera_boot_place {
  uint64_t surface;
  uint64_t radius;
  uint64_t sector;
};

struct tessera_boot_remap {
  struct tessera_boot_place from;
  struct tessera_boot_place to;
};

struct tessera_boot_region {
  char name[32]; /* ends in a zero */
  uint64_t first;
  uint64_t count;
  uint64_t format;
  uint64_t head_width;
  int64_t direction;
  uint64_t band_tracks;
  uint64_t guard_tracks;
  double top_ratio;
  uint64_t skewed;
  uint64_t staggered;
};

/* Sectors of data: whole drive sectors in a buffer that the host unit, the mover or the memory unit gave. */
struct tessera_data_name {
  uint64_t address;
  uint64_t sectors;
};

enum tessera_host_entry_kind {
  TESSERA_HOST_ENTRY_COMMAND = 0, /* a new command */
  TESSERA_HOST_ENTRY_ARRIVED = 1, /* the data of a write that came without it has crossed */
  TESSERA_HOST_ENTRY_CROSSED = 2, /* a piece has crossed */
  TESSERA_HOST_ENTRY_ABORTED = 3, /* the host gave the command up: it may end without effect */
};

/* The host unit writes entry n (counted from 0) to place n % entries; `turn` is n / entries + 1, so that firmware sees by it that an entry is new, without a register. Its line is raised with each. */
struct tessera_host_entry {
  uint32_t kind;
  uint32_t tag;
  uint32_t op; /* HostOp */
  uint32_t flags; /* host_flags */
  uint64_t first_block; /* 512 B */
  uint64_t blocks;
  struct tessera_data_name data; /* read, write; fewer sectors than the blocks fill where the data is to stream, in halves */
  uint32_t status; /* arrived, crossed: Status */
  uint32_t half; /* crossed: of the buffer */
  volatile uint64_t turn;
};

/* A piece of the data of a command that streams through its buffer in halves. It stays until it has crossed. */
struct tessera_host_piece_entry {
  uint32_t tag;
  uint32_t half;
  uint64_t first_block;
  uint64_t blocks;
  struct tessera_data_name where;
};

/* The unit writes completion n to place n % entries of its ring, with `turn` as in HostEntry, and raises its line. */
struct tessera_completion_entry {
  uint64_t cookie; /* of the submission */
  uint32_t status;
  uint32_t steps_done; /* disk: steps that completed well */
  uint32_t any_lost; /* 1: a sector that was read is marked as lost in its buffer */
  uint32_t held; /* disk: 1: the chain is held for the firmware, which ends it with Register::disk_resume */
  volatile uint64_t turn;
};

/* Steps with nothing in between, up to the first that fails; the steps follow the entry in memory. */
struct tessera_media_chain_entry {
  uint64_t cookie;
  uint32_t steps; /* 1 to MediaChain::max_steps */
  uint32_t priority; /* MediaClass */
  uint32_t carry_lost; /* 1: LostSectors::carry */
  uint32_t tag; /* of the host command that waits for it, for the observer; no_host_tag: none */
  uint32_t supervised; /* 1: to be held when its turn comes: it concerns sectors that lie elsewhere */
  uint32_t reserved;
};

struct tessera_media_step_entry {
  uint32_t op; /* MediaOp */
  uint32_t hint; /* StepHint */
  uint32_t surface;
  uint32_t radius;
  uint32_t first;
  uint32_t count;
  uint64_t data; /* `count` sectors of data */
  uint64_t system; /* the firmware's own bytes instead: `count` whole sectors */
  uint64_t headers; /* out-of-band bytes, header_bytes each */
  uint32_t header_count; /* 1: of the run's last sector; `count`: of each */
  uint32_t each_header; /* 1: of each, which tells the two apart where `count` is 1 */
};

/* Operations that may run side by side; complete when all of them are. The commands follow the entry in memory. */
struct tessera_flash_batch_entry {
  uint64_t cookie;
  uint32_t count;
  uint32_t tag;
};

struct tessera_flash_command_entry {
  uint32_t op; /* FlashOp */
  uint32_t subpage;
  uint64_t page;
  uint64_t from; /* copyback */
  uint64_t block; /* erase */
  uint64_t data; /* read, program: one sector */
  uint64_t oob;
  uint32_t oob_bytes;
  uint32_t retry; /* level of read retry */
  uint32_t next; /* command of a further subpage of the same page, by its place in the batch; no_command: none */
  uint32_t led; /* 1: another command names this one */
  uint32_t status; /* set at completion */
  uint32_t reserved;
};

/* A register is 64 bits wide; a core of 32 bits reads the lower half first, and writes it last. What was written to memory before is there
 * before the register is. */
static inline uint64_t tessera_read(uintptr_t address) {
  volatile uint32_t* const half = (volatile uint32_t*)address;
  if (sizeof(uintptr_t) == 8) return *(volatile uint64_t*)address;
  const uint32_t lower = half[0];
  return (uint64_t)half[1] << 32 | lower;
}

static inline void tessera_write(uintptr_t address, uint64_t value) {
  volatile uint32_t* const half = (volatile uint32_t*)address;
  __sync_synchronize();
  if (sizeof(uintptr_t) == 8) {
    *(volatile uint64_t*)address = value;
    return;
  }
  half[1] = (uint32_t)(value >> 32);
  half[0] = (uint32_t)value;
}

#endif
