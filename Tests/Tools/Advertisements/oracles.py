"""The parsers of Home Assistant's family: random packets for each, and what it makes of them.

A value of an answer is {"value", "unit"?, "tol"?}: the parsers round some numbers, and `tol` is the half of the step.
"""
import math, random, struct

from Cryptodome.Cipher import AES
from home_assistant_bluetooth import BluetoothServiceInfo
from sensor_state_data import SensorUpdate

BASE = "0000{}-0000-1000-8000-00805f9b34fb"
ADDRESS = "A4:C1:38:12:34:56"
MAC = bytes.fromhex(ADDRESS.replace(":", ""))
KEY = bytes.fromhex("231d39c1d7cc1ab1aee224cd096db932")


def info(line):
    return BluetoothServiceInfo(
        name=line.get("name", ""), address=line["mac"], rssi=-60, source="local",
        manufacturer_data={int(key, 16): bytes.fromhex(text) for key, text in line.get("manufacturer_data", {}).items()},
        service_data={BASE.format(key): bytes.fromhex(text) for key, text in line.get("service_data", {}).items()},
        service_uuids=[BASE.format(key) for key in line.get("services", [])])


def whole(line, group):
    """The bytes of the first source."""
    return bytes.fromhex(next(iter(line.get(group, {"": ""}).values())))


#: The numbers that blekeep lets a field have, by the beginning of its name and its unit; the first one counts. For others
#: it has a state. The parsers take any number that the bytes can hold.
LIMITS = [("battery", "%", 0, 100), ("humidity", "%", 0, 100), ("moisture", "%", 0, 100), ("consumable", "%", 0, 100),
          ("co2", "ppm", 0, 40_000), ("illuminance", "lx", 0, math.inf)]
QINGPING = [("pressure", "Pa", 30_000, 120_000)]
SWITCHBOT = [("co2", "ppm", 0, 9999)]


class Format:
    #: Limits of this format.
    limits = []
    #: Steps to which the parser rounds, by the beginning of a field's name.
    steps = {}
    #: Fields of the parser that blekeep leaves out.
    without = ()
    names = {"pressure": "pressure", "light": "illuminance", "carbon_dioxide": "co2", "pm25": "pm2_5",
             "voltage": "battery_voltage"}

    def bits(self, dice, count):
        return dice.getrandbits(8 * count).to_bytes(count, "little") if count else b""

    def expected(self, line):
        """The fields, or None without any."""
        update = self.update(line)
        fields = {}
        for device_key, value in update.entity_values.items():
            unit = None
            for sensor_key, described in update.entity_descriptions.items():
                if sensor_key == device_key:
                    unit = described.native_unit_of_measurement
            self.add(fields, self.field(device_key), value.native_value, str(unit) if unit else None)
        for device_key, value in update.binary_entity_values.items():
            self.add(fields, self.flag(device_key.key), bool(value.native_value), None)
        for device_key, event in getattr(update, "events", {}).items():
            name, word = self.event(device_key.key, event.event_type)
            # The parser has an event and a state of the same name; for blekeep, the object that comes last counts.
            if name in fields and fields[name]["value"] != word:
                fields[name]["either"] = True
            else:
                self.add(fields, name, word, None)
        return fields or None

    def is_downgrade(self, line):
        """Whether the packet isn't encrypted, although there is a key."""
        return False

    def field(self, device_key):
        return self.names.get(device_key.key, str(device_key.key))

    def flag(self, key):
        key = key[1] if isinstance(key, tuple) else key
        return {"moisture": "moisture_detected", "battery": "battery_low"}.get(str(key), str(key))

    def event(self, key, word):
        return str(key), word

    def add(self, fields, name, value, unit):
        if name in self.without or name.startswith("signal_strength") or value is None or value == "error":
            return
        if isinstance(value, float) and not math.isfinite(value):
            return
        cell = {"value": value}
        if unit in ("mbar", "hPa"):
            cell = {"value": round(value * 100), "tol": 0.01}
            unit = "Pa"
        if unit:
            cell["unit"] = unit
        for start, step in self.steps.items():
            if name.startswith(start):
                cell["tol"] = step / 2 + 1e-6
        fields[name] = cell

    def is_plain(self, line, expected):
        """Whether blekeep and the parser mean the same by this packet."""
        return True

    def can_be(self, name, cell):
        """Whether blekeep lets the field have this number."""
        value = cell["value"]
        if isinstance(value, (bool, str)):
            return True
        if cell.get("unit") == "°C":
            return -100 <= value <= (1000 if "_probe_" in name else 200)
        for start, unit, lowest, highest in self.limits + LIMITS:
            if name.startswith(start) and cell.get("unit") == unit:
                return lowest <= value <= highest
        return True

    def difference(self, line, expected, found):
        # With a key, blekeep refuses what isn't encrypted.
        if self.is_downgrade(line):
            return f"fields {sorted(found)} of a plain packet" if found else None
        # blekeep has a state instead of a number that can't be.
        for name in [name for name, cell in expected.items() if not self.can_be(name, cell)]:
            if found.get(name, {}).get("state") is None:
                return f"{name} {found.get(name)} instead of a state"
            expected = {key: cell for key, cell in expected.items() if key != name}
        found = {name: cell for name, cell in found.items() if cell.get("state") is None}
        if set(expected) != set(found):
            return f"fields {sorted(found)}, not {sorted(expected)}"
        for name, cell in expected.items():
            value, wanted = found[name]["value"], cell["value"]
            if cell.get("either"):
                continue
            if isinstance(wanted, (bool, str)) or isinstance(value, (bool, str)):
                if value != wanted or type(value) is not type(wanted):
                    return f"{name} {value}, not {wanted}"
            elif not abs(value - wanted) <= max(cell.get("tol", 0), 1e-9 * abs(wanted)):
                return f"{name} {value}, not {wanted}"
            if (found[name].get("unit") or None) != cell.get("unit"):
                return f"unit of {name} {found[name].get('unit')}, not {cell.get('unit')}"
        return None


