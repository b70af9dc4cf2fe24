//! @NAME@: @SUMMARY@
//!
//! The drive's sectors are numbered unit by unit. A unit is a run of tracks on one surface, with a free track behind it, so that a write to
//! one unit destroys nothing in the next. No unit is ever updated in place:
//!
//!   1. read the unit into memory, and put the new sectors over it;
//!   2. write it to the zone's spare unit, the tracks in the order in which they destroy nothing;
//!   3. write its record (unit, sequence number) into the headers of its last two sectors, one after the other.
//!
//! With the first record written the new copy counts, and the place of the old one is the spare. Boot after a power cut reads the records: of
//! each unit the copy with the highest number is valid, and one that has no record is where the format put it. A cut in step 2 leaves the
//! old copy; a torn record leaves the old copy or the other record. README.md has what this promises. No crate but `std`.
mod tessera_firmware;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_void, CStr};
use std::os::raw::{c_char, c_int};
use std::ptr::{null, null_mut};
use tessera_firmware::*;

const RECORD: u64 = 0x6c_6179_6572_2d31; // "layer-1": of this layout, so that nothing else is taken for one
const MOST_TRACKS: usize = 13; // of a unit: with two records a chain of at most MOST_STEPS
const RECORDS: u32 = 2; // sectors at the end of a unit
const AT_A_TIME: usize = MOST_STEPS / RECORDS as usize; // units of which a boot reads the records in one chain

const TRACKS: usize = 0;
const UNIT_TRACKS: usize = 1;
const DURABILITY: usize = 2;
const BUFFER: usize = 3;
const PARAMETERS: usize = 4;
const INTERLACED_TRACKS: u64 = 1; // of the choices below
const NO_BUFFER: u64 = 0;
const VOLATILE: u64 = 1;
const PLP: u64 = 2;

struct Words<const N: usize>([*const c_char; N]);
unsafe impl<const N: usize> Sync for Words<N> {}
struct Parameters([Parameter; PARAMETERS]);
unsafe impl Sync for Parameters {}

static FORMATS: Words<2> = Words([c"shingled".as_ptr(), c"interlaced".as_ptr()]);
static DURABILITIES: Words<3> = Words([c"none".as_ptr(), c"volatile".as_ptr(), c"plp".as_ptr()]);

const fn parameter(name: &'static CStr, what: &'static CStr, kind: u32, low: f64, high: f64, initial: u64) -> Parameter {
    Parameter {
        name: name.as_ptr(), what: what.as_ptr(), kind, choice_count: 0, choices: null(), low, high, initial: Value { integer: initial, real: 0.0 },
    }
}
const fn choice(name: &'static CStr, what: &'static CStr, words: &'static [*const c_char], initial: u64) -> Parameter {
    let plain = parameter(name, what, CHOICE, 0.0, 0.0, initial);
    Parameter { choice_count: words.len() as u32, choices: words.as_ptr(), ..plain }
}
static DESCRIBED: Parameters = Parameters([
    choice(c"tracks", c"recording format", &FORMATS.0, @TRACKS@),
    parameter(c"unit_tracks", c"tracks that are rewritten together; odd where interlaced", COUNT, 1.0, MOST_TRACKS as f64, @UNIT@),
    choice(
        c"durability", c"when a write is acknowledged: on the platters; in volatile memory; in memory that is dumped at a power loss",
        &DURABILITIES.0, @DURABILITY@,
    ),
    parameter(c"buffer", c"write buffer; without effect with durability none", SIZE, 4096.0, (1 << 30) as f64, @BUFFER@),
]);

/// The header's first bytes.
#[repr(C)]
#[derive(Clone, Copy)]
struct Record { magic: u64, unit: u64, sequence: u64 }

/// Units of one size: those of a zone of the drive, one of them the spare.
struct Units { radius: u32, sectors: u32, first_sector: u64, first_unit: usize, places: usize, first_place: usize, spare: usize }

#[derive(Clone, Copy, PartialEq)]
enum Stage { Turn, Reading, Loading, Storing, Scanning }

/// A command under way; `done` and `piece` are sectors.
#[derive(Clone, Copy)]
struct Work { command: Command, stage: Stage, done: u32, piece: u32 }

