#!/usr/bin/env python3
# Kills the service seven times under load, and checks that no acknowledged vote is lost. Usage: load.py PROGRAM
import http.client
import itertools
import json
import pathlib
import signal
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from polls import free_port, path, results, start, vote

program = sys.argv[1]
polls = [f"poll {number}" for number in range(5)]
acknowledged = {poll: 0 for poll in polls}
unexpected = []  # statuses
lock = threading.Lock()


def vote_until_killed(port, client, round):
    """Counts the answers that promise a saved vote."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for number in itertools.count():
        poll = polls[number % len(polls)]
        try:
            status = vote(connection, poll, f"{round}-{client}-{number}")
        except (OSError, http.client.HTTPException):
            return
        with lock:
            if status == 201:
                acknowledged[poll] += 1
            else:
                unexpected.append(status)


def events(port, poll):
    """The events of a poll, until the connection ends."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"{path(poll)}/events")
    for line in connection.getresponse():
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


with tempfile.TemporaryDirectory() as folder:
    rates = []
    for round in range(7):
        process = start(program, folder, port := free_port())
        before = sum(acknowledged.values())
        clients = [threading.Thread(target=vote_until_killed, args=(port, client, round)) for client in range(20)]
        begin = time.monotonic()
        for client in clients:
            client.start()
        time.sleep(0.5 + 0.1 * round)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seconds = time.monotonic() - begin
        for client in clients:
            client.join()
        assert not unexpected, unexpected
        rates.append((sum(acknowledged.values()) - before) / seconds)

    process = start(program, folder, port := free_port())
    for poll in polls:
        saved = results(port, poll).get("yes", 0)
        assert saved >= acknowledged[poll], f"{poll}: {saved} of {acknowledged[poll]} votes are left"
    stream = events(port, polls[0])
    first = next(stream)["yes"]
    connection = http.client.HTTPConnection("127.0.0.1", port)
    statuses = [vote(connection, polls[0], "last", option) for option in ("yes", "yes", "no")]
    assert statuses == [201, 201, 409], statuses
    assert next(stream)["yes"] == first + 1
    process.send_signal(signal.SIGTERM)
    assert list(stream) == []
    assert process.wait(timeout=30) == 0, process.returncode

    votes = sum(acknowledged.values())
    assert min(rates) > 0, "a round had no acknowledged vote"
    print(f"7 kills: all {votes} acknowledged votes are left; {sorted(rates)[3]:.0f} votes a second")
