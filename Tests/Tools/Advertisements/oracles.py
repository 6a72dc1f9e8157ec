"""The parsers of Home Assistant's family: random packets for each, and what it makes of them.

A value of an answer is {"value", "unit"?, "tol"?}: the parsers round some numbers, and `tol` is the half of the step.
"""
import json, math, os, random, struct, sys, types

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
LIMITS = [("battery", "%", 0, 100), ("humidity", "%", 0, 100), ("moisture", "%", 0, 100), ("consumable", "%", 0, 100)]
SWITCHBOT = [("co2", "ppm", 0, 9999)]
SENSIRION = [("co2", "ppm", 0, 40_000)]
#: A humidity in these bounds is noise of a sensor in a saturated or dry room, which blekeep crops to 0 to 100 %.
NOISE = (-6, 119)


class Format:
    #: Limits of this format.
    limits = []
    #: Whether blekeep crops a humidity.
    crops = True
    #: Steps to which the parser rounds, by the beginning of a field's name.
    steps = {}
    #: Fields of the parser that blekeep leaves out.
    without = ()
    #: Fields of blekeep that the parser leaves out; `...` for any.
    more = ()
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

    def cropped(self, name, cell):
        """The value that blekeep has for a humidity beyond 0 to 100 %."""
        if not self.crops or not name.startswith("humidity") or cell.get("unit") != "%" or isinstance(cell["value"], str):
            return cell
        if not NOISE[0] <= cell["value"] <= NOISE[1]:
            return cell
        return {**cell, "value": max(0, min(cell["value"], 100))}

    def can_be(self, name, cell):
        """Whether blekeep lets the field have this number."""
        value = cell["value"]
        if isinstance(value, (bool, str)):
            return True
        if cell.get("unit") == "°C":
            return -270 <= value <= 1372 if "_probe_" in name else -273.15 <= value <= 327.66
        for start, unit, lowest, highest in self.limits + LIMITS:
            if name.startswith(start) and cell.get("unit") == unit:
                return lowest <= value <= highest
        return True

    def difference(self, line, expected, found):
        # With a key, blekeep refuses what isn't encrypted.
        if self.is_downgrade(line):
            return f"fields {sorted(found)} of a plain packet" if found else None
        expected = {name: self.cropped(name, cell) for name, cell in expected.items()}
        # blekeep has a state instead of a number that can't be.
        for name in [name for name, cell in expected.items() if not self.can_be(name, cell)]:
            if found.get(name, {}).get("state") is None:
                return f"{name} {found.get(name)} instead of a state"
            expected = {key: cell for key, cell in expected.items() if key != name}
        found = {name: cell for name, cell in found.items() if cell.get("state") is None}
        if self.more is ...:
            found = {name: cell for name, cell in found.items() if name in expected}
        else:
            found = {name: cell for name, cell in found.items() if name not in self.more or name in expected}
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
               "H5185", "H5191", "H5198", "H5106", "H5112", "H5140", "H5127", "H5108", "H5055"]
    lengths = {"H5074": 7, "H5075": 6, "H5101": 6, "H5178": 9, "H5179": 9, "H5051": 9, "H5181": 14, "H5182": 17,
               "H5184": 17, "H5185": 20, "H5191": 20, "H5198": 20, "H5106": 6, "H5112": 8, "H5140": 8, "H5127": 6, "H5055": 20}
    own = {"H5074": 0xEC88, "H5075": 0xEC88, "H5072": 0xEC88, "H5178": 0x0001, "H5179": 0x8801, "H5051": 0xEC88,
           "H5112": 0x0001, "H5140": 0x0001, "H5101": 0x0001, "H5177": 0x0001, "H5108": 0x0001, "H5127": 0x8803}
    rooms = ("H5101", "H5177", "H5108")

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
        if number in self.rooms and length == 6:
            data[:2] = b"\1\1"
        if number == "H5055" and length == 20:
            data[3] = dice.choice([0x00, 0x40, 0x80]) | dice.randrange(64)
            for place in (5, 7, 9, 12, 14, 16):
                data[place:place + 2] = struct.pack("<h", dice.randrange(300))
        # A device with the name of one model doesn't have the number of another.
        company = self.own.get(number, 0x1234) if number else dice.choice(self.companies)
        line = {"mac": ADDRESS, "manufacturer_data": {f"{company:04x}": bytes(data).hex()}}
        if number == "H5055":
            line["services"] = ["5550"]
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
        # A thermometer for rooms sends six bytes that begin with two ones.
        if len(data) == 6 and line.get("name", "")[2:7] in self.rooms and data[:2] != b"\1\1":
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
        return bool(expected) and self.measures(expected)

    def measures(self, expected):
        """Whether a meter says something: not with a humidity above 100 %."""
        return expected.get("humidity", {"value": 0})["value"] <= 100

    def without_meter(self, expected):
        return expected if self.measures(expected) else {
            name: cell for name, cell in expected.items() if name not in ("temperature", "humidity")}

    def difference(self, line, expected, found):
        expected = self.without_meter(expected)
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


class MiBeaconRest(MiBeacon):
    """Locks, toothbrushes, remote controls, dimmers, scales, and what only one product sends."""
    more = ...
    objects = [0x0006, 0x0007, 0x0008, 0x000B, 0x0010, 0x100E, 0x100F, 0x1001, 0x2000, 0x3003, 0x4A0F, 0x4A13, 0x4E0C, 0x4E16,
               0x5413, 0x5422, 0x560C, 0x560D, 0x5810, 0x6461, 0x6E16]
    lengths = {0x0006: 5, 0x000B: 9, 0x0010: 2, 0x1001: 3, 0x2000: 5, 0x3003: 6, 0x4E16: 9, 0x6E16: 9}
    floats = set()
    checked = {0x0006, 0x000B, 0x1001, 0x2000, 0x4E16, 0x5422, 0x5810, 0x6461}
    products = {0x0008: [0x0380, 0x069E], 0x000B: [0x069E, 0x069F, 0x11C2], 0x100E: [0x0380], 0x100F: [0x09B0],
                0x1001: [0x04E1, 0x0153, 0x068E, 0x04E6, 0x03BF, 0x03B6, 0x1568, 0x1569, 0x0DFD],
                0x5413: [0x6A0F, 0x0098], 0x4E0C: [0x1C10, 0x2387, 0x1949], 0x560C: [0x520B, 0x3A61, 0x78A3],
                0x560D: [0x520B, 0x3A61], 0x6E16: [0x30D9], 0x4E16: [0x45C9]}

    def object(self, dice, number):
        length = self.lengths.get(number, 1)
        content = bytearray(self.bits(dice, length))
        if number in (0x0006, 0x0007, 0x0008, 0x0010, 0x100E, 0x100F, 0x4A0F, 0x4A13, 0x5413, 0x5422, 0x5810, 0x6461, 0x3003):
            content[0 if number != 0x0006 else 4] %= 2 if number in (0x0008, 0x5810, 0x6461) else 7
        if number == 0x0006 and dice.random() < 0.5:
            content[:4] = dice.choice([b"\0" * 4, b"\xff" * 4, b"\xef\xbe\xad\xde"])
        if number == 0x000B and dice.random() < 0.7:
            content[1:5] = struct.pack("<I", dice.choice([0, 1, 0x80010003, 0x80020004, 0x8008000A, 0xC0DE0003, 0xFFFFFFFF]))
        if number == 0x1001:
            content = bytearray([dice.choice([0, 1, 2, 3, 5, 6, 200]), content[1], dice.randrange(7)])
        if number in (0x4E0C, 0x560C, 0x560D):
            content[0] = dice.choice([1, 2, 3, 8, 15] if number == 0x4E0C else [1, 2, 3, 4])
        if number == 0x2000:
            content[:4] = struct.pack("<hh", dice.randrange(2500, 3800), dice.randrange(2500, 3800))
        if number == 0x6E16 and dice.random() < 0.5:
            content[1:5] = struct.pack("<I", dice.choice([0, 0x7FF, 700, 700 | 30 << 11, 700 | 30 << 11 | 4976 << 18, 4976 << 18]))
        return struct.pack("<HB", number, len(content)) + bytes(content)

    def update(self, line):
        try:
            return super().update(line)
        except UnboundLocalError:
            # The parser has no key for a lock's error.
            return SensorUpdate(title=None, devices={})

    def flag(self, key):
        name = super().flag(key)
        return {"lock": "unlocked", "fingerprint": "fingerprint_match"}.get(name, name)

    def add(self, fields, name, value, unit):
        if name == "charging_state":
            value = str(value).lower().replace(" ", "_")
        if name == "fingerprint_match" or value == "unknown":
            return
        super().add(fields, name, value, {"ohm": "Ω", "kg": "kg"}.get(unit, unit))

    def is_plain(self, line, expected):
        return super().is_plain(line, {key: cell for key, cell in expected.items() if key != "stabilized"}) and not (
            {"no_press", "3735928559"} & {cell["value"] for cell in expected.values()} or self.is_downgrade(line) or any(
                name.startswith("button") and str(cell["value"]).startswith("rotate") for name, cell in expected.items()))

    def difference(self, line, expected, found):
        # A press that the parser has no word for; and it expects the bytes of this key in the other order.
        expected = {name: cell for name, cell in expected.items() if cell["value"] not in ("no_press", "3735928559")}
        return Format.difference(self, line, expected, found) if expected and found else None


