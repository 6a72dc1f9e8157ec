"""A PostgreSQL that does harm: `hostile` lets the built program talk to one class after another."""
import socket, struct, threading, time


def message(kind, body=b"", size=None):
    """`size` is what the head says of the body."""
    return kind + struct.pack(">I", (len(body) if size is None else size) + 4) + body


def text(*words):
    return b"".join(word.encode() + b"\0" for word in words)


def row(*values):
    body = struct.pack(">H", len(values))
    for value in values:
        body += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
    return message(b"D", body)


def columns(count):
    body = struct.pack(">H", count)
    for number in range(count):
        body += text(f"c{number}") + struct.pack(">IHIhiH", 0, 0, 25, -1, -1, 0)
    return message(b"T", body)


READY = message(b"Z", b"I")
DONE = message(b"C", text("SELECT 1")) + READY
PARSED = message(b"1") + message(b"2")
NOTICE = message(b"N", b"S" + text("LOG") + b"M" + text("\x1b[31m blekeep: error: forged" + "x" * 900) + b"\0")
ERROR = message(b"E", b"S" + text("ERROR") + b"C" + text("XX000") + b"M" + text("no") + b"\0")
NOTIFY = message(b"A", struct.pack(">I", 7) + text("channel", "x" * 900))


class Postgres:
    """A server that does as it should, as far as blekeep asks."""

    seconds, configure, options = 12, False, ""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections, self.heard, self.asked = 0, b"", []
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def settings(self):
        return f"""  postgres:
    url: postgresql://cellar@127.0.0.1:{self.port}/blekeep{self.options}
    password_file: {self.password}
    batch_age: 1s
    configure: {str(self.configure).lower()}
"""

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            self.connections += 1
            threading.Thread(target=self.meet, args=(client,), daemon=True).start()

    def meet(self, client):
        try:
            stream = client.makefile("rb")
            size = struct.unpack(">I", stream.read(4))[0]
            stream.read(size - 4)
            self.greet(client, stream)
            self.idle(client)
            query, parts = "", 0
            while head := stream.read(5):
                kind, size = head[:1], struct.unpack(">I", head[1:])[0]
                body = stream.read(size - 4)
                if kind == b"Q":
                    query = body[:-1].decode()
                elif kind == b"P":
                    query = body.split(b"\0")[1].decode()
                if kind in b"QS":
                    self.asked.append(query)
                    self.answer(client, query, b"" if kind == b"Q" else PARSED)
        except (OSError, struct.error):
            pass
        finally:
            client.close()

    # What subclasses change.

    def greet(self, client, stream):
        client.sendall(message(b"R", struct.pack(">I", 0)) + self.parameters + message(b"K", bytes(8)) + READY)

    parameters = b"".join(
        message(b"S", text(*pair)) for pair in [
            ("server_version", "15.8"), ("client_encoding", "UTF8"), ("in_hot_standby", "off"),
            ("default_transaction_read_only", "off"), ("standard_conforming_strings", "on")])

    def idle(self, client):
        """Called once the connection stands."""

    def answer(self, client, query, start):
        values = self.values(query)
        client.sendall(start + columns(len(values or [b""])) + (b"" if values is None else row(*values)) + DONE)

    def values(self, query):
        if "server_1" in query:
            return [b"7", b"1"]
        if "put_1" in query:
            return [b"0"]
        if "tick_1" in query:
            return [b"{}"]
        return None

    def judge(self, trial):
        return []

    @staticmethod
    def flood(client, start, batch, most=8 << 30):
        client.sendall(start)
        sent = 0
        while sent < most:
            client.sendall(batch)
            sent += len(batch)

    @staticmethod
    def hold():
        time.sleep(600)


# While blekeep connects.


class Silent(Postgres):
    """Accepts, and says nothing."""

    def greet(self, client, stream):
        self.hold()


class Gone(Postgres):
    """Ends each connection at once."""

    def greet(self, client, stream):
        raise OSError


class Noise(Postgres):
    """Sends zeros without end."""

    def greet(self, client, stream):
        self.flood(client, b"", bytes(1 << 20))


class Page(Postgres):
    """Speaks HTTP."""

    def greet(self, client, stream):
        self.flood(client, b"HTTP/1.1 200 OK\r\n\r\n", b"<p>welcome</p>\n" * 5000)


class Old(Postgres):
    """An error as PostgreSQL before 7.4 sent it, without end."""

    def greet(self, client, stream):
        self.flood(client, b"EFATAL: ", b"x" * (1 << 20))


class LongRefusal(Postgres):
    """An error of a gigabyte."""

    def greet(self, client, stream):
        self.flood(client, message(b"E", b"SFATAL\0M", size=1 << 30), b"x" * (1 << 20))


class EarlyNotices(Postgres):
    """Notices without end while blekeep connects, which libpq would print."""

    def greet(self, client, stream):
        self.flood(client, message(b"R", struct.pack(">I", 0)), NOTICE * 500)

    def judge(self, trial):
        return ["the notice is in the log"] if "forged" in trial.log() else []


