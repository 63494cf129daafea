//! Groups of version 1 that the test makes, where it may: with this process in them, as the kernel
//! writes their files.

use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Duration, Instant};

use uv_scheduler_idle::control_group::limited_groups;
use uv_scheduler_idle::system::{Counters, Group};

/// Groups with this name and the id of a process are of a test. One whose process is gone was left
/// by a test that was killed.
const PREFIX: &str = "uvs-readers-";
const HIERARCHIES: [&str; 2] = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpuacct"];
const MILLISECOND: u64 = 1_000_000;
const PATIENCE: Duration = Duration::from_secs(30);

/// A group in both hierarchies, with a group in it that this process is in.
struct Made {
    /// Its folder in each hierarchy.
    outer: Vec<PathBuf>,
    /// The group that this process was in before, in each hierarchy.
    before: Vec<PathBuf>,
}

impl Made {
    fn new() -> Result<Self, String> {
        if let Some(missing) = HIERARCHIES.iter().find(|path| !Path::new(path).is_dir()) {
            return Err(format!("there is no {missing}"));
        }
        remove_stale();
        let name = format!("{PREFIX}{}", process::id());
        let outer = HIERARCHIES
            .iter()
            .map(|path| Path::new(path).join(&name))
            .collect();
        let before = own_groups().ok_or("the process's groups are not mounted there")?;
        let made = Self { outer, before };
        made.enter()
            .map_err(|error| format!("it may not make groups: {error}"))?;
        Ok(made)
    }

    fn enter(&self) -> io::Result<()> {
        for outer in &self.outer {
            fs::create_dir_all(outer.join("inner"))?;
            fs::write(outer.join("inner/cgroup.procs"), process::id().to_string())?;
        }
        Ok(())
    }

    fn leave(&self) {
        for (before, outer) in self.before.iter().zip(&self.outer) {
            let _ = enter(before);
            let _ = fs::remove_dir(outer.join("inner"));
            let _ = fs::remove_dir(outer);
        }
    }

    /// The folder with the quota.
    fn outer(&self) -> PathBuf {
        self.outer[0].clone()
    }

    fn inner(&self) -> PathBuf {
        self.outer[0].join("inner")
    }

    /// Sets the quota of `inner`, or with an empty name of the outer group, in microseconds in
    /// 100 ms. -1 is none.
    fn set_quota(&self, name: &str, quota: i64) {
        let path = self.outer[0].join(name).join("cpu.cfs_quota_us");
        fs::write(path, quota.to_string()).expect("the kernel takes the quota");
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        self.leave();
    }
}

fn enter(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), process::id().to_string())
}

/// The folders of this process's groups in both hierarchies.
fn own_groups() -> Option<Vec<PathBuf>> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let folder = |hierarchy: &&str| {
        let name = Path::new(hierarchy).file_name()?.to_str()?;
        let line = own
            .lines()
            .find(|line| line.split(':').nth(1) == Some(name))?;
        let folder = Path::new(hierarchy).join(line.splitn(3, ':').nth(2)?.trim_start_matches('/'));
        folder.join("cgroup.procs").exists().then_some(folder)
    };
    HIERARCHIES.iter().map(folder).collect()
}

fn remove_stale() {
    for hierarchy in HIERARCHIES {
        for entry in fs::read_dir(hierarchy).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
            if id.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
                let _ = fs::remove_dir(entry.path().join("inner"));
                let _ = fs::remove_dir(entry.path());
            }
        }
    }
}

/// Quota in milliseconds of each limited group.
fn quotas() -> Vec<u64> {
    let groups = limited_groups(Path::new("/"));
    let quotas = groups.iter().map(|group| group.limit.quota / MILLISECOND);
    quotas.collect()
}

/// The limited group with this folder.
fn find(folder: &Path) -> Group {
    let mut groups = limited_groups(Path::new("/")).into_iter();
    let group = groups.find(|group| group.folders.0 == folder);
    group.expect("a limited group")
}

/// Uses the processor until the counters of the group are as wanted.
fn spin_until(group: &Group, is_wanted: impl Fn(Counters) -> bool) {
    let start = Instant::now();
    while !is_wanted((group.read)().expect("counters")) {
        assert!(start.elapsed() < PATIENCE, "{:?}", (group.read)());
        black_box((0..100_000).fold(0_u64, |sum, item| black_box(sum ^ item)));
    }
}

/// What the test saw has to be seen also where the test harness keeps the output of what passed.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "control groups: {text}");
}

#[test]
fn the_files_that_the_kernel_writes_are_read() {
    match Made::new() {
        Ok(made) => {
            say("version 1, made by this test");
            // The test may run in a group that has a limit itself.
            let around = quotas();
            finds_both_limits(&made, around.len());
            reads_what_the_process_uses(&made);
            follows_the_process(&made, around.len());
            sees_that_the_group_is_removed(&made, &around);
        }
        Err(reason) => {
            say(&format!("only recorded ones, as {reason}"));
            // What this system has is read all the same.
            for group in limited_groups(Path::new("/")) {
                assert!((group.read)().is_some(), "{:?}", group.folders.0);
            }
        }
    }
}

fn finds_both_limits(made: &Made, around: usize) {
    made.set_quota("", 40_000);
    made.set_quota("inner", 20_000);
    assert_eq!(quotas().len(), around + 2);
    for (folder, quota) in [(made.outer(), 40), (made.inner(), 20)] {
        let limit = find(&folder).limit;
        assert_eq!(
            (limit.quota, limit.period),
            (quota * MILLISECOND, 100 * MILLISECOND)
        );
    }
}

fn reads_what_the_process_uses(made: &Made) {
    let (outer, inner) = (find(&made.outer()), find(&made.inner()));
    let first = (inner.read)().expect("counters");
    assert!(first.usage.is_some(), "the path in cpuacct is the same");
    spin_until(&inner, |now| {
        now.throttled > first.throttled && now.stopped > first.stopped
    });
    let last = (inner.read)().expect("counters");
    assert!(
        last.usage > first.usage && last.periods > first.periods,
        "{first:?} {last:?}"
    );
    assert!((outer.read)().expect("counters").usage >= last.usage);
}

fn follows_the_process(made: &Made, around: usize) {
    let usage = |folder: &Path| (find(folder).read)().expect("counters").usage;
    enter(&made.outer[1]).expect("a group of its own");
    assert_eq!(usage(&made.inner()), None, "the path in cpuacct is another");
    enter(&made.outer[0]).expect("a group of its own");
    assert!(usage(&made.outer()).is_some());
    assert_eq!(quotas().len(), around + 1);
    made.set_quota("", 80_000);
    assert_eq!(find(&made.outer()).limit.quota, 80 * MILLISECOND);
}

fn sees_that_the_group_is_removed(made: &Made, around: &[u64]) {
    let group = find(&made.outer());
    made.set_quota("", -1);
    assert_eq!(quotas(), around);
    assert!((group.read)().is_some());
    made.leave();
    assert_eq!((group.read)(), None);
    assert_eq!(quotas(), around);
}
