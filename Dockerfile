# elfmem as a service. `docker build -t elfmem .`, or `docker compose up` with compose.yml.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:24-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# pg is needed for --store alone and is no dependency of the package; the lock says which version.
RUN npm ci --omit=dev --ignore-scripts \
  && npm install --no-save --omit=dev --ignore-scripts \
     "pg@$(node -p "require('./package-lock.json').packages['node_modules/pg'].version")"

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
RUN mkdir -m 700 /memories && chown node:node /memories
COPY --from=modules /app/node_modules node_modules
COPY --from=build /build/package.json /build/LICENSE /build/NOTICE ./
COPY --from=build /build/dist dist
COPY --from=build /build/kernel kernel
COPY --from=build /build/model model
USER node
VOLUME /memories
EXPOSE 3536
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3536/health/live').then((told) => process.exit(told.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/bin.js"]
# Nobody outside reaches the container but by a published port, and no call is answered without a token. Put TLS in front.
CMD ["serve", "--http", "--host", "0.0.0.0", "--allow-remote", "--memories", "/memories"]
