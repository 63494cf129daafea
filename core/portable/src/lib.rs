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

use uv_scheduler_core::event_loop::{Check, EventLoop};
use uv_scheduler_core::host::{Handles, Host, Inbox, nanoseconds};
use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::{Entry, NO_TASK, NUMBERS, WORDS};
use uv_scheduler_core::shared::{Shared, Words};
use uv_scheduler_core::task_queues::{Post, QueueError};

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

/// The result of a call that the core refuses. [`failure_text`] has the reason.
const REFUSED: u32 = u32::MAX;

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
    /// The reason of the last refusal.
    failure: RefCell<String>,
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
        failure: RefCell::default(),
    };
}

/// Calls the core, whose questions to the driver never call back into the instance.
fn with<R>(call: impl FnOnce(&mut EventLoop, &Driver) -> R) -> R {
    STATE.with(|state| call(&mut state.event_loop.borrow_mut(), &state.driver))
}

fn refuse(reason: String) -> u32 {
    STATE.with(|state| state.failure.replace(reason));
    REFUSED
}

/// The result of a call as a number: 0 or 1, or [`REFUSED`].
fn number(result: Result<bool, QueueError>) -> u32 {
    result.map_or_else(|error| refuse(error.to_string()), u32::from)
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

/// The address of the reason of the last refusal, as UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn failure_text() -> *const u8 {
    STATE.with(|state| state.failure.borrow().as_ptr())
}

/// The length of that text in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn failure_length() -> usize {
    STATE.with(|state| state.failure.borrow().len())
}

/// See [`EventLoop::flush`].
#[unsafe(no_mangle)]
pub extern "C" fn flush() -> u32 {
    with(EventLoop::flush).into()
}

/// See [`EventLoop::finish_removal`].
#[unsafe(no_mangle)]
pub extern "C" fn finish_removal() {
    with(EventLoop::finish_removal);
}

/// See [`EventLoop::next_at_checkpoint`]. Without a task, [`NO_TASK`].
#[unsafe(no_mangle)]
pub extern "C" fn next_at_checkpoint() -> u32 {
    with(EventLoop::next_at_checkpoint).unwrap_or(NO_TASK)
}

/// See [`EventLoop::should_yield`]; the bits of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn should_yield() -> u32 {
    with(|event_loop, driver| {
        let code = driver.shared.take_code();
        code.map_or(0, |code| event_loop.should_yield(driver, code).bits())
    })
}

/// Reads the clock into the shared words.
#[unsafe(no_mangle)]
pub extern "C" fn read_time() {
    with(|_, driver| driver.now());
}

/// See [`EventLoop::prepare`].
#[unsafe(no_mangle)]
pub extern "C" fn prepare() {
    with(EventLoop::prepare);
}

/// See [`EventLoop::begin_check`]. Returns whether a pass has begun.
#[unsafe(no_mangle)]
pub extern "C" fn begin_check() -> bool {
    let check = with(EventLoop::begin_check);
    let has_begun = check.is_some();
    STATE.with(|state| state.check.replace(check));
    has_begun
}

/// See [`EventLoop::next_in_check`]. Without a task, [`NO_TASK`]: the pass ends.
#[unsafe(no_mangle)]
pub extern "C" fn next_in_check() -> u32 {
    STATE.with(|state| {
        let mut check = state.check.borrow_mut();
        let Some(under_way) = check.as_mut() else {
            return NO_TASK;
        };
        with(|event_loop, driver| event_loop.next_in_check(driver, under_way)).unwrap_or(NO_TASK)
    })
}

/// See [`EventLoop::end_check`].
#[unsafe(no_mangle)]
pub extern "C" fn end_check() {
    if let Some(check) = STATE.with(|state| state.check.take()) {
        with(|event_loop, driver| event_loop.end_check(driver, check));
    }
}

/// See [`EventLoop::timer`].
#[unsafe(no_mangle)]
pub extern "C" fn timer() {
    with(EventLoop::timer);
}

