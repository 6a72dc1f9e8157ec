"""Sensors: the decoding functions of packages, without a radio."""

import asyncio
import datetime
import importlib.util
import os
import struct
import sys
import types

ROUNDS = 20


def stub(*names):
    for name in names:
        module = types.ModuleType(name)
        module.__getattr__ = lambda name: type(
            name, (), {"__init__": lambda self, *a, **k: None, "NOTIFY": 0, "WRITE": 0, "NO_ACCESS": 0})
        sys.modules.setdefault(name, module)


def lywsd02(line, chance):
    from lywsd02.client import Lywsd02Client

    client = Lywsd02Client.__new__(Lywsd02Client)
    for _ in range(ROUNDS):
        data, battery = struct.pack("<hB", chance.randint(-3000, 6000), chance.randint(0, 100)), chance.randint(0, 100)
        client._process_sensor_data(data)
        fields = {"temperature": client._data.temperature, "humidity": client._data.humidity, "battery_level": battery}
        line("lywsd02", "lywsd02", [data, bytes([battery])], fields)


def mj_ht_v1(line, chance):
    from mitemp_bt.mitemp_bt_poller import MiTempBtPoller

    for index in range(ROUNDS):
        poller = MiTempBtPoller.__new__(MiTempBtPoller)
        poller._cache_timeout, poller._last_read = datetime.timedelta(600), None
        humidity = chance.randint(1001, 1200) if index % 6 == 0 else chance.randint(0, 1000)
        temperature = chance.randint(-200, 600)
        text = f"T={temperature / 10} H={humidity / 10}".encode() + (b"\0" if index % 2 else b"")
        poller.handleNotification(16, text)
        battery = chance.randint(0, 100)
        fields = None
        if poller.cache_available():
            values = poller._parse_data()
            fields = {"temperature": values["temperature"], "humidity": values["humidity"], "battery_level": battery}
        line("mj-ht-v1", "mitemp-bt", [text, bytes([battery])], fields)


def airthings(line, chance, log):
    from airthings_ble.command_decode import COMMAND_DECODERS
    from airthings_ble import const
    from airthings_ble.device_type import AirthingsDeviceType
    from airthings_ble.sensor_decoders import SENSOR_DECODERS

    def read(uuid, data):
        values = SENSOR_DECODERS[str(uuid)](bytearray(data))
        names = {
            "humidity": "humidity", "illuminance": "light", "radon_1day_avg": "radon",
            "radon_longterm_avg": "radon_long_term", "temperature": "temperature", "pressure": "pressure", "voc": "voc",
        }
        return {ours: values[theirs] for theirs, ours in names.items() if theirs in values}

    def battery(command, kind, size, chance):
        answer = bytearray(b"\x6d\x00" + chance.randbytes(size))
        struct.pack_into("<H", answer, 26, chance.randint(2000, 4700))
        volts = COMMAND_DECODERS[str(command)].decode_data(log, answer)["battery"]
        return answer, {"battery_voltage": volts, "battery_level": kind.battery_percentage(volts)}

    # The package cuts the decimals of the light, and rounds halves of a charge to even numbers.
    tolerance = {"light": 1, "battery_level": 1.01}
    for index in range(ROUNDS):
        radon = [0xFFFF if index % 7 == 0 else chance.randint(0, 900), chance.randint(0, 17000)]
        answers = [
            (const.CHAR_UUID_HUMIDITY, struct.pack("<H", 0xFFFF if index % 9 == 0 else chance.randint(0, 10000))),
            (const.CHAR_UUID_TEMPERATURE, struct.pack("<h", chance.randint(-3000, 6000))),
            (const.CHAR_UUID_RADON_1DAYAVG, struct.pack("<H", radon[0])),
            (const.CHAR_UUID_RADON_LONG_TERM_AVG, struct.pack("<H", radon[1])),
            (const.CHAR_UUID_ILLUMINANCE_ACCELEROMETER, chance.randbytes(2)),
        ]
        fields = {}
        for uuid, data in answers:
            fields |= read(uuid, data)
        line("airthings-wave", "airthings-ble", [data for _, data in answers], fields, tolerance)

        data = struct.pack(
            "<4B8H", 1, 255 if index % 9 == 0 else chance.randint(0, 200), chance.randint(0, 255), chance.randint(0, 255),
            *radon, 0xFFFF if index % 10 == 0 else chance.randint(0, 10500), *(chance.randint(0, 0xFFFF) for _ in range(5)))
        answer, charge = battery(const.COMMAND_UUID_WAVE_2, AirthingsDeviceType.WAVE_RADON, 28, chance)
        line("airthings-wave-radon", "airthings-ble", [data, answer], read(const.CHAR_UUID_WAVE_2_DATA, data) | charge, tolerance)

        data = struct.pack(
            "<2B5HLL", *((255, 255) if index % 11 == 0 else (chance.randint(0, 254), chance.randint(0, 255))),
            0xFFFF if index % 8 == 0 else chance.randint(25315, 33315), 0xFFFF if index % 9 == 0 else chance.randint(45000, 53000),
            0xFFFF if index % 7 == 0 else chance.randint(0, 10000), 0xFFFF if index % 10 == 0 else chance.randint(0, 10000),
            chance.randint(0, 0xFFFF), chance.randint(0, 1 << 31), 0xFFFFFFFF)
        answer, charge = battery(const.COMMAND_UUID_WAVE_MINI, AirthingsDeviceType.WAVE_MINI, 32, chance)
        line("airthings-wave-mini", "airthings-ble", [data, answer], read(const.CHAR_UUID_WAVEMINI_DATA, data) | charge, tolerance)


