# Downloads the package files of the image for TARGETARCH into /packages, and installs the compiler.
set -eu
listed() { awk -v use="$1" '$1 == use { print $2 }' /image/packages.txt; }
native=$(dpkg --print-architecture)

if [ -n "$SNAPSHOT" ]; then
    rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
    echo "deb [check-valid-until=no] $SNAPSHOT $SUITE main" > /etc/apt/sources.list
fi
[ "$TARGETARCH" = "$native" ] || dpkg --add-architecture "$TARGETARCH"
apt-get update -q

# An empty status: to apt the image is a machine of TARGETARCH on which nothing is installed yet.
mkdir -p /packages/image /packages/debug /packages/headers /tmp/archives/partial
: > /tmp/status
target="-q -y -o APT::Architecture=$TARGETARCH -o APT::Architectures::=$TARGETARCH -o Dir::State::status=/tmp/status"
apt-get $target -o Dir::Cache::archives=/tmp/archives --no-install-recommends --download-only install $(listed image)
for name in $(listed without); do rm -f "/tmp/archives/${name}_"*; done
mv /tmp/archives/*.deb /packages/image/
for use in debug headers; do
    chown _apt "/packages/$use"
    (cd "/packages/$use" && apt-get $target download $(listed $use))
done

case $TARGETARCH in
    amd64) compiler=gcc-x86-64-linux-gnu ;;
    arm64) compiler=gcc-aarch64-linux-gnu ;;
    *) echo "There is no image for the processor $TARGETARCH." >&2; exit 1 ;;
esac
[ "$TARGETARCH" = "$native" ] || compiler="$compiler libc6-dev-$TARGETARCH-cross"
# nginx's configure runs on this machine, and asks for these headers.
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    libcap2-bin gcc libc6-dev libssl-dev libpcre2-dev zlib1g-dev libcrypt-dev $compiler
rm -rf /var/lib/apt/lists/* /var/cache/apt /tmp/*
