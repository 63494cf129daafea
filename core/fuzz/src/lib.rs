//! How the bytes of the fuzzer become steps of the model.

pub mod decode;
