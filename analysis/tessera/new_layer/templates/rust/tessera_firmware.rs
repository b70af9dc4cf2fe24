//! `tessera_firmware.h`, version 1, in Rust: what a translation layer and the drive model tell each other. That header says what each call does.
#![allow(dead_code, non_camel_case_types)]
use std::ffi::c_void;
use std::os::raw::{c_char, c_int};

pub const ABI: u32 = 1;
pub const HEADER_BYTES: usize = 64;
pub const MOST_STEPS: usize = 16;

pub type Status = u32;
pub const OK: Status = 0;
pub const MEDIA_ERROR: Status = 1;
pub const DAMAGED: Status = 2;
pub const NO_SPACE: Status = 7;
pub const LOST: Status = 9;
pub const READ_ONLY: Status = 10;

/// What is under way, from `boot` or `command` to `complete`.
pub type Operation = u64;

/// Whole drive sectors in the drive's DRAM.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Data { pub address: u64, pub sectors: u32 }

pub const READ: u32 = 0;
pub const WRITE: u32 = 1;
pub const FLUSH: u32 = 2;
pub const TRIM: u32 = 3;
pub const BACKGROUND: u32 = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Command {
    pub operation: Operation, pub kind: u32, pub count: u32, pub first: u64, pub data: Data, pub durable: u32, pub background: u32, pub tag: u32,
    pub state: *mut c_void,
}

pub const FLAG: u32 = 0;
pub const COUNT: u32 = 1;
pub const REAL: u32 = 2;
pub const TIME: u32 = 3;
pub const SIZE: u32 = 4;
pub const CHOICE: u32 = 5;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value { pub integer: u64, pub real: f64 }

#[repr(C)]
pub struct Parameter {
    pub name: *const c_char, pub what: *const c_char, pub kind: u32, pub choice_count: u32, pub choices: *const *const c_char, pub low: f64,
    pub high: f64, pub initial: Value,
}

#[repr(C)]
pub struct Zone { pub first_radius: u32, pub radii: u32, pub sectors_per_track: u32, pub spare_sectors: u32 }

#[repr(C)]
pub struct Geometry {
    pub sector_bytes: u32, pub surfaces: u32, pub reserved_sectors: u32, pub spare_radii: u32, pub exported_sectors: u64, pub zone_count: u32,
    pub zones: *const Zone, pub head_switch: u32, pub track_switch: [u32; 25], pub track_spares: u32,
}

pub const CONVENTIONAL: u32 = 0;
pub const SHINGLED: u32 = 1;
pub const INTERLACED: u32 = 2;
pub const WAVE: u32 = 3;

#[repr(C)]
pub struct Region {
    pub name: *const c_char, pub first: u64, pub count: u64, pub format: u32, pub head_width: u32, pub direction: i32, pub band_tracks: u32,
    pub guard_tracks: u32, pub top_ratio: f64, pub skewed: u32,
}

#[repr(C)]
pub struct Planner {
    pub context: *mut c_void,
    pub region: unsafe extern "C" fn(*mut c_void, *const Region),
    pub refuse: unsafe extern "C" fn(*mut c_void, *const c_char),
    pub warn: unsafe extern "C" fn(*mut c_void, *const c_char),
}

pub const CLASS_HOST: u32 = 0;
pub const CLASS_DEPENDENT: u32 = 1;
pub const CLASS_BACKGROUND: u32 = 2;

/// A run on one track.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Step {
    pub write: u32, pub hint: u32, pub surface: u32, pub radius: u32, pub first: u32, pub count: u32, pub data: Data, pub system: *mut c_void,
    pub headers: *mut c_void, pub header_count: u32,
}

#[repr(C)]
pub struct Chain { pub priority: u32, pub carry_lost: u32, pub step_count: u32, pub steps: *const Step }

pub const METADATA: u32 = 0;
pub const MERGE_BUFFER: u32 = 1;
pub const WRITE_CACHE: u32 = 2;
pub const CPU_HASH: u32 = 7;
pub const CPU_LIST_ELEMENT: u32 = 9;
pub const CPU_RECORD_WORD: u32 = 14;
pub const WAITS_LOCK: u32 = 5;
pub const BEGINS: u32 = 0;
pub const ENDS: u32 = 1;

#[repr(C)]
pub struct Memory { pub address: u64, pub bytes: *mut c_void, pub torn: u32 }

/// A service that has no signature here yet: take it from the header when you need it.
pub type Unused = *const c_void;

