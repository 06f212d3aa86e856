/** What the colours mean: each is the time from the previous milestone, first the proposal. */
const MARKS = [
  ['notarized', 'to notarized'],
  ['final', 'to final'],
  ['certified', 'to certified'],
  ['committed', 'to committed'],
  ['nullified', 'nullified'],
] as const;

export function Legend() {
  return (
    <ul className="legend">
      {MARKS.map(([mark, words]) => (
        <li key={mark}>
          <span className={`swatch fill-${mark}`} aria-hidden="true" />
          {words}
        </li>
      ))}
    </ul>
  );
}
