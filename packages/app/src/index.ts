/** What an application imports. */
export { type Action, type ActionRule, action, type DeclaredUnits } from './definition/action.ts';
export {
  type ActionInputs,
  type Application,
  application,
  type EventBodies,
  type Outside,
  type QueryTypes,
  type Shown,
  type TableTypes,
} from './definition/application.ts';
export { type Coin, coin } from './definition/coin.ts';
export type { Context } from './definition/context.ts';
export { type Event, event } from './definition/event.ts';
export { fail } from './definition/fail.ts';
export { type Genesis, genesis, type Query, query } from './definition/query.ts';
export { choice, oneOf, option } from './forms/choices.ts';
export type { Form, KeyForm, Of } from './forms/form.ts';
export { amount, timeMs, u8, u16, u32 } from './forms/integers.ts';
export { list } from './forms/list.ts';
export { type Account, account, type Id, id } from './forms/opaque.ts';
export { record } from './forms/record.ts';
export { bytes, text } from './forms/text.ts';
export { type Cell, cell } from './state/cell.ts';
export type { Key } from './state/keys.ts';
export { type Entry, type Range, type Sorted, sorted } from './state/sorted.ts';
export { type Table, table } from './state/table.ts';
