//! A translation layer in Rust: every sector twice, on the outer and on the inner half of the platters. A read that fails on the outer copy
//! is served from the inner one. A write is complete when both are written, the outer one first: a power cut in between leaves the new data, or the
//! old, and the host was told of neither. No crate but `std`; the interface of `tessera_firmware.h` is written down as far as it is used.
//!
//!     rustc --edition 2021 -O --crate-type cdylib examples/firmware/mirror.rs -o libmirror.so
//!     build/release/tessera-sim run common --firmware ./libmirror.so --workload web-server --fold --limit 5000 --check --out /tmp/mirror
#![allow(non_upper_case_globals)]
use std::collections::HashMap;
use std::ffi::c_void;
use std::os::raw::{c_char, c_int};
use std::ptr::null;

const ABI: u32 = 1;
const OK: u32 = 0;
const MEDIA_ERROR: u32 = 1;
const DAMAGED: u32 = 2;
const LOST: u32 = 9;
const READ: u32 = 0;
const WRITE: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Data { address: u64, sectors: u32 }

#[repr(C)]
#[derive(Clone, Copy)]
struct Command { operation: u64, kind: u32, count: u32, first: u64, data: Data, durable: u32, background: u32, tag: u32, state: *mut c_void }

#[repr(C)]
struct Zone { first_radius: u32, radii: u32, sectors_per_track: u32, spare_sectors: u32 }

#[repr(C)]
struct Geometry { sector_bytes: u32, surfaces: u32, reserved_sectors: u32, spare_radii: u32, exported_sectors: u64, zone_count: u32, zones: *const Zone }

#[repr(C)]
struct Region {
    name: *const c_char, first: u64, count: u64, format: u32, head_width: u32, direction: i32, band_tracks: u32, guard_tracks: u32,
    top_ratio: f64, skewed: u32,
}

#[repr(C)]
struct Planner {
    context: *mut c_void,
    region: unsafe extern "C" fn(*mut c_void, *const Region),
    refuse: unsafe extern "C" fn(*mut c_void, *const c_char),
    warn: unsafe extern "C" fn(*mut c_void, *const c_char),
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Step {
    write: u32, hint: u32, surface: u32, radius: u32, first: u32, count: u32, data: Data, system: *mut c_void, headers: *mut c_void,
    header_count: u32,
}

#[repr(C)]
struct Chain { priority: u32, carry_lost: u32, step_count: u32, steps: *const Step }

type Unused = *const c_void;

/// The table of services up to the last that is used here; its size says what more there is.
#[repr(C)]
struct Machine {
    abi: u32,
    size: u32,
    context: *mut c_void,
    media: unsafe extern "C" fn(*mut Machine, u64, *const Chain),
    flash: Unused, timer: Unused, park: Unused, ready: Unused,
    complete: unsafe extern "C" fn(*mut Machine, u64, u32),
    spawn: Unused,
    sectors_on: unsafe extern "C" fn(*mut Machine, u32, u32) -> u32,
}

#[repr(C)]
struct Layer {
    abi: u32, size: u32, name: *const c_char, summary: *const c_char, parameters: Unused, parameter_count: u32, needs_flash: u32,
    context: *mut c_void,
    plan: unsafe extern "C" fn(*const Layer, *const Geometry, Unused, *const Planner),
    create: unsafe extern "C" fn(*const Layer, *mut Machine, *const Geometry, *const Region, u32, Unused) -> *mut Mirror,
    user_sectors: unsafe extern "C" fn(*const Mirror) -> u64,
    boot: unsafe extern "C" fn(*mut Mirror, u64, c_int),
    command: unsafe extern "C" fn(*mut Mirror, *const Command),
    event: unsafe extern "C" fn(*mut Mirror, u64, u32, u32),
    idle: unsafe extern "C" fn(*const Mirror) -> c_int,
    destroy: unsafe extern "C" fn(*mut Mirror),
    optional: [Unused; 10],
}
unsafe impl Sync for Layer {}

/// A command under way.
struct Operation { command: Command, done: u32, piece: u32, second: bool, steps: [Step; 2] }

/// Radius r of the outer half is copied to radius r + half; both hold as many sectors as the shorter of the two.
struct Mirror { machine: *mut Machine, sector_bytes: u32, surfaces: u32, half: u32, start: Vec<u64>, operations: HashMap<u64, Box<Operation>> }

impl Mirror {
    fn run(&self, sector: u64, most: u32) -> (u32, u32, u32, u32) {
        let track = self.start.partition_point(|&first| first <= sector) - 1;
        let count = (self.start[track + 1] - sector).min(most as u64) as u32;
        let index = (sector - self.start[track]) as u32;
        (track as u32 % self.surfaces, track as u32 / self.surfaces, index, count)
    }

