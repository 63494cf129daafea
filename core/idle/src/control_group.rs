//! The files of a control group that has a CPU quota: its limit, and counters of what it used and
//! of how often the kernel stopped it.
//!
//! The kernel adds what a running thread has used to the counters when the thread is switched, and
//! at ticks: 1 to 10 ms (`CONFIG_HZ`), on all processors but idle ones. A thread that asks for its
//! own processor time (`clock_gettime` with `CLOCK_THREAD_CPUTIME_ID`) or yields brings its own
//! part up to date, and so does [`System::thread_time`](crate::system::System::thread_time);
//! what other threads of the group have used since their last tick remains unseen.

use std::cmp::Ordering;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::container::Limit;
use crate::membership::{Place, places};
use crate::system::{Counters, Group};

/// No more groups than these are heeded.
const MOST_GROUPS: usize = 8;
/// The bytes read of a file. The counters that matter stand in the first 300.
const BUFFER: usize = 1024;

const NANOSECONDS_PER_MICROSECOND: u64 = 1_000;
/// The longest period that the kernel takes, in nanoseconds.
const LONGEST_PERIOD: u64 = 1_000_000_000;
/// The largest quota that the kernel takes, in nanoseconds.
const LARGEST_QUOTA: u64 = (1 << 44) * NANOSECONDS_PER_MICROSECOND;

/// A control group with a CPU quota. Its counters' files stay open.
#[derive(Debug)]
pub struct ControlGroup {
    place: Place,
    limit: Limit,
    /// `cpu.stat`.
    stat: File,
    /// Version 1's `cpuacct.usage`.
    usage: Option<File>,
}

/// The groups with a quota that this process is in, the tightest first and of equally tight ones
/// the innermost; at most eight. Paths are looked up below the folder `root`.
#[must_use]
pub fn limited_groups(root: &Path) -> Vec<ControlGroup> {
    let places = places(root).into_iter();
    let mut groups: Vec<_> = places.filter_map(ControlGroup::open).collect();
    groups.sort_by(|one, other| by_tightness(&one.limit, &other.limit));
    groups.truncate(MOST_GROUPS);
    groups
}

/// Orders by quota divided by period.
fn by_tightness(one: &Limit, other: &Limit) -> Ordering {
    let product = |quota: u64, period: u64| u128::from(quota) * u128::from(period);
    product(one.quota, other.period).cmp(&product(other.quota, one.period))
}

impl ControlGroup {
    /// None if the group has no limit or its counters cannot be read.
    fn open(place: Place) -> Option<Self> {
        let (limit, stat, usage) = match &place {
            Place::V1 { cpu, cpuacct } => (limit_v1(cpu)?, cpu, cpuacct.as_deref()),
            Place::V2(folder) => (limit_v2(folder)?, folder, None),
        };
        let stat = File::open(stat.join("cpu.stat")).ok()?;
        let usage = usage.and_then(|folder| File::open(folder.join("cpuacct.usage")).ok());
        let usage = usage.filter(|file| read_usage(file).is_some());
        let group = Self {
            place,
            limit,
            stat,
            usage,
        };
        group.read().is_some().then_some(group)
    }

    /// Where its files are.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }
}

impl Group for ControlGroup {
    fn limit(&self) -> Limit {
        self.limit
    }

    fn is_same(&self, other: &Self) -> bool {
        self.place == other.place && self.usage.is_some() == other.usage.is_some()
    }

    fn read(&self) -> Option<Counters> {
        let mut buffer = [0; BUFFER];
        let mut counters = counters(read_start(&self.stat, &mut buffer)?)?;
        if let Some(file) = &self.usage {
            counters.usage = Some(read_usage(file)?);
        }
        Some(counters)
    }
}

/// `cpu.max` holds quota and period in microseconds, or `max` and the period.
fn limit_v2(folder: &Path) -> Option<Limit> {
    let mut buffer = [0; BUFFER];
    let text = read_file(&folder.join("cpu.max"), &mut buffer)?;
    let mut fields = text.split(u8::is_ascii_whitespace);
    let quota = number(fields.next()?)?;
    let period = number(fields.next()?)?;
    limit(quota, period, read_number(&folder.join("cpu.max.burst")))
}

/// The quota is -1 if there is none.
fn limit_v1(folder: &Path) -> Option<Limit> {
    let quota = read_number(&folder.join("cpu.cfs_quota_us"))?;
    let period = read_number(&folder.join("cpu.cfs_period_us"))?;
    limit(quota, period, read_number(&folder.join("cpu.cfs_burst_us")))
}

/// A limit from microseconds, if the kernel could have set it.
fn limit(quota: u64, period: u64, burst: Option<u64>) -> Option<Limit> {
    let quota = quota.checked_mul(NANOSECONDS_PER_MICROSECOND)?;
    let period = period.checked_mul(NANOSECONDS_PER_MICROSECOND)?;
    if !(1..=LARGEST_QUOTA).contains(&quota) || !(1..=LONGEST_PERIOD).contains(&period) {
        return None;
    }
    let burst = burst
        .unwrap_or(0)
        .saturating_mul(NANOSECONDS_PER_MICROSECOND)
        .min(quota);
    Some(Limit {
        quota,
        period,
        burst,
    })
}

/// The counters of a `cpu.stat`: lines with a name and a number, with other names in version 1.
/// None without the numbers of periods, which a group without the controller lacks.
fn counters(stat: &[u8]) -> Option<Counters> {
    let (mut usage, mut periods, mut throttled, mut stopped) = (None, None, None, 0);
    for line in stat.split(|&byte| byte == b'\n') {
        let mut fields = line.split(|&byte| byte == b' ');
        let (Some(name), Some(value)) = (fields.next(), fields.next().and_then(number)) else {
            continue;
        };
        match name {
            b"usage_usec" => usage = value.checked_mul(NANOSECONDS_PER_MICROSECOND),
            b"nr_periods" => periods = Some(value),
            b"nr_throttled" => throttled = Some(value),
            b"throttled_usec" => stopped = value.saturating_mul(NANOSECONDS_PER_MICROSECOND),
            b"throttled_time" => stopped = value,
            _ => {}
        }
    }
    Some(Counters {
        usage,
        periods: periods?,
        throttled: throttled?,
        stopped,
    })
}

fn read_usage(file: &File) -> Option<u64> {
    number(read_start(file, &mut [0; BUFFER])?)
}

fn read_number(path: &Path) -> Option<u64> {
    number(read_file(path, &mut [0; BUFFER])?)
}

fn number(text: &[u8]) -> Option<u64> {
    str::from_utf8(text).ok()?.trim_ascii().parse().ok()
}

fn read_file<'a>(path: &Path, buffer: &'a mut [u8; BUFFER]) -> Option<&'a [u8]> {
    read_start(&File::open(path).ok()?, buffer)
}

/// The start of the file. A line that the buffer cuts off is left out. Fails if the group is gone.
fn read_start<'a>(file: &File, buffer: &'a mut [u8; BUFFER]) -> Option<&'a [u8]> {
    let length = file.read_at(buffer, 0).ok()?;
    let read = &buffer[..length];
    if length < BUFFER {
        return Some(read);
    }
    let end = read.iter().rposition(|&byte| byte == b'\n')?;
    Some(&read[..end])
}
