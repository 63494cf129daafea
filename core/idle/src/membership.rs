//! Finds the control groups of this process: its own and those around it, as far as mounts show
//! them.
//!
//! `/proc/self/cgroup` names the process's group in each hierarchy, and a mount shows the groups
//! below one that is its root. In a container this root is often the process's own group.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::mounts::{Mount, mounts};

/// No more than this is read of a file, in bytes.
const LONGEST_FILE: u64 = 1 << 20;

/// Where the files of a control group are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Version 1, whose controllers may be in different hierarchies.
    V1 {
        /// The folder with the quota.
        cpu: PathBuf,
        /// The folder with the processor time of the same group, if it is known.
        cpuacct: Option<PathBuf>,
    },
    /// Version 2: the folder of the group.
    V2(PathBuf),
}

/// The groups that this process is in, from its own outwards. Empty where there are none, or none
/// is visible. Paths are looked up below the folder `root`.
#[must_use]
pub fn places(root: &Path) -> Vec<Place> {
    let mounts = mounts(&read(&root.join("proc/self/mountinfo")));
    let own = OwnPaths::parse(&read(&root.join("proc/self/cgroup")));
    if let Some(path) = own.cpu {
        // Only a group with the same path counts as the same group.
        let is_same = own.cpuacct.as_ref() == Some(&path);
        let cpuacct = folders(root, &mounts, |mount| mount.has_cpuacct && is_same, &path);
        let mut cpuacct = cpuacct.into_iter();
        let cpu = folders(root, &mounts, |mount| mount.has_cpu, &path).into_iter();
        cpu.map(|cpu| Place::V1 {
            cpu,
            cpuacct: cpuacct.next(),
        })
        .collect()
    } else if let Some(path) = own.v2 {
        let folders = folders(root, &mounts, |mount| mount.is_v2, &path);
        folders.into_iter().map(Place::V2).collect()
    } else {
        Vec::new()
    }
}

/// The path of the process's group in each hierarchy that matters.
#[derive(Default)]
struct OwnPaths {
    cpu: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
    v2: Option<PathBuf>,
}

impl OwnPaths {
    /// Parses lines such as `4:cpu,cpuacct:/group`, and for version 2 `0::/group`.
    fn parse(cgroup: &[u8]) -> Self {
        let mut own = Self::default();
        for line in cgroup.split(|&byte| byte == b'\n') {
            let mut fields = line.splitn(3, |&byte| byte == b':');
            let (Some(id), Some(names), Some(path)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let path = PathBuf::from(OsStr::from_bytes(path));
            let has = |name: &[u8]| names.split(|&byte| byte == b',').any(|found| found == name);
            if has(b"cpu") {
                own.cpu = Some(path.clone());
            }
            if has(b"cpuacct") {
                own.cpuacct = Some(path.clone());
            }
            if id == b"0" && names.is_empty() {
                own.v2 = Some(path);
            }
        }
        own
    }
}

/// The folders of the group and of those around it, outwards, by the mount that shows most of them;
/// of equal ones, by the latest.
fn folders(
    root: &Path,
    mounts: &[Mount],
    is_wanted: impl Fn(&Mount) -> bool,
    path: &Path,
) -> Vec<PathBuf> {
    let wanted = mounts.iter().filter(|mount| is_wanted(mount));
    wanted
        .filter_map(|mount| folders_in(root, mount, path))
        .max_by_key(Vec::len)
        .unwrap_or_default()
}

fn folders_in(root: &Path, mount: &Mount, path: &Path) -> Option<Vec<PathBuf>> {
    let below = below(&mount.root, path)?;
    let point = mount.point.strip_prefix("/").ok()?;
    let folder = root.join(point).join(&below);
    // Another mount may hide this one, and the group may be gone.
    if !folder.join("cgroup.procs").exists() {
        return None;
    }
    let levels = folder.ancestors().take(below.components().count() + 1);
    Some(levels.map(Path::to_owned).collect())
}

/// The way from the group that is the root of a mount down to the process's group. None if that is
/// not below the root.
///
/// Outside of the process's cgroup namespace both begin with `..`. If the root is above the
/// namespace, the names between the two are unknown: then the root is all that is visible of the
/// groups around the process.
fn below(root: &Path, path: &Path) -> Option<PathBuf> {
    if let Ok(rest) = path.strip_prefix(root) {
        return (parents(rest) == 0).then(|| rest.to_owned());
    }
    let is_above = parents(root) == root.components().skip(1).count();
    is_above.then(PathBuf::new)
}

fn parents(path: &Path) -> usize {
    path.components()
        .filter(|&part| part == Component::ParentDir)
        .count()
}

/// What the file holds; nothing if it cannot be read.
fn read(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = File::open(path).map(|file| file.take(LONGEST_FILE));
    let is_read = file.and_then(|mut file| file.read_to_end(&mut bytes));
    is_read.map_or_else(|_| Vec::new(), |_| bytes)
}
