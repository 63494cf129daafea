'use strict';

// Preloaded by a Node that an emulator runs. Programs that start another Node start it in the
// emulator, too: EMULATED_NODE is the script that does so, and the system cannot run Node itself.

process.execPath = process.env.EMULATED_NODE;