def aranet(line, chance):
    from aranet4.client import AranetType, CurrentReading

    def read(form, data, kind, name=""):
        reading = CurrentReading(name=name)
        reading.decode(struct.unpack(form, data), kind, gatt=True)
        return reading

    def value(number):
        return None if number == -1 else number

    words = {0: "error", 1: "green", 2: "yellow", 3: "red"}
    states = {0: "off", 1: "under", 2: "over", 3: "dash"}
    for index in range(ROUNDS):
        data = struct.pack(
            "<HHHBBB", 0x8000 if index % 6 == 0 else chance.randint(400, 5000), 0x4000 if index % 7 == 0 else chance.randint(0, 1200),
            0x8000 if index % 8 == 0 else chance.randint(9000, 11000), chance.randint(0, 100), chance.randint(0, 100),
            chance.randint(0, 3))
        seen = read("<HHHBBB", data, AranetType.ARANET4)
        # The package rounds to one decimal.
        line("aranet4", "aranet4", [data], {
            "co2": value(seen.co2), "temperature": value(seen.temperature), "pressure": value(seen.pressure),
            "humidity": seen.humidity, "battery_level": seen.battery, "status": words[seen.status],
        }, {"temperature": 0.051})
        data = struct.pack(
            "<HHHBHHB", 2, 300, chance.randint(0, 300), chance.randint(0, 100), 0x4000 if index % 7 == 0 else chance.randint(0, 1200),
            0x8000 if index % 8 == 0 else chance.randint(0, 1000), chance.randint(0, 15))
        seen = read("<HHHBHHB", data, AranetType.ARANET2)
        line("aranet2", "aranet4", [data], {
            "temperature": value(seen.temperature), "humidity": value(seen.humidity), "battery_level": seen.battery,
            "humidity_status": states[seen.status_humidity], "temperature_status": states[seen.status_temperature],
        }, {"temperature": 0.051})
        data = struct.pack(
            "<HHHBIQQB", 4, 300, chance.randint(0, 300), chance.randint(0, 100), chance.randint(0, 1000000),
            chance.randint(0, 1 << 40), chance.randint(0, 1 << 30), 0)
        seen = read("<HHHBIQQB", data, AranetType.ARANET_RADIATION)
        # blekeep has microsieverts.
        line("aranet-radiation", "aranet4", [data], {
            "battery_level": seen.battery, "radiation_rate": seen.radiation_rate / 1000,
            "radiation_dose": seen.radiation_total / 1000, "radiation_duration": seen.radiation_duration,
        })
        averages = [0xFF000000 | chance.randint(0, 99) if index % 5 == place else chance.randint(0, 2000) for place in range(3)]
        data = struct.pack(
            "<HHHBHHHIBIIIIIIIB", 3, 300, chance.randint(0, 300), chance.randint(0, 100), 0 if index % 7 == 0 else chance.randint(1, 1200),
            0x8000 if index % 8 == 0 else chance.randint(9000, 11000), 0 if index % 7 == 0 else chance.randint(1, 1000),
            0x1F01 if index % 6 == 0 else chance.randint(0, 2000), chance.randint(0, 3), 86400, averages[0], 604800, averages[1],
            2592000, averages[2], 0, 0)
        seen = read("<HHHBHHHIBIIIIIIIB", data, AranetType.ARANET_RADON)
        line("aranet-radon", "aranet4", [data], {
            "battery_level": seen.battery, "temperature": value(seen.temperature), "humidity": value(seen.humidity),
            "pressure": value(seen.pressure), "radon": value(seen.radon_concentration), "status": words[seen.status],
            "radon_24h_average": value(seen.radon_concentration_avg_24h),
            "radon_7d_average": value(seen.radon_concentration_avg_7d),
            "radon_30d_average": value(seen.radon_concentration_avg_30d),
        }, {"temperature": 0.051})


