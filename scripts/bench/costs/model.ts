/**
 * Cost model of a node, fitted by least squares to windows of one or several runs:
 *
 *   processor time per second = K + F x blocks per second + c x transactions per second
 *
 * The fit is linear in the processor time: costs of threads add up to those of the node.
 */
export interface Window {
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
}

export interface Costs {
  /** K, ms per second. */
  readonly secondMs: number;
  /** F, ms. */
  readonly blockMs: number;
  /** c, us. */
  readonly transactionUs: number;
}

/** ms per second at two blocks and a thousand transactions. */
export const weightOf = ({ secondMs, blockMs, transactionUs }: Costs): number => secondMs + 2 * blockMs + transactionUs;

export interface Fit extends Costs {
  /** Standard errors. */
  readonly errors: Costs;
}

const UNKNOWNS = 3;
const US_PER_MS = 1_000;
/** Below this the windows' rates lie on a line, but for noise. */
const DETERMINANT_SHARE_MIN = 1e-5;

/** Undefined: too few windows, or too much alike. `msPerSecond`: of each window. */
export function fitCosts(windows: readonly Window[], msPerSecond: readonly number[]): Fit | undefined {
  const rows = windows.map(({ blocksPerSecond, transactionsPerSecond }) => [1, blocksPerSecond, transactionsPerSecond]);
  const products = rows[0]?.map((_, i) => rows[0]?.map((__, j) => sum(rows.map((row) => at(row, i) * at(row, j)))));
  const inverse = rows.length < UNKNOWNS ? undefined : inverted(products as number[][]);
  if (inverse === undefined) return undefined;
  const moments = [0, 1, 2].map((i) => sum(rows.map((row, window) => at(row, i) * at(msPerSecond, window))));
  const solved = inverse.map((row) => sum(row.map((value, j) => value * at(moments, j))));
  const residuals = rows.map((row, window) => at(msPerSecond, window) - sum(row.map((x, i) => x * at(solved, i))));
  const freedom = Math.max(1, rows.length - UNKNOWNS);
  const variance = sum(residuals.map((residual) => residual ** 2)) / freedom;
  return {
    ...costsOf(solved),
    errors: costsOf(inverse.map((row, i) => Math.sqrt(Math.max(0, variance * at(row, i))))),
  };
}

function costsOf([secondMs = 0, blockMs = 0, transactionMs = 0]: readonly number[]): Costs {
  return { secondMs, blockMs, transactionUs: transactionMs * US_PER_MS };
}

/** Of a symmetric matrix of three rows; undefined: it is singular, or nearly. */
function inverted(matrix: readonly (readonly number[])[]): number[][] | undefined {
  const cell = (i: number, j: number) => at(matrix[i % UNKNOWNS] ?? [], j % UNKNOWNS);
  const cofactor = (i: number, j: number) =>
    cell(i + 1, j + 1) * cell(i + 2, j + 2) - cell(i + 1, j + 2) * cell(i + 2, j + 1);
  const determinant = sum([0, 1, 2].map((j) => cell(0, j) * cofactor(0, j)));
  const scale = cell(0, 0) * cell(1, 1) * cell(2, 2);
  if (!(determinant > DETERMINANT_SHARE_MIN * scale)) return undefined;
  return [0, 1, 2].map((i) => [0, 1, 2].map((j) => cofactor(j, i) / determinant));
}

const at = (row: readonly number[], index: number) => row[index] ?? 0;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** One line for a run's end. `msPerSecond`: of a node, by window. */
export function costsText(windows: readonly Window[], msPerSecond: readonly number[]): string {
  const fit = fitCosts(windows, msPerSecond);
  if (fit === undefined) return 'costs of a node: not fitted, its windows are too few or too much alike';
  const { secondMs, blockMs, transactionUs, errors } = fit;
  const each = [
    `K ${secondMs.toFixed(0)} +- ${errors.secondMs.toFixed(0)} ms per second`,
    `F ${blockMs.toFixed(1)} +- ${errors.blockMs.toFixed(1)} ms per block`,
    `c ${transactionUs.toFixed(1)} +- ${errors.transactionUs.toFixed(1)} us per transaction`,
  ];
  const rates = windows.map(({ blocksPerSecond }) => blocksPerSecond);
  const range = `${Math.min(...rates).toFixed(1)} to ${Math.max(...rates).toFixed(1)} blocks per second`;
  return `costs of a node: ${each.join(', ')} (${windows.length} windows, ${range})`;
}
