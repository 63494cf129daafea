//! Reads what the kernel counts for one thread in `/proc/thread-self/schedstat`: for how long it
//! has run on a processor, and for how long it has waited for one.
//!
//! The file stays open, and a read into a small buffer allocates nothing (about 0.5 µs). It belongs
//! to the thread that opened it, whichever thread reads.

use std::fs::File;
use std::io;
use std::str;

/// The open file of one thread.
#[derive(Debug)]
pub struct Schedstat {
    file: File,
}

/// What the kernel has counted for the thread since its start, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// For how long the thread has run on a processor.
    pub ran: u64,
    /// For how long it has waited for a processor although it could run.
    pub waited: u64,
}

impl Schedstat {
    /// Where the kernel has the file of the thread that opens it.
    const PATH: &str = "/proc/thread-self/schedstat";

    /// More than three numbers of 20 digits with their spaces.
    const LONGEST: usize = 64;

    /// Opens the file of the calling thread. `None`: there is none, or the kernel counts nothing
    /// (`CONFIG_SCHED_INFO` is off, or a sandbox answers with zeros).
    #[must_use]
    pub fn open() -> Option<Self> {
        Self::open_at(Self::PATH)
    }

    fn open_at(path: &str) -> Option<Self> {
        let schedstat = Self {
            file: File::open(path).ok()?,
        };
        schedstat.read().map(|_| schedstat)
    }

    /// The times up to now. `None`: they cannot be read, or are all zero.
    #[must_use]
    pub fn read(&self) -> Option<Times> {
        let mut buffer = [0; Self::LONGEST];
        let length = read_start(&self.file, &mut buffer).ok()?;
        parse(&buffer[..length])
    }
}

/// Takes the text `<ran> <waited> <slices>`. A thread that reads has run, so zeros mean that
/// nothing is counted. The kernel brings `ran` up to date at each tick only, so a young thread can
/// have 0 there; its number of slices is at least 1.
fn parse(text: &[u8]) -> Option<Times> {
    let mut numbers = str::from_utf8(text).ok()?.split_ascii_whitespace();
    let mut next = || numbers.next()?.parse::<u64>().ok();
    let (ran, waited, slices) = (next()?, next()?, next()?);
    (ran != 0 || waited != 0 || slices != 0).then_some(Times { ran, waited })
}

#[cfg(unix)]
fn read_start(file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, 0)
}

/// Only Linux has the file.
#[cfg(not(unix))]
fn read_start(_file: &File, _buffer: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_first_two_numbers() {
        let times = parse(b"123456789 4567 89\n");
        assert_eq!(
            times,
            Some(Times {
                ran: 123_456_789,
                waited: 4567
            })
        );
    }

    #[test]
    fn takes_the_longest_numbers() {
        let text = format!("{0} {0} {0}\n", u64::MAX);
        assert!(text.len() <= Schedstat::LONGEST);
        assert_eq!(
            parse(text.as_bytes()).map(|times| times.waited),
            Some(u64::MAX)
        );
    }

    #[test]
    fn has_nothing_to_say_where_the_kernel_counts_nothing() {
        assert_eq!(parse(b"0 0 0\n"), None);
    }

    #[test]
    fn takes_a_young_thread_that_has_run_for_no_time_yet() {
        assert_eq!(parse(b"0 0 1\n"), Some(Times { ran: 0, waited: 0 }));
    }

    #[test]
    fn has_nothing_to_say_about_other_text() {
        for text in [
            "",
            "\n",
            "1",
            "1 2",
            "1 two 3",
            "-1 2 3",
            "1.5 2 3",
            "\u{ff} 2 3",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(parse(b"\xff 2 3"), None);
    }

    #[test]
    fn has_nothing_to_say_where_there_is_no_file() {
        assert!(Schedstat::open_at("/proc/thread-self/no-such-file").is_none());
        assert!(Schedstat::open_at("/proc").is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn counts_the_work_of_this_thread() {
        use std::time::{Duration, Instant};

        // Nothing to test in a sandbox whose kernel counts nothing.
        let Some(schedstat) = Schedstat::open() else {
            let text = std::fs::read(Schedstat::PATH).unwrap_or_default();
            return assert_eq!(parse(&text), None);
        };
        let before = schedstat.read().unwrap().ran;
        let start = Instant::now();
        // The kernel may count at its ticks only.
        while schedstat.read().unwrap().ran == before {
            assert!(start.elapsed() < Duration::from_secs(10));
        }
    }

    /// A sleeping thread's readings do not grow, whoever takes them.
    #[cfg(target_os = "linux")]
    #[test]
    fn belongs_to_the_thread_that_opened_it() {
        use std::sync::mpsc;

        let (end, ended) = mpsc::channel::<()>();
        let (opened, other) = mpsc::channel();
        let sleeper = std::thread::spawn(move || {
            opened.send(Schedstat::open()).unwrap();
            ended.recv().unwrap_err();
        });
        let other = other.recv().unwrap();
        let own = Schedstat::open();
        assert_eq!(own.is_some(), other.is_some());
        if let (Some(own), Some(other)) = (own, other) {
            let before = own.read().unwrap().ran;
            while own.read().unwrap().ran < before + 20_000_000 {}
            assert!(other.read().unwrap().ran < 20_000_000);
        }
        drop(end);
        sleeper.join().unwrap();
    }
}
