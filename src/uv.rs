//! The libuv handles of one environment, and questions about its loop.
//!
//! `Uv` has a prepare, a check, an idle and a timer handle on the host's loop, and calls [`Hooks`]
//! when they fire. A turn of the loop runs the phases pending, idle, prepare, poll, check, closing
//! and timers; due timers also run once before the first turn. All facts about libuv here were
//! tried with Node 20, 22, 24 and 26 (libuv 1.46 to 1.52).
//!
//! The `SAFETY:` comments below rest on three facts:
//! - *Thread*: `Uv` is neither `Send` nor `Sync` and is created on the thread of the loop, so libuv
//!   is called on that thread only.
//! - *Life*: only the close callback of the last handle frees the block with the handles, and `Uv`
//!   forgets the block as soon as closing begins.
//! - *Loop*: the host keeps its loop until the environment's cleanup hooks are done, and one of
//!   these closes the handles.
//!
//! One loop of the process can share its idle time with all threads, until its handles are closed.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::{self, NonNull};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use libuv_sys2 as sys;
use napi::Env;

use uv_scheduler_core::host::{Host, NANOSECONDS_PER_MILLISECOND};

use crate::host::{Backend, Functions};

/// Calls a function of libuv with the loop, or with handles that are not closed.
macro_rules! call_uv {
    ($functions:expr, $name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: Thread, Life, Loop. A handle that is being made is new and never moves.
        unsafe { ($functions.$name)($($argument),*) }
    };
}

/// The longest timer in milliseconds. For later deadlines the timer is set again when it fires.
const LONGEST_TIMER: u64 = i32::MAX as u64;

/// The loop that shares its idle time.
static SHARED: Mutex<Option<SharedLoop>> = Mutex::new(None);

struct SharedLoop {
    loop_: NonNull<sys::uv_loop_t>,
    idle_time: unsafe extern "C" fn(*mut sys::uv_loop_t) -> u64,
}

// SAFETY: other threads only pass the address to `idle_time`, which libuv lets any thread call.
unsafe impl Send for SharedLoop {}

/// The nanoseconds for which the loop that shares them has waited for events, if there is one.
pub fn shared_idle_time() -> Option<u64> {
    let shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `close` takes the loop away under this lock before the loop ends.
    let idle_time = |each: &SharedLoop| unsafe { (each.idle_time)(each.loop_.as_ptr()) };
    shared.as_ref().map(idle_time)
}

/// The functions that the handles call when they fire.
pub trait Hooks {
    /// The loop is about to poll for I/O.
    fn on_prepare(&self);
    /// The loop has polled for I/O.
    fn on_check(&self);
    /// The deadline that [`Uv::set_timer`] was given has passed, or nearly.
    fn on_timer(&self);
}

/// The handles, in one block whose address never changes. The `data` of each handle points to it.
struct Block {
    prepare: sys::uv_prepare_t,
    check: sys::uv_check_t,
    idle: sys::uv_idle_t,
    timer: sys::uv_timer_t,
    hooks: Rc<dyn Hooks>,
    /// The number of handles that are not closed yet.
    open: u32,
    /// Called when the last handle is closed.
    on_closed: Option<Box<dyn FnOnce()>>,
}

impl Block {
    /// The four handles of a block, as pointers to libuv's base type.
    fn all(block: *mut Self) -> [*mut sys::uv_handle_t; 4] {
        // SAFETY: Life; this only takes an address.
        let prepare = unsafe { &raw mut (*block).prepare };
        // SAFETY: as above.
        let check = unsafe { &raw mut (*block).check };
        // SAFETY: as above.
        let idle = unsafe { &raw mut (*block).idle };
        // SAFETY: as above.
        let timer = unsafe { &raw mut (*block).timer };
        [prepare.cast(), check.cast(), idle.cast(), timer.cast()]
    }
}

/// The handles of one environment. [`close`](Self::close) closes them; dropping does not.
pub struct Uv {
    functions: Functions,
    loop_: NonNull<sys::uv_loop_t>,
    backend: Backend,
    /// Null before `start` and after `close`.
    handles: Cell<*mut Block>,
    /// The time that was read last.
    last_read: Cell<u64>,
}

impl Uv {
    /// Looks up the host's libuv functions and the loop of the environment. The error is the reason
    /// why the addon cannot run in this host.
    pub fn open(env: &Env) -> Result<Self, String> {
        let loop_ = env.get_uv_event_loop().ok().and_then(NonNull::new);
        let loop_ = loop_
            .ok_or("it has no libuv loop")?
            .cast::<sys::uv_loop_t>();
        let functions = Functions::load()?;
        // SAFETY: Thread, Loop: an environment is used on the thread of its loop.
        let backend = unsafe { Backend::of(&functions, loop_.as_ptr()) };
        let backend = backend.ok_or("its loop has no backend that can be asked for I/O")?;
        Ok(Self {
            functions,
            loop_,
            backend,
            handles: Cell::new(ptr::null_mut()),
            last_read: Cell::new(0),
        })
    }

