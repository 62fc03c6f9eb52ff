#!/usr/bin/env python3
# Runs the service on two instances behind nginx, with values in PostgreSQL, and kills, stops and restarts all of them
# under load. No acknowledged vote may be lost or counted twice. Usage: load.py PROGRAM, where PROGRAM is the service that
# saves to files. The one that saves to PostgreSQL is beside it.
import collections
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from polls import free_port, results, start, vote, wait_for

file_program = sys.argv[1]
program = f"{file_program}OnPostgres"
polls = [f"poll {number}" for number in range(50)]
postgres = pathlib.Path(os.path.realpath(shutil.which("initdb"))).parent
# PostgreSQL refuses to run as root.
as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []

nginx_configuration = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log crit;
events {{}}
http {{
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000;
  log_format tries '$upstream_status $status';
  access_log {folder}/access.log tries;
  map $uri $poll {{ ~^/polls/([^/]+) $1; }}
  upstream polls {{
    hash $poll consistent;
    server 127.0.0.1:{ports[0]} max_fails=1 fail_timeout=1s;
    server 127.0.0.1:{ports[1]} max_fails=1 fail_timeout=1s;
    keepalive 32;
  }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://polls;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_connect_timeout 1s;
      proxy_read_timeout 2s;
      # A client can repeat its vote, and so can nginx.
      proxy_next_upstream error timeout http_404 non_idempotent;
      proxy_next_upstream_tries 2;
    }}
  }}
}}
"""


class Database:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o777)
        self.port = free_port()
        self.parameters = f"host={folder} port={self.port} user=postgres dbname=postgres"
        self.run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "postgres")
        self.start()
        self.query("CREATE TABLE kept (name text PRIMARY KEY, contents text NOT NULL, revision uuid DEFAULT gen_random_uuid())")

    def run(self, tool, *arguments):
        subprocess.run([*as_user, postgres / tool, *arguments], check=True, stdout=subprocess.DEVNULL)

    def start(self):
        options = f"-p {self.port} -k {self.folder} -c listen_addresses="
        self.run("pg_ctl", "-D", self.folder / "data", "-o", options, "-l", self.folder / "postgres.log", "-w", "start")

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "immediate", "-w", "stop")

    def signal(self, number):
        """Sends a signal to all processes of the database."""
        main = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        children = subprocess.run(["pgrep", "-P", str(main)], capture_output=True, text=True).stdout.split()
        for process in [main, *map(int, children)]:
            os.kill(process, number)

    def query(self, statement):
        command = [postgres / "psql", self.parameters, "-qAtc", statement]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()

    def set_read_only(self, is_read_only):
        self.query(f"ALTER SYSTEM SET default_transaction_read_only = {'on' if is_read_only else 'off'}")
        self.query("SELECT pg_reload_conf()")

    def transactions(self):
        time.sleep(1.5)  # PostgreSQL publishes its counters once a second.
        return int(self.query("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'")[0])

    def votes(self):
        """The voters of each poll."""
        rows = (row.split(maxsplit=1) for row in self.query("SELECT name || ' ' || (contents::jsonb -> 'saved') FROM kept"))
        prefix, suffix = "polls.key-", ".json"
        # The service's key is the escaped name in the URL, which the keeper escapes again.
        keys = ((urllib.parse.unquote(name[len(prefix):-len(suffix)]), saved) for name, saved in rows)
        return {urllib.parse.unquote(key): json.loads(saved) for key, saved in keys}


class Load:
    """Clients that vote until the load ends. A client repeats a vote that fails, at most nine times."""

    def __init__(self, port):
        self.port = port
        self.acknowledged = {poll: set() for poll in polls}
        self.sent = {poll: set() for poll in polls}
        self.statuses = collections.Counter()
        self.times = {poll: 0.0 for poll in polls}  # of the last acknowledged vote
        self.errors = 0
        self.lock = threading.Lock()
        self.ends = threading.Event()
        self.clients = [threading.Thread(target=self.vote, args=(number,)) for number in range(20)]

    def __enter__(self):
        for client in self.clients:
            client.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for client in self.clients:
            client.join(timeout=60)
            assert not client.is_alive(), "a client got neither an answer nor an error"

    @property
    def count(self):
        return sum(map(len, self.acknowledged.values()))

    def vote(self, client):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        for number in itertools.count():
            if self.ends.is_set():
                return
            poll, voter = random.choice(polls), f"{client}-{number}"
            self.sent[poll].add(voter)
            for _ in range(10):
                try:
                    status = vote(connection, poll, voter)
                except (OSError, http.client.HTTPException):
                    connection.close()
                    status = "no answer"
                with self.lock:
                    self.statuses[status] += 1
                    if status == 201:
                        self.acknowledged[poll].add(voter)
                        self.times[poll] = time.monotonic()
                        break
                time.sleep(0.1)
            else:
                self.errors += 1

    def seconds_until_all_answer(self):
        """The seconds from now until each poll has acknowledged another vote."""
        begin = time.monotonic()
        while min(self.times.values()) < begin:
            assert time.monotonic() < begin + 60, "a poll doesn't answer any more"
            time.sleep(0.02)
        return max(self.times.values()) - begin


def median(values):
    return sorted(values)[len(values) // 2]


def measure(load, database=None):
    """The acknowledged votes a second, and the transactions of the database per vote."""
    load.seconds_until_all_answer()
    transactions = database.transactions() if database else 0
    begin, before = time.monotonic(), load.count
    time.sleep(10)
    votes, seconds = load.count - before, time.monotonic() - begin
    return votes / seconds, database and (database.transactions() - transactions) / (load.count - before)


with contextlib.ExitStack() as stack:
    folder = stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp"))
    files = start(file_program, f"{folder}/files", port := free_port())
    with Load(port) as load:
        rate_with_files, _ = measure(load)
    files.terminate()
    assert files.wait(timeout=30) == 0

    database = Database(tempfile.mkdtemp(dir="/tmp"))
    stack.callback(shutil.rmtree, database.folder, ignore_errors=True)
    stack.callback(database.stop)
    ports = [free_port(), free_port()]
    instances = [start(program, database.parameters, port) for port in ports]
    stack.callback(lambda: [instance.kill() for instance in instances])
    port = free_port()
    pathlib.Path(f"{folder}/nginx.conf").write_text(nginx_configuration.format(folder=folder, ports=ports, port=port))
    nginx = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf"], stderr=subprocess.DEVNULL)
    stack.callback(nginx.terminate)
    wait_for(port, nginx)

    with Load(port) as load:
        rate_on_two, share_on_two = measure(load, database)
        instances[1].terminate()
        assert instances[1].wait(timeout=30) == 0
        rate_on_one, share_on_one = measure(load, database)
        instances[1] = start(program, database.parameters, ports[1])

        kills = []
        for number in range(7):
            instances[number % 2].kill()
            kills.append(load.seconds_until_all_answer())
            instances[number % 2].wait()
            instances[number % 2] = start(program, database.parameters, ports[number % 2])
            time.sleep(2)
        stops = []
        for number in range(7):
            instances[number % 2].send_signal(signal.SIGSTOP)
            begin = time.monotonic()
            stops.append(load.seconds_until_all_answer())
            time.sleep(max(0, begin + 5 - time.monotonic()))
            instances[number % 2].send_signal(signal.SIGCONT)
            load.seconds_until_all_answer()
        for _ in range(3):
            database.stop()
            database.start()
            load.seconds_until_all_answer()
        database.signal(signal.SIGSTOP)
        time.sleep(8)
        database.signal(signal.SIGCONT)
        load.seconds_until_all_answer()
        failures_before = load.statuses.total() - load.count
        database.set_read_only(True)
        time.sleep(3)
        failures = load.statuses.total() - load.count
        database.set_read_only(False)
        load.seconds_until_all_answer()

    saved = database.votes()
    # An instance that has lost a poll can show its old results, until the poll's session there is closed after 5 seconds.
    time.sleep(7)
    for poll in polls:
        voters = saved[poll].keys()
        assert load.acknowledged[poll] <= voters, f"{poll}: {load.acknowledged[poll] - voters} are lost"
        assert voters <= load.sent[poll], f"{poll}: {voters - load.sent[poll]} were never sent"
        assert results(port, poll) == {"yes": len(voters)}, poll
    assert failures > failures_before, "no vote was refused while the database was read-only"
    for instance in instances:
        instance.terminate()
    assert [instance.wait(timeout=30) for instance in instances] == [0, 0]

    tries = collections.Counter(pathlib.Path(f"{folder}/access.log").read_text().splitlines())
    print(f"7 kills, 7 stops, 3 restarts of the database, a stopped and a read-only one: all {load.count} acknowledged votes are left")
    print(f"statuses: {dict(load.statuses)}, given up: {load.errors}; tries of nginx: {dict(tries.most_common(8))}")
    print(f"votes a second: {rate_with_files:.0f} with files; with the database {rate_on_one:.0f} on one instance, {rate_on_two:.0f} on two")
    print(f"transactions of the database per vote: {share_on_one:.3f} on one instance, {share_on_two:.3f} on two")
    print(f"seconds until all polls answer after a kill: {median(kills):.1f} (at most {max(kills):.1f})")
    print(f"seconds until all polls answer after a stop: {median(stops):.1f} (at most {max(stops):.1f})")
