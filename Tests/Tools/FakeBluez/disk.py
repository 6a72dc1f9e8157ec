"""Scenarios with a disk that takes seconds for a sync, or fails, as a worn SD card does."""
import errno, os, random, signal, socket, sqlite3, subprocess, time

PLACES = [f"C0:00:5E:00:54:{number:02X}" for number in range(4)]
INTERVAL = 5


class Disk:
    """The disk of a trial's poller."""

    def __init__(self, trial):
        self.trial, self.file = trial, f"{trial.folder}/disk"
        library = f"{trial.folder}/slowdisk.so"
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "slowdisk.c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        self.environment = {"LD_PRELOAD": library, "SLOWDISK": self.file}
        self.takes(0)

    def takes(self, seconds, error=0, is_once=False):
        """Each sync, or the next one alone, takes so long from now on, and each write fails with this error."""
        with open(f"{self.file}.new", "w") as file:
            file.write(f"{seconds} {error} {'once' if is_once else ''}\n")
        os.rename(f"{self.file}.new", self.file)

    @property
    def syncs(self):
        """The slow syncs that ended, as their lengths."""
        try:
            with open(f"{self.file}.log") as file:
                return [float(end) - float(begin) for begin, end in (line.split() for line in file)]
        except FileNotFoundError:
            return []


def start(trial, environment={}):
    """Polls four thermometers every 5 s."""
    disk = Disk(trial)
    for place, address in enumerate(PLACES):
        trial.bluez.device(address, {"181a": {"2a6e": (["read"], bytes([0x34 + place, 8]))}}, RSSI=-50)
    begin(trial, disk, environment)
    trial.until("values of all", lambda: len({row["address"] for row in trial.readings()}) == len(PLACES))
    return disk


def begin(trial, disk, environment={}):
    devices = ", ".join(f"{{address: '{address}', characteristics: [{{uuid: 2a6e}}]}}" for address in PLACES)
    trial.more = disk.environment | environment
    trial.poll(f"interval: {INTERVAL}s\ndevices: [{devices}]")


def stored(trial):
    """The history's readings: numbers, devices, ticks and times."""
    with sqlite3.connect(f"file:{trial.folder}/history.sqlite?mode=ro", uri=True) as database:
        return database.execute(
            "SELECT seq, address, tick, m.time_ms FROM measurements AS m JOIN series ON series.id = series ORDER BY seq"
        ).fetchall()


def check(trial, runs=1):
    """Nothing that was printed is missing in the history, nothing is in it twice, and no tick is missing."""
    printed = [row["seq"] for row in trial.readings() if row.get("seq")]
    assert len(printed) == len(set(printed)), "a reading was printed twice"
    rows = stored(trial)
    numbers = [row[0] for row in rows]
    assert numbers == list(range(1, len(numbers) + 1)), "numbers are missing"
    lost = set(printed) - set(numbers)
    assert not lost, f"{len(lost)} printed readings aren't in the history: {sorted(lost)[:9]}"
    if runs == 1:
        for address in PLACES:
            device = [row for row in rows if row[1] == address]
            ticks = [row[2] for row in device]
            assert ticks == list(range(ticks[0], ticks[0] + len(ticks))), f"{address}: ticks {ticks}"
            pauses = [(after[3] - before[3]) / 1000 for before, after in zip(device, device[1:])]
            assert max(pauses) < INTERVAL + 1.5, f"{address}: {max(pauses)} s between two readings"
    return len(numbers)


def stall(trial, disk, seconds):
    """One sync takes so long."""
    before = len(disk.syncs)
    disk.takes(seconds, is_once=True)
    trial.until("a slow sync", lambda: len(disk.syncs) > before, seconds + 60)
    trial.wait(1)


def disk_takes_17_s(trial):
    """A sync takes 17 s, three times. The poller goes on, and says so once."""
    disk = start(trial)
    for _ in range(3):
        stall(trial, disk, 17)
    trial.wait(3)
    code, took = trial.stop()
    assert code == 0 and took < 5, (code, took)
    assert trial.log().count("the disk takes longer than 1s") == 1, trial.log()
    return f"{check(trial)} readings, syncs of {disk.syncs}"