def ibbq(line, chance):
    stub("_bleio", "adafruit_ble", "adafruit_ble.attributes", "adafruit_ble.characteristics", "adafruit_ble.services",
         "adafruit_ble.uuid")
    from adafruit_ble_ibbq import IBBQService

    class Buffer:
        def __init__(self, data):
            self.data = data
            self.incoming_packet_length = len(data)

        def readinto(self, buffer):
            buffer[:len(self.data)] = self.data
            return len(self.data)

    for _ in range(ROUNDS):
        count = chance.choice([1, 2, 4, 6])
        probes = [0xFFF6 if chance.random() < 0.3 else chance.randint(0, 3000) for _ in range(count)]
        service = IBBQService.__new__(IBBQService)
        service._realtime_data_buf = service._settings_result_buf = None
        data = struct.pack(f"<{count}H", *probes)
        volts = struct.pack("<BHHB", 0x24, chance.randint(2000, 7000), chance.choice([0, 6550, 6800]), 0)
        IBBQService.realtime_data, IBBQService.settings_result = Buffer(data), Buffer(volts)
        # The package takes the number of a missing probe for a temperature.
        fields = {
            f"probe_{number}_temperature": None if value > 6000 else value
            for number, value in enumerate(service.temperatures, 1)}
        fields["battery_voltage"] = service.battery_level[0]
        line("ibbq", "adafruit-circuitpython-ble-ibbq", [data, volts], fields, {"battery_voltage": 1e-6})


