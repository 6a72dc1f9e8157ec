"""Devices that must be asked, without a radio: a Mi Flora, which measures when a mode is written, and a battery of JBD, which
answers in pieces. Their bytes are made here, from what others wrote of them, and not from blekeep's recipes.

`characteristics` has flags by service and number; `read` returns a value, and `write` the notifications that follow, as pairs
of a number and bytes. What a device doesn't understand is in `wrong`.
"""
import json, os, struct

PLANT, CELLS, RADON = "C4:7C:8D:00:00:01", "A4:C1:37:00:00:02", "F0:00:00:00:00:03"


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


VECTORS = os.path.join(os.path.dirname(__file__), "../../BlekeepConfigurationTests/Fixtures/recipes.jsonl")
NORDIC, ABOV = "6e40000%s-b5a3-f393-e0a9-e50e24dcca9e", "00002760-08c2-11e1-9073-0e8ac72e%s"
# Recipe, name, advertised service, service, characteristic that is written, one that notifies, and what other programs write.
# The last of a Daly's may stay without an answer.
TEN = [
    ("daly", "DL-41181201189F", "fff0", "fff0", "fff2", "fff1", ["d2030000003ed7b9", "d203003e0009f7a3"]),
    ("ant", "ANT-BLE24BHUB-0", "ffe0", "ffe0", "ffe1", "ffe1", ["7ea1010000be1855aa55"]),
    ("ant-legacy", "ANT-BLE16ZMUB", "ffe0", "ffe0", "ffe1", "ffe1", ["dbdb00000000"]),
    ("seplos-v2", "BP02", "ff00", "ff00", "ff02", "ff01", ["7e10004661000100f7c10d"]),
    ("humsienk", "HS123", "0001", "0001", "0002", "0003", ["aa00000000", "aa21002100", "aa22002200", "aa20002000"]),
    ("renogy-battery", "BT-TH-B00A3D9C", "ffd0", None, "ffd0/ffd1", "fff0/fff1",
     ["300313b20007a48a", "300313880022455c", "300313ec0008855c"]),
    ("buknuwo", "CDZG1", ABOV[:8] + "-08c2-11e1-9073-0e8ac72e1001", ABOV % "1001", ABOV % "0001", ABOV % "0002",
     ["01030000000d840f", "0103003900015407", "0103002e000b6404"]),
    ("pylontech-rt", "RT12100G31", "180f", "00010203-0405-0607-0809-0a0b0c0d1910", "00010203-0405-0607-0809-0a0b0c0d2b11",
     "00010203-0405-0607-0809-0a0b0c0d2b10", ["01031016000d610b"]),
    ("radoneye", "FR:RU22301010001", "1523", "1523", "1524", "1525", ["40"]),
    ("vatrer", "24071051210000A", NORDIC % "1", NORDIC % "1", NORDIC % "2", NORDIC % "3",
     ["02030000001445f6", "02030015001f15f5", "020300340012843a"]),
]


class Asked:
    """A device that gives the answers of a recipe's vectors, other ones in each conversation. What they mean is what another
    program reads in them. Each `loses`-th request gets no answer."""

    def __init__(self, recipe, name, service, home, write, notify, requests, loses=9, vectors=VECTORS):
        self.recipe, self.name, self.service, self.requests, self.loses = recipe, name, service, requests, loses
        self.characteristics = {}
        for number, flags in ((write, ["write", "write-without-response"]), (notify, ["notify"])):
            place, _, number = number.rpartition("/")
            flags_of = self.characteristics.setdefault(place or home, {})
            flags_of[number] = flags_of.get(number, []) + flags
        self.answer_to = notify.rpartition("/")[2]
        with open(vectors) as file:
            lines = [json.loads(line) for line in file]
        self.vectors = [line for line in lines if line["recipe"] == recipe and line["fields"]]
        self.wrong, self.asked, self.lost, self.turn = [], 0, 0, -1

    def connected(self):
        pass

    def read(self, number):
        return b""

    def write(self, number, value):
        if value.hex() not in self.requests:
            self.wrong.append((number, value.hex()))
            return []
        place = self.requests.index(value.hex())
        if place == 0:
            self.turn += 1
        self.asked += 1
        if self.asked % self.loses == 0:
            self.lost += 1
            return []
        answer = bytes.fromhex(self.vectors[self.turn % len(self.vectors)]["answers"][place])
        # RadonEye's answer is one notification.
        size = 512 if self.recipe == "radoneye" else 20
        return [(self.answer_to, answer[start:start + size]) for start in range(0, len(answer), size)]

    def fits(self, values):
        """Whether the values of a tick are those of one vector. A Daly may keep the temperature of its transistors."""
        def is_same(fields, tolerance):
            wanted = {name: value for name, value in fields.items() if value is not None}
            missing = set(wanted) - set(values) - {"mosfet_temperature"} if self.recipe == "daly" else set(wanted) - set(values)
            return not missing and all(
                values[name] == value if isinstance(value, (str, bool)) else
                abs(values[name] - value) <= tolerance.get(name, 1e-6)
                for name, value in wanted.items() if name in values)
        return any(is_same(vector["fields"], vector.get("tolerance", {})) for vector in self.vectors)


def radon(vectors=VECTORS):
    """The radon meter of the ten."""
    return Asked(*next(device for device in TEN if device[0] == "radoneye"), vectors=vectors)


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
