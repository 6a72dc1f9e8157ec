"""Scenarios of sensors that only advertise."""
import itertools, json

from fakebluez import DEVICE, GLib

IBEACON = bytes.fromhex("0215494e54454c4c495f524f434b535f48575075f2ff0c")
SENSOR = "A4:C1:38:00:53:11"


CONFIGURATION = f"interval: 5s\ndevices: [{{address: '{SENSOR}', alias: sensor, mode: passive%s}}]"


def passive(trial):
    before = len(trial.bluez.called("StartDiscovery"))
    trial.poll(CONFIGURATION % "")
    trial.until("discovery", lambda: len(trial.bluez.called("StartDiscovery")) > before)
    trial.wait(0.5)


def values(trial):
    return [row["value"] for row in trial.readings("sensor") if row.get("field") == "temperature"]


def expect(trial, *expected):
    """These temperatures came, and no others."""
    trial.until(f"{len(expected)} values", lambda: len(values(trial)) >= len(expected), 10)
    trial.wait(1.5)  # a commit comes within a second
    assert values(trial) == list(expected), values(trial)


def state(trial):
    """The device in `status --json`."""
    return json.loads(trial.blekeep("status", "--json")[1])["devices"][0]


def hear(trial, path, **properties):
    """An advertisement, with its signal strength in the same signal, as BlueZ sends it."""
    hear.rssi = -60 if hear.rssi == -61 else -61
    trial.bluez.set(path, DEVICE, RSSI=hear.rssi, **properties)
    trial.wait(0.3)


hear.rssi = -60


