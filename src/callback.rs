//! Calls into JavaScript, each in a callback scope of its own, and references to JavaScript values.
//!
//! These are raw Node-API calls, as `napi` wraps none of them in the form needed here. The
//! `SAFETY:` comments below rest on two facts:
//! - *Env*: `JsFunction` and `SharedWords` are neither `Send` nor `Sync`, and their owner calls
//!   `release` in the environment's cleanup hook. So the environment is alive, and this is its
//!   thread.
//! - *Host*: no exception is pending when the loop hooks and the `#[napi]` functions are called:
//!   libuv calls the hooks, from outside JavaScript or from a native function that runs the loop,
//!   and JavaScript calls the functions. Node-API calls are allowed in all of them.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr;

use napi::bindgen_prelude::{Function, JsValue, Object};
use napi::{Env, Error, Result, Status};
use napi_sys as sys;
use uv_scheduler_core::protocol::NO_TASK;
use uv_scheduler_core::shared::Words;

/// The number of calls that share one handle scope. With a scope of its own a call of an empty
/// function costs 167 ns, with a shared one 148. Without any scope, the handles of a long pass
/// would pile up.
const CALLS_PER_SCOPE: u32 = 64;

/// The number of exceptions of one call and its ticks that are reported before the pass ends.
const EXCEPTIONS_PER_CALL: u32 = 1000;

/// The number of retries of a call that failed without an exception.
const RETRIES: u32 = 3;

/// JavaScript cannot be called now. Most often the environment is ending. As it may go on, the next
/// pass tries again.
#[derive(Debug)]
pub struct CannotCall;

type Called<T> = std::result::Result<T, CannotCall>;

/// The outcome of a call.
enum Call {
    /// All ticks and microtasks of the call have run.
    Done,
    /// Ticks are left, and they keep throwing.
    Cut,
}

/// A JavaScript function that takes one number, and the object that it is called on.
pub struct JsFunction {
    env: sys::napi_env,
    function: Cell<sys::napi_ref>,
    receiver: Cell<sys::napi_ref>,
}

impl JsFunction {
    /// Keeps `function` and `receiver` alive.
    ///
    /// The receiver must never have been passed to `napi_async_init`, for the reason given at
    /// [`Self::call_once`].
    pub fn new(env: &Env, function: &Function<'_, u32, ()>, receiver: &Object) -> Result<Self> {
        let env = env.raw();
        Ok(Self {
            env,
            function: Cell::new(reference(env, function.value().value)?),
            receiver: Cell::new(reference(env, receiver.value().value)?),
        })
    }

    /// Releases the function. It cannot be called afterwards.
    pub fn release(&self) {
        delete_reference(self.env, &self.function);
        delete_reference(self.env, &self.receiver);
    }

    /// Calls the function with each number that `next` returns. All ticks and microtasks of a call
    /// have run before `next` is called again. Stops early if the ticks of a call keep throwing,
    /// which might never end.
    pub fn call_each(&self, mut next: impl FnMut() -> Option<u32>) -> Called<()> {
        let mut number = next();
        while let Some(first) = number {
            number = self.call_batch(first, &mut next)?;
        }
        Ok(())
    }

    /// Makes calls in one handle scope. Returns the number left over when the scope is used up.
    fn call_batch(
        &self,
        first: u32,
        next: &mut impl FnMut() -> Option<u32>,
    ) -> Called<Option<u32>> {
        let scope = HandleScope::open(self.env)?;
        let function = self.value(&self.function)?;
        let receiver = self.value(&self.receiver)?;
        let mut number = Some(first);
        for _ in 0..CALLS_PER_SCOPE {
            let Some(argument) = number else { break };
            number = match self.call(receiver, function, argument)? {
                Call::Done => next(),
                Call::Cut => None,
            };
        }
        drop(scope);
        Ok(number)
    }

    fn call(
        &self,
        receiver: sys::napi_value,
        function: sys::napi_value,
        argument: u32,
    ) -> Called<Call> {
        let (mut argument, mut failures) = (argument, 0);
        for _ in 0..EXCEPTIONS_PER_CALL {
            if self.call_once(receiver, function, argument) == sys::Status::napi_ok {
                return Ok(Call::Done);
            }
            if self.report_exception()? {
                // The exception has stopped the ticks of the call. Node runs the remaining ones in
                // a call that does nothing else, which is repeated until no tick throws.
                argument = NO_TASK;
            } else if failures == RETRIES {
                return Err(CannotCall);
            } else {
                // JavaScript was not entered, so the same call can be made again.
                failures += 1;
            }
        }
        Ok(Call::Cut)
    }

    /// `napi_make_callback` is the one documented way to run all ticks and microtasks between two
    /// tasks. The async context is null: one of `napi_async_init` would have the
    /// `AsyncLocalStorage` stores of the code that loaded the package.
    fn call_once(
        &self,
        receiver: sys::napi_value,
        function: sys::napi_value,
        argument: u32,
    ) -> sys::napi_status {
        let mut value = ptr::null_mut();
        // SAFETY: Env, Host; a handle scope is open.
        let status = unsafe { sys::napi_create_uint32(self.env, argument, &raw mut value) };
        if status != sys::Status::napi_ok {
            return status;
        }
        let context = ptr::null_mut();
        let result = ptr::null_mut();
        // SAFETY: Env, Host; the values belong to the open scope; there is one argument.
        unsafe { sys::napi_make_callback(self.env, context, receiver, function, 1, &value, result) }
    }