    /// Hands the next piece of the command to the disk, or completes it.
    fn go_on(&mut self, number: u64) {
        let operation = &self.operations[&number];
        let Command { first, count, data, .. } = operation.command;
        if operation.done == count {
            return self.finish(number, OK);
        }
        let (surface, radius, index, piece) = self.run(first + operation.done as u64, count - operation.done);
        let address = data.address + operation.done as u64 * self.sector_bytes as u64;
        let (write, second) = ((operation.command.kind == WRITE) as u32, operation.second);
        let copy = |half: u32| Step {
            write, hint: 0, surface, radius: radius + half, first: index, count: piece, data: Data { address, sectors: piece },
            system: std::ptr::null_mut(), headers: std::ptr::null_mut(), header_count: 0,
        };
        let steps = if second { [copy(self.half), copy(self.half)] } else { [copy(0), copy(self.half)] };
        let machine = self.machine;
        let operation = self.operations.get_mut(&number).unwrap();
        operation.piece = piece;
        operation.steps = steps;
        let chain = Chain { priority: 0, carry_lost: 0, step_count: 1 + write, steps: operation.steps.as_ptr() };
        unsafe { ((*machine).media)(machine, number, &chain) }
    }

    fn finish(&mut self, number: u64, status: u32) {
        self.operations.remove(&number);
        unsafe { ((*self.machine).complete)(self.machine, number, status) }
    }
}

unsafe extern "C" fn plan(_: *const Layer, geometry: *const Geometry, _: Unused, planner: *const Planner) {
    let (geometry, planner) = (&*geometry, &*planner);
    let zones = std::slice::from_raw_parts(geometry.zones, geometry.zone_count as usize);
    let radii: u32 = zones.iter().map(|zone| zone.radii).sum();
    if radii < 2 {
        return (planner.refuse)(planner.context, b"two copies take two radii\0".as_ptr().cast());
    }
    for (name, first) in [(&b"outer\0"[..], 0), (&b"inner\0"[..], radii / 2)] {
        let region = Region {
            name: name.as_ptr().cast(), first: first as u64, count: (radii / 2) as u64, format: 0, head_width: 2, direction: 1, band_tracks: 0,
            guard_tracks: 0, top_ratio: 1.0, skewed: 1,
        };
        (planner.region)(planner.context, &region);
    }
}

unsafe extern "C" fn create(
    _: *const Layer, machine: *mut Machine, geometry: *const Geometry, regions: *const Region, _: u32, _: Unused,
) -> *mut Mirror {
    let (sector_bytes, surfaces, half) = ((*geometry).sector_bytes, (*geometry).surfaces, (*regions).count as u32);
    let length = |surface, radius| ((*machine).sectors_on)(machine, surface, radius);
    let mut start = vec![0];
    for track in 0..half * surfaces {
        let (surface, radius) = (track % surfaces, track / surfaces);
        let sectors = length(surface, radius).min(length(surface, radius + half));
        start.push(start[track as usize] + sectors as u64);
    }
    Box::into_raw(Box::new(Mirror { machine, sector_bytes, surfaces, half, start, operations: HashMap::new() }))
}

unsafe extern "C" fn user_sectors(mirror: *const Mirror) -> u64 { *(*mirror).start.last().unwrap() }

/// Nothing is kept but the data itself.
unsafe extern "C" fn boot(mirror: *mut Mirror, number: u64, _: c_int) { (*mirror).finish(number, OK) }

unsafe extern "C" fn command(mirror: *mut Mirror, command: *const Command) {
    let (mirror, command) = (&mut *mirror, *command);
    if command.kind != READ && command.kind != WRITE {
        return mirror.finish(command.operation, OK); // what was acknowledged is on the platters
    }
    let none = Step {
        write: 0, hint: 0, surface: 0, radius: 0, first: 0, count: 0, data: Data::default(), system: std::ptr::null_mut(),
        headers: std::ptr::null_mut(), header_count: 0,
    };
    mirror.operations.insert(command.operation, Box::new(Operation { command, done: 0, piece: 0, second: false, steps: [none; 2] }));
    mirror.go_on(command.operation);
}

unsafe extern "C" fn event(mirror: *mut Mirror, number: u64, status: u32, _: u32) {
    let mirror = &mut *mirror;
    let operation = mirror.operations.get_mut(&number).unwrap();
    let unreadable = matches!(status, MEDIA_ERROR | DAMAGED | LOST);
    if operation.command.kind == READ && unreadable && !operation.second {
        operation.second = true;
    } else if status != OK {
        return mirror.finish(number, status);
    } else {
        operation.done += operation.piece;
        operation.second = false;
    }
    mirror.go_on(number);
}

unsafe extern "C" fn idle(mirror: *const Mirror) -> c_int { (*mirror).operations.is_empty() as c_int }

unsafe extern "C" fn destroy(mirror: *mut Mirror) { drop(Box::from_raw(mirror)) }

static LAYER: Layer = Layer {
    abi: ABI, size: std::mem::size_of::<Layer>() as u32, name: b"mirror\0".as_ptr().cast(),
    summary: b"every sector twice, on either half of the platters; an example in Rust\0".as_ptr().cast(), parameters: null(),
    parameter_count: 0, needs_flash: 0, context: std::ptr::null_mut(), plan, create, user_sectors, boot, command, event, idle, destroy,
    optional: [null(); 10],
};

#[no_mangle]
extern "C" fn tessera_firmware_layer(abi: u32, index: u32) -> *const Layer {
    if abi == ABI && index == 0 { &LAYER } else { null() }
}