class ATC(Format):
    def __init__(self):
        from atc_ble import ATCBluetoothDeviceData
        self.make = ATCBluetoothDeviceData

    def packet(self, dice):
        line = {"mac": ADDRESS}
        kind = dice.randrange(7)
        if kind == 0:
            data = MAC[::-1] + self.bits(dice, 9)
        elif kind == 1:
            data = MAC + self.bits(dice, 7)
        elif kind in (2, 3):
            line["key"] = KEY.hex()
            size = 6 if kind == 2 else 3
            counter = self.bits(dice, 1)
            head = bytes([size + 8, 0x16, 0x1A, 0x18])
            cipher = AES.new(KEY, AES.MODE_CCM, nonce=MAC[::-1] + head + counter, mac_len=4)
            cipher.update(b"\x11")
            text, tag = cipher.encrypt_and_digest(self.bits(dice, size))
            data = counter + text + tag
        else:
            line["key"] = KEY.hex()
            data = self.bits(dice, dice.choice([8, 11, 13, 15, dice.randrange(24)]))
        return {**line, "service_data": {"181a": data.hex()}}

    def update(self, line):
        data = self.make(bindkey=bytes.fromhex(line["key"]) if "key" in line else None)
        return data.update(info(line))

    def is_downgrade(self, line):
        return "key" in line and len(whole(line, "service_data")) in (13, 15)

    def is_plain(self, line, expected):
        return len(whole(line, "service_data")) != 8 or expected.get("battery", {}).get("value") != 100

    def difference(self, line, expected, found):
        # The parser caps the charge at 100 % in atc1441's encrypted format; blekeep has a state for more.
        if len(whole(line, "service_data")) == 8 and found.get("battery", {}).get("state") == "prohibited":
            expected = {name: cell for name, cell in expected.items() if name != "battery" or cell["value"] != 100}
        return super().difference(line, expected, found)


