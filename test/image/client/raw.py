"""Sends bytes over QUIC that no client of HTTP/3 sends.

The input is a list of cases in JSON. A case is a connection: `uni` has the bytes of its streams in
one direction, `requests` those of its requests, both in hexadecimal. `fin` tells whether requests
end, `after` is "reset" or "stop" after them, "end" to keep the connection until nginx ends it, and
absent otherwise. The output has for each case the statuses of its answers, the code with which
nginx has closed the connection, or null, and the requests that its frames of GOAWAY name.
"""
import asyncio
import json
import ssl
import sys

import pylsqpack
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.buffer import Buffer, BufferReadError
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived, StreamReset


class Raw(QuicConnectionProtocol):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.answers, self.open, self.code, self.over = {}, None, None, asyncio.Event()
        self.stays = False

    def quic_event_received(self, event):
        if isinstance(event, StreamDataReceived):
            self.answers[event.stream_id] = self.answers.get(event.stream_id, b"") + event.data
        if isinstance(event, ConnectionTerminated):
            self.code = event.error_code
            self.over.set()
        if self.open and (isinstance(event, StreamReset) or getattr(event, "end_stream", False)):
            self.open.discard(event.stream_id)
            if not self.open and not self.stays:
                self.over.set()


def frames_of(buffer):
    try:
        while not buffer.eof():
            kind, length = buffer.pull_uint_var(), buffer.pull_uint_var()
            yield kind, buffer.pull_bytes(length)
    except BufferReadError:
        pass


def status_of(answer):
    for kind, payload in frames_of(Buffer(data=answer)):
        if kind == 1:
            _, headers = pylsqpack.Decoder(0, 0).feed_header(0, payload)
            return int(dict(headers)[b":status"])
    return None


def last_requests(answers):
    """The control stream is the server's stream whose first integer is 0."""
    for stream, data in answers.items():
        buffer = Buffer(data=data)
        if stream % 4 == 3 and buffer.pull_uint_var() == 0:
            return [Buffer(data=payload).pull_uint_var() for kind, payload in frames_of(buffer) if kind == 7]
    return []


async def run(address, port, case):
    configuration = QuicConfiguration(
        is_client=True, alpn_protocols=["h3"], server_name=case["sni"], verify_mode=ssl.CERT_NONE
    )
    async with connect(address, port, configuration=configuration, create_protocol=Raw) as raw:
        quic = raw._quic
        for data in case["uni"]:
            stream = quic.get_next_available_stream_id(is_unidirectional=True)
            quic.send_stream_data(stream, bytes.fromhex(data))
        requests = []
        for data in case["requests"]:
            stream = quic.get_next_available_stream_id()
            requests.append(stream)
            quic.send_stream_data(stream, bytes.fromhex(data), end_stream=case.get("fin", True))
            if case.get("after") == "reset":
                quic.reset_stream(stream, 0x10C)
            if case.get("after") == "stop":
                quic.stop_stream(stream, 0x10C)
        raw.open = set(requests)
        raw.stays = case.get("after") == "end"
        raw.transmit()
        waits = case.get("fin", True) and "after" not in case
        try:
            await asyncio.wait_for(raw.over.wait(), 120 if raw.stays else 10 if waits else 0.2)
        except asyncio.TimeoutError:
            pass
        answers = [status_of(raw.answers.get(stream, b"")) for stream in requests]
        return {"statuses": answers, "closed": raw.code, "goaway": last_requests(raw.answers)}


async def main():
    address, port = sys.argv[1], int(sys.argv[2])
    with open(sys.argv[3]) as file:
        cases = json.load(file)
    print(json.dumps([await run(address, port, case) for case in cases]))


asyncio.run(main())
