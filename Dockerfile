# The image of a Slipstream node: console built, production dependencies alone, an ordinary user, no secrets.
#
#   manifests --> built (console, bundle) --\
#            \--> modules (native code) ----- node
#
# For the classic builder as well as BuildKit. Keys and chains never enter the image: they live in volumes.

FROM node:24-bookworm-slim AS manifests
WORKDIR /slipstream
COPY . .
# What an install depends on, alone: a change of sources must not run the installs again.
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
  && find . -type d -empty -delete

FROM node:24-bookworm-slim AS built
WORKDIR /slipstream
COPY --from=manifests /slipstream ./
RUN npm ci --ignore-scripts --workspace console --workspace apps/node
COPY tsconfig.json ./
COPY packages packages
COPY console console
RUN cd console && node ../node_modules/vite/bin/vite.js build --logLevel warn
COPY apps apps
COPY scripts scripts
RUN node scripts/bundle.mjs --image

FROM node:24-bookworm-slim AS modules
RUN apt-get update \
  && apt-get install --yes --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
# zstd-napi compiles against the headers that come with this Node, and downloads none.
ENV npm_package_config_node_gyp_nodedir=/usr/local
WORKDIR /slipstream
COPY --from=manifests /slipstream ./
RUN npm ci --omit=dev --workspace apps/node
# Binaries of other systems and what the compiler left.
RUN find node_modules -type d -path '*/prebuilds/*' -prune ! -name "linux-$(node -p process.arch)" -exec rm -rf {} + \
  && find node_modules/zstd-napi -mindepth 1 -maxdepth 1 ! -name package.json ! -name LICENSE ! -name NOTICE \
    ! -name 'binding.*' ! -name dist ! -name build -exec rm -rf {} + \
  && find node_modules/zstd-napi/build -type f ! -name '*.node' -delete \
  && find node_modules/swagger-ui-dist -type f ! -name package.json ! -name LICENSE ! -name NOTICE \
    ! -name swagger-ui.css ! -name 'swagger-ui-bundle.js*' -delete \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /slipstream
COPY --from=modules /slipstream ./
COPY LICENSE ./
COPY packages packages
COPY apps apps
COPY scripts/containers scripts/containers
COPY --from=built /slipstream/console/dist console/dist
COPY --from=built /slipstream/apps/node/dist apps/node/dist
# Volumes made over these folders get their owner from here.
RUN printf '#!/bin/sh\nexec node --disable-warning=ExperimentalWarning --max-semi-space-size=16 /slipstream/apps/node/bin/main.mjs "$@"\n' \
    > /usr/local/bin/slipstream \
  && chmod 755 /usr/local/bin/slipstream \
  && mkdir -p /var/lib/slipstream/validators /var/lib/slipstream/full-node \
  && chown -R node:node /var/lib/slipstream
# What a node compiles at its start, compiled here once: no container can write it down.
ENV NODE_COMPILE_CACHE=/slipstream/node_modules/.cache/slipstream
RUN install --directory --owner=node --group=node "$NODE_COMPILE_CACHE"
USER 1000:1000
RUN ["node", "/slipstream/scripts/containers/compile.mjs"]
EXPOSE 8080 9000
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "/slipstream/scripts/containers/healthcheck.mjs"]
ENTRYPOINT ["slipstream"]
CMD ["--help"]
