# Makes the image's root from the package files: /out, the files of the debug image in /debug, and
# the list of the packages in /files.txt. Packages are unpacked, so none of their scripts run here.
set -eu
user=101 group=82

mkdir -p /out/usr/bin /out/usr/sbin /out/usr/lib /debug
for name in bin sbin lib; do ln -s "usr/$name" "/out/$name"; done
[ "$TARGETARCH" != amd64 ] || { mkdir /out/usr/lib64; ln -s usr/lib64 /out/lib64; }

unpack() { # PACKAGE-FILE ROOT: with an entry where scanners of images look.
    dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"
    name=$(dpkg-deb -f "$1" Package)
    mkdir -p "$2/var/lib/dpkg/status.d"
    { echo "Status: install ok installed"; dpkg-deb -f "$1" Package Source Version Architecture Maintainer; } > "$2/var/lib/dpkg/status.d/$name"
}
for package in /packages/image/*.deb; do
    unpack "$package" /out
    echo "$(dpkg-deb -W --showformat='${Package} ${Version} ${Architecture}' "$package") $(sha256sum < "$package" | cut -d' ' -f1)"
done > /files.txt
for package in /packages/debug/*.deb; do unpack "$package" /debug; done

cd /out
# The only programs that packages bring. The controller locks its run folder with
# flock, and env starts it with options for Node.
mkdir -p usr/lib/sluice
mv usr/bin/setpriv usr/lib/sluice/with-net-bind-service
find usr/bin usr/sbin ! -type d ! -path usr/sbin/nginx ! -path usr/bin/flock ! -path usr/bin/env -delete
find usr/share/doc ! -type d ! -name copyright -delete
(cd usr/share && rm -rf man info locale lintian bug bash-completion vim apport perl5 gcc gdb debhelper base-files dict pam \
    menu doc-base zsh pixmaps applications metainfo polkit-1 initramfs-tools keyrings zoneinfo/right zoneinfo/posix \
    modsecurity-crs/util modsecurity-crs/owasp-crs.load)
(cd usr/lib && rm -rf systemd sysctl.d tmpfiles.d sysusers.d udev gcc debug pam.d valgrind init mime pkgconfig)
(cd usr/lib/*-linux-gnu* && rm -rf pkgconfig cmake audit security gconv perl perl-base engines-3 libexec krb5 sasl2 lua/5.[2-9])
(cd etc && rm -rf init.d cron* logrotate.d ufw apport systemd pam.d security default update-motd.d skel profile.d apparmor.d \
    dpkg gss motd issue* nginx/sites-* nginx/modules-* nginx/snippets nginx/conf.d modsecurity/modsecurity.conf-recommended)
rm -rf usr/include usr/games usr/src usr/local var/backups var/cache var/local var/mail var/spool var/opt boot media mnt srv .usr-is-merged
find . -type f \( -name '*.a' -o -name '*.la' -o -name '*.o' -o -name '*.py' \) -delete
find usr/share usr/lib etc var -depth -type d -empty -delete
# Only programs and libraries may be executed, and no file gives other rights.
find . -type f -perm /7111 ! -path './usr/bin/*' ! -path './usr/sbin/*' ! -path './usr/lib/sluice/*' ! -name '*.so*' -exec chmod a-x,a-s,a-t {} +
find . -type f -perm /6000 -exec chmod a-s {} +

mkdir -p proc sys dev run/sluice home opt root tmp/nginx usr/local/bin var/lib/nginx var/log/nginx var/log/audit etc/ingress-controller
chmod 1777 tmp
chmod 700 root run/sluice
chown "$user:$group" run/sluice etc/ingress-controller tmp/nginx var/log var/log/nginx var/log/audit
ln -sfn /run var/run
ln -sf /usr/share/zoneinfo/Etc/UTC etc/localtime
nologin=/usr/sbin/nologin
cat > etc/passwd <<EOF
root:x:0:0:root:/root:$nologin
www-data:x:33:33:www-data:/var/www:$nologin
sluice:x:$user:$group::/nonexistent:$nologin
nobody:x:65534:65534:nobody:/nonexistent:$nologin
EOF
printf 'root:x:0:\nwww-data:x:33:\nsluice:x:%s:\nnogroup:x:65534:\n' "$group" > etc/group
printf 'passwd: files\ngroup: files\nhosts: files dns\n' > etc/nsswitch.conf

# All authorities in one file, as update-ca-certificates makes it, and the name that OpenSSL
# expects.
mkdir -p etc/ssl/certs usr/lib/ssl
find usr/share/ca-certificates -name '*.crt' | LC_ALL=C sort | xargs sed -s '$a\' > etc/ssl/certs/ca-certificates.crt
rm -rf usr/share/ca-certificates
ln -sf /etc/ssl/certs/ca-certificates.crt usr/lib/ssl/cert.pem

ln -s ../sbin/nginx usr/bin/nginx
# Settings and rules may name files here. A volume of the chart hides these folders, and the
# controller makes them again there.
ln -sf /dev/stdout var/log/nginx/access.log
ln -sf /dev/stderr var/log/nginx/error.log

# ModSecurity's files where ingress-nginx has them. The log of audits goes to the place of the other
# logs; SecAuditLogType Concurrent writes a file for each request into the folder.
mkdir -p etc/nginx/modsecurity etc/nginx/owasp-modsecurity-crs/rules
mv etc/nginx/modsecurity.conf etc/nginx/unicode.mapping etc/nginx/modsecurity/
sed -i 's|^SecAuditLog .*|SecAuditLog /dev/stdout|' etc/nginx/modsecurity/modsecurity.conf
printf '\nSecAuditLogStorageDir /var/log/audit/\n' >> etc/nginx/modsecurity/modsecurity.conf
rules=etc/nginx/owasp-modsecurity-crs
install -m 644 /image/owasp-crs.conf "$rules/nginx-modsecurity.conf"
for file in usr/share/modsecurity-crs/rules/* etc/modsecurity/crs/*; do ln -s "/$file" "$rules/rules/"; done
mv "$rules/rules/crs-setup.conf" "$rules/"

# setpriv may pass NET_BIND_SERVICE on to the program that it starts. nginx itself has no
# capability, because then it could not start if the container drops all capabilities.
setcap cap_net_bind_service=p usr/lib/sluice/with-net-bind-service

cd /debug
find . ! -type d ! -path ./usr/bin/busybox ! -name copyright ! -path './var/lib/dpkg/*' -delete
find . -depth -type d -empty -delete
for name in sh ash awk base64 basename cat chmod cp cut date dd df dirname du env expr false find free grep gunzip gzip head \
    hexdump hostname id kill killall ln ls mkdir mktemp more mv nc netstat nslookup od pgrep pidof ping printf ps pwd \
    readlink rm rmdir sed seq sleep sort stat strings tail tar tee telnet test time timeout top touch tr true uname uniq \
    uptime vi watch wc wget which whoami xargs; do ln -s busybox "usr/bin/$name"; done