def records(trial):
    """A Govee H5075 that sends an iBeacon, too, and another company's data: one set of values, and no failed tick."""
    bluez = trial.bluez
    passive(trial)
    path = bluez.device(SENSOR, RSSI=-60, Name="GVH5075_0011", ManufacturerData={
        0xEC88: bytes.fromhex("0003499a6400"), 0x004C: IBEACON, 0x1234: b"\x00"})
    for step in range(12):
        govee = (0x03499a + step // 2 * 1000).to_bytes(3, "big")
        beacon = IBEACON[:-1] + bytes([step])
        hear(trial, path, ManufacturerData={
            0x1234: bytes([step]), 0x004C: beacon, 0xEC88: b"\x00" + govee + b"\x64\x00"})
        hear(trial, path, ManufacturerData={0x1234: bytes([step, 1]), 0x004C: beacon, 0xEC88: b"\x00" + govee + b"\x64\x00"})
    expect(trial, 21.5, 21.6, 21.7, 21.8, 21.9, 22.0)
    fields = {row["field"] for row in trial.readings()}
    assert fields == {"temperature", "humidity", "battery"}, fields
    assert not [row for row in trial.readings() if row.get("error")]
    scan = [json.loads(line) for line in trial.blekeep("scan", "--json", "--timeout", "2s")[1].splitlines()]
    formats = [value["format"] for value in scan[-1]["values"]]
    assert formats == ["Govee"], formats
    now = state(trial)
    assert now["state"] == "good" and now["failed_in_a_row"] == 0, now
    return f"{len(values(trial))} values, {now['good_in_a_row']} good ticks"


def memory(trial):
    """A ThermoPro TP357, whose temperature is the key: BlueZ keeps the earlier ones. Only what it hears is a reading."""
    bluez, names = trial.bluez, {"Name": "TP357S (0011)"}
    data = {0xD1C2: bytes.fromhex("00220b01"), 0xD0C2: bytes.fromhex("00230b01")}
    path = bluez.device(SENSOR, RSSI=-60, ManufacturerData=data, **names)
    passive(trial)
    for _ in range(3):
        hear(trial, path)
    hear(trial, path, ManufacturerData=data)
    assert not trial.readings(), trial.readings()
    for key in (0xCFC2, 0xCEC2, 0xCDC2):
        data = {key: bytes.fromhex("00240b01")} | data
        hear(trial, path, ManufacturerData=data)
        hear(trial, path)
        trial.wait(0.7)  # a field has a value a second
    # An earlier key again, with another humidity.
    hear(trial, path, ManufacturerData=data | {0xD1C2: bytes.fromhex("00290b01")})
    expect(trial, 20.7, 20.6, 20.5, 20.9)
    bluez.remove(path)
    path = bluez.device(SENSOR, RSSI=-60, ManufacturerData={0xC0C2: bytes.fromhex("00220b01")}, **names)
    expect(trial, 20.7, 20.6, 20.5, 20.9, 19.2)
    bluez.remove(path)
    path = bluez.device(SENSOR, RSSI=-60, ManufacturerData=data, **names)
    trial.wait(6)
    expect(trial, 20.7, 20.6, 20.5, 20.9, 19.2)
    assert state(trial)["state"] == "good"
    return f"{len(values(trial))} values"


def choice(trial):
    """The format that the user chose, against no name, unlisted names and empty UUIDs."""
    cases = [
        ("govee", 0x0001, "010103176762", 20.2), ("govee", 0x5530, "4401000101e401860834ffff860960ffff", 21),
        ("inkbird", 0xF9AB, "1b1e0048e33708", -16.21), ("mopeka", 0x0059, "08724600c0000001f0d8", 30),
    ]
    for format, company, text, expected in cases:
        data = {"ManufacturerData": {company: bytes.fromhex(text)}}
        for name in ({}, {"Name": "N0BYD"}):
            path = trial.bluez.device(SENSOR, RSSI=-60, **data, **name)
            code, out, errors = once(trial, f", format: {format}", path, **data)
            rows = [json.loads(line) for line in out.splitlines()]
            assert code == 0 and not [row for row in rows if row.get("error")], (format, name, out, errors)
            assert [row["value"] for row in rows if row["field"].startswith("temperature")][0] == expected, (name, out)
            trial.bluez.remove(path)


def once(trial, more, path, **properties):
    """`poll --once`, while the device repeats its advertisement."""
    beat = GLib.timeout_add(300, lambda: trial.bluez.set(path, DEVICE, **properties) or True)
    with open(f"{trial.folder}/config.yaml", "w") as file:
        file.write(f"history: {trial.folder}/history.sqlite\n{CONFIGURATION % more}\n")
    try:
        return trial.blekeep("poll", "--once", "--json")
    finally:
        GLib.source_remove(beat)


def late(trial):
    """Signal strength, name and data in all six orders; each is a tick with a value. Then the name changes, and the
    program starts again."""
    bluez = trial.bluez
    humidity = bytes.fromhex("94110012345508")
    passive(trial)
    for number, order in enumerate(itertools.permutations(["RSSI", "Name", "ManufacturerData"])):
        # Another sensor each time, so that nothing is known.
        parts = {"RSSI": -62, "Name": "sps", "ManufacturerData": {0x0866 + number: humidity}}
        path = bluez.device(SENSOR)
        for part in order:
            bluez.set(path, DEVICE, **{part: parts[part]})
            trial.wait(0.4)
        trial.until(f"a value after {order}", lambda: len(values(trial)) == number + 1, 10)
        bluez.remove(path)
    assert not [row for row in trial.readings() if row.get("error")], trial.log()
    path = bluez.device(SENSOR, RSSI=-60, Name="sps")
    bluez.set(path, DEVICE, Name="Thermo SoC demo")
    hear(trial, path, ManufacturerData={0x0900: humidity})
    trial.until("a value after the name", lambda: values(trial)[-1] == 23.04, 10)
    trial.stop()
    passive(trial)
    hear(trial, path, ManufacturerData={0x0901: humidity})
    trial.until("a value after the restart", lambda: values(trial)[-1] == 23.05, 10)
    assert state(trial)["state"] == "good"
    return f"{len(values(trial))} values"


ADVERTISEMENTS = [records, memory, choice, late]