def disk_takes_60_s(trial):
    """A sync takes a minute."""
    disk = start(trial)
    stall(trial, disk, 60)
    trial.wait(3)
    assert trial.stop()[0] == 0
    return f"{check(trial)} readings, syncs of {disk.syncs}"


def disk_takes_5_s_often(trial):
    """Each sync takes 5 s, for three minutes, with full disks and failing writes in between."""
    disk = start(trial)
    disk.takes(5)
    trial.wait(60)
    for error in (errno.ENOSPC, errno.EIO):
        disk.takes(5, error)
        trial.wait(20)
        disk.takes(5)
        trial.wait(40)
    disk.takes(0)
    trial.wait(65)  # the longest pause before the next attempt
    assert trial.stop()[0] == 0
    return f"{check(trial)} readings, {len(disk.syncs)} slow syncs"


def disk_is_slow_at_the_end(trial):
    """SIGTERM while a sync takes 17 s: devices are disconnected at once, and the end waits for the disk."""
    disk = start(trial)
    disk.takes(17)
    trial.until("a slow sync", lambda: "the disk takes longer" in trial.log(), 60)
    disk.takes(0)
    trial.poller.send_signal(signal.SIGTERM)
    began = time.monotonic()
    trial.until("no connection", lambda: len(trial.bluez.called("Disconnect")) >= len(PLACES), 3)
    free = time.monotonic() - began
    trial.until("the end", lambda: trial.poller.poll() is not None, 20)
    assert trial.poller.returncode == 0, trial.log()
    return f"{check(trial)} readings; disconnected after {free:.1f} s, ended after {time.monotonic() - began:.1f} s"


def disk_is_slow_and_killed(trial, kills=9):
    """SIGKILL and SIGTERM at any moment of syncs that take up to 6 s."""
    disk, chance = start(trial), random.Random(time.time_ns())
    seed = chance.randrange(1 << 32)
    chance.seed(seed)
    for kill in range(kills):
        disk.takes(chance.choice([0.5, 2, 6]))
        trial.wait(chance.uniform(1, 20))
        if kill % 3:
            trial.poller.kill()
            trial.poller.wait()
        else:
            disk.takes(chance.choice([0, 2]))
            trial.poller.send_signal(signal.SIGTERM)
            trial.until("the end", lambda: trial.poller.poll() is not None, 30)
            assert trial.poller.returncode == 0, trial.log()
        begin(trial, disk)
    disk.takes(0)
    before = len(trial.readings())
    trial.until("readings again", lambda: len(trial.readings()) > before + 8, 60)
    assert trial.stop()[0] == 0
    return f"{check(trial, kills + 1)} readings, {len(disk.syncs)} slow syncs, seed {seed}"


def disk_is_slow_and_watched(trial):
    """systemd's watchdog of 6 s is fed while syncs take 17 s."""
    path = f"{trial.folder}/notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(path)
        service.setblocking(False)
        times = []

        def look():
            while True:
                try:
                    if b"WATCHDOG=1" in service.recv(4096):
                        times.append(time.monotonic())
                except BlockingIOError:
                    return False
        disk = start(trial, {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "6000000"})
        look()
        disk.takes(17)
        before = time.monotonic()
        trial.until("two slow syncs", lambda: look() or len(disk.syncs) >= 2, 150)
        look()
        pauses = [after - before for before, after in zip(times, times[1:])]
        assert len(times) > 8 and max(pauses) < 6, pauses
        disk.takes(0)
        trial.wait(18)
        assert trial.stop()[0] == 0
    return f"{check(trial)} readings, at most {max(pauses):.1f} s without a sign of life"


DISK = [
    disk_takes_17_s, disk_takes_60_s, disk_takes_5_s_often, disk_is_slow_at_the_end, disk_is_slow_and_killed,
    disk_is_slow_and_watched,
]
