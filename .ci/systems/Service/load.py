#!/usr/bin/env python3
# Kills the service seven times under load, and checks that no acknowledged vote is lost. Usage: load.py PROGRAM
import http.client
import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

program = sys.argv[1]
polls = [f"poll {number}" for number in range(5)]
acknowledged = {poll: 0 for poll in polls}
lock = threading.Lock()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(folder):
    """Starts the service, and waits until it answers."""
    port = free_port()
    process = subprocess.Popen([program, folder, str(port)], stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, port
        except OSError:
            assert process.poll() is None, "the service has ended"
            time.sleep(0.01)


def vote(port, client, round, stop):
    """Votes until the service is killed, and counts the answers that promise a saved vote."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    number = 0
    while not stop.is_set():
        number += 1
        poll = polls[number % len(polls)]
        body = json.dumps({"voter": f"{round}-{client}-{number}", "option": "yes"})
        try:
            connection.request("POST", f"/polls/{poll.replace(' ', '%20')}/votes", body)
            response = connection.getresponse()
            response.read()
        except (OSError, http.client.HTTPException):
            return
        assert response.status == 201, response.status
        with lock:
            acknowledged[poll] += 1


def results(port, poll):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"/polls/{poll.replace(' ', '%20')}")
    return json.loads(connection.getresponse().read())


def events(port, poll):
    """The events of a poll, until the connection ends."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"/polls/{poll.replace(' ', '%20')}/events")
    for line in connection.getresponse():
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


with tempfile.TemporaryDirectory() as folder:
    rates = []
    for round in range(7):
        process, port = start(folder)
        before = sum(acknowledged.values())
        stop = threading.Event()
        clients = [threading.Thread(target=vote, args=(port, client, round, stop)) for client in range(20)]
        begin = time.monotonic()
        for client in clients:
            client.start()
        time.sleep(0.5 + 0.1 * round)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seconds = time.monotonic() - begin
        for client in clients:
            client.join()
        rates.append((sum(acknowledged.values()) - before) / seconds)

    process, port = start(folder)
    for poll in polls:
        saved = results(port, poll).get("yes", 0)
        assert saved >= acknowledged[poll], f"{poll}: {saved} of {acknowledged[poll]} votes are left"
    stream = events(port, polls[0])
    first = next(stream)["yes"]
    body = json.dumps({"voter": "last", "option": "yes"})
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for status in [201, 409]:
        connection.request("POST", f"/polls/{polls[0].replace(' ', '%20')}/votes", body)
        response = connection.getresponse()
        response.read()
        assert response.status == status, response.status
    assert next(stream)["yes"] == first + 1
    process.send_signal(signal.SIGTERM)
    assert list(stream) == []
    assert process.wait(timeout=30) == 0, process.returncode

    votes = sum(acknowledged.values())
    print(f"7 kills: all {votes} acknowledged votes are left; {sorted(rates)[3]:.0f} votes a second")