struct Core {
    machine: *mut Machine,
    surfaces: u32,
    sector_bytes: u32,
    unit_tracks: u32,
    interlaced: bool,
    zones: Vec<Units>,
    places: usize,
    sectors: u64,
    sequence: u64,
    map: &'static mut [u32], // unit -> place
    map_address: u64,
    newest: Vec<u64>, // unit -> sequence number, while booting
    image: Data,      // the unit that is rewritten
    unit: usize,      // it, and the sectors of the running command that it takes
    through: u32,
    slot_sector: &'static mut [u64], // the write buffer: each slot's logical sector and 1, or 0; dumped with plp
    slot_address: u64,
    slot_of: HashMap<u64, usize>, // sector -> slot; built again by boot
    hand: usize,
    buffer: Data,
    headers: [[u8; HEADER_BYTES]; MOST_STEPS],
    steps: Vec<Step>,
    operations: HashMap<Operation, Work>,
    busy: bool,
    waiting: VecDeque<Operation>,
    scanned: usize,
    rmws: Rounds,
    cleanings: Rounds, // rewrites that make room in the buffer
    taken: u64,
    hits: u64,
}

/// What the layer did how often; times in ps.
#[derive(Default)]
struct Rounds { began: u64, count: u64, total: u64, longest: u64 }

// ---- where things are ----

unsafe extern "C" fn plan(_: *const Layer<Core>, geometry: *const Geometry, values: *const Value, planner: *const Planner) {
    let (geometry, planner) = (&*geometry, &*planner);
    let unit = (*values.add(UNIT_TRACKS)).integer as u32;
    let interlaced = (*values.add(TRACKS)).integer == INTERLACED_TRACKS;
    let refuse = |why: &CStr| (planner.refuse)(planner.context, why.as_ptr());
    if interlaced && unit % 2 == 0 {
        return refuse(c"unit_tracks is even; interlaced units begin and end with a bottom track, so it has to be odd");
    }
    let mut fit = false;
    for zone in std::slice::from_raw_parts(geometry.zones, geometry.zone_count as usize) {
        let bands = zone.radii / (unit + 1);
        if bands * geometry.surfaces < 2 {
            continue; // a unit and the spare
        }
        let region = Region {
            name: c"units".as_ptr(), first: zone.first_radius as u64, count: (bands * (unit + 1)) as u64,
            format: if interlaced { INTERLACED } else { SHINGLED }, head_width: 2, direction: 1, band_tracks: if interlaced { 0 } else { unit },
            guard_tracks: if interlaced { 0 } else { 1 }, top_ratio: 1.0, skewed: 1,
        };
        (planner.region)(planner.context, &region);
        fit = true;
    }
    if !fit {
        refuse(c"no zone of the drive holds two units; a smaller unit_tracks would fit");
    }
}

/// `count` sectors of a buffer from `first` on.
fn part(core: &Core, data: Data, first: u32, count: u32) -> Data {
    Data { address: data.address + first as u64 * core.sector_bytes as u64, sectors: count }
}

impl Core {
    fn on_track(&self, surface: u32, radius: u32) -> u32 { unsafe { ((*self.machine).sectors_on)(self.machine, surface, radius) } }
    fn touch(&self, address: u64, bytes: u32, write: c_int) { unsafe { ((*self.machine).touch)(self.machine, address, bytes, write) } }
    fn charge(&self, operation: u32, times: u64) { unsafe { ((*self.machine).charge)(self.machine, operation, times) } }
    fn copy(&self, from: Data, to: Data) { unsafe { ((*self.machine).copy)(self.machine, from, to) } }
    /// Begins or ends a rewrite, by a word that the drive knows: a request that waits for it has spent that time on it.
    fn note(&mut self, edge: u32) {
        let word = if self.through > 0 { c"rmw" } else { c"clean" };
        let now = unsafe {
            ((*self.machine).note)(self.machine, word.as_ptr(), edge, self.unit as u64, self.zone_of_unit(self.unit).sectors as u64);
            ((*self.machine).now)(self.machine)
        };
        let rounds = if self.through > 0 { &mut self.rmws } else { &mut self.cleanings };
        if edge == BEGINS {
            rounds.began = now;
        } else {
            let took = now - rounds.began;
            *rounds = Rounds { count: rounds.count + 1, total: rounds.total + took, longest: rounds.longest.max(took), ..*rounds };
        }
    }

