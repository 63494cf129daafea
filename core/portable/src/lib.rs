//! The scheduler's core as WebAssembly, for hosts without libuv: Bun, Deno, and the test clock.
//!
//! An instance of the module is one event loop. Numbers cross the boundary, and nothing else: the
//! arguments and results of the functions below, the shared words, and one list of numbers. A
//! driver in JavaScript (`lib/portable/`) calls the hooks of the loop and answers the questions of
//! the core.
//!
//! `lib/portable/binding.js` copies the shared words in and out at each call: a view of the memory
//! would be detached when the memory grows, and later writes would be lost without an error.

use std::cell::{Cell, RefCell};
use std::panic;

use uv_scheduler_core::event_loop::{Answer, Check, EventLoop};
use uv_scheduler_core::host::{Handles, Host, Inbox};
use uv_scheduler_core::protocol::{Entry, NO_TASK, NUMBERS, WORDS};
use uv_scheduler_core::shared::{Shared, Words};

/// The functions of the driver.
mod driver {
    #[link(wasm_import_module = "driver")]
    unsafe extern "C" {
        /// The time in nanoseconds of a monotonic clock.
        pub safe fn now() -> f64;
        pub safe fn is_io_ready() -> bool;
        pub safe fn is_busy() -> bool;
        pub safe fn set_referenced(referenced: bool);
        pub safe fn set_awake(awake: bool);
        /// A negative deadline removes the timer.
        pub safe fn set_timer(deadline: f64);
        /// The core has a fault: the text of the panic, as UTF-8 in the memory.
        pub safe fn panicked(text: *const u8, length: usize);
    }
}

/// The copy of the shared words.
struct Copy {
    words: [Cell<u32>; WORDS],
}

impl Words for Copy {
    fn get(&self, index: usize) -> u32 {
        self.words.get(index).map_or(0, Cell::get)
    }

    fn set(&self, index: usize, word: u32) {
        if let Some(cell) = self.words.get(index) {
            cell.set(word);
        }
    }
}

/// The loop as the core sees it.
struct Driver {
    shared: Shared<Copy>,
}

impl Host for Driver {
    fn now(&self) -> u64 {
        let now = driver::now() as u64;
        self.shared.set_time(now);
        now
    }

    fn is_io_ready(&self) -> bool {
        driver::is_io_ready()
    }

    fn is_busy(&self) -> bool {
        driver::is_busy()
    }
}

impl Handles for Driver {
    fn set_referenced(&self, referenced: bool) {
        driver::set_referenced(referenced);
    }

    fn set_awake(&self, awake: bool) {
        driver::set_awake(awake);
    }

    fn set_timer(&self, deadline: Option<u64>) {
        driver::set_timer(deadline.map_or(-1.0, not_before));
    }

    fn set_notify_rank(&self, rank: u32) {
        self.shared.set_notify_rank(rank);
    }

    fn restore_checks(&self) {}
}

impl Inbox for Driver {
    fn take_entries(&self, each: impl FnMut(Entry)) {
        self.shared.take_entries(each);
    }
}

/// All state of the instance.
struct State {
    event_loop: RefCell<EventLoop>,
    driver: Driver,
    check: RefCell<Option<Check>>,
    /// The last list of numbers for JavaScript.
    list: RefCell<Vec<f64>>,
}

thread_local! {
    static STATE: State = State {
        event_loop: RefCell::default(),
        driver: Driver {
            shared: Shared {
                words: Copy { words: [const { Cell::new(0) }; WORDS] },
            },
        },
        check: RefCell::default(),
        list: RefCell::default(),
    };
}

/// Calls the core, whose questions to the driver never call back into the instance.
fn with<R>(call: impl FnOnce(&mut EventLoop, &Driver) -> R) -> R {
    STATE.with(|state| call(&mut state.event_loop.borrow_mut(), &state.driver))
}

/// The time as a number for JavaScript, rounded up: at a number below the deadline, a clock that
/// moves only for timers would stand still.
fn not_before(deadline: u64) -> f64 {
    let number = deadline as f64;
    if (number as u64) < deadline {
        number.next_up()
    } else {
        number
    }
}

/// Makes panics report their text. Called once, before any other function.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        driver::panicked(text.as_ptr(), text.len());
    }));
}

/// A number of the protocol, in the order of [`NUMBERS`]; -1 behind the last one.
#[unsafe(no_mangle)]
pub extern "C" fn protocol_number(index: usize) -> f64 {
    NUMBERS
        .get(index)
        .map_or(-1.0, |(_, value)| (*value).into())
}

/// The address of the copy of the shared words.
#[unsafe(no_mangle)]
pub extern "C" fn words() -> *const u32 {
    STATE.with(|state| state.driver.shared.words.words.as_ptr().cast())
}

/// The address of the last list of numbers.
#[unsafe(no_mangle)]
pub extern "C" fn list() -> *const f64 {
    STATE.with(|state| state.list.borrow().as_ptr())
}

/// Defines functions of the module that take no arguments.
macro_rules! functions {
    ($($name:ident() -> $result:ty = $call:expr;)*) => {$(
        /// See the function of [`EventLoop`] with this name. In place of a task, [`NO_TASK`].
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> $result {
            $call
        }
    )*};
}

functions! {
    flush() -> u32 = with(EventLoop::flush).into();
    next_at_checkpoint() -> u32 = with(EventLoop::next_at_checkpoint).unwrap_or(NO_TASK);
    should_yield() -> u32 = with(advise);
    prepare() -> () = with(EventLoop::prepare);
    begin_check() -> () = STATE.with(|state| {
        state.check.replace(with(EventLoop::begin_check));
    });
    next_in_check() -> u32 = STATE.with(|state| {
        let next = |check| with(|own, driver| own.next_in_check(driver, check));
        state.check.borrow_mut().as_mut().and_then(next).unwrap_or(NO_TASK)
    });
    end_check() -> () = if let Some(check) = STATE.with(|state| state.check.take()) {
        with(|own, driver| own.end_check(driver, check));
    };
    timer() -> () = with(EventLoop::timer);
    // Reads the clock into the shared words.
    read_time() -> () = with(|_, driver| { driver.now(); });
}

/// The bits of the answer to the code that the shared words describe.
fn advise(event_loop: &mut EventLoop, driver: &Driver) -> u32 {
    let code = driver.shared.take_code();
    code.map_or(0, |code| event_loop.should_yield(driver, code).bits())
}

/// See [`EventLoop::ask`]. Returns the length of the list, or -1 if it has the number.
#[unsafe(no_mangle)]
pub extern "C" fn ask(question: u32, about: u32) -> i32 {
    let answer = with(|event_loop, driver| event_loop.ask(driver, question, about));
    let (list, result) = match answer {
        Answer::Number(number) => (vec![number], -1),
        Answer::List(list) => {
            let length = list.len();
            (list, length as i32)
        }
    };
    STATE.with(|state| state.list.replace(list));
    result
}
