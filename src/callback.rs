//! Calls into JavaScript, and references to JavaScript values.
//!
//! These are raw Node-API calls, as `napi` wraps none of them in the form needed here. The
//! `SAFETY:` comments below rest on two facts:
//! - *Env*: `Reference` and `SharedWords` are neither `Send` nor `Sync`, and their owner calls
//!   `release` in the environment's cleanup hook. So the environment is alive, and this is its
//!   thread.
//! - *Host*: no exception is pending when the loop hooks and the `#[napi]` functions are called:
//!   libuv calls the hooks, from outside JavaScript or from a native function that runs the loop,
//!   and JavaScript calls the functions. Node-API calls are allowed in all of them.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr;

use napi::bindgen_prelude::{JsValue, Object};
use napi::{Env, Error, Result, Status};
use napi_sys as sys;
use uv_scheduler_core::shared::Words;

/// The number of exceptions of one call and its ticks that are reported before the pass ends.
const EXCEPTIONS_PER_CALL: u32 = 1000;

/// The number of retries of a call that failed without an exception.
const RETRIES: u32 = 3;

/// JavaScript cannot be called now, or ticks keep throwing. Most often the environment is ending.
/// As it may go on, the next pass tries again.
#[derive(Debug)]
pub struct CannotCall;

/// The result of a call.
pub type Called<T> = std::result::Result<T, CannotCall>;

/// A weak reference to a JavaScript object, deleted when dropped.
pub struct Reference {
    env: sys::napi_env,
    /// Null once the reference was deleted.
    raw: Cell<sys::napi_ref>,
}

impl Reference {
    /// Refers to an object or a function.
    pub fn new<'a>(env: &Env, value: &impl JsValue<'a>) -> Result<Self> {
        let (env, value) = (env.raw(), value.value().value);
        let mut raw = ptr::null_mut();
        // SAFETY: called from a `#[napi]` function with its own environment and arguments.
        let status = unsafe { sys::napi_create_reference(env, value, 0, &raw mut raw) };
        checked(status, "napi_create_reference")?;
        let raw = Cell::new(raw);
        Ok(Self { env, raw })
    }

    /// Keeps the object alive, until a call with `false`. Each call has another value than the one
    /// before.
    pub fn keep_alive(&self, is_kept: bool) {
        let change = if is_kept {
            sys::napi_reference_ref
        } else {
            sys::napi_reference_unref
        };
        if !self.raw.get().is_null() {
            // SAFETY: Env; the reference is ours and was not deleted.
            unsafe { change(self.env, self.raw.get(), ptr::null_mut()) };
        }
    }

    /// The object, unless it was collected or the reference deleted. Needs an open handle scope.
    fn value(&self) -> Called<sys::napi_value> {
        if self.raw.get().is_null() {
            return Err(CannotCall);
        }
        let mut value = ptr::null_mut();
        // SAFETY: Env; the reference is ours and was not deleted; a handle scope is open.
        ok(unsafe { sys::napi_get_reference_value(self.env, self.raw.get(), &raw mut value) })?;
        if value.is_null() {
            return Err(CannotCall);
        }
        Ok(value)
    }

    /// Deletes the reference.
    pub fn release(&self) {
        let raw = self.raw.replace(ptr::null_mut());
        if !raw.is_null() {
            // SAFETY: Env; the reference is ours and is deleted once.
            unsafe { sys::napi_delete_reference(self.env, raw) };
        }
    }

    /// Calls the function while `goes_on` returns true, each time in a callback scope of its own:
    /// all ticks and microtasks of a call have run before `goes_on` is called again. Stops early if
    /// the ticks of a call keep throwing, which might never end, and if JavaScript cannot be
    /// called. `has_begun` says whether code of the program has begun to run in the call.
    pub fn call_back_while(&self, mut goes_on: impl FnMut() -> bool, has_begun: impl Fn() -> bool) {
        while goes_on() && self.call(&has_begun).is_ok() {}
    }

    /// Calls the function in a callback scope, and again as long as its ticks throw.
    fn call(&self, has_begun: &impl Fn() -> bool) -> Called<()> {
        let _scope = HandleScope::open(self.env)?;
        let function = self.value()?;
        let receiver = self.empty_object()?;
        let mut failures = 0;
        for _ in 0..EXCEPTIONS_PER_CALL {
            if self.call_once(receiver, function) == sys::Status::napi_ok {
                return Ok(());
            }
            if report_exception(self.env, has_begun())? {
                // The exception has stopped the ticks of the call. Node runs the remaining ones in
                // the next call, and so on until no tick throws.
                continue;
            }
            if failures == RETRIES {
                break;
            }
            failures += 1;
        }
        Err(CannotCall)
    }

    /// `napi_make_callback` is the one documented way to run all ticks and microtasks behind code.
    /// The async context is null: one of `napi_async_init` would have the `AsyncLocalStorage`
    /// stores of the code that loaded the package. The receiver is what `executionAsyncResource()`
    /// returns in code without a resource of its own: an empty object, as in Node's own callbacks.
    fn call_once(&self, receiver: sys::napi_value, function: sys::napi_value) -> sys::napi_status {
        let (context, result) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: Env, Host; the values belong to the open scope; there is no argument.
        unsafe {
            let none = ptr::null();
            sys::napi_make_callback(self.env, context, receiver, function, 0, none, result)
        }
    }

    /// Calls the function with a number, in the callback scope that is open, which has a handle
    /// scope. Reports its exception within that scope: Node then forgets the async ids of a tick
    /// that has thrown, and else would find them at the end of the scope and abort.
    ///
    /// `has_begun` is as in [`Self::call_back_while`].
    pub fn call_within(&self, argument: u32, has_begun: impl Fn() -> bool) -> Called<()> {
        let function = self.value()?;
        let receiver = self.empty_object()?;
        let (mut value, result) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: Env, Host; a handle scope is open.
        ok(unsafe { sys::napi_create_uint32(self.env, argument, &raw mut value) })?;
        // SAFETY: Env, Host; the values belong to the open scope; there is one argument.
        let status = unsafe {
            sys::napi_call_function(self.env, receiver, function, 1, &raw const value, result)
        };
        if status != sys::Status::napi_ok {
            report_exception(self.env, has_begun())?;
        }
        Ok(())
    }

    fn empty_object(&self) -> Called<sys::napi_value> {
        let mut object = ptr::null_mut();
        // SAFETY: Env; a handle scope is open.
        ok(unsafe { sys::napi_create_object(self.env, &raw mut object) })?;
        Ok(object)
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        self.release();
    }
}