class SwitchBotRest(SwitchBot):
    """All models, also those with four bytes instead of one."""
    more = ...
    names = {**SwitchBot.names, "inMotion": "moving", "deviceChain": "device_chain", "calibration": "calibrated",
             "isOn": "power_on", "nightLight": "night_light", "soc_version": "firmware_version",
             "temp_alarm": "temperature_alarm", "adaptive_state": "adaptive", "trigger_flag": "trigger", "led_state": "led",
             "status": "lock_state", "tilted_alert": "tilted", "is_meter_binded": "is_meter_bound",
             "filter_run_time": "filter_time", "filter element working time": "filter_time",
             "dusbin_connected": "dustbin_connected", "need_update_temp": "needs_temperature", "tamper_alarm": "tamper",
             "radar_triggered_level": "radar_level", "radar_triggered_distance": "radar_distance",
             "pir_triggered_level": "motion_level", "doorbell_seq": "doorbell_count", "wifi_rssi": "wifi_signal",
             "isAqiValid": "air_quality_valid", "aqi_level": "air_quality", "err_code": "error_code",
             "cw": "color_temperature", "main_isOn": "main_power_on", "attempt_state": "attempts",
             "switchMode": "switch_mode", "charging": "battery_charging"}
    #: Numbers that only count packets, constants, and what follows from another value.
    without = ("temp", "fahrenheit", "tested", "iot", "sense_distance", "light_intensity", "sequence_number", "seq_number",
               "delay", "preset", "loop_index", "oscillating", "filter_alert", "night_light_is_on", "night_light_level",
               "on_keystate", "on_keystate_mode", "on_keystate_counter", "off_keystate", "off_keystate_mode",
               "off_keystate_counter")

    def __init__(self):
        super().__init__()
        from switchbot.adv_parser import SUPPORTED_TYPES
        self.keys = list(SUPPORTED_TYPES)

    def packet(self, dice):
        key = dice.choice(self.keys)
        ending = key if isinstance(key, bytes) else key.encode()
        if len(ending) == 1:
            old = bytes([ending[0] | dice.choice([0, 0x80])]) + self.bits(dice, dice.choice([2, 5, 8]))
        else:
            old = b"\0" + self.bits(dice, 2) + ending + (b"\0" if dice.random() < 0.5 else b"")
        line = {"mac": ADDRESS, "service_data": {"fd3d": old.hex()}}
        if dice.random() < 0.95:
            new = bytearray(self.bits(dice, dice.choice([12, 14, 17, 18, 20])))
            if len(new) > 13:
                new[13] &= 0x1F
            line["manufacturer_data"] = {"0969": bytes(new).hex()}
        return line

    def expected(self, line):
        new = whole(line, "manufacturer_data") if "manufacturer_data" in line else None
        try:
            found = self.parse(whole(line, "service_data"), new, 0x0969 if new is not None else None)
        except (IndexError, ValueError, struct.error):
            return None
        # Of a weather station without new values, the parser takes the model's number for them.
        if not found or found.get("modelFriendlyName") == "Weather Station" and len(new or b"") < 11:
            return None
        # What the parser says of a model is the same for all of them, apart from the Bot.
        constants = () if found["model"] == "H" else ("switchMode", "night_latch")
        if "Ceiling Light" in found.get("modelFriendlyName", ""):
            constants += ("color_mode",)
        data = found["data"]
        if 1 in data:
            data = {f"{key}_{number}": value for number in (1, 2) for key, value in data[number].items()
                    if key in ("isOn", "power")}
        fields = {}
        for key, value in data.items():
            if value is None or key in constants or isinstance(value, dict):
                continue
            name = self.names.get(key, key)
            name = name.replace("isOn", "power_on")
            if hasattr(value, "total_seconds"):
                value = round(value.total_seconds() / 3600)
            if hasattr(value, "name"):
                value = value.name.lower()
            value = {"locking_stop": "locking_stopped", "unlocking_stop": "unlocking_stopped",
                     "not_fully_locked": "latched"}.get(value, value)
            # Of a byte with one bit, the parser keeps the bit's weight.
            if key in ("left_battery_compartment_alarm", "right_battery_compartment_alarm"):
                value = bool(value)
            unit = {"power": "W", "power_1": "W", "power_2": "W", "position": "%", "tilt": "%", "brightness": "%",
                    "main_brightness": "%", "color_temperature": "K", "illuminance": "lx", "wifi_signal": "dBm",
                    "target_temperature": "°C", "target_humidity": "%", "duration": "s", "filter_time": "h",
                    "level": "%"}.get(name, self.units.get(name))
            self.add(fields, name, value, unit)
            if name in ("temperature", "target_temperature", "power", "position", "tilt") and name in fields:
                fields[name]["tol"] = 1e-6
        return fields or None

    def is_plain(self, line, expected):
        return bool(expected) and self.measures(expected) and any(whole(line, "service_data")[1:]) and not (
            {"illuminance", "led", "wifi_signal"} & set(expected)) and "unknown" not in [
                cell["value"] for cell in expected.values()]

    def difference(self, line, expected, found):
        expected = self.without_meter(expected)
        # Models whose light level isn't in a table have 0 lx in the parser; hubs of the first kind say it in levels only.
        expected = {name: cell for name, cell in expected.items() if name in found or name not in ("illuminance", "led")}
        # A mode without a word is a number in blekeep, and nothing in the parser. A plug is on if nothing else is said.
        expected = {name: cell for name, cell in expected.items() if cell["value"] != "unknown"}
        if "wifi_signal" in expected:
            expected.pop("power_on", None)
        if not any(whole(line, "service_data")[1:]):
            return None
        return Format.difference(self, line, expected, found) if expected else None


def bleak(line):
    """What the newer parsers take."""
    from bleak.backends.device import BLEDevice
    from habluetooth import BluetoothServiceInfoBleak
    heard = info(line)
    device = BLEDevice(heard.address, heard.name, None)
    return BluetoothServiceInfoBleak(
        heard.name, heard.address, heard.rssi, heard.manufacturer_data, heard.service_data, heard.service_uuids,
        "local", device, None, True, 0.0, 0)


