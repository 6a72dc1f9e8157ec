"""Scenarios with devices that must be asked."""
import csv, io, os

from devices import CELLS, PLANT, TEN, Asked, Cells, Plant, check
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
    _, out, _ = trial.blekeep("history", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["recipe"] for row in rows} == {"miflora", "jbd"} and len(rows) == len(trial.readings()), rows[:3]
    _, out, _ = trial.blekeep("status")
    assert "fern" in out and "battery" in out, out
    return f"{counts}, {len(rows)} readings, {cells.lost} of {cells.requests} answers lost"


def ten(trial):
    """Ten devices, whose bytes and values come from other programs, are added at once and polled every 15 s, TICKS times
    (12); each ninth answer of each is lost. Every value is right; a tick in which two are lost may fail."""
    ticks = int(os.environ.get("TICKS", 12))
    models = [(Asked(*facts), f"C4:7C:8D:00:01:{number:02X}") for number, facts in enumerate(TEN)]
    trial.use_home()
    devices(trial, *models)
    addresses = [address for _, address in models]
    code, out, errors = trial.blekeep("add", "--all", "--yes", "--allow-writes", *addresses, within=240)
    assert code == 0 and out.count("/conf.d/") == len(models), (code, out, errors)
    _, out, _ = trial.blekeep("config", "check")
    for model, _ in models:
        assert f"the recipe {model.recipe} writes" in out, (model.recipe, out)
    trial.poll("interval: 15s")
    aliases = {}

    def done():
        aliases.update({row["address"]: row["device"] for row in trial.readings() if "address" in row})
        return len(aliases) == len(models) and all(
            len({row["tick"] for row in trial.readings(alias)}) > ticks for alias in aliases.values())
    trial.until("the ticks", done, ticks * 25 + 120)
    trial.stop()
    total, failures = 0, []
    for model, address in models:
        assert not model.wrong, (model.recipe, model.wrong)
        rows, read = trial.readings(aliases[address]), {}
        failures += [row for row in rows if "error" in row]
        for row in rows:
            if "error" not in row:
                assert row["recipe"] == model.recipe, row
                read.setdefault(row["tick"], {})[row["field"]] = row["value"]
        bad = {row["tick"] for row in rows if "error" in row} | {max(read)}  # The last one may have been stopped.
        for tick in sorted(set(read) - bad):
            assert model.fits(read[tick]), (model.recipe, tick, read[tick])
        assert len(read) >= ticks * 0.9, (model.recipe, len(read))
        total += len(rows)
    assert all(row.get("error") for row in failures), failures
    lost, asked = sum(model.lost for model, _ in models), sum(model.asked for model, _ in models)
    assert lost, "no answer was lost"
    return f"{total} readings of {len(models)} devices, {lost} of {asked} answers lost, {len(failures)} ticks failed"


ASKED = [asked, ten]
