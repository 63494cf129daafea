//! Decodes the bytes of the fuzzer as steps of the model.

pub mod decode;
