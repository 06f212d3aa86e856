import './design/base.css';
import './design/layout.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { initTheme } from './design/theme.ts';
import { chosenUrl, onChosen, relayedNode } from './node/chosen.ts';
import { App } from './shell/app.tsx';
import { createStore } from './stream/store.ts';
import { connectStore, StoreProvider } from './stream/use-stream.ts';

initTheme();
const store = createStore();
let disconnect = connectStore(store, chosenUrl(), relayedNode());
onChosen(() => {
  disconnect();
  store.clear();
  disconnect = connectStore(store, chosenUrl(), relayedNode());
});

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element "app"');
createRoot(root).render(
  <StrictMode>
    <StoreProvider value={store}>
      <App />
    </StoreProvider>
  </StrictMode>,
);
