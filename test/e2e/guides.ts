/** The operators' guides that have commands. */
import { expect, test } from 'vitest';
import { followGuide } from './guide.ts';

interface Guide {
  readonly guide: string;
  readonly running: boolean;
  readonly fastBlocks?: boolean;
}

/** In the order of an operator's work; the first starts its chain itself. */
export const GUIDES: readonly Guide[] = [
  { guide: 'run-a-node.md', running: false },
  { guide: 'start-a-chain-together.md', running: false },
  { guide: 'add-a-full-node.md', running: true },
  { guide: 'restart-and-upgrade.md', running: true },
  { guide: 'replace-a-machine.md', running: true, fastBlocks: true },
  { guide: 'back-up-and-restore.md', running: true },
  { guide: 'renew-the-committee-certificate.md', running: true },
  { guide: 'recover-a-standing-chain.md', running: true, fastBlocks: true },
  { guide: 'incidents.md', running: true },
];

export const EPOCH_GUIDES: readonly Guide[] = [
  { guide: 'add-a-validator.md', running: true, fastBlocks: true },
  { guide: 'remove-a-validator.md', running: true, fastBlocks: true },
  { guide: 'replace-a-validator.md', running: true, fastBlocks: true },
  { guide: 'rotate-a-validator.md', running: true, fastBlocks: true },
  { guide: 'change-parameters.md', running: true, fastBlocks: true },
];

export function testGuides(guides: readonly Guide[]): void {
  test.for(guides)('the commands of $guide have the stated results, to its end', async ({ guide, ...terms }) => {
    const { ok, output } = await followGuide(guide, terms);
    expect(ok, output.slice(-6000)).toBe(true);
    expect(output).toContain('the guide was followed to its end');
  });
}