    /// Creates the handles, all of them unreferenced. None is active.
    pub fn start(&self, hooks: Rc<dyn Hooks>) {
        let functions = self.functions;
        let block = Box::into_raw(Box::new(Block {
            // SAFETY: a libuv handle is plain data, and its init ignores the contents.
            prepare: unsafe { std::mem::zeroed() },
            // SAFETY: as above.
            check: unsafe { std::mem::zeroed() },
            // SAFETY: as above.
            idle: unsafe { std::mem::zeroed() },
            // SAFETY: as above.
            timer: unsafe { std::mem::zeroed() },
            hooks,
            open: 4,
            on_closed: None,
        }));
        let [prepare, check, idle, timer] = Block::all(block);
        let loop_ = self.loop_.as_ptr();
        // In libuv neither these four calls nor starting a handle with a callback can fail.
        call_uv!(functions, uv_prepare_init(loop_, prepare.cast()));
        call_uv!(functions, uv_check_init(loop_, check.cast()));
        call_uv!(functions, uv_idle_init(loop_, idle.cast()));
        call_uv!(functions, uv_timer_init(loop_, timer.cast()));
        for handle in [prepare, check, idle, timer] {
            // SAFETY: Life; libuv leaves `data` to its users.
            unsafe { (*handle).data = block.cast() };
            call_uv!(functions, uv_unref(handle));
        }
        self.handles.set(block);
    }

    /// Starts or stops the prepare and the check handle.
    pub fn set_running(&self, is_running: bool) {
        let Some([prepare, check, ..]) = self.handles() else {
            return;
        };
        let functions = self.functions;
        if is_running {
            // libuv runs check handles newest first, so this one runs before Node's, whose callback
            // runs the immediates.
            call_uv!(
                functions,
                uv_prepare_start(prepare.cast(), Some(on_prepare))
            );
            call_uv!(functions, uv_check_start(check.cast(), Some(on_check)));
        } else {
            call_uv!(functions, uv_prepare_stop(prepare.cast()));
            call_uv!(functions, uv_check_stop(check.cast()));
        }
    }

    /// The handles. `None` before `start` and after `close`.
    fn handles(&self) -> Option<[*mut sys::uv_handle_t; 4]> {
        let block = self.handles.get();
        (!block.is_null()).then(|| Block::all(block))
    }

    /// Refs or unrefs the prepare handle, which while referenced keeps the process alive.
    pub fn set_referenced(&self, referenced: bool) {
        let Some([prepare, ..]) = self.handles() else {
            return;
        };
        let function = if referenced {
            self.functions.uv_ref
        } else {
            self.functions.uv_unref
        };
        // SAFETY: Thread, Life.
        unsafe { function(prepare) };
    }

    /// Keeps poll phases from blocking, by an active idle handle, or lets them block again. In the
    /// prepare hook that is early enough for the poll phase that follows. `uv_backend_timeout()`
    /// cannot be asked instead: after watchers were added, the function returns 0 although the poll
    /// phase blocks.
    pub fn set_awake(&self, awake: bool) {
        let Some([_, _, idle, _]) = self.handles() else {
            return;
        };
        if awake {
            call_uv!(self.functions, uv_idle_start(idle.cast(), Some(on_idle)));
        } else {
            call_uv!(self.functions, uv_idle_stop(idle.cast()));
        }
    }

    /// Calls [`Hooks::on_timer`] when `deadline` has passed, or never. Replaces the timer set
    /// before. The call can be early, as the loop counts from its own time, which may be old.
    pub fn set_timer(&self, deadline: Option<u64>) {
        let Some([_, _, _, timer]) = self.handles() else {
            return;
        };
        let Some(deadline) = deadline else {
            call_uv!(self.functions, uv_timer_stop(timer.cast()));
            return;
        };
        let wait = deadline
            .saturating_sub(self.now())
            .div_ceil(NANOSECONDS_PER_MILLISECOND)
            .clamp(1, LONGEST_TIMER);
        call_uv!(
            self.functions,
            uv_timer_start(timer.cast(), Some(on_timer), wait, 0)
        );
    }

    /// Nanoseconds until something other than I/O is runnable: 0 if something is runnable now,
    /// `None` if no timer is set. Counts our own timer, but no tasks.
    pub fn time_to_next(&self) -> Option<u64> {
        let now = self.now();
        let timeout = u64::try_from(self.timeout()).ok()?;
        if timeout == 0 {
            return Some(0);
        }
        let due = self
            .loop_time()
            .saturating_add(timeout)
            .saturating_mul(NANOSECONDS_PER_MILLISECOND);
        Some(due.saturating_sub(now))
    }

