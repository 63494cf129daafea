//! The host: its libuv functions, looked up by name in the running process; the backend that a loop
//! polls; the instance data and the end of an environment.
//!
//! The crate `libuv-sys2` links a libuv of its own as soon as one of its functions is called, and
//! using that copy on the host's loop is undefined. So only its types are used, and the size of
//! each handle is compared with the host's.
#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};

#[cfg(unix)]
use libloading::os::unix as platform;
#[cfg(windows)]
use libloading::os::windows as platform;
use libuv_sys2 as sys;
use napi::{Env, Result};
use napi_sys as node;

use uv_scheduler_idle::system::Calls;

use crate::callback::{give, take};

macro_rules! host_functions {
    ($($(#[$on:meta])* $name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The host's libuv functions.
        #[derive(Clone, Copy)]
        pub struct Functions {
            $($(#[$on])* pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks up every function and compares the sizes of the handles. The error is the
            /// reason why the addon cannot run in this host.
            pub fn load() -> std::result::Result<Self, String> {
                let functions = Self {
                    $($(#[$on])* $name: {
                        let name = stringify!($name);
                        let found = find_in_process(name)
                            .ok_or_else(|| format!("it has no libuv function {name}()"))?;
                        // SAFETY: libuv's ABI fixes the signature of the function with this
                        // name, and the type above is that signature.
                        unsafe {
                            std::mem::transmute::<
                                NonNull<c_void>,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(found)
                        }
                    },)*
                };
                check_sizes(&functions)?;
                Ok(functions)
            }
        }
    };
}

type Callback<T> = Option<unsafe extern "C" fn(*mut T)>;
type WalkCallback = Option<unsafe extern "C" fn(*mut sys::uv_handle_t, *mut c_void)>;

host_functions! {
    uv_handle_size: fn(sys::uv_handle_type) -> usize;
    uv_handle_get_type: fn(*const sys::uv_handle_t) -> sys::uv_handle_type;
    uv_is_active: fn(*const sys::uv_handle_t) -> c_int;
    uv_ref: fn(*mut sys::uv_handle_t);
    uv_unref: fn(*mut sys::uv_handle_t);
    uv_close: fn(*mut sys::uv_handle_t, Callback<sys::uv_handle_t>);
    uv_walk: fn(*mut sys::uv_loop_t, WalkCallback, *mut c_void);
    uv_prepare_init: fn(*mut sys::uv_loop_t, *mut sys::uv_prepare_t) -> c_int;
    uv_prepare_start: fn(*mut sys::uv_prepare_t, Callback<sys::uv_prepare_t>) -> c_int;
    uv_prepare_stop: fn(*mut sys::uv_prepare_t) -> c_int;
    uv_check_init: fn(*mut sys::uv_loop_t, *mut sys::uv_check_t) -> c_int;
    uv_check_start: fn(*mut sys::uv_check_t, Callback<sys::uv_check_t>) -> c_int;
    uv_check_stop: fn(*mut sys::uv_check_t) -> c_int;
    uv_idle_init: fn(*mut sys::uv_loop_t, *mut sys::uv_idle_t) -> c_int;
    uv_idle_start: fn(*mut sys::uv_idle_t, Callback<sys::uv_idle_t>) -> c_int;
    uv_idle_stop: fn(*mut sys::uv_idle_t) -> c_int;
    uv_timer_init: fn(*mut sys::uv_loop_t, *mut sys::uv_timer_t) -> c_int;
    uv_timer_start: fn(*mut sys::uv_timer_t, Callback<sys::uv_timer_t>, u64, u64) -> c_int;
    uv_timer_stop: fn(*mut sys::uv_timer_t) -> c_int;
    uv_hrtime: fn() -> u64;
    uv_now: fn(*const sys::uv_loop_t) -> u64;
    uv_update_time: fn(*mut sys::uv_loop_t);
    uv_backend_timeout: fn(*const sys::uv_loop_t) -> c_int;
    #[cfg(unix)]
    uv_backend_fd: fn(*const sys::uv_loop_t) -> c_int;
    #[cfg(windows)]
    uv_loop_size: fn() -> usize;
    // libuv lets any thread call this one.
    uv_metrics_idle_time: fn(*mut sys::uv_loop_t) -> u64;
}

/// Looks up a symbol of the running process.
fn find_in_process(name: &str) -> Option<NonNull<c_void>> {
    #[cfg(unix)]
    let process = platform::Library::this();
    #[cfg(windows)]
    let process = platform::Library::this().ok()?;
    find_in(&process, name)
}

fn find_in(library: &platform::Library, name: &str) -> Option<NonNull<c_void>> {
    // SAFETY: the symbol is only turned into an address; the code that uses the address gives it
    // its type.
    let symbol = unsafe { library.get::<unsafe extern "C" fn()>(name) }.ok()?;
    NonNull::new(symbol.as_raw_ptr())
}

fn check_sizes(functions: &Functions) -> std::result::Result<(), String> {
    macro_rules! size {
        ($handle:ident) => {
            (stringify!($handle), size_of::<sys::$handle>())
        };
    }
    let expected = [
        (sys::uv_handle_type_UV_PREPARE, size!(uv_prepare_t)),
        (sys::uv_handle_type_UV_CHECK, size!(uv_check_t)),
        (sys::uv_handle_type_UV_IDLE, size!(uv_idle_t)),
        (sys::uv_handle_type_UV_TIMER, size!(uv_timer_t)),
    ];
    for (kind, (handle, expected)) in expected {
        // SAFETY: the function accepts any number.
        let host = unsafe { (functions.uv_handle_size)(kind) };
        if host != expected {
            return Err(format!(
                "{handle} has {host} bytes in its libuv, {expected} were expected"
            ));
        }
    }
    Ok(())
}

impl Functions {
    /// Stops and starts every active check handle of a loop but `ours`.
    ///
    /// # Safety
    ///
    /// The loop is alive and belongs to this thread.
    pub unsafe fn restart_checks(&self, loop_: *mut sys::uv_loop_t, ours: *mut sys::uv_handle_t) {
        let mut walk = CheckWalk {
            functions: self,
            ours,
        };
        // SAFETY: the caller; the callback is called only during this call, which `walk` outlives.
        unsafe { (self.uv_walk)(loop_, Some(restart_check), (&raw mut walk).cast()) };
    }
}

/// The argument of [`restart_check`].
struct CheckWalk<'a> {
    functions: &'a Functions,
    ours: *mut sys::uv_handle_t,
}

unsafe extern "C" fn restart_check(handle: *mut sys::uv_handle_t, walk: *mut c_void) {
    // SAFETY: `restart_checks` passes a `CheckWalk` that outlives the walk.
    let walk = unsafe { &*walk.cast::<CheckWalk>() };
    let functions = walk.functions;
    // SAFETY: on the loop's thread; libuv walks over live handles.
    let kind = unsafe { (functions.uv_handle_get_type)(handle) };
    // SAFETY: as above.
    let active = unsafe { (functions.uv_is_active)(handle) } != 0;
    if kind != sys::uv_handle_type_UV_CHECK || !active || handle == walk.ours {
        return;
    }
    let check = handle.cast::<sys::uv_check_t>();
    // SAFETY: the type was just checked, and the host's type has the same size.
    let callback = unsafe { (*check).check_cb };
    // SAFETY: on the loop's thread; a live check handle.
    unsafe { (functions.uv_check_stop)(check) };
    // SAFETY: as above; the callback is the one that the handle had.
    unsafe { (functions.uv_check_start)(check, callback) };
}

/// The file descriptor of epoll or kqueue that a loop polls.
///
/// I/O that was started since the loop last polled is not in its set yet. Of the thread pool's
/// completed work only the wake-up of the loop is seen: libuv takes all results at one wake-up and
/// then calls back one after the other. Results of V8's background compiler also wake the loop, and
/// read as ready I/O for one turn.
#[cfg(unix)]
pub struct Backend {
    fd: c_int,
}

#[cfg(unix)]
impl Backend {
    /// The backend of a loop. `None` if the loop has no descriptor.
    ///
    /// # Safety
    ///
    /// The loop is alive, and belongs to this thread as long as the result is used.
    pub unsafe fn of(functions: &Functions, loop_: *const sys::uv_loop_t) -> Option<Self> {
        // SAFETY: the caller.
        let fd = unsafe { (functions.uv_backend_fd)(loop_) };
        (fd >= 0).then_some(Self { fd })
    }

    /// Whether a poll phase would find I/O now. The call takes about 400 ns.
    pub fn is_ready(&self) -> bool {
        let mut poll = libc::pollfd {
            fd: self.fd,
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: one valid pollfd; a timeout of 0 never blocks.
        unsafe { libc::poll(&raw mut poll, 1, 0) > 0 }
    }
}

/// The I/O completion port that a loop polls, and the function of `ntdll.dll` that counts the
/// packets queued there. Windows documents no function that counts packets without taking one.
#[cfg(windows)]
pub struct Backend {
    port: *mut c_void,
    query: QueryIoCompletion,
}

/// `NtQueryIoCompletion`: port, class of information, result, its length, length written.
#[cfg(windows)]
type QueryIoCompletion =
    unsafe extern "system" fn(*mut c_void, c_int, *mut c_void, u32, *mut u32) -> c_int;

#[cfg(windows)]
impl Backend {
    /// The backend of a loop. `None` if the function is missing, or if the loop has another size
    /// than our type, so that its port may be in another place.
    ///
    /// # Safety
    ///
    /// The loop is alive, and belongs to this thread as long as the result is used.
    pub unsafe fn of(functions: &Functions, loop_: *const sys::uv_loop_t) -> Option<Self> {
        // SAFETY: the function has no condition.
        if unsafe { (functions.uv_loop_size)() } != size_of::<sys::uv_loop_t>() {
            return None;
        }
        let ntdll = platform::Library::open_already_loaded("ntdll.dll").ok()?;
        let query = find_in(&ntdll, "NtQueryIoCompletion")?;
        // SAFETY: the signature of this function is that of all Windows versions, which load
        // ntdll.dll into every process for good.
        let query = unsafe { std::mem::transmute::<NonNull<c_void>, QueryIoCompletion>(query) };
        // SAFETY: the caller; the host's type has the same size.
        let port = unsafe { (*loop_).iocp };
        Self::ask(query, port).map(|_| Self { port, query })
    }

    /// Whether a poll phase would find I/O now.
    pub fn is_ready(&self) -> bool {
        Self::ask(self.query, self.port).is_some_and(|queued| queued > 0)
    }

    /// The number of packets at a port. `None` if the handle is not a port.
    fn ask(query: QueryIoCompletion, port: *mut c_void) -> Option<c_int> {
        const BASIC_INFORMATION: c_int = 0;
        let mut depth: c_int = 0;
        // SAFETY: an invalid handle is an error; `depth` is the structure of this class, a single
        // number of this length.
        let status = unsafe {
            query(
                port,
                BASIC_INFORMATION,
                (&raw mut depth).cast(),
                size_of::<c_int>() as u32,
                ptr::null_mut(),
            )
        };
        (status == 0).then_some(depth)
    }
}

/// The calls by which the controllers of background work observe and change this thread.
#[cfg(target_os = "linux")]
pub const THREAD_CALLS: Calls = Calls {
    now,
    thread_time: || thread_time().unwrap_or(0),
    set_batch,
};

/// No calls: on this platform no controller knows whether other threads need the processor.
#[cfg(not(target_os = "linux"))]
pub const THREAD_CALLS: Calls = Calls::NONE;

/// The time of the monotonic clock in nanoseconds, the same clock as that of `uv_hrtime()`.
#[cfg(target_os = "linux")]
fn now() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// The processor time of this thread, in nanoseconds. On Linux, reading it brings the kernel's
/// account of its control group up to date.
#[cfg(unix)]
pub fn thread_time() -> Option<u64> {
    Some(read_clock(libc::CLOCK_THREAD_CPUTIME_ID))
}

/// This platform has no such clock in the libraries at hand.
#[cfg(not(unix))]
pub fn thread_time() -> Option<u64> {
    None
}

#[cfg(unix)]
fn read_clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the function only writes to `time`.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds * 1_000_000_000 + nanoseconds
}

/// Gives this thread the batch policy, with which it never preempts others when it wakes up, or the
/// normal policy again. Returns whether the thread has the batch policy now. A thread that has
/// another policy keeps that one.
#[cfg(target_os = "linux")]
fn set_batch(is_batch: bool) -> bool {
    let (from, to) = if is_batch {
        (libc::SCHED_OTHER, libc::SCHED_BATCH)
    } else {
        (libc::SCHED_BATCH, libc::SCHED_OTHER)
    };
    // System calls by number, as musl's functions of these names always fail.
    // SAFETY: 0 is the calling thread; the call only reads.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    if policy != libc::c_long::from(from) {
        return false;
    }
    // The kernel's `struct sched_param`: the priority, 0 with both policies.
    let priority: c_int = 0;
    // SAFETY: as above; the kernel reads one `int`, which outlives the call.
    let result = unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, to, &raw const priority) };
    is_batch && result == 0
}

