//! The libuv functions of the running process, looked up by name.
//!
//! Using a second copy of libuv on the host's loop is undefined, so the functions are the host's
//! own. The types are those of `libuv-sys2`; the size of each handle is compared with the host's.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr::NonNull;

use libuv_sys2 as sys;

/// Why the addon cannot run in this host.
#[derive(Debug)]
pub enum OpenError {
    /// The environment has no libuv loop.
    NoLoop,
    /// The process has no function of this name.
    MissingSymbol(&'static str),
    /// A handle type of the host has another size than ours.
    SizeMismatch {
        handle: &'static str,
        host: usize,
        expected: usize,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLoop => write!(f, "it has no libuv loop"),
            Self::MissingSymbol(name) => write!(f, "it has no libuv function {name}()"),
            Self::SizeMismatch {
                handle,
                host,
                expected,
            } => write!(
                f,
                "{handle} has {host} bytes in its libuv, {expected} were expected"
            ),
        }
    }
}

macro_rules! host_functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The host's libuv functions.
        #[derive(Clone, Copy)]
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            /// Looks up every function and compares the sizes of the handles.
            pub fn load() -> Result<Self, OpenError> {
                let functions = Self {
                    $($name: {
                        let name = stringify!($name);
                        let found = find_in_process(name).ok_or(OpenError::MissingSymbol(name))?;
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
    uv_backend_fd: fn(*const sys::uv_loop_t) -> c_int;
    uv_metrics_info: fn(*mut sys::uv_loop_t, *mut sys::uv_metrics_t) -> c_int;
}

/// Looks up a symbol of the running process.
fn find_in_process(name: &'static str) -> Option<NonNull<c_void>> {
    #[cfg(unix)]
    let process = libloading::os::unix::Library::this();
    #[cfg(windows)]
    let process = libloading::os::windows::Library::this().ok()?;
    // SAFETY: the symbol is only turned into an address; the code that uses the address gives it
    // its type.
    let symbol = unsafe { process.get::<unsafe extern "C" fn()>(name) }.ok()?;
    NonNull::new(symbol.as_raw_ptr())
}

fn check_sizes(functions: &Functions) -> Result<(), OpenError> {
    let expected = [
        (
            "uv_prepare_t",
            sys::uv_handle_type_UV_PREPARE,
            size_of::<sys::uv_prepare_t>(),
        ),
        (
            "uv_check_t",
            sys::uv_handle_type_UV_CHECK,
            size_of::<sys::uv_check_t>(),
        ),
        (
            "uv_idle_t",
            sys::uv_handle_type_UV_IDLE,
            size_of::<sys::uv_idle_t>(),
        ),
        (
            "uv_timer_t",
            sys::uv_handle_type_UV_TIMER,
            size_of::<sys::uv_timer_t>(),
        ),
    ];
    for (handle, kind, expected) in expected {
        // SAFETY: the function accepts any number.
        let host = unsafe { (functions.uv_handle_size)(kind) };
        if host != expected {
            return Err(OpenError::SizeMismatch {
                handle,
                host,
                expected,
            });
        }
    }
    Ok(())
}
