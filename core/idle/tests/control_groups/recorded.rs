//! Systems of all kinds, each in a file of `tests/fixtures/`.

use uv_scheduler_idle::system::Counters;

use crate::folder::Folder;

macro_rules! recorded {
    ($name:literal) => {
        Folder::recorded(include_str!(concat!("../fixtures/", $name, ".txt")))
    };
}

fn counters(folder: &Folder) -> Vec<Counters> {
    folder
        .groups()
        .iter()
        .map(|group| (group.read)().expect("counters"))
        .collect()
}

fn used(usage: u64, periods: u64, throttled: u64, stopped: u64) -> Counters {
    Counters {
        usage: Some(usage),
        periods,
        throttled,
        stopped,
    }
}

#[test]
fn docker_with_version_1_mounts_the_containers_own_group() {
    let folder = recorded!("docker-v1");
    assert_eq!(folder.limits(), [[50, 100]]);
    assert_eq!(
        counters(&folder),
        [used(61_234_567_890, 1200, 37, 1_834_512_345)]
    );
}

#[test]
fn docker_with_version_2_shows_the_containers_group_as_the_top() {
    let folder = recorded!("docker-v2");
    assert_eq!(folder.limits(), [[150, 100]]);
    assert_eq!(
        counters(&folder),
        [used(81_234_567_000, 2400, 12, 345_678_000)]
    );
}

#[test]
fn a_pod_with_50_thousandths_of_a_processor_has_5_ms_in_100() {
    let folder = recorded!("kubernetes-v1-50m");
    assert_eq!(folder.limits(), [[5, 100]]);
    assert_eq!(
        counters(&folder),
        [used(4_512_345_678, 900, 410, 36_912_345_678)]
    );
}

#[test]
fn a_pod_with_2_processors_has_200_ms_in_100() {
    let folder = recorded!("kubernetes-v2-2000m");
    assert_eq!(folder.limits(), [[200, 100]]);
    assert_eq!(
        counters(&folder),
        [used(555_000_111_000, 3600, 4, 51_234_000)]
    );
}

#[test]
fn a_pods_limit_that_is_tighter_than_the_containers_comes_first() {
    let folder = recorded!("kubernetes-v1-pod-tighter");
    assert_eq!(folder.limits(), [[100, 100], [200, 100]]);
    let [pod, container] = [
        used(312_345_678_901, 5000, 77, 9_912_345_678),
        used(301_234_567_890, 5001, 0, 0),
    ];
    assert_eq!(counters(&folder), [pod, container]);
}

#[test]
fn a_containers_limit_that_is_tighter_than_the_pods_comes_first() {
    let folder = recorded!("kubernetes-v2-host-mount");
    assert_eq!(folder.limits(), [[100, 100], [150, 100]]);
}

#[test]
fn a_pod_without_a_limit_has_none() {
    assert!(recorded!("kubernetes-v2-namespace").groups().is_empty());
}

#[test]
fn a_service_of_systemd_has_its_own_limit_and_that_of_its_slice() {
    let folder = recorded!("systemd-v2");
    assert_eq!(folder.limits(), [[50, 100], [400, 100]]);
    let groups = folder.groups();
    assert_eq!(
        folder.place(&groups[0]),
        "sys/fs/cgroup/system.slice/server.service"
    );
    assert_eq!(folder.place(&groups[1]), "sys/fs/cgroup/system.slice");
}

#[test]
fn quotas_of_version_1_count_beside_a_version_2_without_controllers() {
    let folder = recorded!("hybrid");
    assert_eq!(folder.limits(), [[75, 100]]);
    assert_eq!(counters(&folder), [used(2_233_445_566, 640, 17, 1_834_512)]);
}

#[test]
fn openrc_on_alpine_mounts_cpu_and_cpuacct_apart() {
    let folder = recorded!("alpine-openrc");
    assert_eq!(folder.limits(), [[25, 100]]);
    assert_eq!(counters(&folder), [used(7_777_777_777, 333, 22, 1_111_111)]);
}

#[test]
fn the_limit_of_an_lxc_container_counts_for_the_services_in_it() {
    let folder = recorded!("lxc");
    assert_eq!(folder.limits(), [[300, 100]]);
    assert_eq!(folder.place(&folder.groups()[0]), "sys/fs/cgroup");
}

#[test]
fn without_control_groups_there_is_no_limit() {
    assert!(recorded!("no-control-groups").groups().is_empty());
    assert!(recorded!("not-mounted").groups().is_empty());
    assert!(Folder::new().groups().is_empty());
}