    /// The track that is written as the `step`th of a unit: upwards where shingled; bottoms, then tops where interlaced.
    fn track_at(&self, step: u32) -> u32 {
        let bottoms = (self.unit_tracks + 1) / 2;
        if !self.interlaced { step } else if step < bottoms { 2 * step } else { 2 * (step - bottoms) + 1 }
    }

    /// Up to `most` sectors of a place from `index` on, as far as they are on one track.
    fn run_at(&self, zone: &Units, place: usize, mut index: u32, most: u32, data: Data) -> Step {
        let number = (place - zone.first_place) as u32;
        let surface = number % self.surfaces;
        for step in 0..self.unit_tracks {
            let radius = zone.radius + number / self.surfaces * (self.unit_tracks + 1) + self.track_at(step);
            let length = self.on_track(surface, radius);
            if index < length {
                let count = most.min(length - index);
                return Step {
                    write: 0, hint: 0, surface, radius, first: index, count, data: Data { sectors: if data.sectors == 0 { 0 } else { count }, ..data },
                    system: null_mut(), headers: null_mut(), header_count: 0,
                };
            }
            index -= length;
        }
        unreachable!("a sector beyond its unit")
    }

    /// Steps over the sectors [0, sectors) of a place, between the platters and the image.
    fn steps_over(&self, zone: &Units, place: usize, sectors: u32) -> Vec<Step> {
        let (mut steps, mut index) = (Vec::with_capacity(MOST_STEPS), 0);
        while index < sectors {
            let step = self.run_at(zone, place, index, sectors - index, part(self, self.image, index, sectors - index));
            index += step.count;
            steps.push(step);
        }
        steps
    }

    fn zone_of_unit(&self, unit: usize) -> &Units { &self.zones[self.zones.partition_point(|zone| zone.first_unit <= unit) - 1] }
    fn zone_of_place(&self, place: usize) -> usize { self.zones.partition_point(|zone| zone.first_place <= place) - 1 }
    fn unit_of(&self, sector: u64) -> usize {
        let zone = &self.zones[self.zones.partition_point(|zone| zone.first_sector <= sector) - 1];
        zone.first_unit + ((sector - zone.first_sector) / (zone.sectors - RECORDS) as u64) as usize
    }
    /// First logical sector and sectors of a unit.
    fn extent(&self, unit: usize) -> (u64, u32) {
        let zone = self.zone_of_unit(unit);
        let sectors = zone.sectors - RECORDS;
        (zone.first_sector + (unit - zone.first_unit) as u64 * sectors as u64, sectors)
    }

    // ---- the write buffer ----

    fn find(&self, sector: u64) -> Option<usize> {
        if self.slot_of.is_empty() {
            return None;
        }
        self.charge(CPU_HASH, 1);
        self.slot_of.get(&sector).copied()
    }

    fn enter(&mut self, slot: usize, sector: u64) {
        self.slot_of.insert(sector, slot);
        self.slot_sector[slot] = sector + 1;
        self.touch(self.slot_address + slot as u64 * 8, 8, 1);
    }

    /// Takes one sector of a command, if there is room.
    fn take(&mut self, sector: u64, data: Data) -> bool {
        let held = self.find(sector);
        if held.is_none() && self.slot_of.len() == self.slot_sector.len() {
            return false;
        }
        let slot = held.unwrap_or_else(|| {
            let slots = self.slot_sector.len();
            (0..slots).map(|i| (self.hand + i) % slots).find(|&slot| self.slot_sector[slot] == 0).unwrap()
        });
        self.copy(data, part(self, self.buffer, slot as u32, 1)); // the data first: a slot that counts is whole
        if held.is_none() {
            self.enter(slot, sector);
        }
        self.taken += 1;
        true
    }

    /// The slots of a unit, with their sectors.
    fn slots_of(&self, unit: usize) -> Vec<(usize, u64)> {
        let (first, sectors) = self.extent(unit);
        self.charge(CPU_LIST_ELEMENT, self.slot_sector.len() as u64);
        let held = self.slot_sector.iter().enumerate().filter(|(_, &sector)| sector > first && sector <= first + sectors as u64);
        held.map(|(slot, &sector)| (slot, sector - 1)).collect()
    }

