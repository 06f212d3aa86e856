/**
 * mcl in WebAssembly, for what JavaScript computes eight times slower (decisions 0062 and 0068).
 *
 *   first load --> may this page compile? --yes--> load --> module
 *                           \--no--------------------\--fails--> undefined: the caller takes JavaScript
 */

/** Browsers and Node have it; the libraries of TypeScript that this project uses do not. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<unknown> };

export type Mcl = typeof import('bls-eth-wasm');

let loading: Promise<Mcl | undefined> | undefined;

/** Undefined: a content security policy forbids it, or its file could not be loaded. */
export function loadMcl(): Promise<Mcl | undefined> {
  loading ??= load().catch(() => undefined);
  return loading;
}

/** Compiled first: the library logs its own failure to compile. */
const SMALLEST_MODULE = new Uint8Array([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

async function load(): Promise<Mcl> {
  await WebAssembly.compile(SMALLEST_MODULE);
  const { default: mcl } = await import('bls-eth-wasm');
  await mcl.init(mcl.BLS12_381);
  return mcl;
}
