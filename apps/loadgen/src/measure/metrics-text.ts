/** Parses Prometheus exposition format 0.0.4: values by name, summed over the series of a name. */

/** More lines than a node's metrics have. */
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