class Family(Format):
    """A parser of Home Assistant's family for one company or service."""
    source = None
    module = None

    def __init__(self):
        import importlib
        name, make = self.module
        self.make = getattr(importlib.import_module(name), make)

    def line(self, data, **more):
        group = "service_data" if len(self.source) == 4 and self.source[0] == "f" else "manufacturer_data"
        return {"mac": ADDRESS, **more, group: {self.source: bytes(data).hex()}}

    def cut(self, dice, data):
        return data if dice.random() < 0.95 else data[:dice.randrange(len(data) + 1)]

    def update(self, line):
        try:
            return self.make().update(bleak(line))
        except (IndexError, struct.error, ValueError, KeyError):
            return SensorUpdate(title=None, devices={})


class OralB(Family):
    source, module = "00dc", ("oralb_ble", "OralBBluetoothDeviceData")
    names = {"time": "duration", "mode": "brushing_mode"}
    without = ("pressure",)
    more = ("pressure_code", "pressure_high", "button_pressed", "power_button_pressed", "sector")

    def packet(self, dice):
        data = bytearray(self.bits(dice, dice.choice([9, 11, 11])))
        data[3] = dice.choice([0, 1, 2, 3, 3, 4, 5, 6, 8, 9, 10, 113, 114, 115, 116])
        # A number without a name is text in the parser, and a number in blekeep.
        series = data[1] in (48, 49, 50, 52, 53, 54)
        data[1] = 49 if series or dice.random() < 0.4 else 32
        data[7] = dice.choice([0, 1, 2, 3, 4, 5, 6, 8, 9, 11] if data[1] == 49 else [0, 1, 2, 3, 4, 5, 6, 7, 255])
        return self.line(self.cut(dice, data))

    def add(self, fields, name, value, unit):
        if isinstance(value, str):
            value = {"post brushing statistics": "statistics"}.get(value, value).replace(" ", "_")
            # In blekeep, a brush that isn't running still has its last sector.
            if name == "sector":
                value = int(value[-1]) if value.startswith("sector") else "none"
        super().add(fields, name, value, "s" if name in ("duration", "sector_timer") else unit)

    def expected(self, line):
        fields = super().expected(line)
        if fields and fields["toothbrush_state"]["value"] != "running":
            fields["sector"]["either"] = True
        return fields

    def is_plain(self, line, expected):
        return not expected.get("sector", {}).get("either")


class ThermoBeacon(Family):
    source, module = "0010", ("thermobeacon_ble", "ThermoBeaconBluetoothDeviceData")
    steps = {"battery": 2, "temperature": 0.01, "humidity": 0.01}
    more = ("uptime", "maximum_temperature", "maximum_uptime", "minimum_temperature", "minimum_uptime")

    def packet(self, dice):
        data = bytearray(self.bits(dice, dice.choice([18, 18, 18, 20])))
        data[2:8] = MAC[::-1]
        data[8:10] = struct.pack("<H", dice.randrange(2300, 3300))
        data[10:14] = struct.pack("<hH", dice.randrange(-640, 1600), dice.randrange(1600))
        number = dice.choice([0x10, 0x11, 0x14, 0x15, 0x18, 0x1B, 0x30])
        return {"mac": ADDRESS, "services": ["fff0"], "manufacturer_data": {f"{number:04x}": bytes(data).hex()}}

    def flag(self, key):
        return "button_pressed"


class SensorPush(Family):
    source, module = "0000", ("sensorpush_ble", "SensorPushBluetoothDeviceData")
    steps = {"temperature": 0.01, "humidity": 0.01}

    def packet(self, dice):
        kind = dice.choice(["HT.w", "HTP.xw", "TC.x", "HT1"])
        if kind == "HT1":
            data = bytearray(self.bits(dice, dice.choice([4, 4, 6])))
            data[3] = 0x04 | data[3] & 0x83
            service, name = "ef090000-11d6-42ba-93b8-9dd7ec090aa9", "s"
        else:
            # Each value is a digit of one large number.
            counts = {"HT.w": (66_001, 40_001), "HTP.xw": (72_001, 40_001, 95_001), "TC.x": (32_001,)}[kind]
            number, weight = 0, 1
            for count in counts:
                number, weight = number + weight * dice.randrange(count), weight * count
            length = {"HT.w": 5, "HTP.xw": 7, "TC.x": 4}[kind]
            code = {"HTP.xw": 0, "HT.w": 1, "TC.x": 2}[kind] << 2
            data = bytearray([code | (dice.random() < 0.1)]) + number.to_bytes(8, "little")[:length - 1]
            service, name = "ef090000-11d6-42ba-93b8-9dd7ec090ab0", f"SensorPush {kind} 3456"
        company = int.from_bytes(data[:2], "little")
        return {"mac": ADDRESS, "name": name, "services": [service],
                "manufacturer_data": {f"{company:04x}": bytes(data[2:]).hex()}}

    def update(self, line):
        heard = bleak({key: value for key, value in line.items() if key != "services"})
        heard.service_uuids.extend(line["services"])
        return self.make().update(heard)

    def can_be(self, name, cell):
        return name == "temperature" or super().can_be(name, cell)

    def expected(self, line):
        # The parser takes what is missing at the end of a short packet as zeros.
        length = {"SensorPush HT.w 3456": 3, "SensorPush HTP.xw 3456": 5, "SensorPush TC.x 3456": 2}.get(line["name"], 0)
        return super().expected(line) if len(whole(line, "manufacturer_data")) >= length else None

    def difference(self, line, expected, found):
        return super().difference(line, expected, found) if expected else None


class BlueMaestro(Family):
    source, module = "0133", ("bluemaestro_ble", "BlueMaestroBluetoothDeviceData")
    names = {**Format.names, "pressure": "pressure"}
    more = ("pressure",)

    def packet(self, dice):
        kind = dice.choice([0x08, 0x0D, 0x16, 0x17, 0x1B, 0x29, 0x2A, 0x2B])
        data = bytearray([kind]) + self.bits(dice, dice.choice([13, 17, 23, 23]))
        return self.line(self.cut(dice, data))

    def expected(self, line):
        fields = super().expected(line) or {}
        # The Maxi formats don't send the dew point: the parser computes it.
        if whole(line, "manufacturer_data")[:1] in (b"\x2a", b"\x2b"):
            fields.pop("dew_point", None)
        return fields or None

    def difference(self, line, expected, found):
        if not expected:
            return None
        return super().difference(line, expected, found)


class Sensirion(Family):
    limits = SENSIRION
    source, module = "06d5", ("sensirion_ble", "SensirionBluetoothDeviceData")
    steps = {"temperature": 0.1, "humidity": 0.1}

    def packet(self, dice):
        return self.line(self.cut(dice, bytes([0, dice.choice([4, 6, 8])]) + self.bits(dice, 10)))


class Tilt(Family):
    source, module = "004c", ("tilt_ble", "TiltBluetoothDeviceData")
    more = ("color", "tx_power")

    def packet(self, dice):
        color = dice.randrange(1, 9) * 16
        head = bytes([2, 0x15]) + bytes.fromhex(f"a495bb{color:02x}c5b14b44b5121370f02d74de")
        is_pro = dice.random() < 0.5
        values = (dice.randrange(400, 1900), dice.randrange(5000, 12000)) if is_pro else (
            dice.randrange(40, 190), dice.randrange(900, 1200))
        return self.line(head + struct.pack(">HHb", *values, -59))

    def add(self, fields, name, value, unit):
        if name == "temperature":
            value, unit = (value - 32) * 5 / 9, "°C"
        super().add(fields, name, value, None if name == "specific_gravity" else unit)
        if name == "temperature":
            fields[name]["tol"] = 0.0006


class Rapt(Family):
    source, module = "4152", ("rapt_ble", "RAPTPillBluetoothDeviceData")
    steps = {"battery": 1, "temperature": 0.01, "specific_gravity": 0.002, "gravity_velocity": 0.002}
    names = {"specific_gravity_velocity": "gravity_velocity"}
    more = ("acceleration_x", "acceleration_y", "acceleration_z")

    def packet(self, dice):
        version = dice.choice([1, 2])
        rest = struct.pack(">Hfhhhh", dice.randrange(33_000, 50_000), dice.uniform(900, 1200), 1, -2, 3,
                           dice.randrange(25_601))
        head = MAC if version == 1 else struct.pack(">x?f", dice.random() < 0.5, round(dice.uniform(-20, 20), 2))
        return self.line(b"PT" + bytes([version]) + head + rest)

    def add(self, fields, name, value, unit):
        super().add(fields, name, value, unit if name in ("temperature", "battery") else None)


