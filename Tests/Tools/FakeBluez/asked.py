"""Scenarios with devices that must be asked."""
import csv, io, os

from devices import CELLS, PLANT, Cells, Plant, check
from fakebluez import *


def devices(trial, *models):
    """Adds devices, which advertise during a discovery, and answer what is written to them."""
    bluez, paths = trial.bluez, {}
    for model, address in models:
        gatt = {service: {number: (flags, model.read(number)) for number, flags in characteristics.items()}
                for service, characteristics in model.characteristics.items()}
        paths[bluez.device(address, gatt, Name=model.name, UUIDs=[model.service], RSSI=-60)] = model

    def model_of(path):
        return next((device, model) for device, model in paths.items() if path.startswith(device))

    def number_of(path):
        return bluez.objects[path][CHARACTERISTIC]["UUID"]

    def read(call):
        return "ay", [dbus.Byte(byte) for byte in model_of(call.path)[1].read(number_of(call.path))]

    def write(call):
        device, model = model_of(call.path)
        for place, (number, piece) in enumerate(model.write(number_of(call.path), bytes(call.arguments[0]))):
            def notify(number=number, piece=piece):
                if bluez.objects[device][DEVICE]["Connected"]:
                    bluez.notify(next(each for each in bluez.objects if each.startswith(device)
                                      and bluez.objects[each].get(CHARACTERISTIC, {}).get("UUID") == number), piece)
            GLib.timeout_add(60 + 40 * place, notify)

    def advertise():
        for device in paths:
            # A connected device doesn't advertise.
            if bluez.objects[HCI0][ADAPTER]["Discovering"] and not bluez.objects[device][DEVICE]["Connected"]:
                bluez.set(device, DEVICE, RSSI=-60 - int(time.monotonic() * 2) % 5)
        return True
    bluez.on("ReadValue", read)
    bluez.on("WriteValue", write)
    bluez.on("Connect", lambda call: model_of(call.path)[1].connected())
    GLib.timeout_add(500, advertise)


def asked(trial):
    """`scan` and `add` recognize a plant sensor and a battery. They are polled every 10 s, TICKS times (12); each ninth answer of
    the battery is lost."""
    ticks = int(os.environ.get("TICKS", 12))
    plant, cells = Plant(), Cells()
    trial.use_home()
    devices(trial, (plant, PLANT), (cells, CELLS))
    _, out, _ = trial.blekeep("scan", "--timeout", "3s")
    assert "\tMi Flora" in out and "\tJBD battery" in out, out
    code, out, errors = trial.blekeep("add", PLANT)
    assert code == 2 and "writes a01f to 1a00" in errors, (code, out, errors)
    code, out, errors = trial.blekeep("add", "--all", "--yes")
    assert code == 5 and out.count("left out") == 2, (code, out, errors)
    assert not trial.bluez.called("WriteValue") and not os.path.exists(f"{os.path.dirname(trial.file)}/conf.d"), out
    for address, alias, said in ((PLANT, "fern", "temperature -1.5 °C"), (CELLS, "battery", "cell_3 3.432 V")):
        code, out, errors = trial.blekeep("add", address, "--alias", alias, "--yes")
        assert code == 0 and said in out, (code, out, errors)
    _, out, _ = trial.blekeep("config", "check")
    assert "fern: the recipe miflora writes a01f to 1a00" in out, out

    trial.poll("interval: 10s")
    trial.until(
        "the ticks", lambda: all(len({row["tick"] for row in trial.readings(alias)}) > ticks for alias in ("fern", "battery")),
        ticks * 10 + 60)
    trial.stop()
    counts = check(trial.readings(), plant, cells, ticks)

    _, out, _ = trial.blekeep("history", "battery", "--json")
    stored = [json.loads(line) for line in out.splitlines()]
    assert len(stored) == len(trial.readings("battery")), (len(stored), len(trial.readings("battery")))
    wanted = {"recipe": "jbd", "name": "JBD battery", "field": "temperature_2", "value": 10.0, "unit": "°C"}
    assert any(wanted.items() <= row.items() for row in stored), stored[:15]
    _, out, _ = trial.blekeep("export", "--output", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["recipe"] for row in rows} == {"miflora", "jbd"} and len(rows) == len(trial.readings()), rows[:3]
    _, out, _ = trial.blekeep("status")
    assert "fern" in out and "battery" in out, out
    return f"{counts}, {len(rows)} readings, {cells.lost} of {cells.requests} answers lost"


ASKED = [asked]