class MiBeacon(Format):
    without = ("battery_voltage",)
    steps = {"temperature": 0.1, "humidity": 0.1, "illuminance": 0.01}
    objects = [0x0003, 0x000A, 0x000F, 0x1001, 0x1004, 0x1005, 0x1006, 0x1007, 0x1008, 0x1009, 0x1010, 0x1012, 0x1013,
               0x1014, 0x1015, 0x1017, 0x1018, 0x1019, 0x100A, 0x100D, 0x101B, 0x4801, 0x4802, 0x4803, 0x4804, 0x4805,
               0x4806, 0x487B, 0x4A68, 0x4808, 0x480C, 0x4818, 0x483C, 0x483D, 0x483E, 0x484E, 0x4851, 0x4852, 0x4A01, 0x4A08, 0x4A0C,
               0x4A0D, 0x4A0E, 0x4A12, 0x4A1A, 0x4C01, 0x4C02, 0x4C03, 0x4C08, 0x4E01, 0x5003]
    lengths = {0x0003: 1, 0x000A: 2, 0x000F: 3, 0x1001: 3, 0x1004: 2, 0x1005: 2, 0x1006: 2, 0x1007: 3, 0x1009: 2,
               0x1010: 2, 0x1017: 4, 0x100D: 4, 0x101B: 4, 0x4801: 4, 0x4805: 4, 0x4808: 4, 0x4818: 2, 0x483D: 4,
               0x483E: 4, 0x4A08: 4, 0x4C01: 4, 0x4C08: 4}
    floats = {0x4801, 0x4805, 0x4808, 0x4A08, 0x4C01, 0x4C08}
    #: The parser checks the length of these objects; of others, it ignores bytes that are left over.
    checked = {0x000A, 0x000F, 0x1001, 0x1004, 0x1006, 0x1007, 0x1009, 0x1010, 0x1017, 0x100D, 0x4818, 0x483D, 0x483E}
    #: Objects whose meaning depends on the product, with the products that blekeep knows.
    products = {0x4806: [0x6375, 0x0098], 0x487B: [0x6375], 0x4A68: [0x6375],
                0x000F: [0x0A83, 0x07F6, 0x0A8D, 0x055B], 0x1001: [0x07BF, 0x0997, 0x0863, 0x0A8D],
                0x1007: [0x07F6, 0x098B, 0x0098, 0x03BC]}
    #: The parser cuts off the tenths of the humidity of LYWSD03MMC and MHO-C401; blekeep keeps them.
    rounded = {b"\x5b\x05", b"\x87\x03"}
    buttons = {0x4A0C, 0x4A0D, 0x4A0E}

    def __init__(self):
        from xiaomi_ble.devices import DEVICE_TYPES
        from xiaomi_ble.parser import XiaomiBluetoothDeviceData
        self.make = XiaomiBluetoothDeviceData
        self.known = [number for number in DEVICE_TYPES if number not in (0x4683, 0x6375, 0x7712)]

    def object(self, dice, number):
        length = self.lengths.get(number, 1)
        if number in self.checked and dice.random() < 0.1:
            length = dice.randrange(6)
        content = self.bits(dice, length)
        if number in self.floats and dice.random() < 0.95:
            content = struct.pack("<f", round(dice.uniform(-40, 100), 1))
        elif number in self.floats:
            content = struct.pack("<f", float("nan"))
        if number in (0x1019, 0x4804, 0x480C, 0x4A12, 0x4A1A) or number == 0x1001 and len(content) == 3:
            content = bytes(byte % 4 for byte in content)
        if number == 0x1001 and len(content) == 3:
            content = content[:2] + bytes([content[2] % 3])
        if number == 0x1017 and dice.random() < 0.5:
            content = bytes([dice.randrange(60), 0, 0, 0])[:max(length, 1)]
        return struct.pack("<HB", number, len(content)) + content

    def packet(self, dice):
        number = dice.choice(self.objects)
        product = dice.choice(self.products.get(number, self.known))
        payload = self.object(dice, number)
        if number not in self.products and dice.random() < 0.3:
            second = dice.choice([key for key in self.objects if key not in self.products and key not in self.buttons])
            payload += self.object(dice, second)
        chance = dice.random()
        version = dice.choice([2, 3, 4, 5, 5, 5])
        if chance < 0.05 and version > 3:
            payload += self.bits(dice, dice.randrange(3))
        encrypted = dice.random() < 0.5
        with_address, capability = dice.random() < 0.5, dice.random() < 0.3
        control = version << 12 | 0x40 | encrypted << 3 | with_address << 4 | capability << 5
        if dice.random() < 0.05:
            control = dice.getrandbits(16) & ~0x40 | version << 12
            encrypted = False
        head = struct.pack("<HHB", control, product, dice.getrandbits(8))
        rest = b""
        if control >> 4 & 1:
            rest += MAC[::-1]
        if control >> 5 & 1:
            kind = dice.getrandbits(8)
            rest += bytes([kind]) + (b"\x00" if kind & 0x20 else b"")
        line = {"mac": ADDRESS}
        if encrypted and version >= 4:
            line["key"] = KEY.hex()
            counter = self.bits(dice, 3)
            cipher = AES.new(KEY, AES.MODE_CCM, nonce=MAC[::-1] + head[2:5] + counter, mac_len=4)
            cipher.update(b"\x11")
            text, tag = cipher.encrypt_and_digest(payload)
            payload = text + counter + tag
            if dice.random() < 0.1:
                payload = payload[:-1] + bytes([payload[-1] ^ 1])
        elif encrypted:
            key = KEY[:12]
            line["key"] = key.hex()
            counter = self.bits(dice, 3)
            full = key[:6] + bytes.fromhex("8d3d3c97") + key[6:]
            cipher = AES.new(full, AES.MODE_CCM, nonce=head + counter + MAC[::-1][:-1], mac_len=4)
            cipher.update(b"\x11")
            payload = cipher.encrypt(payload) + counter + self.bits(dice, 1)
        data = head + rest + payload
        if dice.random() < 0.05:
            data = self.bits(dice, dice.randrange(24))
        return {**line, "service_data": {"fe95": data.hex()}}

    def is_downgrade(self, line):
        data = whole(line, "service_data")
        return "key" in line and len(data) > 1 and not data[0] & 8

    def update(self, line):
        key = bytes.fromhex(line["key"]) if "key" in line else None
        data = self.make(bindkey=None)
        if key and len(key) == 12:
            # The parser of this version would not find its cipher with a key of 12 bytes.
            data.cipher = None
            data.bindkey = key[:6] + bytes.fromhex("8d3d3c97") + key[6:]
        else:
            data.set_bindkey(key)
        return data.update(info(line))

    def event(self, key, word):
        return ("motion", True) if key == "motion" else (str(key), word)

    def is_plain(self, line, expected):
        return not (
            {"device_forcibly_removed", "stabilized"} & set(expected) or len(line.get("key", "")) == 24 and not expected
            or whole(line, "service_data")[2:4] in self.rounded)

    def difference(self, line, expected, found):
        found = {name: cell for name, cell in found.items() if name != "idle_time"}
        # `stabilized` belongs to scales.
        expected = {
            name: cell for name, cell in expected.items() if name not in ("device_forcibly_removed", "stabilized")}
        # Old packets prove nothing. blekeep ignores one whose objects don't add up; the parser takes its beginning.
        if len(line.get("key", "")) == 24 and not found:
            return None
        if whole(line, "service_data")[2:4] in self.rounded and "humidity" in expected:
            expected["humidity"]["tol"] = 1
        return super().difference(line, expected, found)


