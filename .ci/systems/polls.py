"""What the load on the service of the article "Servers" has in common, on one server and on several."""
import http.client
import json
import socket
import subprocess
import time
import urllib.parse


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(program, place, port):
    """Starts the service with its folder or database, and waits until it answers."""
    process = subprocess.Popen([program, place, str(port)], stderr=subprocess.DEVNULL)
    wait_for(port, process)
    return process


def wait_for(port, process):
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert process.poll() is None, f"{process.args[0]} has ended"
            time.sleep(0.01)


def path(poll):
    return f"/polls/{urllib.parse.quote(poll)}"


def vote(connection, poll, voter, option="yes"):
    """Votes, and returns the status of the answer."""
    connection.request("POST", f"{path(poll)}/votes", json.dumps({"voter": voter, "option": option}))
    response = connection.getresponse()
    response.read()
    return response.status


def results(port, poll):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path(poll))
    return json.loads(connection.getresponse().read())