class Aranet(Format):
    more = ("age", "interval", "level")
    units = {"temperature": "°C", "humidity": "%", "battery": "%", "co2": "ppm", "pressure": "Pa", "radon": "Bq/m³",
             "radiation_total": "nSv", "radiation_rate": "nSv/h", "radiation_duration": "s"}

    def __init__(self):
        from aranet4.client import Aranet4Advertisement
        self.make = Aranet4Advertisement

    def packet(self, dice):
        kind = dice.randrange(4)
        data = bytearray(self.bits(dice, 22 if kind == 0 else 24))
        if kind:
            data[0] = kind
        # The flags say that the values are for everyone.
        data[0 if kind == 0 else 1] = 0x21
        name = ["Aranet4 12345", "Aranet2 12345", "Aranet\u2622 12345", "AranetRn+ 12345"][kind]
        if kind == 0:
            data[16] = dice.randrange(4)
        else:
            data[18] = dice.randrange(4) if kind == 3 else data[18] & 15
        return {"mac": ADDRESS, "name": name, "manufacturer_data": {"0702": bytes(data).hex()}}

    def expected(self, line):
        from types import SimpleNamespace
        data = whole(line, "manufacturer_data")
        heard = SimpleNamespace(manufacturer_data={0x0702: data}, rssi=-60)
        try:
            readings = self.make(SimpleNamespace(name=line["name"], address=ADDRESS), heard).readings
        except ValueError:
            return None
        fields = {}
        for key, value in (readings.toDict() if readings else {}).items():
            if key in ("type", "radon_concentration") or value is None or value == -1:
                continue
            if key == "pressure":
                value = round(value * 100)
            self.add(fields, key, value, self.units.get(key))
            if key == "temperature" and key in fields:
                fields[key]["tol"] = 0.051
        if getattr(readings, "radon_concentration", -1) not in (-1, None):
            self.add(fields, "radon", readings.radon_concentration, "Bq/m³")
        return fields or None

    def is_plain(self, line, expected):
        return False not in [self.can_be(name, cell) for name, cell in expected.items()] and (
            "battery" in expected)

    def difference(self, line, expected, found):
        if not expected:
            return None
        # The parser's numbers for a value that isn't valid: 0x8000, or above.
        expected = {name: cell for name, cell in expected.items() if found.get(name, {}).get("state") != "prohibited"}
        return super().difference(line, expected, found)


