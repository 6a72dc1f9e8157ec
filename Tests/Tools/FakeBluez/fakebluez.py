"""A bluetoothd that does what a scenario says, on a private message bus, and the built program as its client.

A scenario is a function that takes a `Trial`. All of it runs on one thread: D-Bus is served while the scenario waits in
`Trial.wait`, `Trial.until` or `Trial.blekeep`.
"""
import json, os, signal, subprocess, tempfile, time

import dbus, dbus.bus, dbus.lowlevel
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

ADAPTER, DEVICE, BATTERY = "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.Battery1"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
HCI0 = "/org/bluez/hci0"
BUS_CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
  </policy>
</busconfig>
"""


def data(value):
    return dbus.Array([dbus.Byte(byte) for byte in value], signature="y", variant_level=1)


# How a property with this name is sent. Others are strings.
TYPES = {
    "ManufacturerData": lambda of: dbus.Dictionary({dbus.UInt16(k): data(v) for k, v in of.items()}, signature="qv"),
    "ServiceData": lambda of: dbus.Dictionary({uuid(k): data(v) for k, v in of.items()}, signature="sv"),
    "UUIDs": lambda of: dbus.Array([uuid(text) for text in of], signature="s"),
    "UUID": lambda of: dbus.String(uuid(of)),
    "Value": lambda of: dbus.Array([dbus.Byte(byte) for byte in of], signature="y"),
    "RSSI": dbus.Int16, "TxPower": dbus.Int16, "Percentage": dbus.Byte, "Appearance": dbus.UInt16,
}
TYPES |= dict.fromkeys(["Flags", "Roles", "SupportedMonitorTypes"], lambda of: dbus.Array(of, signature="s"))
TYPES |= dict.fromkeys(["Adapter", "Device", "Service"], dbus.ObjectPath)


def typed(properties):
    """The properties as a{sv}. A value that has a D-Bus type already keeps it."""
    def one(name, value):
        if type(value).__module__.startswith("dbus"):
            return value
        if isinstance(value, bool):
            return dbus.Boolean(value)
        return TYPES.get(name, dbus.String)(value)
    return dbus.Dictionary({name: one(name, value) for name, value in properties.items()}, signature="sv")


def uuid(text):
    """The full form of a UUID with four digits."""
    return f"0000{text.lower()}-0000-1000-8000-00805f9b34fb" if len(text) == 4 else text


def plain(value):
    """A D-Bus value without its types."""
    if isinstance(value, dict):
        return {plain(key): plain(content) for key, content in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(content) for content in value]
    if isinstance(value, dbus.Boolean):
        return bool(value)
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


class Refusal(Exception):
    """The error that a method answers with."""

    def __init__(self, name, message):
        self.name, self.message = name, message


NO_REPLY = object()


class Call:
    """A method call of blekeep."""

    def __init__(self, message):
        self.at, self.message = time.monotonic(), message
        self.path, self.interface, self.member = message.get_path(), message.get_interface(), message.get_member()
        self.arguments = plain(message.get_args_list())

    def __repr__(self):
        return f"{self.path} {self.member}{tuple(self.arguments)}"


class FakeBluez:
    """The objects of bluetoothd, and how its methods answer. A new one has the adapter hci0, which is on.

    `objects` has the properties by path and interface. `calls` has all calls so far, without those of D-Bus itself.
    """

    def __init__(self, address):
        self.bus = dbus.bus.BusConnection(address, mainloop=DBusGMainLoop())
        self.bus._require_main_loop()
        self.objects, self.calls, self.answers, self.gatt = {}, [], {}, {}
        self.bus.add_message_filter(self._receive)
        self.add("/org/bluez", {"org.bluez.AgentManager1": {}})
        self.add(HCI0, {
            ADAPTER: {
                "Address": "00:00:5E:00:53:01", "AddressType": "public", "Name": "fake", "Alias": "fake", "Powered": True,
                "Discovering": False, "Pairable": True, "Discoverable": False, "UUIDs": [],
            },
        })
        self.start()

    def start(self):
        """Owns the name org.bluez, as bluetoothd does when it starts."""
        self.bus.request_name("org.bluez")

    def stop(self):
        self.bus.release_name("org.bluez")

    # Objects and signals. Each signal is sent at once, in the order of the calls.

    def add(self, path, interfaces):
        """Adds interfaces of an object, with InterfacesAdded."""
        self.objects.setdefault(path, {}).update(interfaces)
        content = {name: typed(properties) for name, properties in interfaces.items()}
        self._signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", "oa{sa{sv}}", path, content)

    def remove(self, path, *interfaces):
        """Removes these interfaces, or the object and the objects below it, with InterfacesRemoved."""
        below = [path] if interfaces else [each for each in self.objects if (each + "/").startswith(path + "/")]
        for each in sorted(below, reverse=True):
            names = interfaces or list(self.objects[each])
            for name in names:
                del self.objects[each][name]
            if not self.objects[each]:
                del self.objects[each]
            self._signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas", each, list(names))

    def set(self, path, interface, **properties):
        """Changes properties, with PropertiesChanged."""
        self.set_silently(path, interface, **properties)
        self.claim(path, interface, **properties)

    def set_silently(self, path, interface, **properties):
        """Changes properties without a signal: the signal is lost."""
        self.objects[path][interface].update(properties)

    def claim(self, path, interface, **properties):
        """Sends PropertiesChanged, but changes nothing: the signal lies."""
        self._signal(path, dbus.PROPERTIES_IFACE, "PropertiesChanged", "sa{sv}as", interface, typed(properties), [])

    def hide(self, path, *interfaces):
        """Sends InterfacesRemoved, but removes nothing."""
        self._signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas", path, list(interfaces))

    def _signal(self, path, interface, member, signature, *arguments):
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        message.append(*arguments, signature=signature)
        self.bus.send_message(message)

    # Devices

    def device(self, address, gatt=None, **properties):
        """Adds a device below hci0, and returns its path.

        `gatt` has its characteristics by service: {"181a": {"2a6e": (["read"], b"\\x34\\x08")}}. They appear when it is
        connected.
        """
        path = f"{HCI0}/dev_{address.replace(':', '_')}"
        usual = {
            "Address": address, "AddressType": "public", "Alias": address.replace(":", "-"), "Paired": False,
            "Bonded": False, "Trusted": False, "Blocked": False, "LegacyPairing": False, "Connected": False, "UUIDs": [],
            "Adapter": HCI0, "ServicesResolved": False,
        }
        self.gatt[path] = gatt or {}
        self.add(path, {DEVICE: usual | properties})
        return path

    def characteristic(self, device, number):
        """The path of a characteristic: `number` counts a device's characteristics from 0."""
        return [path for path in self.objects if path.startswith(device) and CHARACTERISTIC in self.objects[path]][number]

    def notify(self, path, value):
        """Sends a value of a characteristic, as a notification."""
        self.set(path, CHARACTERISTIC, Value=value)

    def resolve(self, device):
        """Adds the services of a connected device."""
        handle = 1
        for service, characteristics in self.gatt[device].items():
            parent = f"{device}/service{handle:04x}"
            self.add(parent, {SERVICE: {"UUID": service, "Device": device, "Primary": True}})
            for number, (flags, value) in characteristics.items():
                handle += 2
                self.add(f"{parent}/char{handle:04x}", {CHARACTERISTIC: {
                    "UUID": number, "Service": parent, "Value": value, "Flags": flags,
                } | ({"Notifying": False} if "notify" in flags or "indicate" in flags else {})})
            handle += 1
        self.set(device, DEVICE, ServicesResolved=True)

    def drop(self, device):
        """Ends a device's connection. Its services are gone, too."""
        self.set(device, DEVICE, ServicesResolved=False)
        self.set(device, DEVICE, Connected=False)
        for path in [each for each in self.objects if each.startswith(device + "/")]:
            if path in self.objects:
                self.remove(path)

    # Methods

    def on(self, member, answer, path=None):
        """Answers calls of this method: `answer` takes the `Call`, and returns its results, None for the usual answer, or
        NO_REPLY; or it raises a `Refusal`."""
        self.answers[member, path] = answer

    def refuse(self, member, name="org.bluez.Error.Failed", message="refused", when=lambda call: True):
        """Refuses calls of this method, or those for which `when` holds."""
        def answer(call):
            if when(call):
                raise Refusal(name, message)
        self.on(member, answer)

    def called(self, member, since=0):
        """The calls of a method so far."""
        return [call for call in self.calls if call.member == member and call.at >= since]

    def _receive(self, _, message):
        if not isinstance(message, dbus.lowlevel.MethodCallMessage):
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        call = Call(message)
        self.calls.append(call)
        try:
            result = None
            for key in ((call.member, call.path), (call.member, None)):
                if result is None and key in self.answers:
                    result = self.answers[key](call)
            if result is not NO_REPLY:
                self._reply(call, self._usual(call) if result is None else result)
        except Refusal as refusal:
            reply = dbus.lowlevel.ErrorMessage(message, refusal.name, refusal.message)
            self.bus.send_message(reply)
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    def _reply(self, call, result):
        reply = dbus.lowlevel.MethodReturnMessage(call.message)
        if result:
            signature, *values = result
            reply.append(*values, signature=signature)
        self.bus.send_message(reply)

    def _usual(self, call):
        """What bluetoothd does, when all is well. Returns a signature and values."""
        path, arguments, object = call.path, call.arguments, self.objects.get(call.path)
        if call.member == "GetManagedObjects":
            tree = {each: {name: typed(of) for name, of in names.items()} for each, names in self.objects.items()}
            return "a{oa{sa{sv}}}", tree
        if call.interface == "org.freedesktop.DBus.Peer":
            return []
        if object is None:
            raise Refusal("org.freedesktop.DBus.Error.UnknownObject", f"no object {path}")
        if call.member == "GetAll":
            return "a{sv}", typed(object.get(arguments[0], {}))
        if call.member == "Get":
            if arguments[1] not in object.get(arguments[0], {}):
                raise Refusal("org.freedesktop.DBus.Error.InvalidArgs", f"No such property '{arguments[1]}'")
            return "v", typed({arguments[1]: object[arguments[0]][arguments[1]]})[arguments[1]]
        if call.member == "Set":
            self.set(path, arguments[0], **{arguments[1]: arguments[2]})
        elif call.member == "StartDiscovery" and not object[ADAPTER]["Powered"]:
            raise Refusal("org.bluez.Error.NotReady", "Resource Not Ready")
        elif call.member in ("StartDiscovery", "StopDiscovery"):
            self.set(path, ADAPTER, Discovering=call.member == "StartDiscovery")
        elif call.member == "Connect":
            self.set(path, DEVICE, Connected=True)
            GLib.timeout_add(50, lambda: self.resolve(path))
        elif call.member == "Disconnect":
            if not object[DEVICE]["Connected"]:
                raise Refusal("org.bluez.Error.NotConnected", "Not Connected")
            self.drop(path)
        elif call.member == "RemoveDevice":
            self.remove(arguments[0])
        elif call.member in ("ReadValue", "StartNotify") and not self.objects[path.split('/service')[0]][DEVICE]["Connected"]:
            raise Refusal("org.bluez.Error.Failed", "Not connected")
        elif call.member == "ReadValue":
            return "ay", [dbus.Byte(byte) for byte in object[CHARACTERISTIC]["Value"]]
        elif call.member in ("StartNotify", "StopNotify"):
            self.set(path, CHARACTERISTIC, Notifying=call.member == "StartNotify")
        elif call.member == "AcquireNotify":
            raise Refusal("org.bluez.Error.NotSupported", "Operation is not supported")
        return []