    /// Reports the pending exception to the process as uncaught. Returns whether there was one. An
    /// exception that stayed pending would lose every task after it.
    fn report_exception(&self) -> Called<bool> {
        let mut pending = false;
        // SAFETY: Env; allowed while an exception is pending.
        let status = unsafe { sys::napi_is_exception_pending(self.env, &raw mut pending) };
        ok(status)?;
        if !pending {
            return Ok(false);
        }
        let mut exception = ptr::null_mut();
        // SAFETY: Env; a handle scope is open.
        let status =
            unsafe { sys::napi_get_and_clear_last_exception(self.env, &raw mut exception) };
        ok(status)?;
        // SAFETY: Env, Host; the exception was just returned into the open scope.
        ok(unsafe { sys::napi_fatal_exception(self.env, exception) })?;
        Ok(true)
    }

    fn value(&self, cell: &Cell<sys::napi_ref>) -> Called<sys::napi_value> {
        if cell.get().is_null() {
            return Err(CannotCall);
        }
        let mut value = ptr::null_mut();
        // SAFETY: Env; the reference is ours and was not deleted; a handle scope is open.
        ok(unsafe { sys::napi_get_reference_value(self.env, cell.get(), &raw mut value) })?;
        Ok(value)
    }
}

/// The memory of a JavaScript `Uint32Array`, kept alive.
///
/// Both sides write to it, but never at the same time: JavaScript runs only while Rust calls it or
/// after Rust has returned, and every access here is a single read or write.
pub struct SharedWords {
    env: sys::napi_env,
    array: Cell<sys::napi_ref>,
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
            env: env.raw(),
            array: Cell::new(reference(env.raw(), value)?),
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
        delete_reference(self.env, &self.array);
    }
}

impl Words for SharedWords {
    fn get(&self, index: usize) -> u32 {
        if index >= self.length.get() {
            return 0;
        }
        // SAFETY: inside the array.
        let word = unsafe { self.words.add(index) };
        // SAFETY: the reference keeps the array's memory where it is.
        unsafe { word.read() }
    }

    fn set(&self, index: usize, word: u32) {
        if index < self.length.get() {
            // SAFETY: inside the array.
            let place = unsafe { self.words.add(index) };
            // SAFETY: the reference keeps the array's memory where it is.
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

fn reference(env: sys::napi_env, value: sys::napi_value) -> Result<sys::napi_ref> {
    let mut reference = ptr::null_mut();
    // SAFETY: called from a `#[napi]` function with its own environment and arguments.
    let status = unsafe { sys::napi_create_reference(env, value, 1, &raw mut reference) };
    checked(status, "napi_create_reference")?;
    Ok(reference)
}

/// Deletes a reference unless it was deleted already.
fn delete_reference(env: sys::napi_env, cell: &Cell<sys::napi_ref>) {
    let reference = cell.replace(ptr::null_mut());
    if !reference.is_null() {
        // SAFETY: Env; the reference is ours and is deleted once.
        unsafe { sys::napi_delete_reference(env, reference) };
    }
}

/// An error that names the function, unless the status is ok.
pub fn checked(status: sys::napi_status, function: &str) -> Result<()> {
    if status == sys::Status::napi_ok {
        return Ok(());
    }
    Err(Error::new(
        Status::from(status),
        format!("{function}() failed"),
    ))
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
        let none: *mut c_void = ptr::null_mut();
        // SAFETY: Node calls back with its own environment and info; outputs not needed are null.
        unsafe {
            sys::napi_get_cb_info(
                env,
                info,
                none.cast(),
                none.cast(),
                none.cast(),
                &raw mut data,
            )
        };
        // SAFETY: created by `Box::into_raw` below, and freed with the function.
        let call = unsafe { &*data.cast::<Box<dyn Fn() -> u32>>() };
        // SAFETY: Node opened a handle scope for this call. On failure the value stays null, which
        // JavaScript sees as undefined.
        unsafe { sys::napi_create_uint32(env, call(), &raw mut value) };
        value
    }
    unsafe extern "C" fn finalize(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
        // SAFETY: created by `Box::into_raw` below; Node calls this once, when the function goes.
        drop(unsafe { Box::from_raw(data.cast::<Box<dyn Fn() -> u32>>()) });
    }
    let (raw, mut function) = (env.raw(), ptr::null_mut());
    let data = Box::into_raw(Box::new(call)).cast::<c_void>();
    // SAFETY: called from a `#[napi]` function with its own environment; the length is that of
    // the name.
    let status = unsafe {
        let length = name.count_bytes() as isize;
        sys::napi_create_function(
            raw,
            name.as_ptr(),
            length,
            Some(trampoline),
            data,
            &raw mut function,
        )
    };
    checked(status, "napi_create_function")?;
    let none: *mut c_void = ptr::null_mut();
    // SAFETY: as above; `data` lives until `finalize`.
    let status =
        unsafe { sys::napi_add_finalizer(raw, function, data, Some(finalize), none, none.cast()) };
    checked(status, "napi_add_finalizer")?;
    // SAFETY: as above; both values belong to the scope of the call.
    let status =
        unsafe { sys::napi_set_named_property(raw, target.value().value, name.as_ptr(), function) };
    checked(status, "napi_set_named_property")
}
