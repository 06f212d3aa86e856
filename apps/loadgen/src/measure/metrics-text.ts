/**
 * Parses Prometheus exposition format 0.0.4: values by name, summed over the series of a name, and by name and one label, as
 * `name{label="value"}`. Buckets of histograms are left out.
 */

/** More lines than a node's metrics have. */
const LINES_MAX = 20_000;

export function parseMetrics(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split('\n', LINES_MAX)) {
    const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^}]*)\})? (\S+)/.exec(line);
    const [, name, labels = '', text = ''] = match ?? [];
    const value = Number(text);
    if (name === undefined || name.endsWith('_bucket') || !Number.isFinite(value)) continue;
    const add = (key: string) => void values.set(key, (values.get(key) ?? 0) + value);
    add(name);
    for (const [label] of labels.matchAll(/[a-zA-Z_][a-zA-Z0-9_]*="[^"]*"/g)) add(`${name}{${label}}`);
  }
  return values;
}