/// Stores a value in the environment, for [`instance`]. It is dropped when the environment ends.
pub fn set_instance(env: &Env, value: Box<dyn Any>) -> Result<()> {
    unsafe extern "C" fn finalize(_: node::napi_env, data: *mut c_void, _: *mut c_void) {
        // SAFETY: given below; Node calls this once.
        drop(unsafe { take::<Box<dyn Any>>(data) });
    }
    give(value, "napi_set_instance_data", |data| {
        let hint = ptr::null_mut();
        // SAFETY: called from a `#[napi]` function with its own environment.
        unsafe { node::napi_set_instance_data(env.raw(), data, Some(finalize), hint) }
    })
}

/// The value that [`set_instance`] stored in the environment.
#[must_use]
pub fn instance(env: &Env) -> Option<&dyn Any> {
    let mut data = ptr::null_mut();
    // SAFETY: called from a `#[napi]` function with its own environment.
    unsafe { node::napi_get_instance_data(env.raw(), &raw mut data) };
    // SAFETY: only `set_instance` of this crate sets the instance data. It lives until the
    // environment ends, and no function of the addon is called after that.
    unsafe { data.cast::<Box<dyn Any>>().as_ref() }.map(|value| &**value)
}

/// Lets the environment end.
pub type Done = Box<dyn FnOnce()>;

