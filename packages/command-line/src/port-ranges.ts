/** Checks options that each name the first port of a range, with one port per node. */

export const PORT_MAX = 65_535;

/** `first`: by option name. `apart`: separate machines, so each range has one port. */
export function portFaults(first: Readonly<Record<string, number>>, nodes: number, apart = false): readonly string[] {
  const rows = Object.entries(first);
  const needed = apart ? 1 : nodes;
  const beyond = rows
    .filter(([, port]) => port + nodes - 1 > PORT_MAX)
    .map(([name, port]) => `--${name} ${port}: the last of ${nodes} nodes would need port ${port + nodes - 1}`);
  const close = rows.flatMap(([name, port], at) =>
    rows
      .slice(at + 1)
      .filter(([, other]) => Math.abs(port - other) < needed)
      .map(
        ([other, there]) => `--${name} ${port} and --${other} ${there} are closer than the ${needed} that each needs`,
      ),
  );
  return [...beyond, ...close];
}
