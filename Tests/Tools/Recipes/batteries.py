"""Batteries: aiobmsble connects to a device that is made here, and asks it. Each battery's first answers are those of the
package's own tests, which come from owners; the others are these with other numbers."""

import asyncio
import importlib
import struct

from aiobmsble.basebms import BaseBMS, crc_modbus, crc_sum, crc_xmodem
from bleak.backends.device import BLEDevice

ROUNDS = 20
# A device that is silent is silent at once.
BaseBMS._RETRY_TIMEOUT = 0.01
BaseBMS.TIMEOUT = 0.5

NAMES = {
    "voltage": "voltage", "current": "current", "battery_level": "battery_level", "cycle_charge": "charge",
    "design_capacity": "capacity", "cycles": "cycles", "battery_health": "battery_health", "chrg_mosfet": "charging_enabled",
    "dischrg_mosfet": "discharging_enabled", "heater": "heating", "total_charge": "total_charge", "power": "power",
    "balance_current": "balance_current",
}


class Characteristic:
    def __init__(self, uuid):
        self.uuid, self.properties, self.handle = uuid, ["notify", "write"], uuid

    def __str__(self):
        return self.uuid


class Services(list):
    def get_characteristic(self, uuid):
        return Characteristic(str(uuid))

    def get_service(self, uuid):
        return None


class Client:
    """The device: it answers each request that it knows, in pieces, and sends `unasked` when somebody listens."""

    is_connected = True

    def __init__(self, bms, answers, unasked, piece):
        self.answers, self.unasked, self.piece, self.asked = answers, unasked, piece, []
        service = type("Service", (), {})()
        service.uuid, service.handle, service.description = bms.uuid_services()[0], 1, ""
        service.characteristics = [Characteristic(uuid) for uuid in self.uuids(bms)]
        last = type("Service", (), {})()
        last.uuid, last.handle, last.description = bms.uuid_services()[-1], 2, ""
        last.characteristics = service.characteristics
        self.services = Services([service, last])

    @staticmethod
    def uuids(bms):
        from bleak.uuids import normalize_uuid_str

        for name in ("uuid_rx", "uuid_tx"):
            try:
                yield normalize_uuid_str(getattr(bms, name)())
            except NotImplementedError:
                pass

    async def start_notify(self, characteristic, handler):
        self.handler = handler
        for answer in self.unasked:
            asyncio.get_running_loop().call_later(0.01, self.notify, answer)

    def notify(self, answer):
        for start in range(0, len(answer), self.piece):
            self.handler(None, bytearray(answer[start:start + self.piece]))

    async def write_gatt_char(self, characteristic, data, response=None):
        self.asked.append(bytes(data))
        first, *later = self.answers.get(bytes(data), [b""])
        self.notify(first)
        for answer in later:
            asyncio.get_running_loop().call_later(0.01, self.notify, answer)

    async def disconnect(self):
        pass


def ask(module, answers, piece, unasked=(), name="test"):
    """What the package reads, and what it wrote."""
    bms = importlib.import_module(f"aiobmsble.bms.{module}_bms").BMS

    async def run():
        device = bms(BLEDevice("A4:C1:38:00:00:01", name, {"path": "/test"}))
        device._client = client = Client(bms, answers, unasked, piece)
        await device._init_connection()
        return await device._async_update(), client.asked

    return asyncio.run(run())


def fields(values, temperatures, left_out=()):
    """With blekeep's names. `temperatures` names those that aren't just numbered."""
    found = {ours: values[theirs] for theirs, ours in NAMES.items() if theirs in values and ours not in left_out}
    numbered = 0
    for place, value in enumerate(values.get("temp_values", [])):
        name = temperatures.get(place) or temperatures.get(place - len(values["temp_values"]))
        if name is None:
            numbered += 1
            name = f"temperature_{numbered}"
        if name not in left_out:
            found[name] = getattr(value, "value", value)
    for number, value in enumerate(values["cell_voltages"] if "cell_voltages" in values else [], 1):
        found[f"cell_{number}"] = value
    return {name: value for name, value in found.items() if name not in left_out}


