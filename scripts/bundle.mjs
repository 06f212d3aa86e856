/** node scripts/bundle.mjs [--image]: builds the bundle of the program `slipstream`; with --image for sources that never change. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildBundle } from './bootstrap/bundle.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
await buildBundle({ root, isImage: process.argv.includes('--image') });
