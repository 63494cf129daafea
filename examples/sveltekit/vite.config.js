import adapter from '@sveltejs/adapter-node';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [
    sveltekit({
      // It leaves the dependencies in package.json, and so the native addon, outside of the bundle.
      adapter: adapter(),
      // Lets a component wait for its turn.
      compilerOptions: { experimental: { async: true } },
    }),
  ],
});