def inkbird(line, chance):
    from inkbird_ble.parser import INKBIRDBluetoothDeviceData, Model

    def read(model, data):
        device = INKBIRDBluetoothDeviceData(model)

        async def connect(_):
            return data
        device._async_connect_and_read = connect
        update = asyncio.run(device.async_poll(None))
        return {key.key: value.native_value for key, value in update.entity_values.items() if key.key != "signal_strength"}

    def named(values):
        names = {"battery": "battery_level", "temperature_probe": "probe_temperature", "temperature_ambient": "ambient_temperature",
                 "probe_battery": "probe_battery_level", "case_battery": "case_battery_level"}
        return {names.get(name, name): value for name, value in values.items()} or None

    for index in range(ROUNDS):
        temperature = chance.randint(-4000, 7000)
        for recipe, model in (("inkbird-ibs-th", Model.IBS_TH), ("inkbird-ibs-th2", Model.IBS_TH2)):
            humidity = (0xFFFF, 12000)[index % 2] if index % 8 < 2 else chance.randint(1, 10000)
            if recipe == "inkbird-ibs-th2" and index % 5 == 0:
                humidity = 0
            data = struct.pack("<hH", temperature, humidity) + chance.randbytes(3)
            fields = named(read(model, data))
            if fields and "humidity" not in fields:
                fields["humidity"] = None
            line(recipe, "inkbird-ble", [data], fields)
        humidity = 1200 if index % 6 == 0 else 0 if index % 6 == 1 else chance.randint(1, 1000)
        data = chance.randbytes(5) + struct.pack(
            "<hHB", temperature // 10, humidity, 250 if index % 9 == 0 else chance.randint(0, 100)) + chance.randbytes(6)
        fields = named(read(Model.ITH_21_B, data))
        if fields and "humidity" not in fields:
            fields["humidity"] = None
        line("inkbird-ith", "inkbird-ble", [data], fields)
        data = bytes([0xAA, chance.randint(0, 255), 0, 0 if index % 5 == 0 else chance.randint(1, 255),
                      chance.randint(0, 100) | chance.choice([0, 0x80]), chance.randint(0, 100) << 1 | chance.randint(0, 1), 0])
        if index % 7 == 0:
            data = data[:4] + b"\x7F" + data[5:]
        fields = named(read(Model.INT_11P_B, data))
        if fields and "ambient_temperature" not in fields:
            fields["ambient_temperature"] = None
        line("inkbird-int-11p-b", "inkbird-ble", [data], fields)
        device = INKBIRDBluetoothDeviceData(Model.IDT_34C_B)
        updates = []
        device._update_callback = updates.append
        data = struct.pack("<6h", *(0x7FFE if chance.random() < 0.4 else chance.randint(-400, 5700) for _ in range(6))) + b"\x7f"
        device._notify_idt_34c_b(None, bytearray(data))
        battery = chance.randint(0, 100)
        fields = {"battery_level": battery}
        for key, value in updates[0].entity_values.items():
            if key.key.startswith("temperature_probe_"):
                fields[f"probe_{key.key[-1]}_temperature"] = value.native_value
        # The package rounds to one decimal.
        line("inkbird-idt-34c-b", "inkbird-ble", [data, bytes([battery])], fields,
             {f"probe_{number}_temperature": 0.051 for number in range(1, 7)})


def sensorpush(line, chance):
    from sensorpush import sensorpush as package

    class Client:
        def __init__(self, values):
            self.values = values

        async def write_gatt_char(self, uuid, data):
            assert data == bytes.fromhex("01000100")

        async def read_gatt_char(self, uuid):
            return self.values[uuid]

    for index in range(ROUNDS):
        # The package reads no sign, so it tells nothing below zero.
        form = "<I" if index % 2 else "<H"
        values = {
            package.UUID_TEMPERATURE: struct.pack(form, chance.randint(0, 12000)),
            package.UUID_HUMIDITY: struct.pack(form, chance.randint(0, 10000)),
            package.UUID_BATT_INFO: struct.pack("<HH", chance.randint(2000, 3300), chance.randint(0, 400)),
        }

        async def read():
            client = Client(values)
            return (await package.read_temperature(client), await package.read_humidity(client),
                    (await package.read_batt_info(client))[0])
        temperature, humidity, volts = asyncio.run(read())
        line("sensorpush", "sensorpush-bleak", list(values.values()),
             {"temperature": temperature, "humidity": humidity, "battery_voltage": volts})


def radoneye(line, chance):
    from radoneye import interface_v1, interface_v2

    names = {"latest_bq_m3": "radon", "day_avg_bq_m3": "radon_24h_average", "month_avg_bq_m3": "radon_30d_average",
             "peak_bq_m3": "radon_peak", "counts_current": "counts", "counts_previous": "counts_before", "uptime_minutes": "uptime"}
    for index in range(ROUNDS):
        data = bytearray(chance.randbytes(68 if index % 2 else 53))
        data[0], data[1] = 0x40, len(data) - 2
        data[2:28] = b"230101RU2" + b"0001\x06RD200P" + b"V1.2.3"
        values = interface_v2.parse_status(data)
        line("radoneye", "radoneye", [data], {ours: values[theirs] for theirs, ours in names.items()})
        first = bytearray(b"\x50\x10" + struct.pack("<fffHH", *(chance.random() * 20 for _ in range(3)), chance.randint(0, 99),
                                                  chance.randint(0, 99)) + chance.randbytes(2))
        second = bytearray(b"\x51\x0e\0\0" + struct.pack("<IIf", chance.randint(0, 1 << 24), 0, chance.random() * 50)
                           + chance.randbytes(4))
        serial, text, alarm = bytearray(b"\xa4\x0a2012010159\0\0"), bytearray(b"\xa6\x03RU2"), bytearray(b"\xac\x07" + bytes(10))
        values = interface_v1.parse_status(first, second, serial, text, bytearray(b"\xa8\x06\x06RD200N"), alarm,
                                           bytearray(b"\xaf\x06V1.2.3"))
        # The package rounds becquerels to whole numbers.
        line("radoneye-rd200", "radoneye", [first, second], {ours: values[theirs] for theirs, ours in names.items()},
             {ours: 0.6 for theirs, ours in names.items() if ours.startswith("radon")})


def sensortag(line, chance):
    # Its wheel needs a compiler; only this file of its source is used.
    path = os.environ.get("BLUEPY", "bluepy-1.3.0") + "/bluepy/sensortag.py"
    spec = importlib.util.spec_from_file_location("sensortag", path)
    package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)

    def read(kind, data):
        sensor = kind.__new__(kind)
        sensor.data = type("Data", (), {"read": lambda self: data})()
        return sensor.read()

    for _ in range(ROUNDS):
        infrared = struct.pack("<hh", *(chance.randint(-40 * 128, 125 * 128) for _ in range(2)))
        humidity = struct.pack("<HH", chance.randint(1, 0xFFFF), chance.randint(1, 0xFFFF))
        barometer = chance.randint(0, 8500).to_bytes(3, "little") + chance.randint(30000, 110000).to_bytes(3, "little")
        ambient, target = read(package.IRTemperatureSensorTMP007, infrared)
        other, relative = read(package.HumiditySensorHDC1000, humidity)
        third, pressure = read(package.BarometerSensorBMP280, barometer)
        # The package drops the two lowest bits, which are no temperature.
        line("sensortag", "bluepy 1.3.0", [infrared, humidity, barometer], {
            "object_temperature": target, "temperature": ambient, "humidity_sensor_temperature": other, "humidity": relative,
            "pressure_sensor_temperature": third, "pressure": pressure,
        }, {"object_temperature": 0.03, "temperature": 0.03, "humidity_sensor_temperature": 0.001, "humidity": 0.001})