class Govee(Format):
    steps = {"tank": 1}
    companies = [0xEC88, 0x0001, 0x8801, 0x8803, 0x8843, 0xF861, 0x2730, 0x67DD, 0x1B36, 0x4A32, 0xAC63, 0x3022, 0xE02F]
    numbers = ["", "H5074", "H5075", "H5072", "H5101", "H5177", "H5178", "H5179", "H5051", "H5181", "H5182", "H5184",
               "H5185", "H5191", "H5198", "H5106", "H5112", "H5140", "H5127", "H5108"]
    lengths = {"H5074": 7, "H5075": 6, "H5101": 6, "H5178": 9, "H5179": 9, "H5051": 9, "H5181": 14, "H5182": 17,
               "H5184": 17, "H5185": 20, "H5191": 20, "H5198": 20, "H5106": 6, "H5112": 8, "H5140": 8, "H5127": 6}

    def __init__(self):
        from govee_ble import GoveeBluetoothDeviceData
        self.make = GoveeBluetoothDeviceData

    def packet(self, dice):
        number = dice.choice(self.numbers)
        length = self.lengths.get(number) or dice.choice([6, 7, 8, 9, 14, 17, 20])
        if dice.random() < 0.1:
            length = dice.choice([size for size in range(24) if size != 24])
        data = bytearray(self.bits(dice, length))
        if dice.random() < 0.7:
            # Values that can be: a warm room.
            for start in (1, 2, 3):
                if length > start + 4 and dice.random() < 0.5:
                    data[start:start + 3] = dice.randrange(1, 400_000).to_bytes(3, "big")
        if length > 6 and dice.random() < 0.8:
            data[6] = dice.choice([1, 2, 65, 130, 193, 3])
        if number == "H5112" and length == 8:
            data[7] = dice.choice([0x41, 0x82, 0])
        if number == "H5178" and length == 9:
            data[2] = dice.randrange(2)
        if number == "H5140" and length == 8 and dice.random() < 0.8:
            data[7] = 0
        if number == "H5127" and length == 6:
            data[:4] = bytes.fromhex(dice.choice(["ec000101", "ec000201"]))
            data[4:6] = bytes([dice.randrange(2), dice.choice([0, 17])])
        company = dice.choice(self.companies)
        line = {"mac": ADDRESS, "manufacturer_data": {f"{company:04x}": bytes(data).hex()}}
        if number:
            prefix = "GV" if number != "H5074" else "Govee_"
            line["name"] = f"{prefix}{number}_3456"
        return line

    def update(self, line):
        return self.make().update(info(line))

    def field(self, device_key):
        return device_key.key + ("_remote" if device_key.device_id == "remote" else "")

    def add(self, fields, name, value, unit):
        super().add(fields, self.names.get(name, name), value, unit)

    def is_plain(self, line, expected):
        data = whole(line, "manufacturer_data")
        return not any("_probe_" in name and cell["value"] == 0.0 for name, cell in expected.items()) and not (
            len(data) == 9 and data[2] > 1)

    def difference(self, line, expected, found):
        # The parser reports 0 °C for a probe that is missing; blekeep has no value then.
        expected = {
            name: cell for name, cell in expected.items()
            if not ("_probe_" in name and cell["value"] == 0.0 and found.get(name, {}).get("state") == "prohibited")}
        # An unknown sensor of an H5178 is none.
        data = whole(line, "manufacturer_data")
        if len(data) == 9 and not found and data[2] > 1:
            return None
        return super().difference(line, expected, found)


