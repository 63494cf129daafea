import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));

export default {
  // Leaves the native addon outside of the bundle.
  serverExternalPackages: ['uv-scheduler'],
  // Only because this folder lies in a repository that has packages of its own.
  turbopack: { root },
  outputFileTracingRoot: root,
};
