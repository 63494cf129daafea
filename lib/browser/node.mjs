// Finds the package for Node where a process of Node has taken the one for browsers. Knows nothing
// of pages.

// In Electron, a renderer is a page and can have workers, though both can have Node's modules.
const OF_PAGES = ['renderer', 'worker'];

// Bundlers put a `process` without versions into pages.
function isNode(process) {
  return typeof process?.versions?.node === 'string' && !OF_PAGES.includes(process.type) &&
    typeof process.getBuiltinModule === 'function';
}

// The exports of a file of dist/ for Node; undefined in a page, and where the package is not
// installed. It is looked for from the working directory: bundlers move this file, or write its
// path into their bundles. By its name, the package could be this file again.
export function apiOfNode({ process }, file = 'index.js') {
  if (!isNode(process)) return undefined;
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const load = createRequire(`${process.cwd()}/package.json`);
    const manifest = load.resolve('uv-scheduler/package.json');
    return load(manifest.replace(/package\.json$/, `dist/${file}`));
  } catch (error) {
    if (error?.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