class ThermoPro(Format):
    # blekeep rounds, too.
    steps = {"battery_probe": 2, "ambient": 2, "temperature_": 0.2}

    def __init__(self):
        from thermopro_ble import ThermoProBluetoothDeviceData
        self.make = ThermoProBluetoothDeviceData

    def packet(self, dice):
        name = dice.choice(["TP357 (3456)", "TP357S (3456)", "TP393 (3456)", "TP960R (0000)", "TP972S (0000)", "TP970 (0000)"])
        length = dice.choice([4, 5, 6]) if name[2] == "3" else dice.choice([5, 11, 21])
        if dice.random() < 0.1:
            length = dice.randrange(24)
        company, data = self.bits(dice, 2), bytearray(self.bits(dice, length))
        if length == 21:
            data[3:15] = b"".join(struct.pack("<f", round(dice.uniform(80, 300), 2)) for _ in range(3))
            data[1:3] = struct.pack("<H", dice.randrange(2500))
        elif length > 4 and name[2] == "9":
            data[1:3] = struct.pack("<H", dice.randrange(2000, 2900))
        if name[2] == "3" and dice.random() < 0.05:
            company, data[:2] = company[:1] + b"\xff", b"\xff\xff"
        number = int.from_bytes(company, "little")
        return {"mac": ADDRESS, "name": name, "manufacturer_data": {f"{number:04x}": bytes(data).hex()}}

    def update(self, line):
        return self.make().update(info(line))

    def field(self, device_key):
        key = device_key.key
        for place in ("internal_center_temperature", "internal_end_temperature", "internal_temperature"):
            if key.startswith(place):
                word = place.removeprefix("internal_").removesuffix("temperature")
                return key.replace(place, f"temperature_{word}".rstrip("_"))
        return key


