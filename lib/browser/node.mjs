// Finds the package for Node where a process of Node has taken the one for browsers. Knows nothing
// of pages.

// A renderer of Electron is a page, though it can have Node's modules.
function isNode({ process }) {
  return typeof process?.versions?.node === 'string' && process.type !== 'renderer' &&
    typeof process.getBuiltinModule === 'function';
}

// The exports for Node; undefined in a page, and where the package is not installed. `file` is the
// URL of the caller's file, which a bundler may have moved: the package is found by its name.
export function apiOfNode(host, file) {
  if (!isNode(host)) return undefined;
  try {
    return host.process.getBuiltinModule('node:module').createRequire(file)('uv-scheduler');
  } catch (error) {
    if (error?.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
