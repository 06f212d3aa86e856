/** How long a transaction that a command signs may still be included. */
import { count } from './option.ts';

/** The longest life that a chain takes in is 60 s; clocks differ a little. */
const LIFE_SECONDS_MAX = 59;

export const lifeOption = count(30, [1, LIFE_SECONDS_MAX], 'SECONDS', 'After this it can no longer be included.');