class Inkbird(Format):
    steps = {"temperature": 0.01}
    lengths = {"sps": 9, "tps": 9, "ITH-11-B": 18, "ITH-13-B": 18, "ITH-21-B": 18, "IBS-P02B": 18, "Ink@IAM-T2": 17}

    def __init__(self):
        from inkbird_ble import INKBIRDBluetoothDeviceData
        self.make = INKBIRDBluetoothDeviceData

    def packet(self, dice):
        name = dice.choice(["sps", "tps", "iBBQ", "xBBQ", "ITH-11-B", "ITH-13-B", "ITH-21-B", "IBS-P02B", "Ink@IAM-T2", ""])
        length = self.lengths.get(name) or dice.choice([12, 14, 18, 22] if name else [18])
        data = bytearray(self.bits(dice, length))
        line = {"mac": ADDRESS}
        if name:
            line["name"] = name
        if dice.random() < 0.8:
            humidity, battery = struct.pack("<H", dice.randrange(1001)), dice.randrange(101)
            if length == 9:
                data[2:4], data[7] = struct.pack("<H", dice.choice([0, 0xFFFF, dice.randrange(10001)])), battery
            elif length == 18 and "BBQ" not in name:
                data[8:10], data[10] = dice.choice([humidity, b"\0\0"]), battery
            elif length == 17:
                data[12:14] = humidity[::-1]
            elif "BBQ" in name:
                data[10:12] = b"\xff\xff"
        if not name:
            line["services"] = ["fff0"]
            data[:2], data[15:] = struct.pack("<H", 9289), dice.choice([b"\0\0\0", b"\0\1\0"])
        if dice.random() < 0.1 and name:
            data = bytearray(self.bits(dice, dice.randrange(2, 24)))
        number = int.from_bytes(data[:2], "little")
        return {**line, "manufacturer_data": {f"{number:04x}": bytes(data[2:]).hex()}}

    def update(self, line):
        from habluetooth import BluetoothServiceInfoBleak
        from bleak.backends.device import BLEDevice
        heard = info(line)
        length = self.lengths.get(heard.name)
        if length and len(whole(line, "manufacturer_data")) + 2 != length:
            # The parser takes a packet of another length for one that is complete.
            return SensorUpdate(title=None, devices={})
        device = BLEDevice(heard.address, heard.name, None)
        service = BluetoothServiceInfoBleak(
            heard.name, heard.address, heard.rssi, heard.manufacturer_data, heard.service_data, heard.service_uuids,
            "local", device, None, True, 0.0, 0)
        return self.make().update(service)

    def can_be(self, name, cell):
        # -1 °C stands for a missing probe, too.
        return super().can_be(name, cell) and not ("_probe_" in name and cell["value"] == -1)


class Qingping(Format):
    limits = QINGPING
    sizes = {0x01: 4, 0x02: 1, 0x04: 1, 0x07: 2, 0x08: 4, 0x09: 4, 0x0F: 1, 0x11: 1, 0x12: 4, 0x13: 2, 0x15: 2, 0x18: 2,
             0x19: 1}
    names = {**Format.names, "sound_pressure": "noise"}

    def __init__(self):
        from qingping_ble.parser import DEVICE_TYPES, QingpingBluetoothDeviceData
        self.make = QingpingBluetoothDeviceData
        self.known = list(DEVICE_TYPES)

    def packet(self, dice):
        data = bytes([dice.choice([0x08, 0x48, 0x88, dice.getrandbits(8)]), dice.choice(self.known)]) + MAC[::-1]
        for _ in range(dice.randrange(1, 4)):
            number = dice.choice(list(self.sizes))
            size = self.sizes[number] if dice.random() < 0.9 else dice.randrange(6)
            data += bytes([number, size]) + self.bits(dice, size)
        if dice.random() < 0.1:
            data = data[:2] + self.bits(dice, dice.randrange(24))
        return {"mac": ADDRESS, "service_data": {"fdcd": data.hex()}}

    def update(self, line):
        return self.make().update(info(line))


