#!/usr/bin/env bash
# Fills .build-ci/static with archives of every library that the programs need beside glibc, with what pkg-config says of libpq, and with
# ICU's data in English. Debian's own archives of curl and of libpq need libraries that have no archive, such as Kerberos': both are built
# from Debian's sources, with its patches, without what the programs do not use. Their sources stay in .build-ci/static/sources.
. "$(dirname "$0")/common.sh"
static=$root/.build-ci/static
sources=$static/sources
[ ! -e "$static/built" ] || exit 0
need dpkg-source dpkg-dev
need make make
need cc gcc
need objcopy binutils
need python3 python3
need /usr/include/openssl/ssl.h libssl-dev
need /usr/include/zlib.h zlib1g-dev
need /usr/include/sqlite3.h libsqlite3-dev
need /usr/include/postgresql/libpq-fe.h libpq-dev
rm -rf "$static" && mkdir -p "$sources/lists/partial" "$sources/cache"

# The distribution's sources.
suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
printf 'deb-src http://deb.debian.org/%s main\n' "debian $suite" "debian-security $suite-security" >"$sources/sources.list"
apt=(-o "Dir::Etc::SourceList=$sources/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$sources/lists"
    -o "Dir::Cache=$sources/cache" -o APT::Sandbox::User=root)
apt-get "${apt[@]}" update -q

# unpack PACKAGE FOLDER: the newest source of the package that the servers have; its version is in FOLDER.version.
unpack() {
    local version found=
    cd "$sources"
    for version in $(apt-cache "${apt[@]}" showsrc "$1" | sed -n 's/^Version: //p' | sort -rV); do
        apt-get "${apt[@]}" source -q --download-only "$1=$version" && found=$version && break
    done
    [ -n "$found" ] || fail "no source of $1 could be fetched"
    dpkg-source --no-check -x "$1_${found#*:}.dsc" "$2"
    echo "$found" >"$2.version"
}
unpack curl curl
unpack "$(dpkg-query -W -f '${source:Package}' libpq-dev)" postgresql
jobs=$(getconf _NPROCESSORS_ONLN)
options=(CC=clang CFLAGS="-O2 -fPIC -ffunction-sections -fdata-sections")

# Only what FoundationNetworking uses to talk to a relay and to a collector.
mkdir "$sources/curl/build" && cd "$sources/curl/build"
../configure "${options[@]}" --disable-shared --enable-static --enable-ipv6 --with-openssl --with-zlib \
    --with-ca-bundle=/etc/ssl/certs/ca-certificates.crt --without-{libpsl,libidn2,librtmp,libssh2,nghttp2,brotli,zstd,libgsasl} \
    --disable-{ldap,ldaps,ftp,file,dict,telnet,tftp,pop3,imap,smtp,gopher,rtsp,smb,mqtt,manual,ntlm,unix-sockets}
make -C lib -j "$jobs"
cp lib/.libs/libcurl.a "$static/libcurl-http.a"

mkdir "$sources/postgresql/build" && cd "$sources/postgresql/build"
../configure "${options[@]}" --without-readline --without-zlib --with-ssl=openssl
make -s -C src/backend generated-headers
for folder in src/common src/port; do make -s -C $folder -j "$jobs"; done
make -s -C src/interfaces/libpq -j "$jobs" libpq.a
cp src/interfaces/libpq/libpq.a "$static/libpq-client.a"
cp src/common/libpgcommon_shlib.a src/port/libpgport_shlib.a "$static"

# ICU's data is an object of the toolchain's archive. The linker's option --wrap replaces its symbol, which is in icu.symbol, by this one.
cd "$static"
icu=${resources}_static/linux/lib_FoundationICU.a
read -r object symbol < <(nm -A "$icu" 2>/dev/null | sed -nE 's/.*:([^:]+\.o):.* (icudt[0-9]+_dat)$/\1 \2/p')
ar x "$icu" "$object"
objcopy -O binary -j .rodata "$object" icu-all.dat
python3 "$root/.ci/support/icu_data.py" icu-all.dat icu-english.dat
printf '%s\n' '.section .rodata' '.balign 16' ".globl __wrap_$symbol" "__wrap_$symbol:" '.incbin "icu-english.dat"' \
    '.section .note.GNU-stack,"",@progbits' | clang -c -x assembler - -o icu-english.o
rm "$object" icu-all.dat
echo "$symbol" >icu.symbol

for name in libsqlite3 libz libssl libcrypto libstdc++; do ln -s "$(cc -print-file-name=$name.a)" "$static/$name.a"; done
# Scripts for the linker: these libraries need the others, whatever the order in which a program names them.
echo "GROUP ( $static/libcurl-http.a $static/libssl.a $static/libcrypto.a $static/libz.a )" >libcurl.a
echo "GROUP ( $static/libpq-client.a $static/libpgcommon_shlib.a $static/libpgport_shlib.a $static/libssl.a $static/libcrypto.a )" >libpq.a
printf 'Name: libpq\nDescription: PostgreSQL\nVersion: %s\nCflags: %s\nLibs: -L%s -lpq\n' "$(cat "$sources/postgresql.version")" \
    "$(pkg-config --cflags libpq)" "$static" >libpq.pc
touch built
