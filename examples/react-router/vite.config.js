import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [reactRouter()],
  // Leaves the native addon outside of the bundle of the server.
  ssr: { external: ['uv-scheduler'] },
});
