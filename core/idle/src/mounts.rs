//! Which control group hierarchies are mounted where: the lines of `/proc/self/mountinfo`.
//!
//! Knows what is mounted, and nothing of the groups in it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A mounted control group hierarchy, or a part of one.
#[derive(Debug, PartialEq, Eq)]
pub struct Mount {
    /// The group that the mount shows as its top, as the process sees its path: `/` and names, or
    /// with leading `..` a group outside of its cgroup namespace.
    pub root: PathBuf,
    /// The folder where the mount's top is.
    pub point: PathBuf,
    /// What the hierarchy controls.
    pub hierarchy: Hierarchy,
}

/// What a hierarchy controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// It is the one of version 2, for all controllers that no hierarchy of version 1 has.
    pub is_v2: bool,
    /// It has version 1's controller `cpu`: quotas.
    pub has_cpu: bool,
    /// It has version 1's controller `cpuacct`: the processor time that was used.
    pub has_cpuacct: bool,
}

/// The mounted hierarchies, less those on whose folder something else was mounted later. Skips
/// lines that it does not understand.
#[must_use]
pub fn mounts(mountinfo: &[u8]) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = Vec::new();
    for line in mountinfo.split(|&byte| byte == b'\n') {
        let Some((root, point, hierarchy)) = parse(line) else {
            continue;
        };
        mounts.retain(|mount| mount.point != point);
        mounts.extend(hierarchy.map(|hierarchy| Mount {
            root,
            point,
            hierarchy,
        }));
    }
    mounts
}

/// A line's root, mount point and, if it is one of control groups, hierarchy:
///
/// ```text
/// 36 35 0:31 /group /sys/fs/cgroup/cpu rw,noatime master:1 - cgroup cgroup rw,cpu,cpuacct
/// ```
///
/// Any number of fields such as `master:1` may stand before the dash.
fn parse(line: &[u8]) -> Option<(PathBuf, PathBuf, Option<Hierarchy>)> {
    let mut fields = line.split(|&byte| byte == b' ');
    let root = path(fields.nth(3)?);
    let point = path(fields.next()?);
    fields.find(|&field| field == b"-")?;
    let kind = fields.next()?;
    let options = fields.nth(1)?;
    let has = |option: &[u8]| {
        options
            .split(|&byte| byte == b',')
            .any(|found| found == option)
    };
    let is_v1 = kind == b"cgroup";
    let hierarchy = Hierarchy {
        is_v2: kind == b"cgroup2",
        has_cpu: is_v1 && has(b"cpu"),
        has_cpuacct: is_v1 && has(b"cpuacct"),
    };
    let is_known = hierarchy.is_v2 || hierarchy.has_cpu || hierarchy.has_cpuacct;
    Some((root, point, is_known.then_some(hierarchy)))
}

/// A path in which the kernel writes blanks, tabs, line feeds and backslashes as `\` and three
/// octal digits.
fn path(escaped: &[u8]) -> PathBuf {
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
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    u8::from_str_radix(text, 8).ok()
}