    /// The unit of the sector that the hand comes to first: whole units leave the buffer, about in the order in which they came.
    fn victim(&mut self) -> usize {
        while self.slot_sector[self.hand] == 0 {
            self.hand = (self.hand + 1) % self.slot_sector.len();
        }
        self.unit_of(self.slot_sector[self.hand] - 1)
    }

    // ---- operations ----

    fn run_chain(&mut self, number: Operation, stage: Stage, steps: Vec<Step>, carry_lost: u32) {
        let work = self.operations.get_mut(&number).unwrap();
        work.stage = stage;
        let priority = if work.command.background != 0 { CLASS_BACKGROUND } else { CLASS_HOST };
        self.steps = steps; // valid until the event that ends the wait
        let chain = Chain { priority, carry_lost, step_count: self.steps.len() as u32, steps: self.steps.as_ptr() };
        unsafe { ((*self.machine).media)(self.machine, number, &chain) }
    }

    /// Ends the operation and gives the turn to the next.
    fn finish(&mut self, number: Operation, status: Status) {
        self.operations.remove(&number);
        self.busy = !self.waiting.is_empty();
        if let Some(next) = self.waiting.pop_front() {
            unsafe { ((*self.machine).ready)(self.machine, next) }
        }
        unsafe { ((*self.machine).complete)(self.machine, number, status) }
    }

    /// Step 1: the unit as it is, unless the command has all of it.
    fn load(&mut self, number: Operation, unit: usize, through: u32) {
        let (_, sectors) = self.extent(unit);
        self.unit = unit;
        self.through = through;
        self.note(BEGINS);
        if through == sectors {
            return self.store(number);
        }
        let steps = self.steps_over(self.zone_of_unit(unit), self.map[unit] as usize, sectors);
        self.run_chain(number, Stage::Loading, steps, 1)
    }

    /// Steps 2 and 3.
    fn store(&mut self, number: Operation) {
        let (first, sectors) = self.extent(self.unit);
        for (slot, sector) in self.slots_of(self.unit) {
            self.copy(part(self, self.buffer, slot as u32, 1), part(self, self.image, (sector - first) as u32, 1));
        }
        let Work { command, done, .. } = self.operations[&number];
        if self.through > 0 {
            let index = (command.first + done as u64 - first) as u32;
            self.copy(part(self, command.data, done, self.through), part(self, self.image, index, self.through));
        }
        let record = Record { magic: RECORD, unit: self.unit as u64, sequence: self.sequence + 1 };
        self.headers[0] = [0; HEADER_BYTES];
        unsafe { self.headers[0].as_mut_ptr().cast::<Record>().write_unaligned(record) };
        let zone = self.zone_of_unit(self.unit);
        let mut steps = self.steps_over(zone, zone.spare, sectors);
        for i in sectors..zone.sectors {
            let step = self.run_at(zone, zone.spare, i, 1, part(self, self.image, i, 1));
            steps.push(Step { headers: self.headers[0].as_ptr() as *mut c_void, header_count: 1, ..step });
        }
        for step in &mut steps {
            step.write = 1;
        }
        self.run_chain(number, Stage::Storing, steps, 0)
    }

    /// The new copy is whole: what the buffer held of the unit is on the platters.
    fn stored(&mut self, number: Operation) {
        let unit = self.unit;
        let index = self.zone_of_place(self.map[unit] as usize);
        let old = std::mem::replace(&mut self.map[unit], self.zones[index].spare as u32);
        self.touch(self.map_address + unit as u64 * 4, 4, 1);
        self.zones[index].spare = old as usize;
        self.sequence += 1;
        for (slot, sector) in self.slots_of(unit) {
            self.slot_of.remove(&sector);
            self.slot_sector[slot] = 0;
            self.touch(self.slot_address + slot as u64 * 8, 8, 1);
        }
        self.operations.get_mut(&number).unwrap().done += self.through;
        self.note(ENDS);
    }