def thingy52(line, chance):
    from thingy52 import characteristics as package

    for _ in range(ROUNDS):
        temperature = struct.pack("<bB", chance.randint(0, 80), chance.randint(0, 99))
        pressure = struct.pack("<iB", chance.randint(300, 1200), chance.randint(0, 99))
        humidity, battery = bytes([chance.randint(0, 100)]), bytes([chance.randint(0, 100)])
        line("thingy52", "thingy52", [temperature, pressure, humidity, battery], {
            "temperature": package.temp(temperature), "pressure": package.pressure.conversion_func(pressure),
            "humidity": package.humidity.conversion_func(humidity)[0],
            "battery_level": int(package.battery_level.conversion_func(battery), 16),
        })


def medcom(line, chance):
    from medcom_ble.const import INSPECTOR_CPM_UUID
    from medcom_ble.parser import sensor_decoders

    for index in range(ROUNDS):
        text = f"{chance.randint(0, 300000)}".encode() + (b"\r\n" if index % 2 else b"")
        value = sensor_decoders[INSPECTOR_CPM_UUID](bytearray(text))["cpm"]
        line("medcom-inspector", "medcom-ble", [text], {"counts_per_minute": int(value)})


def sensors(line, chance, log):
    lywsd02(line, chance)
    mj_ht_v1(line, chance)
    airthings(line, chance, log)
    aranet(line, chance)
    ibbq(line, chance)
    inkbird(line, chance)
    sensorpush(line, chance)
    radoneye(line, chance)
    sensortag(line, chance)
    thingy52(line, chance)
    medcom(line, chance)
