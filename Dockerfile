# The image of Sluice: nginx with its modules as Debian packages them, Node, and the bundled controller.
# No compiler, no npm and no shell; `--target debug` has a shell besides. docs/image.md explains it.
#
# Every step runs on the processor of the machine that builds. Debian's packages of the other processor are
# unpacked and never installed, and the C code is cross-compiled, so `--platform` needs no emulation.
ARG SUITE=testing
ARG DEBIAN_IMAGE=debian:${SUITE}-slim
ARG NODE_IMAGE=node:24.21.0-slim
# Node for the image. A tag with several processors serves for both.
ARG NODE_TARGET_IMAGE=${NODE_IMAGE}

# Packages of Debian, all from one list: those of the image as files, and a compiler that is installed.
FROM --platform=$BUILDPLATFORM ${DEBIAN_IMAGE} AS packages
# The address of a dated archive of Debian. With one, equal builds give equal digests.
ARG SNAPSHOT=
ARG SUITE
ARG TARGETARCH
COPY image/packages.sh image/packages.txt /image/
RUN sh /image/packages.sh

# Our modules of nginx, process 1, and the guard of nginx.
FROM packages AS compiled
ARG TARGETARCH
COPY image/compile.sh /image/
COPY image/init /image/init
COPY nginx/modules /image/modules
RUN sh /image/compile.sh

# The chosen files of Debian's packages, and what their scripts would have made.
FROM packages AS debian
ARG TARGETARCH
COPY image/root.sh image/owasp-crs.conf /image/
RUN sh /image/root.sh

# The controller, which is the same for every processor.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS controller
WORKDIR /build
COPY .npmrc package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN node scripts/bundle.ts && node image/controller.mjs /out

# Only its program is copied, so it is never started.
FROM --platform=$TARGETPLATFORM ${NODE_TARGET_IMAGE} AS node

# The bill of materials: what is in the image, with its versions.
FROM controller AS bill
ARG TARGETARCH
COPY --from=debian /files.txt /
COPY --from=node /usr/local/bin/node /target-node
RUN node image/bill.mjs /out/opt/sluice /files.txt /target-node > /sbom.spdx.json && rm /target-node

FROM --platform=$TARGETPLATFORM scratch AS image
COPY --from=debian /out /
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=compiled /out /
COPY --from=controller /out /
COPY --from=bill /sbom.spdx.json /usr/share/sluice/sbom.spdx.json
LABEL org.opencontainers.image.title="Sluice" \
      org.opencontainers.image.description="An NGINX ingress controller that takes the place of ingress-nginx" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0"
# Node's threads allocate little, and with an arena of malloc for each of them some 0.6 MB stay unused.
ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin NODE_ENV=production MALLOC_ARENA_MAX=1
USER 101:82
EXPOSE 80 443 8443 10254
ENTRYPOINT ["/usr/lib/sluice/with-net-bind-service", "--inh-caps=+net_bind_service", "--ambient-caps=+net_bind_service", "--", "/sluice-init"]
CMD ["/nginx-ingress-controller"]

FROM image AS debug
COPY --from=debian /debug /

FROM image
