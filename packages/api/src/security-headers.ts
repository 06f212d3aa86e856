/** Each surface permits only what it needs. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
} as const;

type Surface = 'data' | 'docs' | 'console';

/**
 * Data renders nothing; the documentation and the console load files of this node and connect to it. Nothing is inline. The console compiles
 * WebAssembly of its own files, to verify signatures (decision 0068).
 */
const POLICIES: Readonly<Record<Surface, string>> = {
  data: "default-src 'none'; frame-ancestors 'none'",
  docs: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  console:
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

export function securityHeaders(surface: Surface): Readonly<Record<string, string>> {
  return { ...COMMON, 'content-security-policy': POLICIES[surface] };
}