    fn go_on_reading(&mut self, number: Operation) {
        let Work { command, mut done, .. } = self.operations[&number];
        while done < command.count {
            let Some(slot) = self.find(command.first + done as u64) else { break };
            self.hits += 1;
            self.copy(part(self, self.buffer, slot as u32, 1), part(self, command.data, done, 1));
            done += 1;
        }
        if done == command.count {
            return self.finish(number, OK);
        }
        let sector = command.first + done as u64;
        let unit = self.unit_of(sector);
        let (first, sectors) = self.extent(unit);
        let index = (sector - first) as u32;
        self.touch(self.map_address + unit as u64 * 4, 4, 0);
        let most = (command.count - done).min(sectors - index);
        let mut step = self.run_at(self.zone_of_unit(unit), self.map[unit] as usize, index, most, part(self, command.data, done, most));
        let piece = (1..step.count).find(|&i| self.find(sector + i as u64).is_some()).unwrap_or(step.count);
        step.count = piece;
        step.data.sectors = piece;
        let work = self.operations.get_mut(&number).unwrap();
        (work.done, work.piece) = (done, piece);
        self.run_chain(number, Stage::Reading, vec![step], 0)
    }

    fn go_on_writing(&mut self, number: Operation) {
        let Work { command, mut done, .. } = self.operations[&number];
        let through = self.slot_sector.is_empty() || command.durable != 0;
        while !through && done < command.count && self.take(command.first + done as u64, part(self, command.data, done, 1)) {
            done += 1;
        }
        self.operations.get_mut(&number).unwrap().done = done;
        if done == command.count {
            return self.finish(number, OK);
        }
        if !through {
            let unit = self.victim();
            return self.load(number, unit, 0);
        }
        let sector = command.first + done as u64;
        let unit = self.unit_of(sector);
        let (first, sectors) = self.extent(unit);
        self.load(number, unit, (command.count - done).min(sectors - (sector - first) as u32))
    }

    /// Begins what the command needs next, or ends it.
    fn go_on(&mut self, number: Operation) {
        match self.operations[&number].command.kind {
            READ => self.go_on_reading(number),
            WRITE => self.go_on_writing(number),
            FLUSH if !self.slot_of.is_empty() => {
                let unit = self.victim();
                self.load(number, unit, 0)
            }
            _ => self.finish(number, OK),
        }
    }

    // ---- boot ----

    /// Reads the records of the next places, two for each.
    fn scan(&mut self, number: Operation) {
        self.headers = [[0; HEADER_BYTES]; MOST_STEPS]; // a sector that cannot be read has no record
        let mut steps = Vec::with_capacity(MOST_STEPS);
        for place in self.scanned..self.places.min(self.scanned + AT_A_TIME) {
            let zone = &self.zones[self.zone_of_place(place)];
            for i in zone.sectors - RECORDS..zone.sectors {
                let headers = self.headers[steps.len()].as_ptr() as *mut c_void;
                steps.push(Step { headers, header_count: 1, ..self.run_at(zone, place, i, 1, Data::default()) });
            }
        }
        self.run_chain(number, Stage::Scanning, steps, 1)
    }

    fn scanned(&mut self, number: Operation) {
        for step in 0..self.steps.len() {
            let Record { magic, unit, sequence } = unsafe { self.headers[step].as_ptr().cast::<Record>().read_unaligned() };
            self.charge(CPU_RECORD_WORD, 3);
            if magic == RECORD && (unit as usize) < self.map.len() && sequence > self.newest[unit as usize] {
                self.newest[unit as usize] = sequence;
                self.map[unit as usize] = (self.scanned + step / RECORDS as usize) as u32;
                self.sequence = self.sequence.max(sequence);
            }
        }
        self.scanned += self.steps.len() / RECORDS as usize;
        if self.scanned < self.places { self.scan(number) } else { self.booted(number) }
    }

    /// All records are known: what is no unit's place is its zone's spare, and what the buffer held is found again.
    fn booted(&mut self, number: Operation) {
        let mut taken = vec![false; self.places];
        for &place in self.map.iter() {
            taken[place as usize] = true;
        }
        for place in (0..self.places).filter(|&place| !taken[place]) {
            let index = self.zone_of_place(place);
            self.zones[index].spare = place;
        }
        for slot in 0..self.slot_sector.len() {
            if self.slot_sector[slot] != 0 {
                self.enter(slot, self.slot_sector[slot] - 1);
            }
        }
        self.finish(number, OK)
    }

    // ---- the instance ----

