// Resolves uv-scheduler to the modules of this folder.

const NAME = 'uv-scheduler';

export function resolve(specifier, context, nextResolve) {
  if (specifier !== NAME && !specifier.startsWith(`${NAME}/`)) {
    return nextResolve(specifier, context);
  }
  const file = specifier === NAME ? 'index' : specifier.slice(NAME.length + 1);
  return nextResolve(new URL(`${file}.js`, import.meta.url).href, context);
}