class Frame:
    """Bytes with places that get other numbers, and a check."""

    def __init__(self, text, seal, moving=None, **numbers):
        self.bytes, self.seal, self.moving, self.numbers = bytearray.fromhex(text), seal, moving, numbers

    def variant(self, chance, index):
        frame = bytearray(self.bytes)
        if index:
            for form, places in self.numbers.items():
                kind, _, bounds = form.partition("_")
                low, high = (int(each.replace("m", "-")) for each in bounds.split("_"))
                for place in places:
                    struct.pack_into(FORMS[kind], frame, place, chance.randint(low, high))
            if self.moving:
                self.moving(frame, chance)
        self.seal(frame)
        if not index and frame != self.bytes:
            raise SystemExit(f"the check of {self.bytes.hex()} is wrong")
        return bytes(frame)


# `i2l_m5_9` packs two bytes, little endian, with a number from -5 to 9.
FORMS = {"u1": "B", "i1": "b", "u2l": "<H", "i2l": "<h", "u4l": "<I", "i4l": "<i", "u2b": ">H", "i2b": ">h", "u4b": ">I",
         "i4b": ">i"}


def modbus(frame):
    frame[-2:] = crc_modbus(frame[:-2]).to_bytes(2, "little")


def sum8(frame):
    frame[-1] = crc_sum(frame[:-1])


def ant_seal(frame):
    frame[-4:-2] = crc_modbus(frame[1:-4]).to_bytes(2, "little")


def ant_legacy_seal(frame):
    frame[-2:] = crc_sum(frame[4:-2], 2).to_bytes(2, "big")


def ant_fields(frame, chance):
    """Behind as many temperatures and cells as the frame says."""
    base = 2 * (frame[8] + frame[9])
    struct.pack_into(
        "<HhHH", frame, 38 + base, chance.randint(900, 6000), chance.randint(-4000, 4000), *(chance.randint(0, 100) for _ in "ab"))
    struct.pack_into(
        "<IIIi", frame, 50 + base, *(chance.randint(1000000, 400000000) for _ in "ab"), chance.randint(0, 4000000),
        chance.randint(-9000, 9000))


def seplos_seal(frame):
    frame[-3:-1] = crc_xmodem(frame[1:-3]).to_bytes(2, "big")


def humsienk_seal(frame):
    frame[-2:] = crc_sum(frame[1:-2], 2).to_bytes(2, "little")


def saihang_seal(frame):
    frame[-2:] = crc_modbus(frame[2:-2]).to_bytes(2, "little")


def unsealed(frame):
    pass


def cells(first, count, step=2):
    return range(first, first + count * step, step)


