/** The text form of metrics (Prometheus exposition format 0.0.4): values by name, series of one name added up. */

/** More lines than a node has series. */
const LINES_MAX = 20_000;

export function parseMetrics(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n', LINES_MAX)) {
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{[^}]*\})? (\S+)/.exec(line);
    const [, name, value] = match ?? [];
    if (name === undefined || !Number.isFinite(Number(value))) continue;
    values.set(name, (values.get(name) ?? 0) + Number(value));
  }
  return values;
}
