//! A folder that stands for the root of a file system, removed at the end of the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use uv_scheduler_idle::control_group::limited_groups;
use uv_scheduler_idle::system::Group;
static COUNT: AtomicU32 = AtomicU32::new(0);

pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("root-{}-{number}", process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // A test that was killed may have left one, and its process id may come again.
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    /// The files of a recording: after each line `== path` what that file holds.
    pub fn recorded(recording: &str) -> Self {
        let folder = Self::new();
        for part in recording.split("== ").skip(1) {
            let (path, text) = part.split_once('\n').expect("a line with a path");
            folder.write(path, text);
        }
        folder
    }

    /// A process in a group of version 2 that is mounted as a whole.
    pub fn with_group(path: &str) -> Self {
        let folder = Self::new();
        folder.write("proc/self/cgroup", format!("0::{path}\n"));
        folder.write(
            "proc/self/mountinfo",
            "27 25 0:24 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        );
        folder
    }

    /// A limited group of version 2.
    pub fn write_group(&self, path: &str, max: &str) {
        self.write(format!("{path}/cgroup.procs"), "1\n");
        self.write(format!("{path}/cpu.max"), max);
        let stat = "usage_usec 7000\nnr_periods 5\nnr_throttled 2\nthrottled_usec 30\n";
        self.write(format!("{path}/cpu.stat"), stat);
    }

    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub fn remove(&self, path: &str) {
        let path = self.0.join(path);
        if path.is_dir() {
            fs::remove_dir_all(path).expect("removed");
        } else {
            fs::remove_file(path).expect("removed");
        }
    }

    pub fn groups(&self) -> Vec<Group> {
        limited_groups(&self.0)
    }

    /// Quota and period of each limited group in milliseconds.
    pub fn limits(&self) -> Vec<[u64; 2]> {
        let limits = self.groups().into_iter().map(|group| group.limit);
        limits
            .map(|limit| [limit.quota, limit.period].map(|time| time / 1_000_000))
            .collect()
    }

    /// The folder of the group's quota, below the root.
    pub fn place(&self, group: &Group) -> String {
        let below = group.folders.0.strip_prefix(&self.0);
        let below = below.expect("a folder below the root");
        below.to_str().expect("a readable path").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