class FewNotices(Postgres):
    """The same, a few."""

    def greet(self, client, stream):
        client.sendall(message(b"R", struct.pack(">I", 0)) + NOTICE * 20)
        client.sendall(self.parameters + message(b"K", bytes(8)) + READY)

    judge = EarlyNotices.judge


class EarlyParameters(Postgres):
    """Settings without end while blekeep connects."""

    def greet(self, client, stream):
        client.sendall(message(b"R", struct.pack(">I", 0)))
        for number in range(10**8):
            client.sendall(b"".join(message(b"S", text(f"n{number}.{part}", "x")) for part in range(1000)))


class Permissions(Postgres):
    """Lets blekeep in again and again."""

    def greet(self, client, stream):
        self.flood(client, b"", message(b"R", struct.pack(">I", 0)) * 1000)


class Asks(Postgres):
    """Asks for the password in cleartext."""

    first = struct.pack(">I", 3)

    def greet(self, client, stream):
        client.sendall(message(b"R", self.first))
        while more := stream.read(1):
            self.heard += more

    def judge(self, trial):
        faults = ["it got the password"] if b"correct horse" in self.heard or b"pmd5" in self.heard.replace(b"\0", b"") else []
        return faults + ([] if self.connections else ["blekeep never came"])


class AsksMD5(Asks):
    """Asks for the password as MD5."""

    first = struct.pack(">I", 5) + b"salt"


class Scram(Asks):
    """Begins with SCRAM, and then asks for the password in cleartext."""

    first = struct.pack(">I", 10) + text("SCRAM-SHA-256") + b"\0"

    def greet(self, client, stream):
        client.sendall(message(b"R", self.first))
        head = stream.read(5)
        body = stream.read(struct.unpack(">I", head[1:])[0] - 4)
        client.sendall(self.second(body[body.index(b",r=") + 3 :]))
        while more := stream.read(1):
            self.heard += more

    def second(self, nonce):
        return message(b"R", struct.pack(">I", 3))


class ScramNotice(Scram):
    """The same behind a notice, in one packet."""

    def second(self, nonce):
        return NOTICE + message(b"R", struct.pack(">I", 3))


class Rounds(Scram):
    """SCRAM with two billion rounds."""

    rounds = b"2147483647"

    def second(self, nonce):
        return message(b"R", struct.pack(">I", 11) + b"r=" + nonce + b"x,s=c2FsdHNhbHQ=,i=" + self.rounds)

    def judge(self, trial):
        faults = super().judge(trial)
        if trial.cpu() > 6:
            faults.append(f"{trial.cpu():.0f} s of the processor")
        return faults


class Rounds20(Rounds):
    """SCRAM with a number that fits nowhere."""

    rounds = b"99999999999999999999"


class ScramNoise(Scram):
    """SCRAM with noise."""

    def second(self, nonce):
        return message(b"R", struct.pack(">I", 11) + b"r=,s=,i=,r=" + bytes(range(1, 255)))


class Methods(Asks):
    """A way to log in that nobody knows."""

    first = struct.pack(">I", 99) + b"x" * 1000


class LongRequest(Asks):
    """A request for the password of a gigabyte."""

    def greet(self, client, stream):
        self.flood(client, message(b"R", struct.pack(">I", 0), size=1 << 30), bytes(1 << 20))


class Negative(Asks):
    """A message of negative length."""

    def greet(self, client, stream):
        self.flood(client, b"R\xff\xff\xff\xff", bytes(1 << 20), most=1 << 22)


class Half(Postgres):
    """Lets blekeep in, and never says that it is ready."""

    def greet(self, client, stream):
        client.sendall(message(b"R", struct.pack(">I", 0)) + self.parameters)
        self.hold()


class Drip(Postgres):
    """One byte a second."""

    def greet(self, client, stream):
        for byte in self.parameters:
            client.sendall(bytes([byte]))
            time.sleep(1)


# In place of an answer.


class Copy(Postgres):
    """COPY FROM in place of an answer, which libpq repeats for ever."""

    reply = message(b"G", b"\0\0\0")

    def answer(self, client, query, start):
        client.sendall(start + self.reply)


class CopyOut(Copy):
    """COPY TO in place of an answer."""

    reply = message(b"H", b"\0\0\0")


class CopyBoth(Copy):
    """Replication in place of an answer."""

    reply = message(b"W", b"\0\0\0")


class Mute(Copy):
    """No answer."""

    reply = b""


class Nothing(Copy):
    """An answer without a statement."""

    reply = message(b"I") + READY


class Suspended(Copy):
    """A portal that is suspended, and messages of kinds that don't exist."""

    reply = message(b"s") + message(b"!", b"x" * 100) + message(b"\xff", b"x") + READY


class Columnless(Copy):
    """Rows without columns."""

    reply = columns(0) + row() * 5 + DONE


class Wide(Copy):
    """Rows of 1,600 columns."""

    reply = columns(1600) + row(*[b"x"] * 1600) + DONE


class Crooked(Copy):
    """A row that has fewer values than columns, and lengths beyond its end."""

    reply = columns(2) + message(b"D", struct.pack(">Hii", 1, -7, 2_000_000_000)) + DONE