class Trial:
    """A scenario's surroundings: a private bus with a `bluez`, and the program with its own configuration and history."""

    def __init__(self, program, folder):
        self.program, self.folder, self.address = program, folder, f"unix:path={folder}/bus"
        os.chmod(folder, 0o755)  # for clients that are other users
        with open(f"{folder}/bus.conf", "w") as file:
            file.write(BUS_CONFIGURATION.format(folder=folder))
        self.daemon = subprocess.Popen(
            ["dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile", "--print-address"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.daemon.stdout.readline()
        self.poller, self.file = None, f"{folder}/config.yaml"
        self.more = {}  # of the environment of `poll`
        self.configure()
        self.bluez = FakeBluez(self.address)

    def close(self):
        for process in (self.poller, self.daemon):
            if process and process.poll() is None:
                process.kill()
                process.wait()

    # Time

    def wait(self, seconds):
        """Serves D-Bus for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._turn()

    def until(self, what, condition, within=30):
        """Serves D-Bus until `condition` returns something true, and returns that. `what` says what it waits for."""
        end = time.monotonic() + within
        while True:
            result = condition()
            if result:
                return result
            assert time.monotonic() < end, f"not within {within} s: {what}\n{self.log()}"
            self._turn()

    @staticmethod
    def _turn():
        while GLib.MainContext.default().iteration(False):
            pass
        time.sleep(0.01)

    # blekeep

    def use_home(self):
        """Puts the configuration where `add` finds it and writes beside it, in a home of its own."""
        self.file = f"{self.folder}/.config/blekeep/config.yaml"
        os.makedirs(os.path.dirname(self.file))
        self.configure()

    def configure(self, configuration=""):
        with open(self.file, "w") as file:
            file.write(f"history: {self.folder}/history.sqlite\n{configuration}\n")

    def poll(self, configuration, *options):
        """Starts `poll` with this configuration in YAML; `history` is set already. What it prints is in `readings`."""
        self.configure(configuration)
        words = [self.program, "poll", "--json", *options]
        with open(f"{self.folder}/out", "a") as out, open(f"{self.folder}/log", "a") as log:
            self.poller = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=log, env=self.environment | self.more)

    def stop(self):
        """Ends `poll` with SIGTERM, and returns its exit code and how long it took."""
        began = time.monotonic()
        self.poller.send_signal(signal.SIGTERM)
        code = self.until("the end of poll", lambda: self.poller.poll() is not None and [self.poller.returncode])[0]
        return code, time.monotonic() - began

    def blekeep(self, *words, within=60):
        """Runs another command, and returns its exit code, standard output and standard error."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                [self.program, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=self.environment)
            self.until(f"the end of blekeep {words}", lambda: process.poll() is not None, within)
            out.seek(0)
            errors.seek(0)
            return process.returncode, out.read(), errors.read()

    @property
    def environment(self):
        place = {"HOME": self.folder} if "/.config/" in self.file else {"BLEKEEP_CONFIG": self.file}
        return os.environ | place | {
            "NO_COLOR": "1", "DBUS_SYSTEM_BUS_ADDRESS": self.address,
        }

    def readings(self, device=None, quantity=None):
        """The lines of `poll` so far, as dictionaries."""
        with open(f"{self.folder}/out") as file:
            rows = [json.loads(line) for line in file if line.endswith("\n")]
        return [row for row in rows if device in (None, row.get("device")) and quantity in (None, row.get("quantity"))]

    def log(self):
        """The log of `poll`."""
        try:
            with open(f"{self.folder}/log") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def rss(self):
        """The memory of `poll` in KiB, now and at most."""
        with open(f"/proc/{self.poller.pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["VmRSS"].split()[0]), int(lines["VmHWM"].split()[0])

    def check_ticks(self, device, misses=0):
        """Returns the number of a device's ticks. Fails when one is missing, or when more than `misses` have no value."""
        rows = [row for row in self.readings(device) if row.get("tick")]
        ticks = sorted({row["tick"] for row in rows})
        assert ticks and ticks == list(range(ticks[0], ticks[-1] + 1)), f"{device}: ticks {ticks}"
        failed = set(ticks) - {row["tick"] for row in rows if "value" in row}
        assert len(failed) <= misses, f"{device}: {[row for row in rows if row['tick'] in failed]}"
        return len(ticks)
