import { describe, expect, it } from 'vitest';
import type { NodeError } from '../../src/errors.ts';
import { startThread } from '../../src/threads/thread.ts';

function started(code: string) {
  const failures: NodeError[] = [];
  const module = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const thread = startThread({ name: 'trial', module, setting: {}, onFailure: (error) => failures.push(error) });
  return { thread, failures };
}

describe('a thread of the node', () => {
  it('fails the node with its name and its message when it throws', async () => {
    const { failures } = started(`throw new Error('out of order');`);
    await expect.poll(() => failures.length).toBe(1);
    expect(failures[0]).toMatchObject({ code: 'node-failed' });
    expect(failures[0]?.message).toMatch(
      /^the trial thread failed: out of order\. The node signs nothing more and stops/,
    );
    expect(failures[0]?.message).toContain('Error: out of order\n    at ');
  });

  it('fails the node when it ends by itself', async () => {
    const { failures } = started('process.exit(3);');
    await expect.poll(() => failures.length).toBe(1);
    expect(failures[0]?.message).toMatch(/the trial thread ended with code 3/);
  });

  it('does not fail the node when it was requested to end', async () => {
    const { thread, failures } = started('setInterval(() => {}, 1000);');
    await thread.end();
    await thread.end();
    expect(failures).toEqual([]);
  });
});
