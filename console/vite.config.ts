import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The node serves the built files from its own origin; `npm run dev -w console` serves them live beside a running node. */
export default defineConfig({
  plugins: [react()],
  worker: { format: 'es' },
  build: { target: 'es2023', sourcemap: true },
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:8080', ws: true } } },
});
