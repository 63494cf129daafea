#!/usr/bin/env node
'use strict';

// Stands in for the C compiler when cargo builds the addon for another platform: every object file
// is a copy of the empty one that EMPTY_OBJECT names. The only C code is libuv's own, which
// libuv-sys2 compiles and the addon never links, because it uses types only (see Cargo.toml). To
// compile it would take the C headers of every platform's system libraries; and for Windows
// libuv-sys2 chooses the files of the platform that it runs on.

const fs = require('node:fs');

const args = process.argv.slice(2);
const output = args.indexOf('-o');

if (output >= 0) fs.copyFileSync(process.env.EMPTY_OBJECT, args[output + 1]);
// The cc crate asks for the family of the compiler. It takes one that accepts any option for MSVC.
else if (args.includes('-E')) process.stdout.write('"gcc"\n');
else process.exitCode = 1;
