/**
 * The boundary as it is designed, and broken on purpose.
 *
 * States and lengths of histories are those of an independent program in another language: other numbers mean other rules.
 */
import type { Model } from '../explore.ts';
import { nameOf } from './name.ts';
import { NOTHING_TO_PROPOSE, OTHERS_NEVER_LEARN, stuckness } from './progress.ts';
import { DELIVERED_BELOW_ROOT, NEXT_ONE_CHAIN, ONE_ROOT, unsafety } from './properties.ts';
import { type BoundaryRules, RULES } from './rules.ts';
import { type BoundaryState, FIRST } from './state.ts';
import { stepsFrom } from './steps.ts';

export interface BoundaryVariant {
  readonly name: string;
  readonly about: string;
  readonly rules: BoundaryRules;
  /** False: safety alone is checked. */
  readonly progress: boolean;
}

export interface SafeVariant extends BoundaryVariant {
  readonly states: number;
}

export interface BrokenVariant extends BoundaryVariant {
  readonly property: string;
  readonly steps: number;
}

/** Closing blocks alone in the epoch that ends: the shortest that has two epochs. */
const TWO_EPOCHS: BoundaryRules = {
  ...RULES,
  views: 2,
  nextViews: 2,
  staying: 2,
  above: 'nothing',
  plainBlocks: false,
  alikeMax: 1,
};
const SAFETY: BoundaryRules = { ...RULES, finalizeVotes: 'last', alikeMax: 1 };

export const SAFE: readonly SafeVariant[] = [
  {
    name: 'boundary',
    about: 'one epoch ends within two views, safety and progress',
    rules: { ...RULES, views: 2 },
    progress: true,
    states: 151_809,
  },
  {
    name: 'boundary-sealed-late',
    about: 'a closing block waits for certified state, others do not',
    rules: { ...RULES, views: 2, seal: 'late' },
    progress: true,
    states: 27_890,
  },
  {
    name: 'boundary-two-views',
    about: 'one epoch ends within two views, safety alone',
    rules: { ...SAFETY, views: 2 },
    progress: false,
    states: 11_014,
  },
  {
    name: 'boundary-and-next-epoch',
    about: 'one view, then two of the next epoch, one honest member replaced',
    rules: { ...TWO_EPOCHS, views: 1 },
    progress: false,
    states: 78_191,
  },
];

/** Minutes. */
export const SAFE_AND_LONG: readonly SafeVariant[] = [
  {
    name: 'boundary-three-views',
    about: 'one epoch ends within three views, safety alone',
    rules: SAFETY,
    progress: false,
    states: 5_649_271,
  },
  {
    name: 'boundary-views-overlap',
    about: 'two views, then two of the next epoch, one honest member replaced',
    rules: TWO_EPOCHS,
    progress: false,
    states: 4_565_685,
  },
  {
    name: 'boundary-of-every-kind',
    about: 'two views with blocks of every kind, then one of the next epoch, one honest member replaced',
    rules: { ...RULES, views: 2, nextViews: 1, staying: 2, alikeMax: 1 },
    progress: false,
    states: 1_552_242,
  },
];

export const BROKEN: readonly BrokenVariant[] = [
  {
    name: 'begin-at-notarized',
    about: 'the next epoch begins before the boundary is final',
    rules: { ...RULES, beginsWhen: 'notarized' },
    progress: false,
    property: ONE_ROOT,
    steps: 6,
  },
  {
    name: 'payload-above-the-boundary',
    about: 'blocks above the boundary carry payload and are delivered',
    rules: { ...RULES, above: 'fillers-and-payload' },
    progress: false,
    property: DELIVERED_BELOW_ROOT,
    steps: 6,
  },
  {
    name: 'no-fillers',
    about: 'no block may stand above a closing block',
    rules: { ...RULES, above: 'nothing' },
    progress: true,
    property: NOTHING_TO_PROPOSE,
    steps: 4,
  },
  {
    name: 'fixed-height-that-waits',
    about: 'the boundary has a fixed height, and votes for it wait for certified state',
    rules: { ...RULES, closingHeight: 2, seal: 'late' },
    progress: true,
    property: NOTHING_TO_PROPOSE,
    steps: 4,
  },
  {
    name: 'moved-members-do-not-help',
    about: 'members past the boundary send nothing of the old epoch',
    rules: { ...RULES, movedMembersHelp: false },
    progress: true,
    property: OTHERS_NEVER_LEARN,
    steps: 3,
  },
  {
    name: 'epoch-not-signed',
    about: 'a Nullify of the old epoch counts in the next one, whose views overlap',
    rules: { ...TWO_EPOCHS, epochSigned: false },
    progress: false,
    property: NEXT_ONE_CHAIN,
    steps: 11,
  },
];

export function modelOf({ rules, progress }: BoundaryVariant): Model<BoundaryState> {
  return {
    first: FIRST,
    nameOf: (state) => nameOf(state, rules),
    stepsFrom: (state) => stepsFrom(state, rules),
    violated: (state) => unsafety(state, rules) ?? (progress ? stuckness(state, rules) : undefined),
  };
}
