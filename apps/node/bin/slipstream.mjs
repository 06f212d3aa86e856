#!/usr/bin/env node
/** Runs the program on the pinned Node, whatever Node is on the PATH. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPinned } from '../../../packages/checkout/src/pinned-node.mjs';

const app = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(dirname(app));

runPinned({ root, file: join(app, 'bin/main.mjs'), args: process.argv.slice(2) }).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`slipstream: ${error.message}\n`);
    process.exitCode = 1;
  },
);
