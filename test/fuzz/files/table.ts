import { KINDS, type Kind } from './stores.ts';
import { OUTCOMES, type Outcome } from './verdict.ts';

const NOBODY = 'unknown';
export type Table = Map<Kind | typeof NOBODY, Map<Outcome, number>>;

export const createTable = (): Table => new Map();

export function addTo(table: Table, kind: Kind | undefined, outcome: Outcome): void {
  const row = table.get(kind ?? NOBODY) ?? new Map<Outcome, number>();
  row.set(outcome, (row.get(outcome) ?? 0) + 1);
  table.set(kind ?? NOBODY, row);
}

export function tableLines(table: Table): readonly string[] {
  const widths = [20, ...OUTCOMES.map(() => 11)];
  const line = (cells: readonly (string | number)[]) =>
    cells
      .map((cell, at) => (at === 0 ? `${cell}`.padEnd(widths[0] ?? 0) : `${cell}`.padStart(widths[at] ?? 0)))
      .join('');
  const rows = [...KINDS.map(([kind]) => kind), NOBODY] as const;
  const counted = rows.flatMap((kind) => {
    const row = table.get(kind);
    return row === undefined ? [] : [line([kind, ...OUTCOMES.map((outcome) => row.get(outcome) ?? 0)])];
  });
  const sums = OUTCOMES.map((outcome) => [...table.values()].reduce((sum, row) => sum + (row.get(outcome) ?? 0), 0));
  return [line(['file', ...OUTCOMES]), ...counted, line(['all', ...sums])];
}