#[repr(C)]
pub struct Machine {
    pub abi: u32,
    pub size: u32,
    pub context: *mut c_void,
    pub media: unsafe extern "C" fn(*mut Machine, Operation, *const Chain),
    pub flash: Unused,
    pub timer: unsafe extern "C" fn(*mut Machine, Operation, u64),
    pub park: unsafe extern "C" fn(*mut Machine, Operation, u32),
    pub ready: unsafe extern "C" fn(*mut Machine, Operation),
    pub complete: unsafe extern "C" fn(*mut Machine, Operation, Status),
    pub spawn: unsafe extern "C" fn(*mut Machine, *mut c_void, *const c_char),
    pub sectors_on: unsafe extern "C" fn(*mut Machine, u32, u32) -> u32,
    pub flash_shape: Unused,
    pub flash_is_bad: Unused,
    pub reserve: unsafe extern "C" fn(*mut Machine, u32, u64, c_int, *const c_char) -> Memory,
    pub touch: unsafe extern "C" fn(*mut Machine, u64, u32, c_int),
    pub reserve_buffer: unsafe extern "C" fn(*mut Machine, u32, u32, c_int, *const c_char) -> Data,
    pub acquire: unsafe extern "C" fn(*mut Machine, u32) -> Data,
    pub release: unsafe extern "C" fn(*mut Machine, Data),
    pub copy: unsafe extern "C" fn(*mut Machine, Data, Data),
    pub merge_blocks: Unused,
    pub clear: unsafe extern "C" fn(*mut Machine, Data),
    pub first_lost: unsafe extern "C" fn(*mut Machine, Data) -> u32,
    pub mark_lost: unsafe extern "C" fn(*mut Machine, Data),
    pub now: unsafe extern "C" fn(*mut Machine) -> u64,
    pub charge: unsafe extern "C" fn(*mut Machine, u32, u64),
    pub spend: unsafe extern "C" fn(*mut Machine, u64),
    pub outstanding: unsafe extern "C" fn(*mut Machine) -> u32,
    pub last_activity: unsafe extern "C" fn(*mut Machine) -> u64,
    pub write_waiting: Unused,
    pub note: unsafe extern "C" fn(*mut Machine, *const c_char, u32, u64, u64),
    pub declare_gauge: unsafe extern "C" fn(*mut Machine, *const c_char, *const c_char, *const c_char) -> u32,
    pub gauge: unsafe extern "C" fn(*mut Machine, u32, u64),
    pub log: unsafe extern "C" fn(*mut Machine, *const c_char),
    pub panic: unsafe extern "C" fn(*mut Machine, *const c_char),
}

#[repr(C)]
pub struct Reporter {
    pub context: *mut c_void,
    pub figure: unsafe extern "C" fn(*mut c_void, *const c_char, f64, c_int, *const c_char, *const c_char, c_int),
}

/// `S` is what `create` makes.
#[repr(C)]
pub struct Layer<S> {
    pub abi: u32,
    pub size: u32,
    pub name: *const c_char,
    pub summary: *const c_char,
    pub parameters: *const Parameter,
    pub parameter_count: u32,
    pub needs_flash: u32,
    pub context: *mut c_void,
    pub plan: unsafe extern "C" fn(*const Layer<S>, *const Geometry, *const Value, *const Planner),
    pub create: unsafe extern "C" fn(*const Layer<S>, *mut Machine, *const Geometry, *const Region, u32, *const Value) -> *mut S,
    pub user_sectors: unsafe extern "C" fn(*const S) -> u64,
    pub boot: unsafe extern "C" fn(*mut S, Operation, c_int),
    pub command: unsafe extern "C" fn(*mut S, *const Command),
    pub event: unsafe extern "C" fn(*mut S, Operation, Status, u32),
    pub idle: unsafe extern "C" fn(*const S) -> c_int,
    pub destroy: unsafe extern "C" fn(*mut S),
    pub check_flash: Unused,
    pub longest_wait: Unused,
    pub flushed_only: Option<unsafe extern "C" fn(*const Layer<S>, *const Value) -> c_int>,
    pub start: Unused,
    pub prefill: Unused,
    pub holds: Unused,
    pub absorbs: Unused,
    pub streams_writes: Unused,
    pub received: Unused,
    pub report: Option<unsafe extern "C" fn(*const S, *const Reporter)>,
}
unsafe impl<S> Sync for Layer<S> {}