/// Posts a task that is queued when `delay` milliseconds have passed, and that has a bound in
/// milliseconds, or none if `max_wait` is NaN, as `undefined` is here. Returns whether a checkpoint
/// has to be scheduled.
#[unsafe(no_mangle)]
pub extern "C" fn post_on_terms(task: u32, word: u32, delay: f64, max_wait: f64) -> u32 {
    let Entry::Post(task, destination) = Entry::from_words(task, word) else {
        return refuse("the word is not the destination of a task".into());
    };
    number(with(|event_loop, driver| {
        let post = Post {
            deadline: (delay > 0.0).then(|| driver.now().saturating_add(nanoseconds(delay))),
            max_wait: (!max_wait.is_nan()).then(|| nanoseconds(max_wait)),
        };
        event_loop.post(driver, task, destination, post)
    }))
}

/// Moves a queue. Returns whether a checkpoint has to be scheduled.
#[unsafe(no_mangle)]
pub extern "C" fn set_queue_priority(queue: u32, rank: u32) -> u32 {
    let Some(priority) = EffectivePriority::from_rank(rank) else {
        return refuse(format!("{rank} is not a rank: ranks are 0 to 6"));
    };
    number(with(|event_loop, driver| {
        event_loop.set_priority(driver, queue, priority)
    }))
}

/// See `FairQueues::set_weight`.
#[unsafe(no_mangle)]
pub extern "C" fn set_key_weight(key: u32, weight: f64) -> u32 {
    if with(|event_loop, driver| event_loop.flows_mut(driver).set_weight(key, weight)) {
        return 0;
    }
    refuse(format!("{key} cannot be the number of a key"))
}

/// See `FairQueues::open_part`; `whole` is the number of the key plus 1, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn open_part(part: u32, whole: u32) -> u32 {
    let whole = whole.checked_sub(1);
    if with(|event_loop, driver| event_loop.flows_mut(driver).open_part(part, whole)) {
        return 0;
    }
    refuse(format!("{part} cannot be the number of a key"))
}

/// See `FairQueues::join_part`; `other` is the number of the key plus 1, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn join_part(part: u32, other: u32) {
    let other = other.checked_sub(1);
    with(|event_loop, driver| event_loop.flows_mut(driver).join_part(part, other));
}

/// See `FairQueues::hold`.
#[unsafe(no_mangle)]
pub extern "C" fn wait_outside(flow: u32, waits: bool) -> u32 {
    if with(|event_loop, driver| event_loop.flows_mut(driver).wait_outside(flow, waits)) {
        return 0;
    }
    refuse(format!("flow {flow} is not open"))
}

/// See [`EventLoop::charge_outside`]; `flow` is the number of the flow plus 1, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn charge_outside(flow: u32, rank: u32, time: f64) {
    if let Some(priority) = EffectivePriority::from_rank(rank) {
        with(|event_loop, driver| {
            let flow = flow.checked_sub(1);
            event_loop.charge_outside(driver, flow, priority, time as u64);
        });
    }
}

/// See [`EventLoop::ask`]. Returns the length of the list.
#[unsafe(no_mangle)]
pub extern "C" fn ask(question: u32, about: u32) -> usize {
    let numbers = with(|event_loop, driver| event_loop.ask(driver, question, about));
    let length = numbers.len();
    STATE.with(|state| state.list.replace(numbers));
    length
}

/// Sets the time slice in milliseconds.
#[unsafe(no_mangle)]
pub extern "C" fn set_time_slice(milliseconds: f64) {
    let slice = nanoseconds(milliseconds);
    with(|event_loop, driver| event_loop.set_time_slice(driver, slice));
}

/// Lets no work below user-blocking start for so many milliseconds, unless it is overdue.
#[unsafe(no_mangle)]
pub extern "C" fn pause_for(milliseconds: f64) {
    let time = nanoseconds(milliseconds);
    with(|event_loop, driver| event_loop.pause_for(driver, time));
}

/// Sets the milliseconds after which queued work is overdue; with infinity, never.
#[unsafe(no_mangle)]
pub extern "C" fn set_max_wait(user_visible: f64, background: f64) {
    let bound = |milliseconds: f64| milliseconds.is_finite().then(|| nanoseconds(milliseconds));
    let max_wait = MaxWait {
        user_visible: bound(user_visible),
        background: bound(background),
    };
    with(|event_loop, driver| event_loop.set_max_wait(driver, max_wait));
}
