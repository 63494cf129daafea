//! The files of a control group that has a CPU quota: its limit, and counters of what it used and
//! of how often the kernel stopped it.
//!
//! The kernel adds what a running thread has used to the counters when the thread is switched, and
//! at ticks: 1 to 10 ms (`CONFIG_HZ`), on all processors but idle ones. A thread that asks for its
//! own processor time ([`Calls::thread_time`](crate::system::Calls::thread_time)) or yields brings
//! its own part up to date; what other threads of the group have used since their last tick remains
//! unseen.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::membership::{folders, read};
use crate::system::{Counters, Group, Limit};

/// No more groups than these are heeded.
const MOST_GROUPS: usize = 8;
/// The bytes read of a file with counters. Those that matter stand in the first 300.
const BUFFER: usize = 1024;

const NANOSECONDS_PER_MICROSECOND: u64 = 1_000;
/// The longest period and the largest quota that the kernel takes, in microseconds.
const LONGEST_PERIOD: u64 = 1_000_000;
const LARGEST_QUOTA: u64 = 1 << 44;

/// The groups with a quota that this process is in, the tightest first and of equally tight ones
/// the innermost; at most eight. Paths are looked up below the folder `root`.
#[must_use]
pub fn limited_groups(root: &Path) -> Vec<Group> {
    let mut groups: Vec<_> = folders(root).into_iter().filter_map(open).collect();
    let part = |group: &Group| group.limit.quota as f64 / group.limit.period as f64;
    groups.sort_by(|one, other| part(one).total_cmp(&part(other)));
    groups.truncate(MOST_GROUPS);
    groups
}

/// None if the group has no limit or its counters cannot be read. Their files stay open.
fn open(folders: (PathBuf, Option<PathBuf>)) -> Option<Group> {
    let (folder, cpuacct) = &folders;
    let limit = limit(folder)?;
    let stat = File::open(folder.join("cpu.stat")).ok()?;
    let usage = cpuacct
        .as_ref()
        .and_then(|folder| File::open(folder.join("cpuacct.usage")).ok());
    let usage = usage.filter(|file| read_number(file).is_some());
    let read = move || {
        let mut counters = counters(read_start(&stat, &mut [0; BUFFER])?)?;
        if let Some(file) = &usage {
            counters.usage = Some(read_number(file)?);
        }
        Some(counters)
    };
    read()?;
    Some(Group {
        folders,
        limit,
        read: Box::new(read),
    })
}

/// Quota and period in microseconds stand in `cpu.max`, or in two files of version 1. Without a
/// limit the quota is `max` or -1. None also if the kernel could not have set it.
fn limit(folder: &Path) -> Option<Limit> {
    let read = |name| read(&folder.join(name));
    let version_1 = || Some(read("cpu.cfs_quota_us")? + " " + &read("cpu.cfs_period_us")?);
    let text = read("cpu.max").or_else(version_1)?;
    let mut fields = text.split_ascii_whitespace();
    let mut next = || fields.next()?.parse().ok();
    let (quota, period) = (next()?, next()?);
    let is_possible =
        (1..=LARGEST_QUOTA).contains(&quota) && (1..=LONGEST_PERIOD).contains(&period);
    is_possible.then(|| Limit {
        quota: quota * NANOSECONDS_PER_MICROSECOND,
        period: period * NANOSECONDS_PER_MICROSECOND,
    })
}

/// The counters of a `cpu.stat`: lines with a name and a number, with other names in version 1.
/// None without the numbers of periods, which a group without the controller lacks.
fn counters(stat: &str) -> Option<Counters> {
    let (mut usage, mut periods, mut throttled, mut stopped) = (None, None, None, 0);
    for (name, value) in stat.lines().filter_map(|line| line.split_once(' ')) {
        let Ok(value) = value.parse::<u64>() else {
            continue;
        };
        match name {
            "usage_usec" => usage = value.checked_mul(NANOSECONDS_PER_MICROSECOND),
            "nr_periods" => periods = Some(value),
            "nr_throttled" => throttled = Some(value),
            "throttled_usec" => stopped = value.saturating_mul(NANOSECONDS_PER_MICROSECOND),
            "throttled_time" => stopped = value,
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

fn read_number(file: &File) -> Option<u64> {
    let mut buffer = [0; BUFFER];
    read_start(file, &mut buffer)?.trim_ascii().parse().ok()
}

/// The start of the file. A line that the buffer cuts off is left out. Fails if the group is gone.
fn read_start<'a>(file: &File, buffer: &'a mut [u8; BUFFER]) -> Option<&'a str> {
    let length = file.read_at(buffer, 0).ok()?;
    let text = str::from_utf8(&buffer[..length]).ok()?;
    let end = if length < BUFFER {
        length
    } else {
        text.rfind('\n')?
    };
    Some(&text[..end])
}
