/**
 * Prints one line per view, once it is over:
 *
 *   12:03:04.123  view 12  led by 3  block at height 9 +4.1 ms, voted notarize +6.0, notarized +14.0 by 3, final +20.1, certified +22.0
 */
import type { ReplayedStep } from '@slipstream/flight-recorder';
import type { TelemetryFields } from '@slipstream/ports';

/** Times are ms after the node entered the view; earlier ones are negative. */
interface ViewStory {
  readonly view: number;
  readonly leader: number;
  /** Time of day, ms. */
  readonly enteredMs: number;
  /** In order of time. */
  readonly happened: readonly { readonly what: string; readonly afterMs: number }[];
}

/** After so many views its block is final and certified, or never will be. */
const PRINTED_AFTER_VIEWS = 8;

interface Story {
  leader: number | undefined;
  enteredMs: number | undefined;
  readonly happened: { readonly what: string; readonly atMs: number }[];
}

interface ViewTimeline {
  step(step: ReplayedStep): void;
  end(): void;
}

export function createViewTimeline(print: (story: ViewStory) => void): ViewTimeline {
  const stories = new Map<number, Story>();
  let newest = 0;

  function storyOf(view: number): Story {
    const known = stories.get(view);
    if (known) return known;
    const fresh: Story = { leader: undefined, enteredMs: undefined, happened: [] };
    stories.set(view, fresh);
    return fresh;
  }

  function printBelow(view: number): void {
    for (const at of [...stories.keys()].sort((a, b) => a - b)) {
      if (at >= view) return;
      const { leader, enteredMs, happened } = storyOf(at);
      stories.delete(at);
      // The view was left before the recording began, or never entered.
      if (leader === undefined || enteredMs === undefined) continue;
      const timed = happened.map(({ what, atMs }) => ({ what, afterMs: atMs - enteredMs }));
      print({ view: at, leader, enteredMs, happened: timed });
    }
  }

  function onReport(event: string, fields: TelemetryFields, atMs: number): void {
    const view = Number(fields.view);
    if (!Number.isSafeInteger(view)) return;
    if (event === 'view.entered') {
      const story = storyOf(view);
      story.leader = Number(fields.leader);
      story.enteredMs ??= atMs;
      newest = Math.max(newest, view);
      return printBelow(newest - PRINTED_AFTER_VIEWS);
    }
    const what = wordsFor(event, fields);
    if (what !== undefined) storyOf(view).happened.push({ what, atMs });
  }

  return {
    step({ outcome, wallMs }) {
      if ('threw' in outcome) return;
      for (const effect of outcome) {
        if (effect.type === 'report') onReport(effect.event, effect.fields, wallMs);
        else if (effect.type === 'cast') {
          for (const { kind, view } of effect.votes) {
            storyOf(view).happened.push({ what: `voted ${kind}`, atMs: wallMs });
          }
        }
      }
    },
    end: () => printBelow(Number.POSITIVE_INFINITY),
  };
}

function wordsFor(event: string, fields: TelemetryFields): string | undefined {
  const signers = Array.isArray(fields.signers) ? ` by ${fields.signers.join(',')}` : '';
  switch (event) {
    case 'block.proposed':
      return `${fields.kind} block at height ${fields.height}`;
    case 'block.notarized':
      return `notarized${signers}`;
    case 'block.final':
      return 'final';
    case 'block.certified':
      return 'certified';
    case 'view.timeout':
      return `timed out (${fields.reason})`;
    case 'view.nullified':
      return 'nullified';
    case 'bisection':
      return `bad votes of ${String(fields.offenders)} among ${fields.votes} ${fields.kind}`;
    case 'peer.blocked':
      return `blocked ${fields.member ?? fields.peer} (${fields.reason})`;
    case 'evidence':
      return `evidence against ${fields.offender}`;
    case 'alert.raised':
      return `alert: ${fields.rule}`;
    default:
      return undefined;
  }
}

export function viewLine({ view, leader, enteredMs, happened }: ViewStory): string {
  const steps = happened.map(({ what, afterMs }) => `${what} ${afterMs < 0 ? '' : '+'}${afterMs.toFixed(0)} ms`);
  return `${timeOfDay(enteredMs)}  view ${view}  led by ${leader}  ${steps.join(', ')}`.trimEnd();
}

/** UTC, as in logs. */
export function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}
