export function TryView() {
  return <div className="view" />;
}