class Bytes(Copy):
    """Values that aren't UTF-8."""

    reply = columns(2) + row(bytes(range(1, 255)), b"\xed\xa0\x80" * 50) + DONE


class Cut(Copy):
    """Half of an answer, and the end."""

    def answer(self, client, query, start):
        client.sendall(start + columns(1) + row(b"x" * 100)[:50])
        raise OSError


class Stream(Postgres):
    """Rows without end."""

    begin, batch = columns(1), row(b"x" * 1000) * 500

    def answer(self, client, query, start):
        self.flood(client, start + self.begin, self.batch)


class Small(Stream):
    """Empty rows without end."""

    batch = row(None) * 20_000


class Giant(Stream):
    """One row of a gigabyte."""

    begin, batch = columns(1) + message(b"D", struct.pack(">Hi", 1, (1 << 30) - 10), size=1 << 30), b"x" * (1 << 20)


class Notifications(Stream):
    """Notifications without end."""

    begin, batch = b"", NOTIFY * 500


class Notices(Stream):
    """Notices without end."""

    begin, batch = b"", NOTICE * 500

    judge = EarlyNotices.judge


class Errors(Stream):
    """Errors without end."""

    begin, batch = b"", ERROR * 5000


class LongError(Stream):
    """An error of a gigabyte."""

    begin, batch = message(b"E", b"SERROR\0CXX000\0M", size=1 << 30), b"x" * (1 << 20)


class MegabyteError(Copy):
    """An error of a megabyte."""

    reply = message(b"E", b"S" + text("ERROR") + b"C" + text("XX000") + b"M" + text("x" * (1 << 20)) + b"\0") + READY

    def judge(self, trial):
        return ["the log has all of it"] if len(trial.log()) > 20_000 else []


class Parameters(Postgres):
    """Settings without end in an answer."""

    def answer(self, client, query, start):
        client.sendall(start)
        for number in range(10**8):
            client.sendall(b"".join(message(b"S", text(f"n{number}.{part}", "x")) for part in range(1000)))


class Completions(Stream):
    """Results without end."""

    begin, batch = b"", message(b"C", text("SELECT 0")) * 20_000


class Readies(Stream):
    """Ready without end."""

    begin, batch = b"", READY * 20_000


class Numbers(Postgres):
    """Numbers that don't fit, in each column."""

    configure = True
    texts = ["9223372036854775807", "-9223372036854775808", "99999999999999999999", "-1", "1e400", "NaN", "", "{[1,9223372036854775807)}"]

    def values(self, query):
        count = 6 if "gateways_1" in query else 3 if "configure_1" in query else 2
        return [self.texts[(len(self.asked) + column) % len(self.texts)].encode() for column in range(count)]


# Without being asked.


class IdleNotices(Postgres):
    """Notices without end when nothing was asked."""

    batch = NOTICE * 500

    def idle(self, client):
        threading.Thread(target=self.pour, args=(client,), daemon=True).start()

    def pour(self, client):
        try:
            time.sleep(2)
            self.flood(client, b"", self.batch)
        except OSError:
            pass


class IdleNotifications(IdleNotices):
    """Notifications without end when nothing was asked."""

    batch = NOTIFY * 500


class IdleParameters(IdleNotices):
    """Settings without end when nothing was asked."""

    def pour(self, client):
        try:
            time.sleep(2)
            for number in range(10**8):
                client.sendall(b"".join(message(b"S", text(f"n{number}.{part}", "x")) for part in range(1000)))
        except OSError:
            pass


class Versions(Postgres):
    """A new configuration at each question."""

    configure, seconds = True, 40

    def values(self, query):
        if "configure_1" not in query:
            return super().values(query)
        number = len(self.asked)
        return [str(number).encode(), f"d{number}".encode(), f"max_links: {1 + number % 7}\n".encode()]

    def judge(self, trial):
        count = trial.log().count("read the configuration again")
        return [] if 1 <= count <= 5 else [f"{count} reloads in {self.seconds} s"]


class Refused(Versions):
    """The same configuration with a mistake at each question."""

    def values(self, query):
        if "configure_1" not in query:
            return super().values(query)
        return [b"7", b"digest", b"nonsense: true\n"]

    def judge(self, trial):
        count = trial.log().count("refused version")
        return [] if count == 1 else [f"refused {count} times"]


CASES = [
    Silent, Gone, Noise, Page, Old, LongRefusal, EarlyNotices, FewNotices, EarlyParameters, Permissions, Asks, AsksMD5, Scram,
    ScramNotice, Rounds, Rounds20, ScramNoise, Methods, LongRequest, Negative, Half, Drip, Copy, CopyOut, CopyBoth, Mute,
    Nothing, Suspended, Columnless, Wide, Crooked, Bytes, Cut, Stream, Small, Giant, Notifications, Notices, Errors, LongError,
    MegabyteError, Parameters, Completions, Readies, Numbers, IdleNotices, IdleNotifications, IdleParameters, Versions, Refused,
]
