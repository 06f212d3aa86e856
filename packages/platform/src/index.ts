export { createClock } from './clock.ts';
export { createDisk } from './disk.ts';
export { type LevelStore, openKeyValue, rejectIfLocked } from './key-value.ts';
export { levelDamage } from './level-damage.ts';
export { createRandom } from './random.ts';
export { nextTurn } from './turn.ts';
