#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the built .deb into a clean Debian 12 root and extracts there; then the tarball, in the same root. Needs root,
# mmdebstrap and Debian's archive.
set -euo pipefail
cd "$(dirname "$0")/../.."
deb=$(ls build/package/seqgpt_*.deb)
tarball=$(ls build/package/seqgpt-*.tar.gz)
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
text='王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。'

mmdebstrap --quiet --variant=minbase bookworm "$root"
mount --bind /proc "$root/proc"  # the program finds its model beside itself by /proc/self/exe
in_root() { chroot "$root" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
cp "$deb" "$tarball" "$root/tmp/"
in_root apt-get update -qq

echo "== install $(basename "$deb")"
in_root apt-get install -y -qq --no-install-recommends "/tmp/$(basename "$deb")" >/dev/null
in_root seqgpt --version
answer=$(in_root seqgpt extract --format json -l 姓名,公司 "$text")
grep -q '"姓名": "王伟"' <<<"$answer" || { echo "package_root: not extracted: $answer" >&2; exit 1; }
for name in seqgpt-server seqgpt-ui; do in_root "$name" --help >/dev/null; done
in_root test -f /lib/systemd/system/seqgpt.service
in_root test -f /usr/share/doc/seqgpt/copyright

echo "== remove"
in_root apt-get remove -y -qq seqgpt >/dev/null
[ -z "$(find "$root" -xdev -not -path "$root/var/lib/*" -not -path "$root/var/log/*" -not -path "$root/tmp/*" -name '*seqgpt*')" ] ||
  { echo "package_root: left behind:" >&2; find "$root" -xdev -name '*seqgpt*' >&2; exit 1; }

echo "== $(basename "$tarball")"
in_root tar -C /opt -xzf "/tmp/$(basename "$tarball")"
answer=$(in_root /opt/"$(basename "$tarball" .tar.gz)"/bin/seqgpt extract --format json -l 姓名,公司 "$text")
grep -q '"姓名": "王伟"' <<<"$answer" || { echo "package_root: not extracted: $answer" >&2; exit 1; }
echo "package: installs, extracts, goes"
