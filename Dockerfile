# The image of Sluice: nginx with its modules as Debian packages them, Node, and the compiled controller. No compiler, no npm.
# It names no architecture, so `buildah build --platform linux/amd64,linux/arm64 --manifest sluice .` makes both.
# A build behind a proxy with an authority of its own gives its certificates: --secret id=ca,src=FILE.
ARG NODE_IMAGE=node:24-trixie-slim
ARG BASE_IMAGE=debian:trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# First what runs, which is kept aside, then what builds.
RUN --mount=type=secret,id=ca export NODE_EXTRA_CA_CERTS=/run/secrets/ca \
 && npm install --omit=dev --ignore-scripts \
 && cp -r node_modules runtime_modules \
 # For the runtime Bare, compiled for many processors; Node loads none of it.
 && rm -rf runtime_modules/bare-* \
 && find runtime_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.md' \) -delete \
 && npm install --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build
COPY image/bill-of-materials.mjs image/

# What runs, without the controller: packages, user, folders.
FROM ${BASE_IMAGE} AS runtime
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates libcap2-bin \
      nginx libnginx-mod-http-lua lua-cjson libnginx-mod-stream libnginx-mod-http-headers-more-filter \
      libnginx-mod-http-brotli-filter libnginx-mod-http-brotli-static \
      libnginx-mod-http-geoip2 libnginx-mod-stream-geoip2 \
      libnginx-mod-http-modsecurity modsecurity-crs \
 # A program that may hand NET_BIND_SERVICE on to what it starts. nginx itself has no capability, or it could not be started
 # where the container drops them all.
 && mkdir /usr/lib/sluice \
 && cp /usr/bin/setpriv /usr/lib/sluice/with-net-bind-service \
 && setcap cap_net_bind_service=p /usr/lib/sluice/with-net-bind-service \
 # Nothing in here needs to become somebody else.
 && find / -xdev -perm /6000 -type f -exec chmod a-s {} + \
 && rm -rf /usr/lib/*/*.a /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf/*-old /var/log/* /usr/share/doc/* /usr/share/man/* \
 && groupadd --gid 82 sluice \
 && useradd --uid 101 --gid 82 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin sluice \
 && ln -s /usr/sbin/nginx /usr/bin/nginx \
 && mkdir -p /var/log/nginx \
 && install -d -o 101 -g 82 -m 0700 /run/sluice \
 && install -d -o 101 -g 82 /etc/ingress-controller \
 # ModSecurity's settings where ingress-nginx has them; audit lines go where the other logs go.
 && mkdir /etc/nginx/modsecurity /etc/nginx/owasp-modsecurity-crs \
 && mv /etc/nginx/modsecurity.conf /etc/nginx/unicode.mapping /etc/nginx/modsecurity/ \
 && sed -i 's|^SecAuditLog .*|SecAuditLog /dev/stdout|' /etc/nginx/modsecurity/modsecurity.conf \
 && ln -s /dev/stdout /var/log/nginx/access.log \
 && ln -s /dev/stderr /var/log/nginx/error.log
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY image/sluice-init image/wait-shutdown image/nginx-ingress-controller image/sluice-nginx image/default-backend image/dbg /
COPY image/sluice /usr/local/bin/sluice
COPY image/owasp-crs.conf /etc/nginx/owasp-modsecurity-crs/nginx-modsecurity.conf
COPY templates /opt/sluice/templates
COPY nginx /opt/sluice/nginx
# The pages that sluice compat reads.
COPY docs/differences.md docs/chart-values.md /opt/sluice/docs/
COPY --from=build /build/package.json /opt/sluice/package.json
COPY --from=build /build/runtime_modules /opt/sluice/node_modules
COPY --from=build /build/dist /opt/sluice/dist

FROM runtime AS bill
COPY --from=build /build/image/bill-of-materials.mjs /
RUN node /bill-of-materials.mjs /opt/sluice > /sbom.spdx.json

FROM runtime
ARG VERSION=0.1.0
ARG REVISION=unknown
COPY --from=bill /sbom.spdx.json /usr/share/sluice/sbom.spdx.json
LABEL org.opencontainers.image.title="Sluice" \
      org.opencontainers.image.description="An NGINX ingress controller that takes the place of ingress-nginx" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
USER 101:82
EXPOSE 80 443 8443 10254
ENTRYPOINT ["/usr/lib/sluice/with-net-bind-service", "--inh-caps=+net_bind_service", "--ambient-caps=+net_bind_service", "--", "/sluice-init"]
CMD ["/nginx-ingress-controller"]
