#!/usr/bin/env python3
"""A PostgreSQL for tests: postgres_server.py SCHEMA [standby]; ends when stdin ends.

Writes a line: the folder, then the port, with a standby its port, too. Takes lines: `kill`, `start`,
`promote`, `pause`, and others as SQL for the superuser; answers each with one line.
"""
import glob, os, pwd, shutil, signal, socket, subprocess, sys, tempfile
import certificates

programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
folder = tempfile.mkdtemp(prefix="vault-pg-")
os.chmod(folder, 0o755)
identity = {}
if os.getuid() == 0:
    owner = pwd.getpwnam("postgres")
    # PostgreSQL refuses to run as root.
    identity = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}


def run(*words, check=True, text=None):
    done = subprocess.run(
        words, capture_output=True, text=True, input=text, cwd="/", **identity,
        env={"PATH": f"{programs}:{os.environ['PATH']}", "LC_ALL": "C", "PGHOST": folder,
             "PGPORT": str(ports[0]), "PGUSER": "postgres"})
    if check and done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    return (done.stdout + done.stderr).strip().replace("\n", " | ")


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    found = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return found


has_standby = "standby" in sys.argv
ports = free_ports(2)
certificate, key = certificates.make(folder)
certificates.make(folder, "other")
if identity:
    for path in [folder, certificate, key]:
        os.chown(path, identity["user"], identity["group"])


def control(number, *words, check=True):
    # Not through a pipe, which the server would keep.
    done = subprocess.run(
        [f"{programs}/pg_ctl", "-D", f"{folder}/data{number}", "-l", f"{folder}/log{number}", "-w",
         *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"}, **identity)
    if check and done.returncode:
        raise SystemExit(open(f"{folder}/log{number}").read())


def end(*_):
    for number in range(2 if has_standby else 1):
        control(number, "-m", "immediate", "stop", check=False)
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, end)
try:
    run("initdb", "-D", f"{folder}/data0", "-U", "postgres", "-A", "scram-sha-256", "--no-sync",
        "--auth-local=trust", "-E", "UTF8", "--locale=C")
    with open(f"{folder}/data0/postgresql.conf", "a") as file:
        file.write(
            f"port={ports[0]}\nlisten_addresses='127.0.0.1,127.0.0.2'\n"
            f"unix_socket_directories='{folder}'\n"
            f"ssl=on\nssl_cert_file='{certificate}'\nssl_key_file='{key}'\nmax_connections=20\n"
            "superuser_reserved_connections=3\nwal_keep_size=64MB\n")
    with open(f"{folder}/data0/pg_hba.conf", "w") as file:
        file.write(
            "local all postgres trust\nlocal replication all trust\n"
            "hostssl all all 127.0.0.0/8 scram-sha-256\nhostnossl all all 127.0.0.0/8 scram-sha-256\n"
            "local all all scram-sha-256\n")
    control(0, "start")
    run("createdb", "vault")
    run("createdb", "bare")
    print(run("psql", "-q", "-v", "ON_ERROR_STOP=1", "vault", text=open(sys.argv[1]).read()),
          file=sys.stderr)
    run("psql", "-q", "-v", "ON_ERROR_STOP=1", "vault", text="""
        create role laptop login password 'canary-pg' in role vault_sync, vault_create;
        create role desktop login password 'canary-pg' in role vault_sync;
        create role reader login password 'canary-pg' in role vault_read;
        create role former login password 'canary-pg' in role vault_read;
        """)
    # For tests that begin with nothing.
    run("createdb", "-T", "vault", "prepared")
    if has_standby:
        run("pg_basebackup", "-D", f"{folder}/data1", "-R", "-X", "stream", "-c", "fast")
        with open(f"{folder}/data1/postgresql.conf", "a") as file:
            file.write(f"port={ports[1]}\n")
        control(1, "start")
    print(folder, *(ports if has_standby else ports[:1]), flush=True)
    for line in sys.stdin:
        words = line.strip()
        if words == "kill":
            control(0, "-m", "immediate", "stop")
            answer = "killed"
        elif words == "start":
            control(0, "start")
            answer = "started"
        elif words == "promote":
            control(1, "promote")
            answer = "promoted"
        elif words == "pause":
            # The standby gets nothing more.
            run("psql", "-q", "-p", str(ports[1]), "-c", "alter system set primary_conninfo=''")
            run("psql", "-q", "-p", str(ports[1]), "-c", "select pg_reload_conf()")
            answer = "paused"
        else:
            answer = run("psql", "-q", "-A", "-t", "vault", "-c", words, check=False)
        print(answer, flush=True)
finally:
    end()
