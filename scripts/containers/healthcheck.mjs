/** Health check of the container: whether this node follows the chain. Prints the reason otherwise, for `docker inspect`. */

/** Below the 5 s that the engine allows. */
const answerMsMax = 4_000;

const port = process.env.SLIPSTREAM_API_PORT ?? '8080';

try {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(answerMsMax) });
  if (!response.ok) console.log((await response.text()).slice(0, 500));
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`no answer on port ${port}: ${error}`);
  process.exitCode = 1;
}
