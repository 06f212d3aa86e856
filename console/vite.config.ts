import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './vite/precompress.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Modules without side effects: the parts of them that a page does not use are not shipped. */
const PURE = /\/(packages\/[a-z-]+\/src|node_modules\/(@chainsafe|@noble|typebox))\//;
const rolldownOptions = {
  treeshake: { moduleSideEffects: (id: string) => !PURE.test(id) },
  transform: { inject: { Buffer: file('vite/buffer.ts') } },
};

/** The node serves the built files; `npm run dev -w console` serves them live beside a running node. */
export default defineConfig({
  root: file('.'),
  plugins: [react(), precompress()],
  resolve: {
    alias: [
      { find: '@chainsafe/as-sha256', replacement: file('vite/as-sha256.ts') },
      { find: './start-worker.ts', replacement: file('vite/no-worker.ts') },
    ],
  },
  worker: { format: 'es', rolldownOptions },
  build: {
    target: 'es2023',
    sourcemap: true,
    // One style sheet for all views: a sheet that failed to load with its view would not be requested again.
    cssCodeSplit: false,
    // test/browser/build-size.test.ts bounds what a page loads, compressed.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    // Compression takes most of a build.
    rolldownOptions: { ...rolldownOptions, checks: { pluginTimings: false } },
  },
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:8080', ws: true } } },
});