# Name, module, bytes of a notification, temperatures with names, tolerances, what blekeep leaves out or means otherwise, and
# the frames by request in the order of the recipe's steps.
BATTERIES = [
    ("daly", "daly", 512, {0: "mosfet_temperature"}, {}, (), {
        "d2030000003ed7b9": Frame(
            "d2037c101f10291033103d0000000000000000000000000000000000000000000000000000000000000000000000000000000000"
            "000000000000000000000000000000003c003d003e003f0000000000000000008c754e0384103d101f0000000000000d80000400"
            "040039000100000001102e0141002a0000000000000000a0df", modbus, u2b_2500_3700=cells(3, 32), u2b_1_140=cells(67, 8),
            u2b_0_600=[83], u2b_0_60000=[85], u2b_0_1000=[87], u2b_1_4000=[99], u2b_3_32=[101], u2b_1_8=[103],
            u2b_0_3000=[105], u2b_0_1=[109, 111]),
        "d203003e0009f7a3": Frame(
            "d203120000000075300000004effffffffffffffff0b4e", modbus, u2b_1_140=[11]),
    }),
    ("daly-81", "daly", 512, {}, {}, (), {
        "8103000000405bfa": Frame(
            "5103800cd10c900ca30cd40000000000000000000000000000000000000000000000000000000000000000000000000000000000"
            "000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000ff00ff00"
            "ff00ff00ff00ff00ff00ff0082752800700048000400020cd400047201", modbus, u2b_2500_3700=cells(3, 48), u2b_1_140=cells(99, 8),
            u2b_0_600=[115], u2b_0_60000=[117], u2b_0_1000=[119], u2b_3_48=[123], u2b_1_8=[125]),
        "81030041003e8bce": Frame(
            "51037c0002004400ff000000ff0000000000000000000000c9000000007530000000000000000100010000000000000cba000900"
            "00004500ff000000000000000075301a06050922104aec0000000000000000000075300030007000000000000000020000800000"
            "0075300b7dfffefffe00007ff6ffffffffffffffff0002307a", modbus, u2b_1_4000=[23], u2b_0_3000=[25], u2b_0_1=[37, 39, 43]),
    }),
    ("renogy-battery", "renogy", 512, {}, {"capacity": 1}, (), {
        "300313b20007a48a": Frame(
            "30030effaa008800017bb0000186a0000fe01e", modbus, i2b_m20000_20000=[3], u2b_0_600=[5], u4b_0_300000=[7],
            u4b_0_400000=[11], u2b_0_3000=[15]),
        "300313880022455c": Frame(
            "30034400040023002100210021000000000000000000000000000000000000000000000000000200aa00aa000000000000000000000000"
            "000000000000000000000000000000002574", modbus, u2b_2_16=[3], u2b_20_37=cells(5, 16), u2b_1_8=[37],
            i2b_m400_900=cells(39, 8)),
        "300313ec0008855c": Frame("3003100000000000000000000000000000000096a1", modbus, u1_0_255=[16, 17]),
    }),
    ("renogy-battery-pro", "renogy_pro", 512, {}, {"capacity": 1}, (), {
        "300313b20007a48a": Frame(
            "30030efff400850003304200033bda00063e33", modbus, i2b_m2000_2000=[3], u2b_0_600=[5], u4b_0_300000=[7],
            u4b_0_400000=[11], u2b_0_3000=[15]),
        "300313880022455c": Frame(
            "3003440004002100210021002100000000000000000000000000000000000000000000000000030111010c011300000000000000000000"
            "00000000000000000000000000000000654a", modbus, u2b_2_16=[3], u2b_20_37=cells(5, 16), u2b_1_8=[37],
            i2b_m400_900=cells(39, 8)),
        "300313ec0008855c": Frame("300310000000000000000000000000000e0000f762", modbus, u1_0_255=[16, 17]),
    }),
    ("litime", "redodo", 512, {}, {"capacity": 1}, ("heating",), {
        "000004011355aa17": Frame(
            "000065019355aa0046660000bc670000f50cf70cfc0cfb0cf80cf20cfa0cf50c0000000000000000000000000000000065faffff"
            "17001600feff00000000e91a0429000000000000000000000000000000000000000000000000410064000000030000005f010000"
            "a2", sum8, u2l_10000_60000=[12], u2l_2500_3700=cells(16, 12), i4l_m200000_200000=[48],
            i2l_1_80=[52, 54, 56], u2l_0_40000=[62], u4l_0_50000=[64], u2l_0_100=[90], u4l_0_100=[92], u4l_0_3000=[96]),
    }),
    ("ant", "ant", 20, {-1: "balancer_temperature", -2: "mosfet_temperature"}, {"capacity": 1, "total_charge": 1},
     ("charging_enabled", "discharging_enabled"), {
        "7ea1010000be1855aa55": Frame(
            "7ea11100009e050404160000000000000000000088010000000000000000000000001e091b091e091d091d091e0920091e098f088e0890"
            "082209eb08200920091f091e091f091e091f0921091f091d001d001d001d001e001e00e01315000a0064000101000000b4c40486f19700"
            "3aede8006a000000a1f2c0030000000022090c008e080a009400080900006d006a00af02f3fa4c74e5002866ec00c35d6200ccb39200ed"
            "c8aa55", ant_seal, ant_fields, u1_0_6=[8], u1_8_22=[9], u2l_10_100=cells(34, 60)),
    }),
    ("ant-legacy", "ant_leg", 20, {}, {"capacity": 1, "total_charge": 1}, ("charging_enabled", "discharging_enabled"), {
        "dbdb00000000": Frame(
            "aa55aaff021e0d0a0d0b0d0b0d0b0d550d3f0d6c0d480d880d760d460db20d0b0d0b0d0b0d0b0000000000000000000000000000000000"
            "00000000000000000000000000000000000000640000000008581e020b3879530a13fbf3001a001dfffb0015000000000201020000000000"
            "000000000c0db2010d0a0d3910ffef00800000000000000b5034090f0d", ant_legacy_seal, u2b_100_900=[4],
            u2b_2500_3700=cells(6, 32), i4b_m4000_4000=[70], u1_0_100=[74], u4b_1000000_400000000=[75, 79],
            u4b_0_4000000=[83], i2b_m40_90=cells(91, 4), u1_3_32=[123]),
    }),
    ("seplos-v2", "seplos_v2", 20, {}, {"capacity": 1}, (), {
        "7e1000465100003a7f0d": Frame(
            "7e14005100002443414e3a504e475f4459455f4c7578705f544242313130312d5350373620100601014601a26c0d", seplos_seal),
        "7e10004661000100f7c10d": Frame(
            "7e14006100006a0000100d440d470d4c0d470d450d460d460d580d580d590d480d440d480d430d480d47060b930b920b900b950bd00ba0"
            "049c1543749d0676c003d676c000d603e81546000000000000000000000000000000000000000000000000020308000000000000000000"
            "020000d8c30d", seplos_seal, u2b_2500_3700=cells(10, 16), u2b_2331_3331=cells(43, 6), i2b_m20000_20000=[55],
            u2b_3000_6000=[57], u2b_1_40000=[59], u2b_0_1000=[64, 70], u2b_1_40001=[66], u2b_0_3000=[68],
            u1_0_15=[99]),
    }),
    ("buknuwo", "buknuwo", 20, {0: "mosfet_temperature"}, {"capacity": 1}, (), {
        "01030000000d840f": Frame(
            "01031a0184055900630064205620a1232800010000000480002d000000219b", modbus, i2b_m20000_20000=[3],
            u2b_900_6000=[5], u2b_0_100=[7, 9], u2b_1_40000=[11, 15], u2b_0_3000=[17], u1_0_255=[25]),
        "0103003900015407": Frame("01030200bbf837", modbus, i2b_m400_900=[3]),
        "0103002e000b6404": Frame(
            "010316000100c3000000000000000000000000000000000000c8e7", modbus, u2b_0_10=[3], i2b_m400_900=cells(5, 10)),
    }),
    ("c4s100", "c4s", 512, {0: "mosfet_temperature", 1: "ambient_temperature"}, {"capacity": 1}, (), {
        "020300000046c40b": Frame(
            "02038c0535fffffeaa006224012710006b00620001000000000d0b0d01000a00040003001c001b00010000000000040d090d020d"
            "010d0b00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
            "0000000002001b001c00000000001b001c00000000000000000000000000000032000000000000f42f", modbus, u2b_900_6000=[3],
            i4b_m20000_20000=[5], u2b_0_100=[9, 17], u2b_1_40000=[11], u2b_1_40001=[13], u2b_0_3000=[15],
            i2b_m40_90=[35, 37], u2b_3_16=[45], u2b_2500_3700=cells(47, 16)),
    }),
    ("vatrer", "vatrer", 512, {}, {}, (), {
        "02030000001445f6": Frame(
            "0203281493fffffe1000280f822710001b00640001000000010ce00cdd0003000f00100014001200020004e4e5", modbus,
            u2b_900_6000=[3], i4b_m20000_20000=[5], u2b_0_100=[9, 17], u2b_1_40000=[11], u2b_0_3000=[15]),
        "02030015001f15f5": Frame(
            "02033e00100cdf0cdf0ce00ce00ce00ce00ce00ce00ce00ce00ce00ce00ce00ce00ce00cdd000000000000000000000000000000"
            "00000000000000000000000000cb54", modbus, u2b_3_16=[3], u2b_2500_3700=cells(5, 16)),
        "020300340012843a": Frame(
            "0203240004001200140013001400140014000000000000000000000000000000340240000000004643", modbus, u2b_0_6=[3],
            i2b_m40_90=cells(5, 8), u1_0_255=[32]),
    }),
    # Only the first temperature: the others of the package's own test are -56 °C and zeros.
    ("eg4", "eg4", 20, {0: "temperature"}, {"capacity": 1}, ("temperature_1", "temperature_2", "temperature_3", "temperature_4",
                                             "temperature_5", "temperature_6"), {
        "01030000002705d0": Frame(
            "01034e052cffc20cee0cf10ced0cf1000000000000000000000000000000000000000000000000001100110011000002ee006400300002"
            "000000000000000000010000000011c80000000000040000000095a4", modbus, u2b_900_6000=[3], i2b_m2000_2000=[5],
            u2b_2500_3700=cells(7, 16), i2b_m40_90=[39], u2b_1_4000=[45], u2b_0_100=[49, 51], u4b_1_3000=[61],
            u2b_3_16=[75], u2b_1_4001=[77]),
    }),
    ("humsienk", "humsienk", 512, {4: "mosfet_temperature", 5: "ambient_temperature"}, {"capacity": 1}, (), {
        "aa00000000": Frame("aa00000000", humsienk_seal),
        "aa21002100": Frame(
            "aa211a4a33000082fbffff2a64e4f70000f04902000300231a1a1a2c1a9108", humsienk_seal, u4l_9000_60000=[3],
            i4l_m200000_200000=[7], u1_0_100=[11, 12], u4l_1_400000=[13, 17], u2l_0_3000=[21], i1_m40_90=cells(23, 6, 1)),
        "aa22002200": Frame(
            "aa2230d10cdb0cd40cd00c00000000000000000000000000000000000000000000000000000000000000000000000000000000d203",
            humsienk_seal, u2l_2500_3700=cells(3, 16)),
        "aa20002000": Frame("aa200f0000000080008000000000000000002f01", humsienk_seal, u1_0_255=[7, 8, 9]),
    }),
    ("pylontech-rt", "pylontech", 20, {}, {"capacity": 1}, (), {
        "01031016000d610b": Frame(
            "01031a052cffd00cf00cef00960096005b0063003f00000b9003e803e845d8", modbus, u2b_900_6000=[3],
            i2b_m2000_2000=[5], u2b_2500_3700=[7, 9], i2b_m400_900=[11, 13], u2b_0_100=[15, 17], u2b_0_4000=[19],
            u2b_1_4000=[27]),
    }),
    ("saihang", "saihang", 512, {-2: "mosfet_temperature", -1: "ambient_temperature"}, {"capacity": 1}, (), {
        "a5a5000300000048442d": Frame(
            "a5a50003900000000000000aa800600064000025a600002710000027100002ffff0001000006000000000000080da90d6a0d280d3d0d2c"
            "0d6b0d4d0d38ffffffffffffffffffffffffffffffffffffffffffffffff00020b430b46ffffffffffffffffffffffffffffffff0b560b"
            "a4ffffffffffffffffffffffffffff00006d600000721000006810000a0dac0e420d02000a00009a5a", saihang_seal,
            i4b_m20000_20000=[5], u4b_900_6000=[9], u2b_0_100=[13, 15], u4b_1_40000=[17, 25], u2b_0_3000=[29],
            u2b_0_65535=[37], u2b_3_20=[43], u2b_2500_3700=cells(45, 20), u2b_1_10=[85], i2b_2330_3330=cells(87, 12)),
    }),
    ("super-b", "superb", 512, {}, {"current": 0.001, "voltage": 0.001}, (), {
        None: Frame("00755e64000001a4becccccd416289c500000000", unsealed, u1_0_100=[2, 3]),
    }),
]

