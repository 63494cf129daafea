/**
 * The flag `node --import uv-scheduler/report app.js`, which names the functions that block the
 * threads of a program. The module has no exports.
 *
 * An extension to the web's API.
 */
export {};