/// Reports the pending exception to the process as uncaught. Returns whether there was one. An
/// exception that stayed pending would lose every task after it.
///
/// The end of a script, such as one of `node:vm` by its timeout, looks like an exception
/// `null`. No code that runs before a task has begun throws one.
fn report_exception(env: sys::napi_env, has_begun: bool) -> Called<bool> {
    let Some(exception) = take_exception(env)? else {
        return Ok(false);
    };
    if !has_begun && is_null(env, exception)? {
        return Ok(false);
    }
    // SAFETY: Env, Host; the exception was just returned into the open scope.
    ok(unsafe { sys::napi_fatal_exception(env, exception) })?;
    Ok(true)
}

fn is_null(env: sys::napi_env, value: sys::napi_value) -> Called<bool> {
    let mut kind = sys::ValueType::napi_undefined;
    // SAFETY: Env; the value belongs to the open scope.
    ok(unsafe { sys::napi_typeof(env, value, &raw mut kind) })?;
    Ok(kind == sys::ValueType::napi_null)
}

/// Clears the pending exception, and returns it.
fn take_exception(env: sys::napi_env) -> Called<Option<sys::napi_value>> {
    let mut pending = false;
    // SAFETY: Env; allowed while an exception is pending.
    let status = unsafe { sys::napi_is_exception_pending(env, &raw mut pending) };
    ok(status)?;
    if !pending {
        return Ok(None);
    }
    let mut exception = ptr::null_mut();
    // SAFETY: Env; a handle scope is open.
    let status = unsafe { sys::napi_get_and_clear_last_exception(env, &raw mut exception) };
    ok(status)?;
    Ok(Some(exception))
}

/// The memory of a JavaScript `Uint32Array`, which its owner keeps alive while it is used.
///
/// Both sides write to it, but never at the same time: JavaScript runs only while Rust calls it or
/// after Rust has returned, and every access here is a single read or write.
pub struct SharedWords {
    words: *mut u32,
    /// 0 once the array was released.
    length: Cell<usize>,
}

impl SharedWords {
    /// Shares the memory of `array`, which must be a `Uint32Array` that is never transferred.
    pub fn new(env: &Env, array: &Object) -> Result<Self> {
        let value = array.value().value;
        let (mut kind, mut length, mut words) = (0, 0, ptr::null_mut());
        // SAFETY: called from a `#[napi]` function with its own environment and arguments.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                env.raw(),
                value,
                &raw mut kind,
                &raw mut length,
                &raw mut words,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        checked(status, "napi_get_typedarray_info")?;
        if kind != sys::TypedarrayType::uint32_array {
            return Err(Error::new(Status::InvalidArg, "a Uint32Array is needed"));
        }
        Ok(Self {
            words: words.cast(),
            length: Cell::new(length),
        })
    }

    /// The number of words.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length.get()
    }

    /// Releases the array. All words read as 0 afterwards.
    pub fn release(&self) {
        self.length.set(0);
    }
}

impl Words for SharedWords {
    fn get(&self, index: usize) -> u32 {
        if index >= self.length.get() {
            return 0;
        }
        // SAFETY: inside the array.
        let word = unsafe { self.words.add(index) };
        // SAFETY: the owner keeps the array's memory where it is.
        unsafe { word.read() }
    }

    fn set(&self, index: usize, word: u32) {
        if index < self.length.get() {
            // SAFETY: inside the array.
            let place = unsafe { self.words.add(index) };
            // SAFETY: the owner keeps the array's memory where it is.
            unsafe { place.write(word) };
        }
    }
}

