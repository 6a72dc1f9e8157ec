import ArgumentParser
import Blekeep
import BlekeepOutputs

struct ConfigInit: OptionsCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a configuration file with comments, to begin with.",
        discussion: """
            It goes to the usual place (/etc/blekeep/config.yaml for root), or to the file that -c names. A file that \
            is there is never touched.

            Examples:
              blekeep config init
              blekeep config init --print
            """)

    @Flag(help: "Print it instead.")
    var print = false

    @OptionGroup var options: GlobalOptions

    func run() throws {
        guard !print else {
            try StandardOutput().write(Self.text)
            return
        }
        let loader = Composition.configurationLoader(options)
        guard let folder = loader.folders.first else {
            throw Failure(.badConfiguration, "there is no place for a configuration: set HOME, or name a file with -c")
        }
        let path = options.config ?? "\(folder)/config.yaml"
        try NewFile.write(Self.text, to: path)
        Swift.print("wrote \(Untrusted.whole(path))")
    }

    /// A `#` without a space, or with two, is before a setting; the others are before remarks.
    static let text = """
        # What blekeep reads, and how. 'blekeep config check' finds mistakes, 'blekeep config show' tells what is in
        # force. 'blekeep add DEV' writes a device for you, as a file of its own in conf.d beside this one.
        # To set something, take away the # before it; what stands there is the default, or an example.

        # The radio: its address, or hciN. Without it the first one that is on.
        #adapter: hci0

        # From tick to tick, 5s to 24h.
        interval: 30s

        # The shortest time between two stored values that a device sends by itself, 0s (all) to 1h; the newest wins.
        #throttle: 1s

        # How many links the radio can keep open at a time, 1 to 64.
        #max_links: 5

        # Where readings are stored, and how much of the disk they may take; or the path alone.
        #history:
        #  path: /var/lib/blekeep/history.sqlite
        #  size: 256MiB                # readings; the oldest make room for new ones; at least 1MiB
        #  rollups: 128MiB             # summaries of 5 minutes and of an hour, which stay longer; at least 512KiB
        #  reserve: 32MiB              # what is left free for other programs

        # What becomes of links that are held when blekeep ends: disconnect, or keep them for its next start.
        #on_stop: disconnect

        # How ticks slow down to save power: an interval, a factor such as x2, or pause.
        #power:
        #  mode: auto                  # as UPower and power profiles say; or normal, or low
        #  battery: 60s                # not quicker than this
        #  low: 5m
        #  critical: 15m
        #  wake: false                 # true: wake a sleeping machine for ticks, every 15m at most

        # Where readings go besides the history and standard output.
        #sinks:
        #  file:                       # one JSON object a line; every reading once, also after a crash
        #    path: /var/log/blekeep.ndjson
        #    size: 10MiB               # then it is renamed to PATH.1; at least 64KiB
        #    keep: 4                   # so many older files, 1 to 1000
        #  mqtt:                       # an MQTT broker; each reading at least once
        #    url: mqtts://broker.example   # or mqtt:// without TLS
        #    user: blekeep
        #    password_file: /etc/blekeep/mqtt-password   # or the name of a credential
        #    ca_file: /etc/blekeep/ca.pem   # trusts these authorities instead of the system's
        #    cert_file: /etc/blekeep/client.pem
        #    key_file: /etc/blekeep/client.key
        #    version: 5                # or 3.1.1
        #    base: blekeep             # topics are BASE/GATEWAY/DEVICE/state and so on
        #    gateway: cellar           # this machine's name unless set
        #    backlog_rate: 50          # readings a second after an outage; 1 to 10000
        #    discovery: homeassistant  # Home Assistant's prefix; false: don't tell Home Assistant

        # What may be done to BlueZ and its radio where nothing gentle helps; each may hurt other programs.
        #recovery:
        #  power_cycle: false          # true: switch an adapter off and on that reaches nothing, every 10m at most
        #  restart_bluetooth: false    # true: have systemd restart bluetoothd after that, every 30m at most
        #  forget_stale: false         # true: remove what BlueZ remembers of an unpaired device and no longer fits
        #  prefer_le: false            # true: set PreferredBearer = le where classic Bluetooth is tried

        # What is read.
        #devices:
        #  - address: F0:00:00:00:00:01
        #    alias: greenhouse
        #    adapter: hci0             # its own, as the next ones
        #    interval: 5m
        #    throttle: 10s
        #    mode: auto                # the link between ticks: hold, release, or what suits
        #    power: {low: 10m, critical: pause}
        #    adaptive: true            # up to 4 times the interval while nothing is new
        #    min_interval: 1m
        #    max_interval: 1h
        #    characteristics:          # without them, all that is known here
        #      - temperature           # an official name or a UUID
        #      - uuid: 2a37
        #        service: 180d
        #        notify: true          # take values as the device sends them
        #        throttle: 0s          # and store all of them
        #      - uuid: 2a19
        #        interval: 1h
        #        security: encrypted   # read only when paired; none, encrypted or authenticated
        #  - address: F0:00:00:00:00:02
        #    mode: passive             # never connected: what it advertises is taken
        #    key: attic-key            # of encrypted BTHome: a credential of systemd with 32 hex digits
        #  - address: F0:00:00:00:00:03
        #    mode: heard               # polled when a tick is due and it is heard: it may sleep between

        # How a vendor's values are to be read; 'blekeep config check' tries them on the tests.
        #layouts:
        #  - uuid: a0b40010-926d-4d61-98df-8c5c62ee53b3
        #    name: Soil probe
        #    endian: big               # little, unless you say so
        #    fields:
        #      - {name: flags, type: bits8}
        #      - {name: temperature, type: sint16, scale: 0.01, offset: -40, unit: °C, special: {0x8000: unknown}}
        #      - {skip: 1}             # octets that mean nothing
        #      - {name: moisture, type: uint8, scale: 0.5, unit: "%", if: {bit: 0}}
        #    tests:
        #      - {hex: 010c4e00c8, expect: {temperature: -8.5, moisture: 100}}
        #      - {hex: "01", error: short}

        """
}
