//! Which folder the process's group is in: mounts of parts of a hierarchy, namespaces, odd names.

use crate::folder::Folder;

/// The folders of the limited groups for a process with this path and these mounts of version 2,
/// each a root and a mount point. All folders of `groups` have a limit.
fn found(path: &str, mounts: &[[&str; 2]], groups: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    folder.write("proc/self/cgroup", format!("0::{path}\n"));
    let line =
        |[root, point]: &[&str; 2]| format!("27 25 0:24 {root} {point} rw - cgroup2 none rw\n");
    folder.write(
        "proc/self/mountinfo",
        mounts.iter().map(line).collect::<String>(),
    );
    for group in groups {
        folder.write_group(group, "50000 100000\n");
    }
    folder
        .groups()
        .iter()
        .map(|group| folder.place(group))
        .collect()
}

#[test]
fn a_mount_shows_the_groups_from_its_root_to_the_processs_own() {
    let groups = ["cg", "cg/inner", "cg/inner/own", "cg/inner/own/below"];
    let mounts = [["/outer", "/cg"]];
    assert_eq!(
        found("/outer/inner/own", &mounts, &groups),
        ["cg/inner/own", "cg/inner", "cg"]
    );
}

#[test]
fn a_root_that_only_begins_like_the_path_is_another_group() {
    assert!(found("/outer2/own", &[["/outer", "/cg"]], &["cg", "cg/own"]).is_empty());
}

#[test]
fn a_namespace_whose_top_is_mounted_shows_the_top() {
    assert_eq!(found("/", &[["/", "/cg"]], &["cg"]), ["cg"]);
    assert_eq!(
        found("/own", &[["/", "/cg"]], &["cg", "cg/own"]),
        ["cg/own", "cg"]
    );
}

#[test]
fn a_group_outside_of_the_namespace_is_found_by_a_mount_from_outside() {
    assert_eq!(found("/../..", &[["/../..", "/cg"]], &["cg"]), ["cg"]);
    assert_eq!(
        found("/../own", &[["/..", "/cg"]], &["cg", "cg/own"]),
        ["cg/own", "cg"]
    );
}

#[test]
fn a_group_outside_of_the_namespace_is_not_below_the_namespaces_top() {
    assert!(found("/../..", &[["/", "/cg"]], &["cg"]).is_empty());
    assert!(found("/../own", &[["/", "/cg"]], &["cg", "cg/own", "own"]).is_empty());
    assert!(found("/../..", &[["/..", "/cg"]], &["cg"]).is_empty());
}

#[test]
fn of_a_mount_from_above_the_namespace_only_the_top_is_known_to_be_around_the_process() {
    assert_eq!(
        found("/own", &[["/../..", "/cg"]], &["cg", "cg/own"]),
        ["cg"]
    );
    assert_eq!(
        found("/../own", &[["/../..", "/cg"]], &["cg", "cg/own"]),
        ["cg"]
    );
    assert!(found("/own", &[["/../other", "/cg"]], &["cg", "cg/own"]).is_empty());
}

#[test]
fn of_several_mounts_the_one_that_shows_most_groups_counts() {
    let groups = ["own", "host", "host/outer", "host/outer/own"];
    let expected = ["host/outer/own", "host/outer", "host"];
    let mounts = [["/outer/own", "/own"], ["/", "/host"]];
    assert_eq!(found("/outer/own", &mounts, &groups), expected);
    let mounts = [["/", "/host"], ["/outer/own", "/own"]];
    assert_eq!(found("/outer/own", &mounts, &groups), expected);
    let mounts = [["/elsewhere", "/host"], ["/outer/own", "/own"]];
    assert_eq!(found("/outer/own", &mounts, &groups), ["own"]);
}

#[test]
fn a_mount_that_a_later_one_hides_does_not_count() {
    let mounts = [["/", "/cg"], ["/outer", "/cg"]];
    let groups = ["cg", "cg/own", "cg/outer", "cg/outer/own"];
    assert_eq!(found("/outer/own", &mounts, &groups), ["cg/own", "cg"]);
}

