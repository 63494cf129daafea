/* The floor: the least that a scheduler for Node can cost. Between start(run, words) and stop(), a
 * check hook calls the JavaScript function `run` once for each task that words[0] counts, each
 * time in a callback scope of its own, because every task is a macrotask. The few prototypes are
 * declared by hand, so that no headers are needed. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *value;
typedef void *env;
typedef struct uv_loop_s uv_loop_t;
typedef void handle;

enum { UV_CHECK = 2, UV_IDLE = 6 };

/* The handle scope and references are renewed only after this many calls: renewing costs more than
 * a call. */
enum { CALLS_PER_SCOPE = 64 };

int napi_get_uv_event_loop(env, uv_loop_t **);
int napi_get_cb_info(env, void *, size_t *, value *, value *, void **);
int napi_create_function(env, const char *, size_t, value (*)(env, void *), void *, value *);
int napi_create_object(env, value *);
int napi_create_reference(env, value, uint32_t, void **);
int napi_delete_reference(env, void *);
int napi_get_reference_value(env, void *, value *);
int napi_set_named_property(env, value, const char *, value);
int napi_get_typedarray_info(env, value, int *, size_t *, void **, value *, size_t *);
int napi_open_handle_scope(env, void **);
int napi_close_handle_scope(env, void *);
int napi_make_callback(env, void *, value, value, size_t, const value *, value *);
int napi_get_and_clear_last_exception(env, value *);
int napi_fatal_exception(env, value);
int napi_throw_error(env, const char *, const char *);

size_t uv_handle_size(int);
int uv_check_init(uv_loop_t *, handle *);
int uv_check_start(handle *, void (*)(handle *));
int uv_check_stop(handle *);
int uv_idle_init(uv_loop_t *, handle *);
int uv_idle_start(handle *, void (*)(handle *));
int uv_idle_stop(handle *);

/* One per process: only the main thread loads the addon. */
static env environment;
static handle *check;
static handle *idle;
static void *run_reference;
static void *receiver_reference;
static void *words_reference;
static volatile uint32_t nothing;
static volatile uint32_t *waiting = &nothing;

/* Returns zero when the tasks of one handle scope have run, or there are no more. */
static int call_some(void) {
  value receiver;
  value run;
  int i;
  int status = 0;
  napi_get_reference_value(environment, receiver_reference, &receiver);
  napi_get_reference_value(environment, run_reference, &run);
  for (i = 0; i < CALLS_PER_SCOPE && status == 0 && *waiting > 0; i++) {
    *waiting -= 1;
    status = napi_make_callback(environment, NULL, receiver, run, 0, NULL, NULL);
  }
  return status;
}

static void on_check(handle *unused) {
  void *scope;
  value exception;
  int status = 0;
  (void)unused;
  while (status == 0 && *waiting > 0) {
    napi_open_handle_scope(environment, &scope);
    status = call_some();
    if (status != 0 && napi_get_and_clear_last_exception(environment, &exception) == 0) {
      napi_fatal_exception(environment, exception);
    }
    napi_close_handle_scope(environment, scope);
  }
}

/* While this idle handle is active, the loop does not wait for I/O. */
static void on_idle(handle *unused) { (void)unused; }

static value start(env caller, void *info) {
  uv_loop_t *loop;
  value arguments[2];
  value receiver;
  size_t count = 2;
  if (check == NULL) {
    environment = caller;
    napi_get_uv_event_loop(caller, &loop);
    check = malloc(uv_handle_size(UV_CHECK));
    idle = malloc(uv_handle_size(UV_IDLE));
    if (check == NULL || idle == NULL) abort();
    uv_check_init(loop, check);
    uv_idle_init(loop, idle);
  }
  if (run_reference != NULL) {
    napi_throw_error(caller, NULL, "The floor was started already");
    return NULL;
  }
  napi_get_cb_info(caller, info, &count, arguments, NULL, NULL);
  napi_create_object(caller, &receiver);
  napi_create_reference(caller, receiver, 1, &receiver_reference);
  napi_create_reference(caller, arguments[0], 1, &run_reference);
  napi_create_reference(caller, arguments[1], 1, &words_reference);
  napi_get_typedarray_info(caller, arguments[1], NULL, NULL, (void **)&waiting, NULL, NULL);
  uv_check_start(check, on_check);
  uv_idle_start(idle, on_idle);
  return NULL;
}

/* Can be called from inside `run`, in a reaction to its promise: then nothing more is called. */
static value stop(env caller, void *info) {
  (void)info;
  if (run_reference == NULL) return NULL;
  uv_check_stop(check);
  uv_idle_stop(idle);
  napi_delete_reference(caller, receiver_reference);
  napi_delete_reference(caller, run_reference);
  napi_delete_reference(caller, words_reference);
  run_reference = NULL;
  waiting = &nothing;
  return NULL;
}

value napi_register_module_v1(env caller, value exports) {
  value function;
  napi_create_function(caller, "start", 5, start, NULL, &function);
  napi_set_named_property(caller, exports, "start", function);
  napi_create_function(caller, "stop", 4, stop, NULL, &function);
  napi_set_named_property(caller, exports, "stop", function);
  return exports;
}
