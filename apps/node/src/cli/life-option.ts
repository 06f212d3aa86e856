import { count } from '@slipstream/command-line';

/** Chains accept at most 60 s; the rest allows for clock differences. */
const LIFE_SECONDS_MAX = 59;

export const lifeOption = count(30, [1, LIFE_SECONDS_MAX], 'SECONDS', 'After this it can no longer be included.');
