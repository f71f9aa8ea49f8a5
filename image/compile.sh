# Compiles process 1, the guard of nginx and our modules for TARGETARCH into /out, against the
# headers of /packages.
set -eu
case $TARGETARCH in
    amd64) gnu=x86_64-linux-gnu ;;
    arm64) gnu=aarch64-linux-gnu ;;
esac
flags="-O2 -g0 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now -Wl,--build-id=none"
flags="$flags -Wall -Wextra -Wno-unused-parameter -Werror"
modules=/out/usr/lib/nginx/modules
mkdir -p "$modules"
mkdir -p /out/usr/lib/sluice
$gnu-gcc $flags -fPIE -pie -o /out/sluice-init /image/init/sluice-init.c
$gnu-gcc $flags -fPIE -pie -o /out/usr/lib/sluice/guarded-nginx /image/init/guarded-nginx.c

for package in /packages/headers/*.deb; do dpkg-deb -x "$package" /target; done
# These options change nginx's structures. Debian builds with --with-compat, which makes them equal
# for all other options. configure runs small programs, so it runs for this machine's processor:
# every processor here has 64 bits and is little-endian, so its results hold for all.
cp -r /target/usr/share/nginx/src /nginx
cd /nginx
sh ./configure --with-cc=gcc --with-compat --with-debug --with-threads --with-file-aio --with-pcre-jit \
    --with-http_ssl_module --with-http_v2_module --with-http_v3_module --with-http_realip_module > /tmp/configure.log ||
    { cat /tmp/configure.log; exit 1; }

includes="-I objs -I /image/modules -isystem /target/usr/include -isystem /target/usr/include/$gnu"
for folder in core event event/modules event/quic os/unix http http/modules http/v2 http/v3; do
    includes="$includes -I src/$folder"
done
for name in ngx_http_upstream_ssl_san ngx_http_kept_request_body; do
    # nginx's own build makes such a file for a dynamic module: its name, and its place among the
    # modules.
    cat > "/tmp/$name.c" <<EOF
#include <ngx_config.h>
#include <ngx_core.h>
extern ngx_module_t ${name}_module;
ngx_module_t *ngx_modules[] = { &${name}_module, NULL };
char *ngx_module_names[] = { "${name}_module", NULL };
char *ngx_module_order[] = { NULL };
EOF
    $gnu-gcc $flags -fPIC -shared $includes -o "$modules/${name}_module.so" "/image/modules/$name"*.c "/tmp/$name.c"
done
