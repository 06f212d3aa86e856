export function ExplorerView() {
  return <div className="view" />;
}