    /// The zones that plan() has units in, in its order.
    fn lay_out(&mut self, regions: &[Region]) {
        let mut units = 0;
        for region in regions {
            let stride = self.unit_tracks + 1;
            let (radius, places) = (region.first as u32, (region.count as u32 / stride * self.surfaces) as usize);
            let length = |place: u32| -> u32 {
                (0..self.unit_tracks).map(|track| self.on_track(place % self.surfaces, radius + place / self.surfaces * stride + track)).sum()
            };
            let sectors = (0..places as u32).map(length).min().unwrap(); // the shortest's: a copy has to fit everywhere
            let (first_place, spare) = (self.places, self.places + places - 1);
            self.zones.push(Units { radius, sectors, first_sector: self.sectors, first_unit: units, places, first_place, spare });
            self.sectors += (places - 1) as u64 * (sectors - RECORDS) as u64;
            units += places - 1;
            self.places += places;
        }
    }

    fn reserve_buffer(&mut self, bytes: u64, dumped: bool) {
        let slots = (bytes / self.sector_bytes as u64).max(1) as u32;
        let machine = self.machine;
        let (directory, buffer) = unsafe {
            (
                ((*machine).reserve)(machine, WRITE_CACHE, slots as u64 * 8, dumped as c_int, c"sectors of the write buffer".as_ptr()),
                ((*machine).reserve_buffer)(machine, WRITE_CACHE, slots, dumped as c_int, c"write buffer".as_ptr()),
            )
        };
        if directory.bytes.is_null() {
            return; // the run ends
        }
        self.slot_sector = unsafe { std::slice::from_raw_parts_mut(directory.bytes.cast(), slots as usize) };
        self.slot_address = directory.address;
        self.buffer = buffer;
        if directory.torn != 0 {
            self.slot_sector.fill(0);
        }
    }
}

unsafe extern "C" fn create(
    _: *const Layer<Core>, machine: *mut Machine, geometry: *const Geometry, regions: *const Region, region_count: u32, values: *const Value,
) -> *mut Core {
    let value = |number: usize| (*values.add(number)).integer;
    let mut core = Box::new(Core {
        machine, surfaces: (*geometry).surfaces, sector_bytes: (*geometry).sector_bytes, unit_tracks: value(UNIT_TRACKS) as u32,
        interlaced: value(TRACKS) == INTERLACED_TRACKS, zones: Vec::new(), places: 0, sectors: 0, sequence: 0, map: &mut [], map_address: 0,
        newest: Vec::new(), image: Data::default(), unit: 0, through: 0, slot_sector: &mut [], slot_address: 0, slot_of: HashMap::new(), hand: 0,
        buffer: Data::default(), headers: [[0; HEADER_BYTES]; MOST_STEPS], steps: Vec::new(), operations: HashMap::new(), busy: false,
        waiting: VecDeque::new(), scanned: 0, rmws: Rounds::default(), cleanings: Rounds::default(), taken: 0, hits: 0,
    });
    core.lay_out(std::slice::from_raw_parts(regions, region_count as usize));
    let units: usize = core.zones.iter().map(|zone| zone.places - 1).sum();
    let map = ((*machine).reserve)(machine, METADATA, units as u64 * 4, 0, c"map of units".as_ptr());
    if map.bytes.is_null() {
        return null_mut();
    }
    core.map = std::slice::from_raw_parts_mut(map.bytes.cast(), units);
    core.map_address = map.address;
    core.newest = vec![0; units];
    for zone in &core.zones {
        for i in 0..zone.places - 1 {
            core.map[zone.first_unit + i] = (zone.first_place + i) as u32; // as formatted: the units in order, then the spare
        }
    }
    let largest = core.zones.iter().map(|zone| zone.sectors).max().unwrap();
    core.image = ((*machine).reserve_buffer)(machine, MERGE_BUFFER, largest, 0, c"unit that is rewritten".as_ptr());
    if value(DURABILITY) != NO_BUFFER {
        core.reserve_buffer(value(BUFFER), value(DURABILITY) == PLP);
    }
    Box::into_raw(core)
}

unsafe extern "C" fn user_sectors(core: *const Core) -> u64 { (*core).sectors }

