//! Files that are missing, unreadable or hold anything: then there is no limit, and no failure.

use crate::folder::Folder;

const GROUP: &str = "sys/fs/cgroup/own";

fn with_limit() -> Folder {
    let folder = Folder::with_group("/own");
    folder.write_group(GROUP, "50000 100000\n");
    assert_eq!(folder.limits(), [[50, 100]]);
    folder
}

#[test]
fn a_limit_that_the_kernel_could_not_have_set_is_none() {
    let folder = with_limit();
    for text in [
        "",
        "\n",
        " ",
        "max 100000\n",
        "max",
        "50000",
        "50000 \n",
        "50000 max\n",
        "-1 100000\n",
        "-50000 100000\n",
        "50000 -100000\n",
        "0 100000\n",
        "50000 0\n",
        "0.5 1\n",
        "fifty 100000\n",
        "50000 1000001\n",
        "18446744073709551615 100000\n",
        "18446744073709551616 100000\n",
        "17592186044417 100000\n",
        "50000 18446744073709551615\n",
        "99999999999999999999999999999999999999 99999999999999999999999999\n",
        "\u{0}\u{0}",
        "٥٠٠٠٠ ١٠٠٠٠٠\n",
    ] {
        folder.write(format!("{GROUP}/cpu.max"), text);
        assert!(folder.limits().is_empty(), "{text:?}");
    }
    folder.write(format!("{GROUP}/cpu.max"), [0xff; 5000]);
    assert!(folder.limits().is_empty());
}

#[test]
fn a_group_without_readable_counters_has_no_limit() {
    let folder = with_limit();
    let stat = format!("{GROUP}/cpu.stat");
    for text in [
        "",
        "usage_usec 5\n",
        "nr_periods 5\n",
        "nr_periods 5\nnr_throttled\n",
        "nr_periods 5\nnr_throttled -1\n",
        "nr_periods 5\nnr_throttled 18446744073709551616\n",
        "nr_periods5\nnr_throttled 1\n",
    ] {
        folder.write(&stat, text);
        assert!(folder.limits().is_empty(), "{text:?}");
    }
    folder.write(&stat, [b'9'; 5000]);
    assert!(folder.limits().is_empty());
    folder.remove(&stat);
    assert!(folder.limits().is_empty());
}

#[test]
fn counters_that_are_too_large_or_missing_do_not_fail() {
    let folder = with_limit();
    let huge = u64::MAX;
    let text =
        format!("usage_usec {huge}\nnr_periods {huge}\nnr_throttled 3\nthrottled_usec {huge}");
    folder.write(format!("{GROUP}/cpu.stat"), text);
    let counters = (folder.groups()[0].read)().expect("counters");
    assert_eq!(counters.usage, None);
    assert_eq!(
        (counters.periods, counters.throttled, counters.stopped),
        (huge, 3, huge)
    );
}

#[test]
fn counters_that_stand_at_the_start_of_a_long_file_are_read() {
    let folder = with_limit();
    let text = format!(
        "nr_periods 5\nnr_throttled 3\nusage_usec 7\n{}",
        "other 1\n".repeat(1000)
    );
    folder.write(format!("{GROUP}/cpu.stat"), text);
    assert_eq!(
        (folder.groups()[0].read)().expect("counters").usage,
        Some(7000)
    );
}

#[test]
fn a_number_that_the_end_of_the_buffer_cuts_off_is_not_read() {
    let folder = with_limit();
    let start = "nr_periods 5\nnr_throttled 3\n";
    let usage = "usage_usec 123456\n";
    for cut in 1..usage.len() {
        let blank = "\n".repeat(1024 - start.len() - cut);
        folder.write(
            format!("{GROUP}/cpu.stat"),
            format!("{start}{blank}{usage}"),
        );
        assert_eq!(
            (folder.groups()[0].read)().expect("counters").usage,
            None,
            "{cut}"
        );
    }
}

#[test]
fn files_of_the_process_that_hold_anything_mean_no_limit() {
    let good = ["proc/self/cgroup", "proc/self/mountinfo"];
    for path in good {
        for text in [
            "",
            "\n\n",
            ":",
            "::",
            "0:",
            "a b c d e f g - h i j\n",
            "- - - - - - -",
            "0::own\n",
        ] {
            let folder = with_limit();
            folder.write(path, text);
            assert!(folder.limits().is_empty(), "{path} {text:?}");
        }
        let folder = with_limit();
        folder.write(path, [0xff; 5000]);
        assert!(folder.limits().is_empty());
        folder.remove(path);
        assert!(folder.limits().is_empty());
    }
}

#[test]
fn a_folder_in_place_of_a_file_means_no_limit() {
    for name in ["cpu.max", "cpu.stat"] {
        let folder = with_limit();
        folder.remove(&format!("{GROUP}/{name}"));
        folder.write(format!("{GROUP}/{name}/file"), "50000 100000\n");
        assert!(folder.limits().is_empty(), "{name}");
    }
}

#[test]
fn a_group_that_vanishes_while_its_file_is_open_has_no_counters() {
    let folder = with_limit();
    let groups = folder.groups();
    assert!((groups[0].read)().is_some());
    folder.write(format!("{GROUP}/cpu.stat"), "");
    assert_eq!((groups[0].read)(), None);
    folder.remove(GROUP);
    assert!(folder.groups().is_empty());
}

#[test]
fn at_most_eight_groups_are_heeded_the_tightest() {
    let folder = Folder::with_group("/1/2/3/4/5/6/7/8/9/10");
    let mut path = "sys/fs/cgroup".to_owned();
    for level in 1..=10 {
        path = format!("{path}/{level}");
        folder.write_group(&path, &format!("{}000 100000\n", 100 - level));
    }
    let quotas: Vec<_> = folder.limits().iter().map(|limit| limit[0]).collect();
    assert_eq!(quotas, [90, 91, 92, 93, 94, 95, 96, 97]);
}

#[test]
fn a_group_is_the_same_as_long_as_its_folder_is() {
    let folder = Folder::with_group("/outer/own");
    folder.write_group("sys/fs/cgroup/outer", "60000 100000\n");
    folder.write_group("sys/fs/cgroup/outer/own", "50000 100000\n");
    let before = folder.groups();
    folder.write_group("sys/fs/cgroup/outer/own", "70000 100000\n");
    let after = folder.groups();
    assert_eq!(before[0].folders, after[1].folders);
    assert_eq!(before[1].folders, after[0].folders);
    assert_ne!(before[0].folders, after[0].folders);
}

#[test]
fn limits_with_different_periods_are_compared_by_their_share() {
    let folder = Folder::with_group("/outer/own");
    folder.write_group("sys/fs/cgroup/outer", "200000 1000000\n");
    folder.write_group("sys/fs/cgroup/outer/own", "30000 100000\n");
    assert_eq!(folder.limits(), [[200, 1000], [30, 100]]);
}