#[test]
fn a_group_that_the_mount_does_not_show_is_not_looked_for_above() {
    assert!(found("/outer/gone", &[["/", "/cg"]], &["cg", "cg/outer"]).is_empty());
}

#[test]
fn blanks_and_colons_in_names_are_understood() {
    let mounts = [[r"/a\040b\134c", r"/c\011\040g"]];
    assert_eq!(found(r"/a b\c/x:y", &mounts, &["c\t g/x:y"]), ["c\t g/x:y"]);
}

#[test]
fn a_backslash_without_an_octal_number_is_itself() {
    for name in [r"c\9xx", r"c\+40", r"c\777", r"c\04", r"c\"] {
        assert_eq!(
            found("/own", &[["/own", &format!("/{name}")]], &[name]),
            [name]
        );
    }
}

#[test]
fn fields_before_the_dash_may_be_any_number() {
    for fields in ["", " shared:1", " shared:1 master:2 propagate_from:3"] {
        let folder = Folder::with_group("/own");
        let line = format!("27 25 0:24 / /sys/fs/cgroup rw{fields} - cgroup2 - rw\n");
        folder.write("proc/self/mountinfo", line);
        folder.write_group("sys/fs/cgroup/own", "50000 100000\n");
        assert_eq!(folder.limits(), [[50, 100]]);
    }
}

/// A process in the groups `cpu` and `cpuacct` of two hierarchies.
fn apart(cpu: &str, cpuacct: &str) -> Folder {
    let folder = Folder::new();
    folder.write(
        "proc/self/cgroup",
        format!("3:cpuacct:{cpuacct}\n2:cpu:{cpu}\n0::/\n"),
    );
    let mounts = "30 25 0:30 / /cpu rw - cgroup cgroup rw,cpu\n\
                  31 25 0:31 / /cpuacct rw - cgroup cgroup rw,cpuacct\n";
    folder.write("proc/self/mountinfo", mounts);
    for group in ["own", "own/inner", "other"] {
        folder.write(format!("cpu/{group}/cgroup.procs"), "");
        folder.write(format!("cpu/{group}/cpu.cfs_quota_us"), "50000\n");
        folder.write(format!("cpu/{group}/cpu.cfs_period_us"), "100000\n");
        folder.write(
            format!("cpu/{group}/cpu.stat"),
            "nr_periods 1\nnr_throttled 0\n",
        );
        folder.write(format!("cpuacct/{group}/cgroup.procs"), "");
        folder.write(
            format!("cpuacct/{group}/cpuacct.usage"),
            format!("{}\n", group.len()),
        );
    }
    folder
}

fn usages(folder: &Folder) -> Vec<Option<u64>> {
    folder
        .groups()
        .iter()
        .map(|group| (group.read)().expect("counters").usage)
        .collect()
}

#[test]
fn the_usage_of_a_group_in_another_hierarchy_is_that_of_the_same_path() {
    assert_eq!(usages(&apart("/own", "/own")), [Some(3)]);
    assert_eq!(
        usages(&apart("/own/inner", "/own/inner")),
        [Some(9), Some(3)]
    );
}

#[test]
fn the_usage_is_unknown_if_the_process_is_in_another_group_of_cpuacct() {
    assert_eq!(usages(&apart("/own", "/other")), [None]);
    assert_eq!(usages(&apart("/own/inner", "/own")), [None, None]);
    let folder = apart("/own", "/own");
    folder.write("proc/self/cgroup", "2:cpu:/own\n");
    assert_eq!(usages(&folder), [None]);
}

#[test]
fn the_usage_is_unknown_if_its_file_cannot_be_read() {
    let folder = apart("/own", "/own");
    folder.write("cpuacct/own/cpuacct.usage", "none\n");
    assert_eq!(usages(&folder), [None]);
    folder.remove("cpuacct/own/cpuacct.usage");
    assert_eq!(usages(&folder), [None]);
}
