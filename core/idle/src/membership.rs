//! Finds the control groups of this process: its own and those around it, as far as mounts show
//! them.
//!
//! `/proc/self/cgroup` names the process's group in each hierarchy, and a mount (a line of
//! `/proc/self/mountinfo`) shows the groups below one that is its root. In a container this root is
//! often the process's own group. Here a hierarchy of version 1 has the name of a controller, and
//! version 2 has the empty name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

/// No more than this is read of a file, in bytes.
const LONGEST_FILE: u64 = 1 << 20;

/// Version 1: quotas, and the processor time that was used.
const CPU: &[u8] = b"cpu";
const CPUACCT: &[u8] = b"cpuacct";
const VERSION_2: &[u8] = b"";

/// Where the files of a control group are.
#[derive(Debug)]
pub struct Place {
    /// The folder with the quota.
    pub folder: PathBuf,
    /// In version 1, the folder with the processor time of the same group, if it is known:
    /// controllers may be in different hierarchies.
    pub cpuacct: Option<PathBuf>,
}

/// The groups that this process is in, from its own outwards. Empty where there are none, or none
/// is visible. Paths are looked up below the folder `root`.
#[must_use]
pub fn places(root: &Path) -> Vec<Place> {
    let own = read(&root.join("proc/self/cgroup"));
    let mounts = mounts(&read(&root.join("proc/self/mountinfo")));
    let folders = |hierarchy, path: &Path| folders(root, &mounts, hierarchy, path).into_iter();
    let mut cpuacct = Vec::new().into_iter();
    let groups = if let Some(path) = own_path(&own, CPU) {
        // Only a group with the same path counts as the same group.
        if own_path(&own, CPUACCT) == Some(path) {
            cpuacct = folders(CPUACCT, path);
        }
        folders(CPU, path)
    } else if let Some(path) = own_path(&own, VERSION_2) {
        folders(VERSION_2, path)
    } else {
        return Vec::new();
    };
    let place = |folder| Place {
        folder,
        cpuacct: cpuacct.next(),
    };
    groups.map(place).collect()
}

/// The path of the process's group in a hierarchy, from lines such as `4:cpu,cpuacct:/group`, and
/// for version 2 `0::/group`.
fn own_path<'a>(cgroup: &'a [u8], hierarchy: &[u8]) -> Option<&'a Path> {
    cgroup.split(|&byte| byte == b'\n').find_map(|line| {
        let mut fields = line.splitn(3, |&byte| byte == b':').skip(1);
        let (names, path) = (fields.next()?, fields.next()?);
        let mut names = names.split(|&byte| byte == b',');
        let is_wanted = names.any(|name| name == hierarchy);
        is_wanted.then(|| Path::new(OsStr::from_bytes(path)))
    })
}

/// The folders of the group and of those around it, outwards, by the mount that shows most of them;
/// of equal ones, by the latest.
fn folders(root: &Path, mounts: &[Mount], hierarchy: &[u8], path: &Path) -> Vec<PathBuf> {
    let wanted = mounts.iter().filter(|mount| mount.has(hierarchy));
    wanted
        .filter_map(|mount| folders_in(root, mount, path))
        .max_by_key(Vec::len)
        .unwrap_or_default()
}

fn folders_in(root: &Path, mount: &Mount, path: &Path) -> Option<Vec<PathBuf>> {
    let below = below(&mount.root, path)?;
    let point = mount.point.strip_prefix("/").ok()?;
    let folder = root.join(point).join(below);
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
fn below<'a>(root: &Path, path: &'a Path) -> Option<&'a Path> {
    if let Ok(rest) = path.strip_prefix(root) {
        return (parents(rest) == 0).then_some(rest);
    }
    let is_above = parents(root) == root.components().skip(1).count();
    is_above.then(|| Path::new(""))
}

fn parents(path: &Path) -> usize {
    path.components()
        .filter(|&part| part == Component::ParentDir)
        .count()
}

/// A mounted file system.
struct Mount {
    /// Of control groups, the one that the mount shows as its top, as the process sees its path:
    /// `/` and names, or with leading `..` a group outside of its cgroup namespace.
    root: PathBuf,
    /// The folder where the mount's top is.
    point: PathBuf,
    kind: Vec<u8>,
    options: Vec<u8>,
}

impl Mount {
    /// Parses a line:
    ///
    /// ```text
    /// 36 35 0:31 /group /sys/fs/cgroup/cpu rw,noatime master:1 - cgroup cgroup rw,cpu,cpuacct
    /// ```
    ///
    /// Any number of fields such as `master:1` may stand before the dash.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = line.split(|&byte| byte == b' ');
        let root = unescape(fields.nth(3)?);
        let point = unescape(fields.next()?);
        fields.find(|&field| field == b"-")?;
        Some(Self {
            root,
            point,
            kind: fields.next()?.to_owned(),
            options: fields.nth(1)?.to_owned(),
        })
    }

    /// It shows groups of this hierarchy.
    fn has(&self, hierarchy: &[u8]) -> bool {
        let mut options = self.options.split(|&byte| byte == b',');
        match &self.kind[..] {
            b"cgroup2" => hierarchy == VERSION_2,
            b"cgroup" => hierarchy != VERSION_2 && options.any(|option| option == hierarchy),
            _ => false,
        }
    }
}

/// What is mounted, less that on whose folder something else was mounted later. Skips lines that it
/// does not understand.
fn mounts(mountinfo: &[u8]) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = Vec::new();
    let lines = mountinfo.split(|&byte| byte == b'\n');
    for mount in lines.filter_map(Mount::parse) {
        mounts.retain(|hidden| hidden.point != mount.point);
        mounts.push(mount);
    }
    mounts
}

/// A path in which the kernel writes blanks, tabs, line feeds and backslashes as `\` and three
/// octal digits.
fn unescape(escaped: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped;
    while let [first, tail @ ..] = rest {
        let code = if *first == b'\\' { octal(tail) } else { None };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[3..] } else { tail };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn octal(digits: &[u8]) -> Option<u8> {
    let text = str::from_utf8(digits.get(..3)?).ok()?;
    let is_octal = text.bytes().all(|byte| byte.is_ascii_digit());
    u8::from_str_radix(text, 8).ok().filter(|_| is_octal)
}

/// What the file holds; nothing if it cannot be read.
pub(crate) fn read(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = File::open(path).map(|file| file.take(LONGEST_FILE));
    let is_read = file.and_then(|mut file| file.read_to_end(&mut bytes));
    is_read.map_or_else(|_| Vec::new(), |_| bytes)
}
