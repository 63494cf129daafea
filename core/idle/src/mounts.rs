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
    /// It is the hierarchy of version 2, for all controllers that none of version 1 has.
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
    for mount in mountinfo.split(|&byte| byte == b'\n').filter_map(parse) {
        mounts.retain(|hidden| hidden.point != mount.point);
        mounts.push(mount);
    }
    mounts.retain(|mount| mount.is_v2 || mount.has_cpu || mount.has_cpuacct);
    mounts
}

/// What a line says of a mount, of control groups or not:
///
/// ```text
/// 36 35 0:31 /group /sys/fs/cgroup/cpu rw,noatime master:1 - cgroup cgroup rw,cpu,cpuacct
/// ```
///
/// Any number of fields such as `master:1` may stand before the dash.
fn parse(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|&byte| byte == b' ');
    let root = path(fields.nth(3)?);
    let point = path(fields.next()?);
    fields.find(|&field| field == b"-")?;
    let kind = fields.next()?;
    let options = fields.nth(1)?;
    let options = options.split(|&byte| byte == b',');
    let has = |name: &[u8]| kind == b"cgroup" && options.clone().any(|option| option == name);
    Some(Mount {
        root,
        point,
        is_v2: kind == b"cgroup2",
        has_cpu: has(b"cpu"),
        has_cpuacct: has(b"cpuacct"),
    })
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
    let is_octal = text.bytes().all(|byte| byte.is_ascii_digit());
    u8::from_str_radix(text, 8).ok().filter(|_| is_octal)
}
