"""Devices that must be asked, without a radio: a Mi Flora, which measures when a mode is written, and a battery of JBD, which
answers in pieces. Their bytes are made here, from what others wrote of them, and not from blekeep's recipes.

`characteristics` has flags by service and number; `read` returns a value, and `write` the notifications that follow, as pairs
of a number and bytes. What a device doesn't understand is in `wrong`.
"""
import struct

PLANT, CELLS = "C4:7C:8D:00:00:01", "A4:C1:37:00:00:02"


class Plant:
    """A Mi Flora with firmware 3.2.1. It holds zeros until a01f is written, on each connection."""
    name, service = "Flower care", "fe95"
    characteristics = {"1204": {"1a00": ["read", "write"], "1a01": ["read"], "1a02": ["read"]}}

    def __init__(self):
        self.wrong, self.light, self.value = [], [], bytes(16)

    def connected(self):
        self.value = bytes(16)

    def read(self, number):
        return {"1a00": b"", "1a01": self.value, "1a02": b"\x64\x103.2.1"}[number]

    def write(self, number, value):
        if (number, value) != ("1a00", b"\xa0\x1f"):
            self.wrong.append((number, value.hex()))
            return []
        self.light.append(3000 + len(self.light))
        self.value = struct.pack("<hxIBH", -15, self.light[-1], 30, 347) + bytes.fromhex("023c00fb349b")
        return []


class Cells:
    """A battery of JBD with four cells and two sensors. Each `loses`-th request gets no answer."""
    name, service = "xiaoxiang", "ff00"
    characteristics = {"ff00": {"ff01": ["read", "notify"], "ff02": ["write", "write-without-response"]}}

    def __init__(self, loses=9):
        self.loses, self.wrong, self.requests, self.lost, self.voltages = loses, [], 0, 0, []

    def connected(self):
        pass

    def read(self, number):
        return b""

    @staticmethod
    def frame(command, payload):
        body = bytes([0, len(payload)]) + payload
        return bytes([0xDD, command]) + body + struct.pack(">H", -sum(body) & 0xFFFF) + b"\x77"

    def write(self, number, value):
        if number != "ff02" or value not in (bytes.fromhex("dda50300fffd77"), bytes.fromhex("dda50400fffc77")):
            self.wrong.append((number, value.hex()))
            return []
        self.requests += 1
        if self.requests % self.loses == 0:
            self.lost += 1
            return []
        if value[2] == 3:
            self.voltages.append(1320 + len(self.voltages))
            answer = self.frame(3, struct.pack(
                ">HhHHHHHHHBBBBBHH", self.voltages[-1], -287, 498, 500, 42, 0x2A7C, 0, 0, 0, 0x80, 87, 3, 4, 2, 2955, 2831))
        else:
            answer = self.frame(4, struct.pack(">4H", 3430, 3425, 3432, 3417))
        return [("ff01", answer[place:place + 20]) for place in range(0, len(answer), 20)]


def check(rows, plant, cells, ticks, misses=0):
    """Checks the readings of `fern` and `battery` against what the devices said; at most `misses` ticks fail. Returns how many
    ticks each had."""
    assert not plant.wrong and not cells.wrong, (plant.wrong, cells.wrong)
    light = [row["value"] for row in rows if row["device"] == "fern" and row.get("field") == "illuminance"]
    assert light and light == [each for each in plant.light if each in light], light
    volts = [row["value"] for row in rows if row["device"] == "battery" and row.get("field") == "voltage"]
    assert volts == sorted(volts) and {round(each * 100) for each in volts} <= set(cells.voltages), volts
    assert cells.lost, "no answer was lost"
    wanted = {
        "fern": {"temperature": -1.5, "moisture": 30, "conductivity": 347, "battery_level": 100},
        "battery": {"current": -2.87, "charge": 4.98, "temperature_1": 22.4, "temperature_2": 10.0, "cell_1": 3.43,
                    "cell_4": 3.417, "battery_level": 87, "cycles": 42},
    }
    failed = [row for row in rows if "error" in row]
    assert len(failed) <= misses, failed
    counts = {}
    for alias, values in wanted.items():
        read = {}
        for row in rows:
            if row["device"] == alias and row in failed:
                read[row["tick"]] = dict(values)
            elif row["device"] == alias:
                assert row["recipe"] and "characteristic" not in row, row
                read.setdefault(row["tick"], {})[row["field"]] = row["value"]
        assert len(read) >= ticks and sorted(read) == list(range(min(read), max(read) + 1)), sorted(read)
        whole = sorted(read)[:-1]  # The last one may have been stopped.
        for tick in whole:
            assert values.items() <= read[tick].items(), (tick, read[tick])
        counts[alias] = len(read)
    return counts
