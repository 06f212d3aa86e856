import { describe, expect, it } from 'vitest';
import { verifierThreads } from '../src/assembly/verification.ts';

describe('the verifier’s threads', () => {
  it('use the cores that the other threads leave, at least one, at most sixteen', () => {
    expect([1, 2, 3, 4, 8, 19, 64].map((cores) => verifierThreads(0, cores))).toEqual([1, 1, 1, 1, 5, 16, 16]);
  });

  it('are as many as the operator configures', () => {
    expect([1, 2, 64].map((configured) => verifierThreads(configured, 2))).toEqual([1, 2, 64]);
  });
});