    /// How long libuv would block, in milliseconds, at the time that was read last. 0 if a timer is
    /// due, an immediate waits, a handle is closing or a callback is pending, provided that some
    /// referenced handle is active. Unreferenced immediates do not count. An idle handle of another
    /// addon that is always active reads as 0 for ever.
    ///
    /// The loop's time is updated only if it is older than the current millisecond, as the update
    /// reads the clock, which takes 20 ns.
    fn timeout(&self) -> c_int {
        if self.loop_time() < self.last_read.get() / NANOSECONDS_PER_MILLISECOND {
            call_uv!(self.functions, uv_update_time(self.loop_.as_ptr()));
        }
        call_uv!(self.functions, uv_backend_timeout(self.loop_.as_ptr()))
    }

    /// The loop's own time in whole milliseconds, by the same clock as `now`.
    fn loop_time(&self) -> u64 {
        call_uv!(self.functions, uv_now(self.loop_.as_ptr()))
    }

    /// Puts the check handles of others back on the loop's list, and ours in front of them.
    ///
    /// While libuv calls check handles, those not called yet are only on a list of the running
    /// call. A nested run of the loop inside our callback would never call them, Node's immediates
    /// among them.
    pub fn restore_checks(&self) {
        let Some([_, check, ..]) = self.handles() else {
            return;
        };
        // SAFETY: Thread, Loop; the handle is ours.
        unsafe { self.functions.restart_checks(self.loop_.as_ptr(), check) };
        call_uv!(self.functions, uv_check_stop(check.cast()));
        call_uv!(self.functions, uv_check_start(check.cast(), Some(on_check)));
    }

    /// Shares the idle time of the loop in place of any other one.
    pub fn share_idle_time(&self) {
        if !self.handles.get().is_null() {
            *SHARED.lock().unwrap_or_else(PoisonError::into_inner) = Some(SharedLoop {
                loop_: self.loop_,
                idle_time: self.functions.uv_metrics_idle_time,
            });
        }
    }

    /// Closes the handles. All other functions do nothing from then on. Calls `on_closed` when all
    /// handles are closed, at once if they were never started.
    pub fn close(&self, on_closed: Box<dyn FnOnce()>) {
        let block = self.handles.replace(ptr::null_mut());
        if block.is_null() {
            return on_closed();
        }
        SHARED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take_if(|shared| shared.loop_ == self.loop_);
        // SAFETY: Life; there is no other reference to the field, which only close callbacks read.
        unsafe { (*block).on_closed = Some(on_closed) };
        for handle in Block::all(block) {
            // Once, as `self.handles` is null by now.
            call_uv!(self.functions, uv_close(handle, Some(on_close)));
        }
    }
}

impl Host for Uv {
    fn now(&self) -> u64 {
        let now = call_uv!(self.functions, uv_hrtime());
        self.last_read.set(now);
        now
    }

    fn is_io_ready(&self) -> bool {
        self.backend.is_ready()
    }

    fn is_busy(&self) -> bool {
        self.timeout() == 0
    }
}

/// Calls a hook of a handle, whose owner stays alive during the call.
///
/// # Safety
///
/// The handle is one of ours and is not closed.
unsafe fn call<T>(handle: *mut T, hook: fn(&dyn Hooks)) {
    // SAFETY: the caller; every type of handle begins with the members of the base type.
    let block = unsafe { (*handle.cast::<sys::uv_handle_t>()).data }.cast::<Block>();
    // SAFETY: Life.
    let hooks = Rc::clone(unsafe { &(*block).hooks });
    hook(&*hooks);
}

unsafe extern "C" fn on_prepare(handle: *mut sys::uv_prepare_t) {
    // SAFETY: libuv calls back with our handle, which is not closed.
    unsafe { call(handle, |hooks| hooks.on_prepare()) };
}

unsafe extern "C" fn on_check(handle: *mut sys::uv_check_t) {
    // SAFETY: as above.
    unsafe { call(handle, |hooks| hooks.on_check()) };
}

/// Does nothing: an idle handle only has to be active.
unsafe extern "C" fn on_idle(_: *mut sys::uv_idle_t) {}

unsafe extern "C" fn on_timer(handle: *mut sys::uv_timer_t) {
    // SAFETY: as above.
    unsafe { call(handle, |hooks| hooks.on_timer()) };
}

unsafe extern "C" fn on_close(handle: *mut sys::uv_handle_t) {
    // SAFETY: libuv calls back with our handle, and its `data` is still set.
    let block = unsafe { (*handle).data }.cast::<Block>();
    // SAFETY: Life; the block is freed below, in the last close callback.
    let open = unsafe { &mut (*block).open };
    *open -= 1;
    if *open > 0 {
        return;
    }
    // SAFETY: created by `Box::into_raw` in `start`; libuv makes no callback after this one.
    let handles = unsafe { Box::from_raw(block) };
    let Block {
        hooks, on_closed, ..
    } = *handles;
    drop(hooks);
    // Last, as the environment may end from here on.
    if let Some(on_closed) = on_closed {
        on_closed();
    }
}