class SwitchBot(Format):
    limits = SWITCHBOT
    models = {"T": "TtIiWw4\x14", "5": "5\x15", "d": "Dd", "s": "Ss", "&": "&\x06", "v": "Vv", "%": "%\x05"}
    names = {"contact_open": "opening", "contact_timeout": "door_left_open", "is_light": "light", "motion_detected": "motion",
             "leak": "moisture_detected", "tampered": "tamper", "low_battery": "battery_low", "lightLevel": "light_level"}
    without = ("temp", "fahrenheit", "tested", "led", "iot", "sense_distance", "light_intensity", "illuminance")
    units = {"temperature": "°C", "humidity": "%", "battery": "%", "co2": "ppm"}

    def __init__(self):
        from switchbot.adv_parser import _parse_data
        # Without its cache.
        self.parse = _parse_data.__wrapped__

    def packet(self, dice):
        model = ord(dice.choice(self.models[dice.choice(list(self.models))]))
        data = bytes([model | dice.choice([0, 0x80])]) + self.bits(dice, dice.choice([2, 5, 8, dice.randrange(10)]))
        line = {"mac": ADDRESS, "service_data": {dice.choice(["fd3d", "fd3d", "0d00"]): data.hex()}}
        if dice.random() < 0.7:
            size = dice.choice([8, 9, 11, 13, 15, 16, dice.randrange(20)])
            new = bytearray(self.bits(dice, size))
            if size >= 15 and dice.random() < 0.7:
                new[13] &= 0x1F
            if size >= 11 and dice.random() < 0.05:
                new[8:11] = b"\0\x80\0"
            line["manufacturer_data"] = {"0969": bytes(new).hex()}
        return line

    def expected(self, line):
        new = whole(line, "manufacturer_data") if "manufacturer_data" in line else None
        old = whole(line, "service_data")
        found = self.parse(old, new, 0x0969 if new is not None else None)
        fields = {}
        for key, value in (found["data"] if found else {}).items():
            name = self.names.get(key, key)
            self.add(fields, name, value, self.units.get(name))
            if name == "temperature" and "temperature" in fields:
                fields[name]["tol"] = 1e-6
        return fields or None

    def is_plain(self, line, expected):
        return bool(expected)

    def difference(self, line, expected, found):
        # A device that sends only zeros has measured nothing yet.
        if not any(whole(line, "service_data")[1:]) and not any(cell.get("state") is None for cell in found.values()):
            return None
        # Without a temperature, the parser drops the charge, too.
        if not expected and set(name for name in found if found[name].get("state") is None) <= {"battery", "light_level", "co2"}:
            return None
        return super().difference(line, expected, found)


class Mopeka(Format):
    def __init__(self):
        from mopeka_iot_ble import MediumType, MopekaIOTBluetoothDeviceData
        self.make = MopekaIOTBluetoothDeviceData
        self.media = {"propane": MediumType.PROPANE, "air": MediumType.AIR, "water": MediumType.FRESH_WATER}

    def packet(self, dice):
        data = bytearray(self.bits(dice, 10 if dice.random() < 0.95 else dice.randrange(1, 24)))
        data[0] = dice.choice([3, 4, 5, 6, 8, 9, 10, 11, 12, 18, 7])
        if len(data) > 1 and dice.random() < 0.8:
            data[1] = dice.randrange(70, 96)
        line = {"mac": ADDRESS, "manufacturer_data": {"0059": bytes(data).hex()}}
        if dice.random() < 0.95:
            line["services"] = ["fee5"]
        if dice.random() < 0.5:
            line["medium"] = dice.choice(list(self.media))
        return line

    def update(self, line):
        data = whole(line, "manufacturer_data")
        if not data:
            # The parser doesn't expect an empty packet.
            return SensorUpdate(title=None, devices={})
        # TD40 and TD200 look down through air. The parser expects the user to know.
        usual = "air" if data[0] in (0x0A, 0x0B) else "propane"
        return self.make(self.media[line.get("medium", usual)]).update(info(line))

    def expected(self, line):
        fields = super().expected(line)
        for name in ("reading_quality_raw",):
            (fields or {}).pop(name, None)
        if fields:
            fields["battery"]["tol"] = 0.051
        return fields


FORMATS = {"atc": ATC, "mibeacon": MiBeacon, "govee": Govee, "thermopro": ThermoPro, "inkbird": Inkbird,
           "qingping": Qingping, "switchbot": SwitchBot, "mopeka": Mopeka}