unsafe extern "C" fn boot(core: *mut Core, number: Operation, after_power_cut: c_int) {
    let core = &mut *core;
    let command = Command {
        operation: number, kind: BACKGROUND, count: 0, first: 0, data: Data::default(), durable: 0, background: 0, tag: 0, state: null_mut(),
    };
    core.operations.insert(number, Work { command, stage: Stage::Scanning, done: 0, piece: 0 });
    core.busy = true;
    if after_power_cut != 0 { core.scan(number) } else { core.finish(number, OK) }
}

unsafe extern "C" fn command(core: *mut Core, command: *const Command) {
    let (core, command) = (&mut *core, *command);
    let number = command.operation;
    core.operations.insert(number, Work { command, stage: Stage::Turn, done: 0, piece: 0 });
    if !core.busy {
        core.busy = true;
        return core.go_on(number);
    }
    core.waiting.push_back(number);
    ((*core.machine).park)(core.machine, number, WAITS_LOCK)
}

unsafe extern "C" fn event(core: *mut Core, number: Operation, status: Status, _: u32) {
    let core = &mut *core;
    let stage = core.operations[&number].stage;
    if status != OK && !matches!(stage, Stage::Turn | Stage::Scanning) {
        return core.finish(number, status); // the old copy is whole, and what is buffered stays there
    }
    match stage {
        Stage::Turn => core.go_on(number),
        Stage::Reading => {
            let work = core.operations.get_mut(&number).unwrap();
            work.done += work.piece;
            core.go_on(number)
        }
        Stage::Loading => core.store(number),
        Stage::Storing => {
            core.stored(number);
            core.go_on(number)
        }
        Stage::Scanning => core.scanned(number),
    }
}

unsafe extern "C" fn idle(core: *const Core) -> c_int { !(*core).busy as c_int }
unsafe extern "C" fn destroy(core: *mut Core) { drop(Box::from_raw(core)) }
unsafe extern "C" fn flushed_only(_: *const Layer<Core>, values: *const Value) -> c_int { ((*values.add(DURABILITY)).integer == VOLATILE) as c_int }

unsafe extern "C" fn report(core: *const Core, to: *const Reporter) {
    let (core, to) = (&*core, &*to);
    let figure = |name: &CStr, value: f64, unit: &CStr, what: &CStr, counts: c_int| {
        (to.figure)(to.context, name.as_ptr(), value, 1, unit.as_ptr(), what.as_ptr(), counts)
    };
    let milliseconds = |ps: u64| ps as f64 / 1e9;
    figure(c"rmw.count", core.rmws.count as f64, c"1", c"units rewritten for writes", 1);
    figure(c"rmw.time_total", milliseconds(core.rmws.total), c"ms", c"time that they took", 1);
    figure(c"buffer.hits", core.hits as f64, c"1", c"sectors read from the write buffer", 1);
    if core.taken == 0 {
        return;
    }
    let (cleanings, what) = (&core.cleanings, c"units rewritten to make room in the write buffer");
    let mean = milliseconds(cleanings.total) / cleanings.count.max(1) as f64;
    figure(c"cleaning.count", cleanings.count as f64, c"1", what, 1);
    figure(c"cleaning.mean", mean, c"ms", c"mean time of a cleaning", 0);
    figure(c"cleaning.max", milliseconds(cleanings.longest), c"ms", c"longest cleaning", 0);
    figure(c"progress.cleanings.done", cleanings.count as f64, c"1", what, 1);
    figure(c"progress.cleanings.of", 20.0, c"1", c"as many are enough to compare the run", 0);
}

static LAYER: Layer<Core> = Layer {
    abi: ABI, size: std::mem::size_of::<Layer<Core>>() as u32, name: c"@NAME@".as_ptr(), summary: c"@SUMMARY@".as_ptr(),
    parameters: DESCRIBED.0.as_ptr(), parameter_count: PARAMETERS as u32, needs_flash: 0, context: null_mut(), plan, create, user_sectors, boot,
    command, event, idle, destroy, check_flash: null(), longest_wait: null(), flushed_only: Some(flushed_only), start: null(), prefill: null(),
    holds: null(), absorbs: null(), streams_writes: null(), received: null(), report: Some(report),
};

#[no_mangle]
extern "C" fn tessera_firmware_layer(abi: u32, index: u32) -> *const Layer<Core> {
    if abi == ABI && index == 0 { &LAYER } else { null() }
}
