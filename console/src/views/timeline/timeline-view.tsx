export function TimelineView() {
  return <div className="view" />;
}