JK = [
    # JK_B2A20S20P with version 10.08, and JK_B2A8S20P with 11.48; JK_PB2A16S20P with 15.38.
    ("31302e3038",
     "55aaeb9002c8ee0cf20cf10cf00cf00cec0cf00ced0ced0ced0ced0cf00cf10ced0cee0ced0c00000000000000000000000000000000fff"
     "f0000ef0c05000109360037003900380037003700350041004200360037003a003800340036003700000000000000000000000000000000"
     "00000000000000ebce0000c70d020019090000b500ba00e4000000020000385dba0100101503003c000000a465b9006400d9028be86c030"
     "101b30600000000000000000000000007000100000023040b0000009f19404000000000e2040000000000010003000083d537"),
    ("31312e3438",
     "55aaeb9002adf30cf30cf30cf00cf10cf00cf10cf10c0000000000000000000000000000000000000000000000000000000000000000000"
     "00000000000000000000000000000ff000000f20c0300000738003700360037003600370036003700000000000000000000000000000000"
     "0000000000000000000000000000000000000000000000000000000000000000003601000000008d67000060db020069e4ffff1c0124010"
     "000000000000044802c02005034030015000000bc624400640000001ef3680001010000000000000000000000000000ff0001000000f103"
     "0000230029b43f40000000005a0a00000001000100060000ef3d080400000000360100000000f103643967001a000000805101000000000"
     "0000000000000000001feff7fdc0f01008003"),
    ("31352e3338",
     "55aaeb9002ac050dfe0cfe0c010d010dfd0cfb0c010dfc0cfb0cfe0cfb0cf80cfb0cfb0c090d00000000000000000000000000000000000"
     "00000000000000000000000000000ffff0000ff0c10000f0c40003d0040003d0041003f0041003e0041003e0041003d0040003e0041003f"
     "000000000000000000000000000000000000000000000000000000000000000000810000000000e8cf00004ae41900897c0000860080000"
     "00000000000001986c00000400d030009000000b15f1c00640000008c4c760101010000000000000000000000000000ff00010000000504"
     "52000000d44e404000000000ca1400000001010100060000ea67000000000000cd00c300bf00bd03287f030a1d000000805101000000010"
     "0a50202000000000000feff7fdc2f0101b0cf07"),
]