class Victron(Format):
    names = {"remaining_mins": "remaining_time", "voltage": "battery_voltage", "soc": "battery",
             "battery_charging_current": "battery_current", "external_device_load": "load_current",
             "consumed_ah": "consumed_charge", "error": "charger_error"}
    units = {"battery_voltage": "V", "battery": "%", "remaining_time": "min", "current": "A", "consumed_charge": "Ah",
             "battery_current": "A", "load_current": "A", "yield_today": "Wh", "solar_power": "W", "ac_voltage": "V",
             "ac_current": "A", "ac_apparent_power": "VA", "input_voltage": "V", "output_voltage": "V",
             "battery_temperature": "°C", "temperature": "°C", "starter_voltage": "V", "midpoint_voltage": "V",
             "ac_input_power": "W", "ac_output_power": "W", "input_current": "A", "output_current": "A"}
    more = ...
    kinds = {1: 12, 2: 15, 3: 12, 4: 12, 5: 16, 9: 16, 10: 16, 12: 16, 13: 13, 15: 14}

    def __init__(self):
        from victron_ble.devices import detect_device_type
        self.detect = detect_device_type

    def packet(self, dice):
        kind = dice.choice(list(self.kinds))
        counter = dice.getrandbits(16)
        text = bytearray(self.bits(dice, 16))
        if kind in (1, 3, 4, 9, 12, 15):
            text[0] = dice.choice([0, 3, 4, 5, 6, 252])
        if kind in (1, 4, 15):
            text[1] = dice.choice([0, 2, 17])
        if kind == 9:
            text[1:7] = bytes([1, 0, 0, 0, 0, 0])
        if kind == 10:
            # 16 bits of the charge, of which 10 are used.
            text[12] &= 0xFF
        if kind == 13:
            text[:2] = struct.pack("<h", dice.choice([-9, -1, 1, 8]))
        if kind in (2, 13):
            text[4:6] = b"\0\0"
        if kind in (4, 15):
            at = 6 if kind == 4 else 10
            text[at:at + 4] = b"\0\0\0\0"
        if kind == 9:
            text[11:15] = b"\0\0\0\0"
        start = counter.to_bytes(16, "little")
        text = bytes(text)
        secret = bytes(a ^ b for a, b in zip(text, AES.new(KEY, AES.MODE_ECB).encrypt(start)))
        first = KEY[0] if dice.random() < 0.95 else KEY[0] ^ 1
        data = struct.pack("<HHBHB", 0x0210, 0xA389, kind, counter, first) + secret
        return {"mac": ADDRESS, "key": KEY.hex(), "manufacturer_data": {"02e1": data.hex()}}

    def expected(self, line):
        from victron_ble.exceptions import AdvertisementKeyMismatchError
        data = whole(line, "manufacturer_data")
        # The parser pads what is missing.
        if len(data) < 8 + self.kinds.get(data[4] if len(data) > 4 else 0, 16):
            return None
        device = self.detect(data)
        try:
            values = device(KEY.hex()).parse(data)._data
        except (AdvertisementKeyMismatchError, ValueError):
            return None
        fields = {}
        for key, value in values.items():
            name = self.names.get(key, key)
            if key == "voltage" and data[4] == 13:
                name = key
            name = {"ac_in_power": "ac_input_power", "ac_out_power": "ac_output_power"}.get(name, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            if key == "temperature_kelvin":
                name, value = "temperature", value - 273.15
            if key == "consumed_ah" and data[4] == 10:
                value = value
            if name in ("bms_flags", "error_flags", "io_status", "alarm_flags", "alarm", "charger_error"):
                self.add(fields, name, value, None)
                continue
            self.add(fields, name, value, "V" if name == "voltage" else self.units.get(name))
            if name in fields:
                fields[name]["tol"] = 1e-6
        return fields or None


class BTHome1(Format):
    """BTHome v1, of which v2 kept the numbers of objects."""
    crops = False
    lengths = {0x01: 1, 0x02: 2, 0x03: 2, 0x04: 3, 0x05: 3, 0x06: 2, 0x08: 2, 0x0A: 3, 0x0B: 3, 0x0C: 2, 0x0D: 2, 0x0E: 2,
               0x12: 2, 0x13: 2, 0x14: 2, 0x2E: 1, 0x2F: 1, 0x40: 2, 0x41: 2, 0x43: 2, 0x45: 2}
    signed = {0x02, 0x08, 0x45}
    names = {"voltage": "voltage", "light": "illuminance", "mass": "mass"}
    more = ...

    def __init__(self):
        from bthome_ble import BTHomeBluetoothDeviceData
        self.make = BTHomeBluetoothDeviceData

    def packet(self, dice):
        payload = b""
        # Of two values of a kind, the parser changes the names of both.
        others = dice.choice([(2, 3, 0x14, 0x40), (0x45, 0x2E, 0x2F, 0x41)])
        kinds = [number for number in self.lengths if number not in others]
        for number in dice.sample(kinds, dice.randrange(1, 4)):
            content = self.bits(dice, self.lengths[number])
            payload += bytes([(len(content) + 1) | (0x20 if number in self.signed else 0), number]) + content
        line = {"mac": ADDRESS}
        if dice.random() < 0.5:
            return {**line, "service_data": {"181c": payload.hex()}}
        counter = self.bits(dice, 4)
        cipher = AES.new(KEY, AES.MODE_CCM, nonce=MAC + b"\x1e\x18" + counter, mac_len=4)
        cipher.update(b"\x11")
        text, tag = cipher.encrypt_and_digest(payload)
        return {**line, "key": KEY.hex(), "service_data": {"181e": (text + counter + tag).hex()}}

    def update(self, line):
        return self.make(bindkey=bytes.fromhex(line["key"]) if "key" in line else None).update(bleak(line))

    def field(self, device_key):
        return {"pm25": "pm2_5", "carbon_dioxide": "co2", "volatile_organic_compounds": "tvoc"}.get(
            device_key.key, str(device_key.key))

    def difference(self, line, expected, found):
        if not expected:
            return None
        found = {name: dict(cell) for name, cell in found.items()}
        for cell in found.values():
            if cell.get("unit") == "hPa":
                cell["value"] = round(cell["value"] * 100)
        return super().difference(
            line, {name: {key: cell[key] for key in cell if key != "unit"} for name, cell in expected.items()},
            {name: {key: cell[key] for key in cell if key != "unit"} for name, cell in found.items()})

    def can_be(self, name, cell):
        return not (name == "battery" and not 0 <= cell["value"] <= 100) and not (
            name in ("temperature", "dew_point") and cell["value"] < -273.15)


class Plants(Family):
    """Xiaomi's scales and plant sensors, which have services of their own."""
    module = ("xiaomi_ble.parser", "XiaomiBluetoothDeviceData")
    more = ("weight_removed",)
    steps = {"mass": 1e-6, "impedance": 1e-6}
    names = {**Format.names, "mass": "mass"}

    def packet(self, dice):
        return {"mac": ADDRESS, "service_data": {self.source: self.cut(dice, self.bits(dice, self.length)).hex()}}

    def field(self, device_key):
        return self.names.get(device_key.key, str(device_key.key))

    def add(self, fields, name, value, unit):
        super().add(fields, name, value, {"ohm": "Ω", "kg": "kg"}.get(unit, unit))


class FlowerCare(Plants):
    source, length = "fd50", 9

    def is_plain(self, line, expected):
        return expected.get("temperature", {"value": 0})["value"] < 3276.7

    def difference(self, line, expected, found):
        # The parser reads the temperature without its sign.
        if expected.get("temperature", {"value": 0})["value"] > 3276.7:
            expected["temperature"]["value"] = round(expected["temperature"]["value"] - 6553.6, 1)
        return super().difference(line, expected, found)


class XiaomiScale(Plants):
    source, length = "181d", 10

    def packet(self, dice):
        self.source, self.length = dice.choice([("181d", 10), ("181b", 13)])
        return super().packet(dice)

    def is_plain(self, line, expected):
        data = whole(line, "service_data")
        return expected.get("mass_non_stabilized", {"value": 0})["value"] != 0 and not data[0] & 1

    def difference(self, line, expected, found):
        # The parser converts pounds and catties.
        found = {name: dict(cell) for name, cell in found.items()}
        for cell in found.values():
            if cell.get("unit") == "lb":
                cell["value"], cell["unit"] = cell["value"] * 0.45359237, "kg"
        # Nothing on the scale is no weighing.
        if expected.get("mass_non_stabilized", {}).get("value") == 0:
            return None
        for name in ("mass", "mass_non_stabilized"):
            if name in expected:
                expected[name]["tol"] = 0.006
        return super().difference(line, expected, found)


class RuuviE1(Format):
    crops = False
    more = ("mac",)
    names = {"pressure": "pressure", "light": "luminosity", "carbon_dioxide": "co2", "pm25": "pm2_5", "illuminance": "luminosity"}

    def __init__(self):
        from ruuvitag_ble.dfe1_decoder import DataFormatE1Decoder
        self.make = DataFormatE1Decoder

    def packet(self, dice):
        return {"mac": ADDRESS, "manufacturer_data": {"0499": (b"\xe1" + self.bits(dice, 39)).hex()}}

    def expected(self, line):
        if len(whole(line, "manufacturer_data")) != 40:
            return None
        data = self.make(whole(line, "manufacturer_data"))
        fields = {}
        for name, value, unit in [
            ("temperature", data.temperature_celsius, "°C"), ("humidity", data.humidity_percentage, "%"),
            ("pressure", None if data.pressure_hpa is None else round(data.pressure_hpa * 100), "Pa"),
            ("pm1", data.pm1_ug_m3, "µg/m³"), ("pm2_5", data.pm25_ug_m3, "µg/m³"), ("pm4", data.pm4_ug_m3, "µg/m³"),
            ("pm10", data.pm10_ug_m3, "µg/m³"), ("co2", data.co2_ppm, "ppm"), ("voc_index", data.voc_index, None),
            ("nox_index", data.nox_index, None), ("luminosity", data.luminosity_lux, "lx"),
            ("measurement_sequence", data.measurement_sequence_number, None),
            ("calibration_in_progress", data.calibration_in_progress, None),
        ]:
            self.add(fields, name, value, unit)
            if name in ("temperature", "humidity") and name in fields:
                fields[name]["tol"] = 0.0006
        return fields

    def can_be(self, name, cell):
        return not (name == "humidity" and cell["value"] > 163.835)


class Theengs(Format):
    """Theengs' decoder, for makers without a parser in Home Assistant's family."""
    more = ...
    #: Its properties: our name, our unit, and what its number is multiplied by.
    properties = {
        "tempc": ("temperature", "°C", 1), "hum": ("humidity", "%", 1), "batt": ("battery", "%", 1),
        "volt": ("battery_voltage", "V", 1), "lux": ("illuminance", "lx", 1), "moi": ("moisture", "%", 1),
        "accx": ("acceleration_x", "gₙ", 0.001), "accy": ("acceleration_y", "gₙ", 0.001),
        "accz": ("acceleration_z", "gₙ", 0.001), "bpm": ("heart_rate", "bpm", 1), "act_bpm": ("heart_rate", "bpm", 1),
        "steps": ("steps", None, 1), "weight": ("mass", "g", 1), "level": ("level", "%", 1), "lvl_cm": ("water_level", "cm", 1),
        "pres": ("pressure", "Pa", 100_000), "count": ("wheel", None, 1), "shake": ("shake", None, 1),
        "open": ("opening", None, None), "wake": ("awake", None, None), "sum": ("energy", "kWh", 1),
        "avg": ("power", "W", 1000), "uptime": ("uptime", "s", 1), "flag_reed": ("reed_switch", None, None),
        "flag_tilt": ("tilt", None, None), "flag_fall": ("falling", None, None),
        "flag_impact_x": ("impact_x", None, None), "flag_impact_y": ("impact_y", None, None),
        "flag_impact_z": ("impact_z", None, None), "plugged_in": ("plug", None, None),
        "button": ("button_number", None, 1), "color": ("color", None, ""), "beaconmodel": ("beacon_model", None, ""),
        "session": ("session", None, 1), "seconds": ("duration", "s", 1), "litres": ("volume", "L", 1)}
    tolerances = {"temperature": 0.011, "humidity": 0.011, "acceleration_x": 0.0006, "water_level": 0.002,
                  "pressure": 1, "energy": 0.0001, "power": 0.01, "moisture": 0.011, "battery_voltage": 0.0006}
    #: What the question has, too.
    also = {}
    #: Kinds of packets: the source, its length, its beginning, and a name, or where the address is.
    kinds = []

    def __init__(self):
        from TheengsDecoder import decodeBLE
        self.decode = decodeBLE

    def packet(self, dice):
        group, source, length, start, name = dice.choice(self.kinds)
        data = bytearray(self.bits(dice, length))
        begin = bytes.fromhex(start)
        data[:len(begin)] = begin
        self.fill(dice, data)
        data = bytes(data) if dice.random() < 0.95 else bytes(data[:dice.randrange(length + 1)])
        line = {"mac": ADDRESS, group: {source: data.hex()}}
        return {**line, "name": name} if name else line

    def fill(self, dice, data):
        pass

    def expected(self, line):
        # It decodes a beginning as well.
        data = whole(line, "service_data") or whole(line, "manufacturer_data")
        sources = {**line.get("service_data", {}), **line.get("manufacturer_data", {})}
        if not any(kind[2] == len(data) and kind[1] in sources for kind in self.kinds):
            return None
        question = {"id": line["mac"], "name": line.get("name", "")}
        for source, text in line.get("manufacturer_data", {}).items():
            question["manufacturerdata"] = source[2:] + source[:2] + text
        for source, text in line.get("service_data", {}).items():
            question["servicedata"], question["servicedatauuid"] = text, source
        try:
            answer = self.decode(json.dumps(question | self.also))
        except UnicodeDecodeError:
            return None
        fields = {}
        for key, value in (json.loads(answer) if isinstance(answer, str) else {}).items():
            if key in self.properties:
                name, unit, factor = self.properties[key]
                # What it doesn't know has no entry in its tables, and it shows the digits.
                if isinstance(value, str) and factor != "":
                    continue
                self.add(fields, name, bool(value) if factor is None else value * factor if factor else value, unit)
                if name in fields and factor:
                    fields[name]["tol"] = self.tolerances.get(name, 0.0006 if name.startswith("acc") else 1e-6)
        return fields or None

    def difference(self, line, expected, found):
        return super().difference(line, expected, found) if expected else None


class Jaalee(Theengs):
    kinds = [("manufacturer_data", "004c", 24, "0215ebefd08370a247c89837e7b5634df525", None)]
    also = {"servicedatauuid": "f525"}

    def fill(self, dice, data):
        # Theengs takes the temperature for a signed number.
        data[18] &= 0x7F


class KKM(Theengs):
    kinds = [("service_data", "feaa", 13, "21010b", None), ("service_data", "feaa", 9, "210107", None),
             ("service_data", "feaa", 15, "21010f", None)]


class BParasite(Theengs):
    kinds = [("service_data", "181a", 16, "10", None), ("service_data", "181a", 18, "21", None)]

    def fill(self, dice, data):
        data[10:16] = MAC
        data[4:6] = struct.pack(">h", dice.randrange(-2000, 3000))


class Hobo(Theengs):
    kinds = [("manufacturer_data", "00c5", 20, "07", None)]

    def fill(self, dice, data):
        data[16:20] = struct.pack("<f", dice.uniform(0, 3))


class BeeWi(Theengs):
    kinds = [("manufacturer_data", "000d", 5, "080c", None)]


class Skale(Theengs):
    kinds = [("manufacturer_data", "81ef", 4, "", None)]


class Xoss(Theengs):
    kinds = [("manufacturer_data", "ff04", 4, "01", None)]


class Otodata(Theengs):
    kinds = [("manufacturer_data", "03b1", 19, "4f544f54454c4502", None)]


class Tpms(Theengs):
    kinds = [("manufacturer_data", "0100", 16, MAC.hex(), None)]

    def fill(self, dice, data):
        data[6:15] = struct.pack("<IiB", dice.randrange(90_000, 400_000), dice.randrange(9000), dice.randrange(101))


class SmartDry(Theengs):
    kinds = [("manufacturer_data", "01ae", 12, "", None)]

    def fill(self, dice, data):
        data[:8] = struct.pack("<ff", dice.uniform(10, 90), dice.uniform(0, 99))


class AprilBrother(Theengs):
    kinds = [("service_data", "fe95", 15, "ab03", None)]


class Moko(Theengs):
    kinds = [("service_data", "feab", 16, "70", None)]

    def fill(self, dice, data):
        # Theengs takes the voltage for a signed number.
        data[7] &= 0x7F


class INode(Theengs):
    kinds = [("manufacturer_data", "8290", 11, "", None), ("manufacturer_data", "8294", 11, "", None)]

    def fill(self, dice, data):
        # Theengs reads 16 bits of the sum, and doesn't know impulses of another kind.
        data[4:6], data[6:8] = b"\0\0", struct.pack("<H", dice.randrange(100, 5000))
        data[8] = dice.randrange(1, 16) << 4 | data[8] & 15


class Amazfit(Theengs):
    kinds = [("manufacturer_data", "0157", 24, "02", None)]

    def fill(self, dice, data):
        data[3:5] = bytes([dice.choice([0, 1, 60, 200, 254, dice.randrange(240)]), 0xFF])
        data[1:3] = b"\1\2"
        data[18:24] = MAC

    def is_plain(self, line, expected):
        return expected.get("heart_rate", {"value": 1})["value"] != 0

    def difference(self, line, expected, found):
        # No heart beats 0 times a minute.
        if expected.get("heart_rate", {"value": 1})["value"] == 0:
            return None if found["heart_rate"].get("state") else "a heart rate of 0"
        return super().difference(line, expected, found)


class BatteryMonitor(Theengs):
    kinds = [("manufacturer_data", "004c", 23, "0215655f83caae16a10a702e31f30d58dd82", None),
             ("manufacturer_data", "004c", 23, "02153ba29cd9a42c894856badaf2606ef777", None)]


class Ela(Theengs):
    kinds = [("service_data", "2a6e", 2, "", "P RHT 900001"), ("service_data", "2a6f", 1, "", "P RHT 900001"),
             ("service_data", "2a6e", 2, "", "P TPROBE 0001"), ("service_data", "2a06", 2, "", "P MAG 00001")]

    def can_be(self, name, cell):
        return super().can_be(name, cell) and not (name == "humidity" and cell["value"] == -1)

    def difference(self, line, expected, found):
        # Theengs takes the humidity for a signed number.
        if expected and expected.get("humidity", {"value": 0})["value"] < 0:
            expected["humidity"]["value"] += 256
        return super().difference(line, expected, found)


class NodOn(Theengs):
    kinds = [("service_data", "0000", 16, "02", None)]

    def fill(self, dice, data):
        data[10:12] = bytes([0, dice.randrange(2, 8)])
        data[15] = dice.randrange(1, 8)


class Feasycom(Theengs):
    kinds = [("service_data", "fff0", 11, "", None)]

    def fill(self, dice, data):
        data[0] = dice.choice([21, 25, 26, 27, 28, 29, 30, 36, 39, 40, 41, 70])
        data[4:10] = MAC
        data[10] = dice.choice([101, dice.randrange(101)])


class Oras(Theengs):
    kinds = [("manufacturer_data", "0131", 18, "", None), ("manufacturer_data", "faee", 19, "", None)]
    tolerances = {**Theengs.tolerances, "volume": 0.0006}

    def fill(self, dice, data):
        # The serial number of a faucet, which Theengs shows as text.
        if len(data) == 18:
            data[3:13] = b"1234567890"


class Polar(Theengs):
    kinds = [("manufacturer_data", "006b", 4, "", None)]


class MikroTik(Theengs):
    kinds = [("manufacturer_data", "094f", 18, "0100", None)]
    properties = {**Theengs.properties, **{f"acc{axis}": (f"acceleration_{axis}", "gₙ", 1) for axis in "xyz"}}

    def is_plain(self, line, expected):
        # A charge has eight bits.
        data = whole(line, "manufacturer_data")
        return -100 < expected.get("temperature", {"value": 0})["value"] and (len(data) < 18 or data[17] < 128)

    def difference(self, line, expected, found):
        data = whole(line, "manufacturer_data")
        # A tag without a thermometer sends -128 °C.
        if len(data) == 18 and data[10:12] == b"\0\x80":
            return None if found["temperature"].get("state") else "a temperature of -128 °C"
        # Theengs takes seven bits of the charge.
        if expected and len(data) == 18 and data[17] > 127:
            expected.pop("battery", None)
        return super().difference(line, expected, found)


class Oria(Theengs):
    """T201 and T301 of ThermoBeacon's maker."""
    kinds = [("manufacturer_data", "aa55", 17, "", "T301")]

    def fill(self, dice, data):
        data[2:8] = MAC


class ABTemp(Theengs):
    kinds = [("manufacturer_data", "004c", 23, "0215b5b182c7eab14988aa99b5c1517008d9", None)]


class Kegtron(Family):
    module = ("kegtron_ble", "KegtronBluetoothDeviceData")
    more = ("configured", "port_index", "port_count")
    # Words for our numbers.
    without = ("port_state", "keg_type", "port_count")

    def packet(self, dice):
        data = bytearray(self.bits(dice, 27))
        data[7:27] = dice.choice([b"", b"2nd Port", b"Stout"]).ljust(20, b"\0")
        return {"mac": ADDRESS, "manufacturer_data": {"ffff": self.cut(dice, bytes(data)).hex()}}

    def update(self, line):
        # Its device numbers begin with those of the port.
        return super().update(line)

    def field(self, device_key):
        name = str(device_key.key)
        return name if name.startswith("volume_dispensed") else name.removesuffix("_port_1").removesuffix("_port_2")

    def add(self, fields, name, value, unit):
        # A device with one port dispenses from the first.
        name = name if name != "volume_dispensed" else "volume_dispensed_port_1"
        super().add(fields, name, value or None if name == "port_name" else value, unit)

    def is_plain(self, line, expected):
        data = whole(line, "manufacturer_data")
        return len(data) != 27 or data[6] & 0x50 != 0x10

    def difference(self, line, expected, found):
        data = whole(line, "manufacturer_data")
        # Only a device with two ports has a second one.
        if len(data) == 27 and data[6] & 0x50 == 0x10:
            return None
        found = {name: cell for name, cell in found.items() if cell.get("value") != ""}
        return super().difference(line, expected, found)


class Moat(Family):
    module = ("moat_ble", "MoatBluetoothDeviceData")
    steps = {"temperature": 0.002, "humidity": 0.002, "battery": 1.1}

    def packet(self, dice):
        data = bytearray(self.bits(dice, 20))
        data[14:16] = struct.pack("<H", dice.choice([dice.randrange(2000, 3200), dice.randrange(65536)]))
        return {"mac": ADDRESS, "name": "Moat_S2", "service_data": {"1000": bytes(data).hex()}}

    def is_plain(self, line, expected):
        # blekeep rounds the estimated charge.
        return expected["battery"]["value"] in (0, 100)


class ChefIQ(Family):
    module = ("chefiq_ble", "ChefIqBluetoothDeviceData")
    names = {**Format.names, "battery_percent": "battery", "soc_temperature": "chip_temperature",
             **{f"probe_tip_{number}_temperature": f"temperature_probe_{number}" for number in (1, 2, 3, 4)}}

    def __init__(self):
        super().__init__()
        import chefiq_ble.parser as parser
        # The parser calls its own bounds estimated. ble_monitor has a packet of version 4 with the layout of version 2.
        forms = parser._Format
        parser._temperature_format = lambda version: (
            forms.V3 if version[0] >= 5 else forms.V2 if version[0] >= 2 else forms.LEGACY)

    def packet(self, dice):
        data = bytearray(self.bits(dice, dice.randrange(2, 19)))
        data[:2] = bytes([dice.randrange(16) << 4 | dice.choice([1, 1, 3, 0]), dice.randrange(6) << 4 | dice.randrange(16)])
        for place in range(2, len(data) - 1, 2):
            if dice.random() < 0.8:
                data[place:place + 2] = struct.pack("<h", dice.randrange(-400, 6001))
        return {"mac": ADDRESS, "name": "CQ60", "manufacturer_data": {"05cd": bytes(data).hex()}}

    def difference(self, line, expected, found):
        # It leaves out what can't be a temperature; blekeep has a state.
        found = {name: cell for name, cell in found.items() if name in expected or cell.get("state") is None}
        return super().difference(line, expected, found)

    def can_be(self, name, cell):
        return name != "battery" or cell["value"] <= 100


class Xiaogui(Family):
    module = ("xiaogui_ble", "XiaoguiBluetoothDeviceData")
    more = ("stabilized", "mass_non_stabilized")
    without = ("packet_id",)
    steps = {"mass": 0.011, "impedance": 0.1}

    def packet(self, dice):
        # Its number is a counter.
        data = self.bits(dice, 6) + bytes([dice.choice([0x20, 0x21, 0x24, 0x25, 0x30, 0x31])]) + MAC
        return {"mac": ADDRESS, "manufacturer_data": {f"{dice.randrange(256):02x}c0": data.hex()}}

    def field(self, device_key):
        return {"non_stabilized_mass": "mass_non_stabilized"}.get(str(device_key.key), str(device_key.key))

    def is_plain(self, line, expected):
        return whole(line, "manufacturer_data")[6] < 0x30

    def difference(self, line, expected, found):
        # The parser converts pounds, and says by the field what blekeep says by `stabilized`.
        found = {name: dict(cell) for name, cell in found.items()}
        for cell in found.values():
            if cell.get("unit") == "lb":
                cell["value"], cell["unit"] = cell["value"] * 0.45359237, "kg"
        if (found.get("stabilized", {}).get("value") is True) != ("mass" in expected):
            return f"stabilized {found.get('stabilized')}"
        found.pop("stabilized", None)
        if "mass" in expected:
            found.pop("mass_non_stabilized", None)
        return super().difference(line, expected, found)

    def add(self, fields, name, value, unit):
        super().add(fields, name, value, {"ohm": "Ω"}.get(unit, unit))


class BleMonitor(Format):
    """The parsers of ble_monitor, for makers without a parser on PyPI. `BLE_MONITOR` has a checkout of its repository."""
    more = ...
    #: Kinds of packets: the source, its length, its beginning, and a name.
    kinds = []
    #: Its keys: our name, our unit, and what its number is multiplied by.
    keys = {}
    common = {"temperature": ("temperature", "°C", 1), "humidity": ("humidity", "%", 1), "battery": ("battery", "%", 1),
              "voltage": ("battery_voltage", "V", 1), "co2": ("co2", "ppm", 1), "motion": ("motion", None, None),
              "aqi": ("aqi", None, 1), "pm2.5": ("pm2_5", "µg/m³", 1), "pm10": ("pm10", "µg/m³", 1),
              "opening": ("opening", None, None), "opening percentage": ("opening_percentage", "%", 1),
              "impedance": ("impedance", "Ω", 1), "heart rate": ("heart_rate", "bpm", 1)}
    tolerance = 0.006

    def __init__(self):
        sys.path.insert(0, os.path.join(os.environ["BLE_MONITOR"], "custom_components/ble_monitor"))
        # Only Xiaomi's parser uses it.
        for name in ("homeassistant", "homeassistant.util"):
            sys.modules.setdefault(name, types.ModuleType(name))
        sys.modules["homeassistant.util"].datetime = sys.modules["homeassistant.util"].dt = None
        from ble_parser import BleParser
        self.parser = BleParser(discovery=True, filter_duplicates=False)

    packet = Theengs.packet

    def fill(self, dice, data):
        pass

    def expected(self, line):
        def record(kind, number, text):
            data = bytes.fromhex(text)
            return bytes([len(data) + 3, kind]) + int(number, 16).to_bytes(2, "little") + data
        group = [record(0xFF, *item) for item in line.get("manufacturer_data", {}).items()]
        service = [record(0x16, *item) for item in line.get("service_data", {}).items()]
        try:
            values, _ = self.parser.parse_advertisement(
                bytes.fromhex(line["mac"].replace(":", "")), -60, None, None, line.get("name", ""), service, group)
        except (IndexError, struct.error, TypeError, KeyError, ValueError):
            return None
        fields = {}
        for key, value in (values or {}).items():
            if key in self.common | self.keys and isinstance(value, (int, float, str)):
                name, unit, factor = (self.common | self.keys)[key]
                self.add(fields, name, bool(value) if factor is None else value * factor if factor else value, unit)
                if name in fields and factor:
                    fields[name]["tol"] = self.tolerance
        return fields or None

    def difference(self, line, expected, found):
        return super().difference(line, expected, found) if expected else None


class Acconeer(BleMonitor):
    kinds = [("manufacturer_data", "acc0", 15, start, None) for start in ("80", "90", "91")]
    keys = {"distance mm": ("distance", "mm", 1)}

    def fill(self, dice, data):
        data[3:5] = struct.pack("<h", dice.randrange(-40, 90))


class AirMentor(BleMonitor):
    kinds = [("manufacturer_data", source, 8, "", None) for source in ("2111", "2112", "2121", "2122")] + [
        ("manufacturer_data", source, 12, "", None) for source in ("5112", "5122", "6111", "6121")]
    # It converts ppb; blekeep leaves them. Its humidity of the Pro 2 is computed.
    keys = {"temperature": ("_", None, 1), "temperature calibrated": ("temperature", "°C", 1),
            "tvoc": ("voc", "ppb", 0.0244 * 1000 / 110), "formaldehyde": ("formaldehyde", "ppb", 1000 / 1.228)}

    def fill(self, dice, data):
        data[2:4] = struct.pack(">H", dice.randrange(3000, 9000))

    def add(self, fields, name, value, unit):
        if name != "_":
            super().add(fields, name, value, unit)

    def expected(self, line):
        expected = super().expected(line)
        if expected and next(iter(line["manufacturer_data"]))[0] == "2":
            expected.pop("humidity", None)
        return expected


class Almendo(BleMonitor):
    kinds = [("manufacturer_data", "06e8", 16, "01000a", None)]
    keys = {"tvoc": ("voc", None, 1)}


class AltBeacon(BleMonitor):
    kinds = [("manufacturer_data", "ffff", 24, "beac", None)]
    keys = {"uuid": ("uuid", None, ""), "major": ("major", None, 1), "minor": ("minor", None, 1),
            "measured power": ("tx_power", "dBm", 1)}


class Hormann(BleMonitor):
    kinds = [("manufacturer_data", "07b4", 17, "", None)]


class Mocreo(BleMonitor):
    kinds = [("manufacturer_data", source, 16, "", "MOCREO")
             for source in ("8100", "8200", "8311", "84ff", "8601", "8702", "8b03", "9404", "9605")] + [
             ("manufacturer_data", "004a", 14, "000000000000" + "10", "ST7")]
    keys = {"water leak": ("moisture_detected", None, None)}

    def expected(self, line):
        # A shorter packet may be one of iNode's.
        fields = super().expected(line) if len(whole(line, "manufacturer_data")) in (14, 16) else None
        # It takes the humidity for a signed number.
        if fields and fields.get("humidity", {"value": 0})["value"] < 0:
            fields["humidity"]["value"] += 655.36
        return fields


class Relsib(BleMonitor):
    kinds = [("service_data", source, 22, "", "ECo") for source in ("aa20", "aa21", "aa22")]

    def difference(self, line, expected, found):
        # It reads the temperature without its sign.
        if expected and expected.get("temperature", {"value": 0})["value"] > 327.67:
            expected["temperature"]["value"] -= 655.36
        return super().difference(line, expected, found)

    def can_be(self, name, cell):
        return super().can_be(name, cell)

    def is_plain(self, line, expected):
        return expected.get("temperature", {"value": 0})["value"] < 200


class Teltonika(BleMonitor):
    kinds = [("manufacturer_data", "089a", 14, "01", None)]
    keys = {"magnetic field detected": ("magnetic_field", None, None), "moving": ("moving", None, None),
            "movement counter": ("movement_count", None, 1), "roll": ("roll", "°", 1), "pitch": ("pitch", "°", 1)}


class Laica(BleMonitor):
    kinds = [("manufacturer_data", "a0ac", 12, "", None)]
    keys = {"weight": ("mass", "kg", 1)}
    # It rounds to hundreds of grams.
    tolerance = 0.0501

    def fill(self, dice, data):
        data[10] = dice.choice([0x06, 0x0D])

    def difference(self, line, expected, found):
        # It moves each impedance between 430 and 630.
        if expected and expected.get("impedance", {"value": 0})["value"] in (430, 630):
            expected["impedance"] = found["impedance"]
        return super().difference(line, expected, found)

    def is_plain(self, line, expected):
        return expected.get("impedance", {"value": 0})["value"] not in (430, 630)


class Garnet(BleMonitor):
    kinds = [("manufacturer_data", "0131", 14, "", None)]
    keys = {f"{name} tank{number}": (f"{name}_tank{number.replace(' ', '_')}", "%", 1)
            for name in ("fresh", "black", "grey", "lpg", "galley", "chemical") for number in ("", " 2")}
    keys["problem"] = ("problem", None, None)

    def fill(self, dice, data):
        data[3] = dice.choice([0, 1, 2, 3, 4, 5, 6, 11, 12, 13])
        digits = f"{dice.randrange(140 if data[3] == 13 else 101):{dice.choice(['03', '3'])}}"
        data[4:14] = (digits + "000000" + dice.choice("012")).encode()

    def can_be(self, name, cell):
        return True


class HolyIot(BleMonitor):
    kinds = [("service_data", "5242", 13, "41", None)]
    keys = {"pressure": ("pressure", "Pa", 1), "vibration": ("vibration", None, None), "side": ("side", None, 1)}

    def fill(self, dice, data):
        data[2:8] = MAC
        data[10] = dice.randrange(1, 7)
        data[12] %= 100


class AmazfitScale(BleMonitor):
    kinds = [("service_data", "fee0", 20, "", None)]
    keys = {"non-stabilized weight": ("mass_non_stabilized", "kg", 1), "weight": ("mass", "kg", 1),
            "stabilized": ("stabilized", None, None), "pulse": ("heart_rate", "bpm", 1)}

    def fill(self, dice, data):
        if dice.random() < 0.3:
            data[9:12] = b"\0\0\0"


FORMATS = {"atc": ATC, "mibeacon": MiBeacon, "govee": Govee, "thermopro": ThermoPro, "inkbird": Inkbird,
           "qingping": Qingping, "switchbot": SwitchBot, "mopeka": Mopeka, "oralb": OralB, "thermobeacon": ThermoBeacon,
           "sensorpush": SensorPush, "bluemaestro": BlueMaestro, "sensirion": Sensirion, "tilt": Tilt, "rapt": Rapt,
           "aranet": Aranet, "victron": Victron, "bthome": BTHome1, "flowercare": FlowerCare, "xiaomiscale": XiaomiScale,
           "ruuvi": RuuviE1, "mibeacon-rest": MiBeaconRest, "switchbot-rest": SwitchBotRest, "jaalee": Jaalee, "kkm": KKM, "bparasite": BParasite, "hobo": Hobo, "beewi": BeeWi,
           "skale": Skale, "xoss": Xoss, "otodata": Otodata, "tpms": Tpms, "smartdry": SmartDry,
           "aprilbrother": AprilBrother, "moko": Moko, "inode": INode,
           "amazfit": Amazfit, "batterymonitor": BatteryMonitor, "ela": Ela, "nodon": NodOn, "feasycom": Feasycom,
           "oras": Oras, "polar": Polar, "mikrotik": MikroTik, "thermobeacon-rest": Oria, "aprilbrother-rest": ABTemp,
           "kegtron": Kegtron, "moat": Moat, "chefiq": ChefIQ, "xiaogui": Xiaogui}
if "BLE_MONITOR" in os.environ:
    FORMATS |= {"acconeer": Acconeer, "airmentor": AirMentor, "almendo": Almendo, "altbeacon": AltBeacon,
                "amazfit-rest": AmazfitScale, "garnet": Garnet, "holyiot": HolyIot, "hormann": Hormann, "laica": Laica,
                "mocreo": Mocreo, "relsib": Relsib, "teltonika": Teltonika}
