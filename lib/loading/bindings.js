'use strict';

// The path of a platform's binary, from the package of the platform. Each package exports the path
// instead of loading the file, as most bundlers cannot bundle a `.node` file.
//
// The calls of `require` are static, so that bundlers and tools that trace files find the packages.
// The `try` marks the packages as optional. webpack would warn nevertheless, so it gets
// bindings-webpack.js instead (`imports` in package.json).

function packagedFile(platform) {
  try {
    switch (platform) {
      case 'darwin-arm64':
        return require('@uv-scheduler/binding-darwin-arm64').file;
      case 'darwin-x64':
        return require('@uv-scheduler/binding-darwin-x64').file;
      case 'linux-arm64-gnu':
        return require('@uv-scheduler/binding-linux-arm64-gnu').file;
      case 'linux-arm64-musl':
        return require('@uv-scheduler/binding-linux-arm64-musl').file;
      case 'linux-x64-gnu':
        return require('@uv-scheduler/binding-linux-x64-gnu').file;
      case 'linux-x64-musl':
        return require('@uv-scheduler/binding-linux-x64-musl').file;
      case 'win32-arm64-msvc':
        return require('@uv-scheduler/binding-win32-arm64-msvc').file;
      case 'win32-x64-msvc':
        return require('@uv-scheduler/binding-win32-x64-msvc').file;
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

module.exports = { packagedFile };
