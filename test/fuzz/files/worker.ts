/** Runs cases in a separate process, because LevelDB may end it on damaged files; reports by IPC before and after each case. */
import { type CaseSetting, openCases, type PlayedCase } from './cases.ts';
import { forbidden } from './verdict.ts';

export interface Orders {
  readonly from: number;
  readonly to: number;
}

export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'begun'; readonly number: number }
  | { readonly type: 'played'; readonly number: number; readonly played: PlayedCase };

/** Ten times a case, for garbage. */
const RESIDENT_BYTES_MAX = 1024 * 1024 * 1024;

const tell = (report: Report): Promise<void> => new Promise((resolve) => process.send?.(report, () => resolve()));

const cases = await openCases(JSON.parse(process.argv[2] ?? '{}') as CaseSetting);
process.on('message', async ({ from, to }: Orders) => {
  for (let number = from; number < to; number++) {
    await tell({ type: 'begun', number });
    const played = await cases.play(number);
    const { rss } = process.memoryUsage();
    const verdict = rss > RESIDENT_BYTES_MAX ? forbidden(`${rss} bytes resident`) : played.verdict;
    await tell({ type: 'played', number, played: { ...played, verdict } });
  }
  process.disconnect();
});
await tell({ type: 'ready' });