/// A handle scope, closed when dropped.
struct HandleScope {
    env: sys::napi_env,
    scope: sys::napi_handle_scope,
}

impl HandleScope {
    fn open(env: sys::napi_env) -> Called<Self> {
        let mut scope = ptr::null_mut();
        // SAFETY: Env, Host.
        ok(unsafe { sys::napi_open_handle_scope(env, &raw mut scope) })?;
        Ok(Self { env, scope })
    }
}

impl Drop for HandleScope {
    fn drop(&mut self) {
        // SAFETY: Env; opened in `open`, and scopes are dropped in reverse order.
        unsafe { sys::napi_close_handle_scope(self.env, self.scope) };
    }
}

fn ok(status: sys::napi_status) -> Called<()> {
    if status == sys::Status::napi_ok {
        Ok(())
    } else {
        Err(CannotCall)
    }
}

/// An error that names the function, unless the status is ok.
fn checked(status: sys::napi_status, function: &str) -> Result<()> {
    if status == sys::Status::napi_ok {
        return Ok(());
    }
    Err(Error::new(
        Status::from(status),
        format!("{function}() failed"),
    ))
}

/// Gives a value to Node by a call that takes its address. Drops the value if the call fails.
pub fn give<T>(
    value: T,
    function: &str,
    call: impl FnOnce(*mut c_void) -> sys::napi_status,
) -> Result<()> {
    let data = Box::into_raw(Box::new(value));
    let given = checked(call(data.cast()), function);
    if given.is_err() {
        // SAFETY: created above; Node has not taken it.
        drop(unsafe { Box::from_raw(data) });
    }
    given
}

/// Takes a value back that [`give`] has given to Node.
///
/// # Safety
///
/// `data` has that value, and is not used any more.
pub unsafe fn take<T>(data: *mut c_void) -> Box<T> {
    // SAFETY: the caller; `give` has created it with `Box::into_raw`.
    unsafe { Box::from_raw(data.cast::<T>()) }
}

/// Calls `collected` when a JavaScript object was collected, or when the environment has ended.
pub fn on_collected(env: &Env, object: &Object, collected: Box<dyn FnOnce()>) -> Result<()> {
    unsafe extern "C" fn finalize(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
        // SAFETY: given below; Node calls this once.
        let collected = unsafe { take::<Box<dyn FnOnce()>>(data) };
        collected();
    }
    let value = object.value().value;
    give(collected, "napi_add_finalizer", |data| {
        let none: *mut c_void = ptr::null_mut();
        // SAFETY: called from a `#[napi]` function with its own environment and arguments.
        unsafe {
            sys::napi_add_finalizer(env.raw(), value, data, Some(finalize), none, none.cast())
        }
    })
}

/// Defines a method of `target` that takes no arguments and returns the result of `call`. As
/// nothing is converted or looked up, a call costs 10 ns; one that `napi` wraps, with two integers,
/// costs 90.
pub fn define_function(
    env: &Env,
    target: &Object,
    name: &CStr,
    call: Box<dyn Fn() -> u32>,
) -> Result<()> {
    unsafe extern "C" fn trampoline(
        env: sys::napi_env,
        info: sys::napi_callback_info,
    ) -> sys::napi_value {
        let (mut data, mut value) = (ptr::null_mut(), ptr::null_mut());
        let (none, no_count): (*mut sys::napi_value, _) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: Node calls back with its own environment and info; outputs not needed are null.
        unsafe { sys::napi_get_cb_info(env, info, no_count, none, none, &raw mut data) };
        // SAFETY: given below, and taken back with the function.
        let call = unsafe { &*data.cast::<Box<dyn Fn() -> u32>>() };
        // SAFETY: Node opened a handle scope for this call. On failure the value stays null, which
        // JavaScript sees as undefined.
        unsafe { sys::napi_create_uint32(env, call(), &raw mut value) };
        value
    }
    unsafe extern "C" fn finalize(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
        // SAFETY: given below; Node calls this once, when the function goes.
        drop(unsafe { take::<Box<dyn Fn() -> u32>>(data) });
    }
    let (raw, none) = (env.raw(), ptr::null_mut::<c_void>());
    let (text, length) = (name.as_ptr(), name.count_bytes() as isize);
    let (mut function, mut given) = (ptr::null_mut(), ptr::null_mut());
    give(call, "napi_create_function", |data| {
        given = data;
        let function = &raw mut function;
        // SAFETY: called from a `#[napi]` function with its own environment; the length is that of
        // the name.
        unsafe { sys::napi_create_function(raw, text, length, Some(trampoline), data, function) }
    })?;
    // SAFETY: as above; `given` lives until `finalize`.
    let status =
        unsafe { sys::napi_add_finalizer(raw, function, given, Some(finalize), none, none.cast()) };
    checked(status, "napi_add_finalizer")?;
    // SAFETY: as above; both values belong to the scope of the call.
    let status = unsafe { sys::napi_set_named_property(raw, target.value().value, text, function) };
    checked(status, "napi_set_named_property")
}
