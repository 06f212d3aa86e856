/**
 * The program `slipstream`.
 *
 * A compile cache shortens the start. It is with the packages, not in a folder that others may write to; a read-only installation has
 * none.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Set in the environment, because threads do not inherit a call of enableCompileCache.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../../node_modules/.cache/slipstream');
enableCompileCache();
const [{ runProgram }, { runCommandLine }] = await Promise.all([import('./cli/program.ts'), import('./cli/run.ts')]);
await runProgram(runCommandLine);
