/**
 * The program `slipstream` on the pinned Node: its bundle, or its sources when there is no bundle of just these. Plain JavaScript, because
 * loading what strips types is a part of a start.
 */
import { enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { bundleEntry, compileCache, root } from '@slipstream/checkout';

// In the environment, because threads do not inherit a call of enableCompileCache.
Object.assign(process.env, compileCache(root));
enableCompileCache();
const bundle = bundleEntry(root);
const { run } = await (bundle === undefined ? import('../src/cli/program.ts') : import(pathToFileURL(bundle).href));
await run();