def jikong(line, chance):
    head = bytes.fromhex("55aaeb9003")
    ready = bytes.fromhex("aa5590ebc8010100000000000000000000000044")
    at = bytes.fromhex("41540d0a")
    from aiobmsble.bms.jikong_bms import BMS

    requests = [BMS._cmd(0x97), BMS._cmd(0x96)]
    assert requests[0].hex() == "aa5590eb97000000000000000000000000000011"
    for index in range(ROUNDS):
        version, text = JK[index % len(JK)]
        info = bytearray(300)
        info[:5] = head
        info[6:18] = b"JK-B2A20S20P"
        info[30:30 + len(version) // 2] = bytes.fromhex(version)
        sum8(info)
        frame = bytearray(bytes.fromhex(text).ljust(300, b"\0"))
        old = version < "3131"
        shift = 32 if old else 0
        if index >= len(JK):
            for place in range(24 if old else 32):
                struct.pack_into("<H", frame, 6 + 2 * place, chance.randint(2500, 3700))
            struct.pack_into("<I", frame, 70 - shift // 2, (1 << chance.randint(3, 24)) - 1)
            struct.pack_into("<I", frame, 150 - shift, chance.randint(9000, 60000))
            struct.pack_into("<i", frame, 158 - shift, chance.randint(-200000, 200000))
            struct.pack_into("<h", frame, 170 - shift, chance.randint(-2000, 2000))
            frame[173 - shift] = chance.randint(0, 100)
            struct.pack_into("<III", frame, 174 - shift, *(chance.randint(0, 400000) for _ in range(3)))
            frame[190 - shift] = chance.randint(0, 100)
            frame[198 - shift], frame[199 - shift] = chance.randint(0, 1), chance.randint(0, 1)
            frame[214 - shift] = chance.randint(0, 255)
            for place in (130, 132, 134) if old else (144, 162, 164, 254, 256, 258):
                struct.pack_into("<h", frame, place, chance.randint(-400, 900))
        sum8(frame)
        # What the module and other programs make the device say between the answers.
        settings = bytearray(bytes.fromhex("55aaeb9001") + chance.randbytes(295))
        sum8(settings)
        answers = [at * (index % 2) + bytes(info), at + bytes(settings) + bytes(frame) if index % 3 == 0 else bytes(frame)]
        values, _ = ask("jikong", {requests[0]: [bytes(info), ready + at], requests[1]: [bytes(frame)]}, 128)
        # The package drops what a sensor's mask leaves out.
        places = ["temperature_1", "temperature_2", "mosfet_temperature"] if old else [
            "mosfet_temperature", "temperature_1", "temperature_2", "mosfet_2_temperature"] + (
            ["temperature_3", "temperature_4"] if version >= "3134" else [])
        there = [name for bit, name in enumerate(places) if frame[214 - shift] & 1 << bit]
        found = fields(values, dict(enumerate(there)), ("heating",))
        line("jk", "aiobmsble", answers, found, {"capacity": 1})


def jbd_twin(line, chance):
    """Eleksol's characteristics differ from those of JBD."""
    def frame(command, data):
        body = bytes([0, len(data)]) + data
        return bytes([0xDD, command]) + body + (0x10000 - sum(body)).to_bytes(2, "big") + b"\x77"

    for _ in range(ROUNDS):
        sensors, count = chance.randint(0, 4), chance.randint(3, 24)
        data = struct.pack(
            ">HhHHHHHHH", chance.randint(900, 6000), chance.randint(-20000, 20000), chance.randint(0, 30000),
            chance.randint(0, 300) * 100, chance.randint(0, 3000), 0x2C7C, 0, 0, 0)
        data += bytes([0x80, chance.randint(0, 100), chance.randint(0, 3), count, sensors])
        data += struct.pack(f">{sensors}H", *(chance.randint(2431, 3331) for _ in range(sensors)))
        basic = frame(3, data)
        volts = frame(4, struct.pack(f">{count}H", *(chance.randint(2500, 3700) for _ in range(count))))
        values, _ = ask("eleksol", {bytes.fromhex("dda50300fffd77"): [basic], bytes.fromhex("dda50400fffc77"): [volts]}, 20)
        line("eleksol", "aiobmsble", [basic, volts], fields(values, {}), {"capacity": 1})


def batteries(line, chance):
    for recipe, module, piece, temperatures, tolerance, left_out, frames in BATTERIES:
        for index in range(ROUNDS):
            answers = {request: frame.variant(chance, index) for request, frame in frames.items()}
            asked = {bytes.fromhex(request): [answer] for request, answer in answers.items() if request}
            unasked = [answer for request, answer in answers.items() if request is None]
            values, written = ask(module, asked, piece, unasked)
            unknown = [request.hex() for request in asked if request not in written]
            if unknown:
                raise SystemExit(f"{recipe}: the package doesn't ask {unknown}, but {[each.hex() for each in written]}")
            found = fields(values, temperatures, left_out)
            if recipe == "pylontech-rt":
                found["cell_max"], found["cell_min"] = found.pop("cell_1"), found.pop("cell_2")
            if recipe == "ant-legacy" and not any(answers["dbdb00000000"][75:79]):
                # The package makes one of the charge and its percentage.
                found["capacity"] = None
            # A sensor that isn't there says 255, which the package takes for 215 °C.
            found = {name: None if name.startswith("temperature") and value == 215 else value for name, value in found.items()}
            line(recipe, "aiobmsble", [answer for request, answer in answers.items() if request != "7e1000465100003a7f0d"],
                 found, tolerance)
    jikong(line, chance)
    jbd_twin(line, chance)