/// Calls `cleanup` when the environment ends. The environment waits until `cleanup` has called its
/// [`Done`]. If the process exits before the environment ends, `cleanup` is not called.
///
/// This is the raw asynchronous hook. The memory of handles must stay until their close callbacks
/// have run, and after a synchronous hook the library can be unmapped before that. The hook is
/// removed in the last close callback, which the wrapper of `napi` does not support.
pub fn on_environment_end(env: &Env, cleanup: Box<dyn FnOnce(Done)>) -> Result<()> {
    unsafe extern "C" fn hook(handle: node::napi_async_cleanup_hook_handle, data: *mut c_void) {
        // SAFETY: given below; Node calls a cleanup hook once.
        let cleanup = unsafe { take::<Box<dyn FnOnce(Done)>>(data) };
        cleanup(Box::new(move || {
            // SAFETY: the handle is Node's for this hook and is removed once.
            unsafe { node::napi_remove_async_cleanup_hook(handle) };
        }));
    }
    give(cleanup, "napi_add_async_cleanup_hook", |data| {
        let removal = ptr::null_mut();
        // SAFETY: called from a `#[napi]` function with its own environment; `data` lives until the
        // hook takes it.
        unsafe { node::napi_add_async_cleanup_hook(env.raw(), Some(hook), data, removal) }
    })
}
