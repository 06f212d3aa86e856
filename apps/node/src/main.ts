/** The program `slipstream`. Its compile cache is with the packages, not in a folder that others may write to. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// In the environment, because threads do not inherit a call of enableCompileCache.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../../node_modules/.cache/slipstream');
enableCompileCache();
const [{ runProgram }, { runCommandLine }] = await Promise.all([
  import('@slipstream/command-line'),
  import('./cli/run.ts'),
]);
await runProgram(runCommandLine);
