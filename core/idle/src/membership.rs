//! Finds the control groups of this process: its own and those around it, as far as mounts show
//! them.
//!
//! `/proc/self/cgroup` names the process's group in each hierarchy. A mount (a line of
//! `/proc/self/mountinfo`) shows a part of a hierarchy: one group, the root of the mount, and all
//! groups inside of it. In a container this root is often the process's own group. A hierarchy of
//! version 1 is called by the name of its controller here, and that of version 2 by the empty name.
//! A group whose path is not UTF-8 is not found.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// No more than this is read of a file, in bytes.
const LONGEST_FILE: u64 = 1 << 20;

/// Version 1: quotas, and the processor time that was used.
const CPU: &str = "cpu";
const CPUACCT: &str = "cpuacct";
const VERSION_2: &str = "";

/// The folders of the groups that this process is in, from its own outwards: the one with the
/// quota, and in version 1 the one with the processor time, if it is known that both are the same
/// group. Empty where no group is visible. Paths are looked up below the folder `root`.
#[must_use]
pub fn folders(root: &Path) -> Vec<(PathBuf, Option<PathBuf>)> {
    let own = read(&root.join("proc/self/cgroup")).unwrap_or_default();
    let mountinfo = read(&root.join("proc/self/mountinfo")).unwrap_or_default();
    let mounts = mounts(&mountinfo);
    let visible = |hierarchy| {
        let path = own_path(&own, hierarchy);
        path.map_or_else(Vec::new, |path| visible(root, &mounts, hierarchy, path))
    };
    let path = own_path(&own, CPU);
    let groups = visible(if path.is_some() { CPU } else { VERSION_2 });
    // Controllers may be in different hierarchies, with different groups.
    let is_same = own_path(&own, CPUACCT) == path;
    let cpuacct = is_same.then(|| visible(CPUACCT));
    let mut cpuacct = cpuacct.into_iter().flatten();
    let groups = groups.into_iter().map(|group| (group, cpuacct.next()));
    groups.collect()
}

/// The path of the process's group in a hierarchy, from lines such as `4:cpu,cpuacct:/group`, and
/// for version 2 `0::/group`.
fn own_path<'a>(cgroup: &'a str, hierarchy: &str) -> Option<&'a Path> {
    cgroup.lines().find_map(|line| {
        let (_, named) = line.split_once(':')?;
        let (names, path) = named.split_once(':')?;
        let is_wanted = names.split(',').any(|name| name == hierarchy);
        is_wanted.then(|| Path::new(path))
    })
}

/// The folders of the group and of those around it, outwards, by the mount that shows most of them;
/// of equal ones, by the latest.
fn visible(root: &Path, mounts: &[Mount], hierarchy: &str, path: &Path) -> Vec<PathBuf> {
    let mounts = mounts.iter().filter(|mount| mount.has(hierarchy));
    let folders = mounts.filter_map(|mount| visible_in(root, mount, path));
    folders.max_by_key(Vec::len).unwrap_or_default()
}

fn visible_in(root: &Path, mount: &Mount, path: &Path) -> Option<Vec<PathBuf>> {
    let below = below(&mount.root, path)?;
    let point = mount.point.strip_prefix("/").ok()?;
    let folder = root.join(point).join(below);
    // Another mount may hide this one, and the group may be gone.
    if !folder.join("cgroup.procs").exists() {
        return None;
    }
    let folders = folder.ancestors().take(below.components().count() + 1);
    Some(folders.map(Path::to_owned).collect())
}

/// The way from the group that is the root of a mount down to the process's group. None if that is
/// not below the root.
///
/// Outside of the process's cgroup namespace both begin with `..`. If the root is above the
/// namespace, the names between the two are unknown: then the root is all that is visible of the
/// groups around the process.
fn below<'a>(root: &Path, path: &'a Path) -> Option<&'a Path> {
    let is_parent = |part| part == Component::ParentDir;
    if let Ok(rest) = path.strip_prefix(root) {
        return (!rest.components().any(is_parent)).then_some(rest);
    }
    let is_above = root.components().skip(1).all(is_parent);
    is_above.then(|| Path::new(""))
}

/// A mounted file system.
struct Mount<'a> {
    /// Of control groups, the one that the mount shows as its top, as the process sees its path:
    /// `/` and names, or with leading `..` a group outside of its cgroup namespace.
    root: PathBuf,
    /// The folder where the mount's top is.
    point: PathBuf,
    kind: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    /// Parses a line:
    ///
    /// ```text
    /// 36 35 0:31 /group /sys/fs/cgroup/cpu rw,noatime master:1 - cgroup cgroup rw,cpu,cpuacct
    /// ```
    ///
    /// Any number of fields such as `master:1` may stand before the dash.
    fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.split(' ');
        let root = unescape(fields.nth(3)?);
        let point = unescape(fields.next()?);
        fields.find(|&field| field == "-")?;
        Some(Self {
            root,
            point,
            kind: fields.next()?,
            options: fields.nth(1)?,
        })
    }

    /// It shows groups of this hierarchy.
    fn has(&self, hierarchy: &str) -> bool {
        match self.kind {
            "cgroup2" => hierarchy == VERSION_2,
            "cgroup" => self.options.split(',').any(|option| option == hierarchy),
            _ => false,
        }
    }
}

/// The mounts, without those whose folder a later mount hides. Lines in another form are skipped.
fn mounts(mountinfo: &str) -> Vec<Mount<'_>> {
    let mut mounts: Vec<Mount> = Vec::new();
    for mount in mountinfo.lines().filter_map(Mount::parse) {
        mounts.retain(|hidden| hidden.point != mount.point);
        mounts.push(mount);
    }
    mounts
}

/// A path in which the kernel writes blanks, tabs, line feeds and backslashes as octal numbers.
fn unescape(escaped: &str) -> PathBuf {
    let path = escaped.replace(r"\040", " ").replace(r"\011", "\t");
    // The backslash comes last, as what follows one is no number of the kernel.
    path.replace(r"\012", "\n").replace(r"\134", r"\").into()
}

/// The file's text. None if it cannot be read.
pub(crate) fn read(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let mut file = File::open(path).ok()?.take(LONGEST_FILE);
    file.read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
