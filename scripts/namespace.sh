#!/bin/sh
# Gives a network namespace that is still empty the addresses of the tests, and becomes the command:
# the corpus expects 192.0.2.1 to .120, and 10.96.77.77 is used as a ClusterIP.
set -e
PATH="$PATH:/usr/sbin:/sbin"
ip link set lo up
{
    echo "addr add 192.0.2.1/24 dev lo"
    for i in $(seq 2 120); do echo "addr add 192.0.2.$i/32 dev lo"; done
    echo "addr add 10.96.77.77/32 dev lo"
} | ip -batch -
ip -6 addr add 2001:db8::1/64 dev lo 2>/dev/null || true
exec "$@"
