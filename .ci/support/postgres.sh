# Shared by the checks that use PostgreSQL, after common.sh. Sets `postgres_bin` to the server's programs.
need /usr/include/postgresql/libpq-fe.h libpq-dev
newest_postgres() { find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1; }
[ -n "$(newest_postgres)" ] || need initdb postgresql
postgres_bin=$(dirname "$(newest_postgres)")
[ -x "$postgres_bin/initdb" ] || fail "the package postgresql contains no initdb"

# as_server COMMAND…: runs a command as a user that the server accepts, which root is not.
as_server() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }

# start_postgres DIRECTORY SETTING…: creates a server in a new directory and starts it; prints the port. It trusts every local user.
start_postgres() {
    local directory=$1 port
    shift
    mkdir -p "$directory"
    [ "$(id -u)" != 0 ] || chown postgres "$directory"
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    {
        as_server "$postgres_bin/initdb" -D "$directory/data" -A trust -U relay -E UTF8 --no-sync
        printf '%s\n' "port = $port" "listen_addresses = '127.0.0.1'" "unix_socket_directories = '$directory'" "$@" \
            | as_server tee -a "$directory/data/postgresql.conf"
        as_server "$postgres_bin/pg_ctl" -D "$directory/data" -l "$directory/log" -w start
        as_server "$postgres_bin/createdb" -h "$directory" -p "$port" -U relay test
    } >"$logs/postgres-start.log" 2>&1 </dev/null || fail "PostgreSQL does not start; see $logs/postgres-start.log"
    say "$port"
}

stop_postgres() { as_server "$postgres_bin/pg_ctl" -D "$1/data" -m immediate stop >/dev/null 2>&1 || true; }
