//! Sets the linker flags that a Node-API addon needs on each platform.

fn main() {
    napi_build::setup();
}
